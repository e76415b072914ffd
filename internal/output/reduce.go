package output

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	bel = 0x07
	bs  = '\b'
	esc = 0x1b
)

// maxSequence is the longest control sequence in bytes. Longer ones, such as
// those that carry pictures, are not taken for one: an unfinished sequence must
// not swallow what a command prints after it.
const maxSequence = 4096

// A Reducer is an io.Writer that writes to a Tail what a terminal would leave
// on the screen, line by line: control sequences are left out, a carriage
// return begins its line anew, so that of a progress bar the last state
// remains, and a backspace takes a character back. Sequences that move the
// cursor to other lines are left out like the others, and not followed.
//
// It works byte by byte only where there is something to do. It is not safe for
// concurrent use. Flush ends it.
type Reducer struct {
	Tail *Tail

	back     bool   // a carriage return waits for what follows it
	sequence []byte // an unfinished control sequence, from its ESC on
}

// Write never fails.
func (r *Reducer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if len(r.sequence) > 0 {
			p = r.continues(p)
			continue
		}
		if r.back {
			switch p[0] {
			case '\n':
				r.back = false
			case '\r', bs: // at the beginning of the line they move nothing
				p = p[1:]
				continue
			case esc: // shows nothing: what comes behind it decides
			default:
				r.erase()
			}
		}
		i := special(p)
		r.Tail.Write(p[:i])
		if p = p[i:]; len(p) == 0 {
			break
		}
		switch p[0] {
		case '\r':
			r.back = true
		case bs:
			r.takeBack()
		case esc:
			r.sequence = append(r.sequence, esc)
		}
		p = p[1:]
	}
	return n, nil
}

// special is the index of the first byte that is more than text. Three searches
// at the speed of memory beat one that looks at each byte; the windows keep a
// rare byte from being searched for again to the end after each frequent one.
func special(p []byte) int {
	for begin, size := 0, 256; begin < len(p); size *= 2 {
		end := min(begin+size, len(p))
		i := end
		for _, c := range []byte{'\r', esc, bs} {
			if j := bytes.IndexByte(p[begin:i], c); j >= 0 {
				i = begin + j
			}
		}
		if i < end {
			return i
		}
		begin = end
	}
	return len(p)
}

// takeBack takes back the last character of the line.
func (r *Reducer) takeBack() {
	most := min(r.Tail.n, utf8.UTFMax)
	if most == 0 || r.Tail.last(0) == '\n' {
		return
	}
	n := 1
	for n < most && !utf8.RuneStart(r.Tail.last(n-1)) && r.Tail.last(n) != '\n' {
		n++
	}
	r.Tail.Rewind(n)
}

// continues goes on with an unfinished sequence and returns what is behind it.
func (r *Reducer) continues(p []byte) []byte {
	for i, c := range p {
		if c == '\r' && len(r.sequence) > 1 && isString(r.sequence[1]) {
			// Neither a string nor text: what is on the line stays.
			r.giveUp()
			return p[i:]
		}
		r.sequence = append(r.sequence, c)
		switch ended, valid := sequence(r.sequence); {
		case ended:
			r.obey(string(r.sequence))
			r.sequence = r.sequence[:0]
			return p[i+1:]
		case !valid || len(r.sequence) > maxSequence:
			r.sequence = r.sequence[:len(r.sequence)-1]
			r.giveUp()
			return p[i:]
		}
	}
	return nil
}

// erase takes the current line back.
func (r *Reducer) erase() {
	r.Tail.rewindLine()
	r.back = false
}

// obey does what a sequence does to the text: those that erase the line.
func (r *Reducer) obey(sequence string) {
	switch sequence {
	case "\x1b[2K":
		r.erase()
	case "\x1b[K", "\x1b[0K": // from where the cursor is
		if r.back {
			r.erase()
		}
	}
}

// DropLine takes back the current line with all that is unfinished in it.
func (r *Reducer) DropLine() {
	r.erase()
	r.sequence = nil
}

// giveUp writes what was taken for a control sequence as text: its ESC stays,
// to be made visible.
func (r *Reducer) giveUp() {
	s := r.sequence
	r.sequence = nil
	if r.back {
		r.erase()
	}
	r.Tail.Write(s)
}

// Flush ends the stream.
func (r *Reducer) Flush() {
	if len(r.sequence) > 0 {
		r.giveUp()
	}
	r.back = false
	r.Tail.Finish()
}

// Clone returns a Reducer that goes on from where r is, by itself.
func (r *Reducer) Clone() Reducer {
	c := *r
	c.Tail = r.Tail.clone()
	c.sequence = bytes.Clone(r.sequence)
	return c
}

// isString tells whether a sequence whose second byte is c goes on to a
// terminator: operating system commands and the like.
func isString(c byte) bool { return strings.IndexByte("]PX^_", c) >= 0 }

// sequence tells whether s, which begins with ESC, is a whole control sequence
// or may become one (ECMA-48).
func sequence(s []byte) (ended, valid bool) {
	if len(s) < 2 {
		return false, true
	}
	last := s[len(s)-1]
	switch {
	case s[1] == '[': // parameters, intermediates, one final byte
		if len(s) == 2 {
			return false, true
		}
		return last >= 0x40 && last <= 0x7e, last >= 0x20 && last <= 0x7e
	case isString(s[1]): // up to BEL or ESC \
		if len(s) == 2 {
			return false, true
		}
		previous := s[len(s)-2]
		if len(s) > 3 && previous == esc {
			return last == '\\', last == '\\'
		}
		return last == bel, last == bel || last == esc || last == '\t' || last >= 0x20
	case s[1] >= 0x20 && s[1] <= 0x2f: // intermediates, one final byte
		return last >= 0x30 && last <= 0x7e, last >= 0x20 && last <= 0x7e
	}
	return s[1] >= 0x30 && s[1] <= 0x7e, s[1] >= 0x30 && s[1] <= 0x7e
}

// Visible replaces the control characters of s, except tab and newline, by
// characters that show them: NUL by ␀, and those of the second set, which have
// no picture, by U+FFFD.
func Visible(s string) string {
	control := func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f }
	if strings.IndexFunc(s, control) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !control(r):
			return r
		case r < 0x20:
			return '␀' + r
		case r == 0x7f:
			return '␡'
		}
		return utf8.RuneError
	}, s)
}
