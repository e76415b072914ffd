package output

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const replacement = "\uFFFD"

// Text decodes b as UTF-8. What is not UTF-8 becomes U+FFFD, one for each
// maximal part of a character, the practice Unicode recommends: a character
// of which the last byte is missing is one mark, not two or three.
func Text(b []byte) string {
	var d Decoder
	return d.Decode(b) + d.Flush()
}

// A Decoder decodes UTF-8 that arrives in pieces: a character split over two
// pieces comes out whole. The zero Decoder is ready to use. It is not safe for
// concurrent use.
type Decoder struct {
	rest [utf8.UTFMax]byte // the beginning of a character
	n    int
}

// Decode returns the text of everything up to the last whole character, and
// keeps the beginning of the next one, at most three bytes.
func (d *Decoder) Decode(p []byte) string {
	var b strings.Builder
	if d.n > 0 {
		// Finish the character begun before, byte by byte: at most three steps.
		for len(p) > 0 && d.n > 0 {
			d.rest[d.n] = p[0]
			head := d.rest[:d.n+1]
			switch size, complete := prefix(head); {
			case size == len(head) && complete:
				b.Write(head)
				d.n, p = 0, p[1:]
			case size == len(head):
				d.n, p = d.n+1, p[1:]
			default: // p[0] does not continue it: what was kept is a mark
				b.WriteString(replacement)
				d.n = 0
			}
		}
	}
	if utf8.Valid(p) { // the usual case, at the speed of memory
		if b.Len() == 0 {
			return string(p)
		}
		b.Write(p)
		return b.String()
	}
	b.Grow(len(p))
	for len(p) > 0 {
		if good := validPrefix(p); good > 0 {
			b.Write(p[:good])
			p = p[good:]
			continue
		}
		size, _ := prefix(p)
		if size == len(p) { // could still become a character
			d.n = copy(d.rest[:], p)
			break
		}
		b.WriteString(replacement)
		p = p[max(size, 1):]
	}
	return b.String()
}

// Flush ends the stream: the beginning of a character that will not be
// finished is one U+FFFD.
func (d *Decoder) Flush() string {
	if d.n == 0 {
		return ""
	}
	d.n = 0
	return replacement
}

// Held is how many bytes wait for the rest of their character.
func (d *Decoder) Held() int { return d.n }

// Reset forgets the beginning of a character and returns its length in bytes.
func (d *Decoder) Reset() int {
	n := d.n
	d.n = 0
	return n
}

// validPrefix is the length of the whole characters p starts with.
func validPrefix(p []byte) int {
	i := 0
	for i < len(p) {
		if p[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		i += size
	}
	return i
}

// prefix says how many bytes at the start of p belong to one well-formed
// character (table 3-7 of the Unicode standard), and whether they complete it.
// Size 0 means that p[0] cannot start a character.
func prefix(p []byte) (size int, complete bool) {
	lo, hi := byte(0x80), byte(0xBF)
	var want int
	switch c := p[0]; {
	case c < 0x80:
		return 1, true
	case c < 0xC2 || c > 0xF4:
		return 0, false
	case c < 0xE0:
		want = 2
	case c < 0xF0:
		want = 3
		if c == 0xE0 {
			lo = 0xA0 // no overlong forms
		}
		if c == 0xED {
			hi = 0x9F // no surrogates
		}
	default:
		want = 4
		if c == 0xF0 {
			lo = 0x90
		}
		if c == 0xF4 {
			hi = 0x8F // nothing above U+10FFFF
		}
	}
	for size = 1; size < want && size < len(p); size++ {
		if p[size] < lo || p[size] > hi {
			return size, false
		}
		lo, hi = 0x80, 0xBF
	}
	return size, size == want
}

// Chunks calls f with s in pieces of at most limit bytes that do not split a
// character, in order. s must be valid UTF-8 and limit at least utf8.UTFMax.
func Chunks(s string, limit int, f func(piece string)) {
	for len(s) > limit {
		cut := limit
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		f(s[:cut])
		s = s[cut:]
	}
	if s != "" {
		f(s)
	}
}

// A LineCounter counts lines in pieces: newlines, plus one for a last line
// that has none. The zero LineCounter is ready to use.
type LineCounter struct {
	newlines int64
	open     bool // the last byte seen was not a newline
}

// Add counts, and returns how long the lines are that end in p.
func (c *LineCounter) Add(p []byte) int {
	if len(p) == 0 {
		return 0
	}
	c.open = p[len(p)-1] != '\n'
	n := bytes.Count(p, []byte{'\n'})
	if n == 0 { // found out much faster than by a search from the end
		return 0
	}
	c.newlines += int64(n)
	return bytes.LastIndexByte(p, '\n') + 1
}

// Lines is the number of lines so far.
func (c *LineCounter) Lines() int64 {
	if c.open {
		return c.newlines + 1
	}
	return c.newlines
}
