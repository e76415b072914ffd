package output

import (
	"bytes"
	"unicode/utf8"
)

// minTail is what a Tail starts with: most commands print less than a page,
// and a Shell may run hundreds of them at once.
const minTail = 4 << 10

// A Tail is an io.Writer that keeps the last bytes written to it. It grows up
// to its limit and then overwrites the oldest bytes, so its memory does not
// depend on how much is written.
//
// A Tail is not safe for concurrent use. Use NewTail to make one.
type Tail struct {
	buf   []byte // a ring; it grows by doubling until it has limit bytes
	start int    // index of the oldest byte
	n     int    // how many bytes are kept
	limit int
	lost  bool
	fresh int64 // how many bytes were written since Seen, but for those taken back
	whole bool  // nothing more comes
}

// NewTail returns a Tail that keeps the last limit bytes. A limit below one
// keeps nothing.
func NewTail(limit int) *Tail {
	return &Tail{limit: max(limit, 0)}
}

// Write keeps the end of p. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	written := len(p)
	t.fresh += int64(written)
	if over := len(p) - t.limit; over > 0 { // p alone fills the ring
		p = p[over:]
		t.start, t.n, t.lost = 0, 0, true
	}
	t.grow(t.n + len(p))
	if over := t.n + len(p) - len(t.buf); over > 0 {
		t.start = (t.start + over) % len(t.buf)
		t.n -= over
		t.lost = true
	}
	for len(p) > 0 {
		c := copy(t.buf[(t.start+t.n)%len(t.buf):], p)
		t.n += c
		p = p[c:]
	}
	return written, nil
}

// grow makes room for need bytes. Doubling, but never past limit.
func (t *Tail) grow(need int) {
	if need <= len(t.buf) || len(t.buf) == t.limit {
		return
	}
	buf := make([]byte, min(max(2*len(t.buf), need, minTail), t.limit))
	t.copyTo(buf)
	t.buf, t.start = buf, 0
}

// copyTo copies the kept bytes, oldest first.
func (t *Tail) copyTo(b []byte) {
	end := min(t.start+t.n, len(t.buf))
	c := copy(b, t.buf[t.start:end])
	copy(b[c:], t.buf[:t.n-c])
}

// Rewind takes back the last n bytes, or all that are kept when that is less.
func (t *Tail) Rewind(n int) { t.takeBack(min(n, t.n)) }

func (t *Tail) takeBack(n int) {
	t.n -= n
	t.fresh = max(0, t.fresh-int64(n))
}

// rewindLine takes back what follows the last newline.
func (t *Tail) rewindLine() {
	end := t.start + t.n
	if over := end - len(t.buf); over > 0 { // it wraps: the newer part is in front
		if i := bytes.LastIndexByte(t.buf[:over], '\n'); i >= 0 {
			t.takeBack(over - i - 1)
			return
		}
		t.takeBack(over)
		end = len(t.buf)
	}
	t.takeBack(end - t.start - 1 - bytes.LastIndexByte(t.buf[t.start:end], '\n'))
}

// last returns the byte that n others follow.
func (t *Tail) last(n int) byte { return t.buf[(t.start+t.n-1-n)%len(t.buf)] }

func (t *Tail) clone() *Tail {
	c := *t
	c.buf = make([]byte, len(t.buf))
	copy(c.buf, t.buf)
	return &c
}

// Fresh is how many bytes were written since Seen, but for those that were taken back
// and for the beginning of a character that is not there in full.
func (t *Tail) Fresh() int64 { return max(0, t.fresh-int64(t.partial())) }

// Seen says that what is there has been looked at.
func (t *Tail) Seen() { t.fresh = min(t.fresh, int64(t.partial())) }

// Finish says that nothing more comes: not of a character, either.
func (t *Tail) Finish() { t.whole = true }

// partial is how many bytes at the end are the beginning of a character that goes on.
func (t *Tail) partial() int {
	if t.whole {
		return 0
	}
	var end [utf8.UTFMax - 1]byte
	for n := 1; n <= min(t.n, len(end)); n++ {
		end[len(end)-n] = t.last(n - 1)
		if c := end[len(end)-n:]; utf8.RuneStart(c[0]) {
			if size, complete := prefix(c); size == n && !complete {
				return n
			}
			return 0
		}
	}
	return 0
}

// End returns a copy of the last chars characters, but for one that is not there in
// full, and whether there were more. Where fresh is set, what Seen was told of does not
// count. It costs what it returns, not what is kept.
func (t *Tail) End(chars int, fresh bool) (end []byte, more bool) {
	partial := t.partial()
	most := t.n - partial
	if fresh {
		most = int(min(int64(most), t.Fresh()))
	}
	n := 0
	for ; n < most && chars > 0; n++ {
		if utf8.RuneStart(t.last(partial + n)) {
			chars--
		}
	}
	end = make([]byte, n)
	from := (t.start + t.n - partial - n) % max(len(t.buf), 1)
	copied := copy(end, t.buf[from:min(from+n, len(t.buf))])
	copy(end[copied:], t.buf)
	more = t.lost || n < t.n-partial
	if fresh {
		more = t.Fresh() > int64(n)
	}
	if t.lost && n == t.n-partial {
		end = wholeFrom(end)
	}
	return end, more
}

// wholeFrom returns b from its first whole character on.
func wholeFrom(b []byte) []byte {
	for i := 0; i < len(b) && i < utf8.UTFMax-1; i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b // no character boundary near: these bytes were never UTF-8
}
