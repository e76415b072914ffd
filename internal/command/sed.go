package command

import (
	"strings"
	"unicode/utf8"
)

// runSed reads the script of sed, for the commands that run others or write files.
func runSed(w *walker, u *usage, at where) {
	if _, found := find(u.options, "sandbox"); found {
		return // it refuses to run those
	}
	script, given := w.scripts(u.options, "e expression", "f file", at)
	if !given {
		// (On BSD the empty word is the value of -i.)
		if _, inPlace := find(u.options, "i"); inPlace && len(u.operands) > 1 && u.operands[0].Known && u.operands[0].Text == "" {
			u.operands = u.operands[1:]
		}
		if len(u.operands) == 0 {
			return
		}
		script = u.operands[0].masked()
	}
	// A slash within brackets ends an expression for some and does not for others. A script that
	// cannot be read at all is none for sed either: it stops before the first line. Where that
	// is due to something unknown in it, there was nothing known to object to.
	s := &sedScript{text: script, brackets: true}
	if s.read(); s.broken {
		s = &sedScript{text: script}
		s.read()
	}
	for _, text := range s.runs {
		w.toldText("sed e", unmasked(text), at)
	}
	if s.evaluates {
		w.dynamic("sed runs what is in the lines it reads", "Leave the command or flag e out, and run the commands themselves.", at)
	}
	for _, file := range s.files {
		u.writes(unmasked(file))
	}
}

// scripts joins the values of options that are a program, and those files that are known.
func (w *walker) scripts(options []option, values, files string, at where) (text string, given bool) {
	var parts []string
	for _, o := range options {
		switch {
		case lists(values, o.name):
			parts = append(parts, o.value.masked())
		case !lists(files, o.name):
			continue
		case o.value.made != nil:
			parts = append(parts, *o.value.made)
		case (standardInput(o.value) || o.value.Text == "-") && at.stdin.text != nil:
			parts = append(parts, *at.stdin.text)
		}
		given = true
	}
	return strings.Join(parts, "\n"), given
}

// A sedScript is a script of sed that is read. A NUL in it is something that is not known.
type sedScript struct {
	text     string
	at       int
	brackets bool // within them a delimiter is none
	broken   bool // it cannot be read
	// runs is what the command e runs, and evaluates says that lines are run.
	runs      []string
	evaluates bool
	files     []string
}

func (s *sedScript) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return '\n'
}

// skip skips any of these.
func (s *sedScript) skip(any string) {
	for s.at < len(s.text) && strings.IndexByte(any, s.text[s.at]) >= 0 {
		s.at++
	}
}

// until takes everything before any of these.
func (s *sedScript) until(any string) string {
	from := s.at
	for s.at < len(s.text) && strings.IndexByte(any, s.text[s.at]) < 0 {
		s.at++
	}
	return s.text[from:s.at]
}

func (s *sedScript) read() {
	for !s.broken {
		s.skip(" \t\n;}")
		if s.at >= len(s.text) {
			return
		}
		s.address()
		s.skip(" \t!")
		if s.at >= len(s.text) || s.broken {
			return
		}
		c := s.text[s.at]
		s.at++
		s.command(c)
	}
}

// address takes up to two addresses.
func (s *sedScript) address() {
	const numbers = "0123456789~+$\x00"
	for range 2 {
		switch c := s.peek(); {
		case strings.IndexByte(numbers, c) >= 0:
			s.skip(numbers)
		case c == '/' || c == '\\':
			if c == '\\' {
				s.at++
			}
			s.delimited(s.delimiter(), s.brackets)
			s.skip("IM")
		default:
			return
		}
		s.skip(" \t")
		if s.peek() != ',' {
			return
		}
		s.at++
		s.skip(" \t")
	}
}

// delimiter takes one letter.
func (s *sedScript) delimiter() rune {
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	s.at += size
	s.broken = s.broken || size == 0 || r == '\n' || r == '\\'
	return r
}

// delimited takes everything up to the delimiter.
func (s *sedScript) delimited(end rune, brackets bool) {
	for s.at < len(s.text) && !s.broken {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		s.at += size
		switch {
		case r == end:
			return
		case r == '\\' && s.at < len(s.text):
			_, size = utf8.DecodeRuneInString(s.text[s.at:])
			s.at += size
		case r == '[' && brackets:
			if end := bracketEnd(s.text, s.at); end > 0 {
				s.at = end
			} else {
				brackets, s.brackets = false, false // nor do those that follow have one
			}
		}
	}
	s.broken = true
}

// bracketEnd is where a bracket expression ends that begins before at, 0 when it has no end
// in its line.
func bracketEnd(s string, at int) int {
	i := at
	if i < len(s) && s[i] == '^' {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for ; i < len(s) && s[i] != '\n'; i++ {
		switch {
		case s[i] == ']':
			return i + 1
		case s[i] == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			if end := strings.Index(s[i+2:min(i+20, len(s))], s[i+1:i+2]+"]"); end >= 0 {
				i += 2 + end + 1
			}
		}
	}
	return 0
}

// command takes what belongs to a command.
func (s *sedScript) command(c byte) {
	switch c {
	case '{', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		s.skip(" \t")
	case '#':
		s.until("\n")
	case ':', 'b', 't', 'T', 'v':
		s.skip(" \t")
		s.until("; \t\n")
	case 'l', 'L', 'q', 'Q':
		s.skip(" \t0123456789\x00")
	case 'a', 'i', 'c':
		s.skip(" \t")
		if s.peek() == '\\' {
			s.at++
			s.skip(" \t")
			if s.at < len(s.text) && s.peek() == '\n' {
				s.at++
			}
		}
		for s.at < len(s.text) && s.text[s.at] != '\n' {
			if s.text[s.at] == '\\' {
				s.at++
			}
			s.at++
		}
		s.at = min(s.at, len(s.text))
	case 'r', 'R':
		s.until("\n")
	case 'w', 'W':
		s.file()
	case 'e':
		s.skip(" \t")
		if text := s.until("\n"); text != "" {
			s.runs = append(s.runs, text)
		} else {
			s.evaluates = true
		}
	case 's':
		end := s.delimiter()
		s.delimited(end, s.brackets)
		s.delimited(end, false)
		s.flags()
	case 'y':
		end := s.delimiter()
		s.delimited(end, false)
		s.delimited(end, false)
	default:
		s.broken = true
	}
}

func (s *sedScript) flags() {
	for !s.broken && s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == 'w':
			s.at++
			s.file()
			return
		case c == 'e':
			s.evaluates = true
		case strings.IndexByte("gpiImM0123456789\x00", c) < 0:
			return
		}
		s.at++
	}
}

func (s *sedScript) file() {
	s.skip(" \t")
	s.files = append(s.files, s.until("\n"))
}
