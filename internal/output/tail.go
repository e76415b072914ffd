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
}

// NewTail returns a Tail that keeps the last limit bytes. A limit below one
// keeps nothing.
func NewTail(limit int) *Tail {
	return &Tail{limit: max(limit, 0)}
}

// Write keeps the end of p. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	written := len(p)
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
func (t *Tail) Rewind(n int) { t.n -= min(n, t.n) }

// rewindLine takes back what follows the last newline.
func (t *Tail) rewindLine() {
	end := t.start + t.n
	if over := end - len(t.buf); over > 0 { // it wraps: the newer part is in front
		if i := bytes.LastIndexByte(t.buf[:over], '\n'); i >= 0 {
			t.n -= over - i - 1
			return
		}
		t.n -= over
		end = len(t.buf)
	}
	t.n = bytes.LastIndexByte(t.buf[t.start:end], '\n') + 1
}

// last returns the byte that n others follow.
func (t *Tail) last(n int) byte { return t.buf[(t.start+t.n-1-n)%len(t.buf)] }

func (t *Tail) clone() *Tail {
	c := *t
	c.buf = make([]byte, len(t.buf))
	copy(c.buf, t.buf)
	return &c
}

// Dropped reports whether bytes were lost because there were too many.
func (t *Tail) Dropped() bool { return t.lost }

// Bytes returns a copy of the kept bytes, oldest first. When bytes were
// dropped, it does not begin in the middle of a UTF-8 character.
func (t *Tail) Bytes() []byte {
	out := make([]byte, t.n)
	t.copyTo(out)
	if !t.lost {
		return out
	}
	for i := 0; i < len(out) && i < utf8.UTFMax-1; i++ {
		if utf8.RuneStart(out[i]) {
			return out[i:]
		}
	}
	return out // no character boundary near: these bytes were never UTF-8
}
