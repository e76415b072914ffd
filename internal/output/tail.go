package output

import "unicode/utf8"

// minTail is what a Tail starts with: most commands print less than a page,
// and a Shell may run hundreds of them at once.
const minTail = 4 << 10

// A Tail is an io.Writer that keeps the last bytes written to it and counts
// all of them. It grows up to its limit and then overwrites the oldest bytes,
// so its memory does not depend on how much is written.
//
// A Tail is not safe for concurrent use. Use NewTail to make one.
type Tail struct {
	buf   []byte // grows by doubling until it has limit bytes, then is a ring
	start int    // index of the oldest byte once the ring is full
	limit int
	total int64
}

// NewTail returns a Tail that keeps the last limit bytes. A limit below one
// keeps nothing and still counts.
func NewTail(limit int) *Tail {
	return &Tail{limit: max(limit, 0)}
}

// Write keeps the end of p. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	n := len(p)
	t.total += int64(n)
	if n >= t.limit { // p alone fills the ring
		p = p[n-t.limit:]
		t.grow(t.limit)
		t.buf = append(t.buf[:0], p...)
		t.start = 0
		return n, nil
	}
	if free := t.limit - len(t.buf); free > 0 {
		fill := min(free, len(p))
		t.grow(len(t.buf) + fill)
		t.buf = append(t.buf, p[:fill]...)
		p = p[fill:]
	}
	for len(p) > 0 {
		c := copy(t.buf[t.start:], p)
		t.start = (t.start + c) % t.limit
		p = p[c:]
	}
	return n, nil
}

// grow makes room for need bytes. Doubling, but never past limit: append alone
// could round the capacity up to more than was promised.
func (t *Tail) grow(need int) {
	if need <= cap(t.buf) {
		return
	}
	size := min(max(2*cap(t.buf), need, minTail), t.limit)
	buf := make([]byte, len(t.buf), size)
	copy(buf, t.buf)
	t.buf = buf
}

// Total is how many bytes were written, kept or not.
func (t *Tail) Total() int64 { return t.total }

// Dropped reports whether bytes were lost.
func (t *Tail) Dropped() bool { return t.total > int64(len(t.buf)) }

// Bytes returns a copy of the kept bytes, oldest first. When bytes were
// dropped, it does not begin in the middle of a UTF-8 character.
func (t *Tail) Bytes() []byte {
	out := make([]byte, 0, len(t.buf))
	out = append(out, t.buf[t.start:]...)
	out = append(out, t.buf[:t.start]...)
	if !t.Dropped() {
		return out
	}
	for i := 0; i < len(out) && i < utf8.UTFMax-1; i++ {
		if utf8.RuneStart(out[i]) {
			return out[i:]
		}
	}
	return out // no character boundary near: these bytes were never UTF-8
}
