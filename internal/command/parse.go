package command

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A dialect is one way to read a text.
type dialect int

const (
	posix dialect = iota
	bash
)

func (d dialect) variant() syntax.LangVariant {
	if d == bash {
		return syntax.LangBash
	}
	return syntax.LangPOSIX
}

func (d dialect) String() string { return []string{"posix", "bash"}[d] }

// maxFrames is how many frames deep the parser may be, about twenty for each level
// of nesting.
const maxFrames = 2000

var errDeep = errors.New("nested too deeply")

// A source is a text for the parser, which asks for a kilobyte at a time. It is
// recursive, without a limit of its own, and a stack that is too large ends the
// program: so each time it asks, it is asked how deep it is.
type source struct {
	text string
	base int // frames of the caller; 0 for a text that is too short to be deep
}

// short is how long a text is that cannot be nested too deeply for the parser.
const short = 1 << 10

// set has s begin with a text.
func (s *source) set(text string) {
	s.text, s.base = text, 0
	if len(text) > short {
		var one [1]uintptr
		for runtime.Callers(s.base, one[:]) > 0 {
			s.base += 64
		}
	}
}

func (s *source) Read(p []byte) (int, error) {
	var one [1]uintptr
	if s.base > 0 && runtime.Callers(s.base+maxFrames, one[:]) > 0 {
		return 0, errDeep
	}
	if s.text == "" {
		return 0, io.EOF
	}
	n := copy(p, s.text)
	s.text = s.text[n:]
	return n, nil
}

// A parser is one with a source for it.
type parser struct {
	*syntax.Parser
	source source
}

// parsers are there to be used again: one has buffers of some kilobytes.
var parsers = [2]sync.Pool{
	posix: {New: func() any { return &parser{Parser: syntax.NewParser(syntax.Variant(posix.variant()))} }},
	bash:  {New: func() any { return &parser{Parser: syntax.NewParser(syntax.Variant(bash.variant()))} }},
}

// parse reads text. The positions in the tree are those of text.
func parse(text string, d dialect) (*syntax.File, *Fault) {
	p := parsers[d].Get().(*parser)
	p.source.set(text)
	file, err := p.Parse(&p.source, "")
	p.source.text = ""
	parsers[d].Put(p)
	if err == nil {
		return file, nil
	}
	if errors.Is(err, errDeep) {
		return nil, tooDeep()
	}
	var language syntax.LangError
	var wrong syntax.ParseError
	switch {
	case errors.As(err, &language):
		// (Its own text names dialects that do not matter here.)
		return nil, bashOnly(language.Pos, language.Feature)
	case !errors.As(err, &wrong):
		return nil, faultf("The command cannot be read: %v. Correct its syntax.", err)
	}
	if d == posix {
		if _, fault := parse(text, bash); fault == nil {
			return nil, bashOnly(wrong.Pos, "what stands there")
		}
	}
	reason := strings.Replace(wrong.Text, "`foo(` must be followed by `)`", "a parenthesis behind a word begins a function; quote it", 1)
	return nil, faultf("The command cannot be read: line %d, column %d: %s. Correct its syntax.", wrong.Pos.Line(), wrong.Pos.Col(), reason)
}

// bashOnly says that a text is not for all shells.
func bashOnly(at syntax.Pos, what string) *Fault {
	return faultf("The command cannot be read: line %d, column %d: %s: known to bash only, and the shell may be another one. Write it without, or pass it to bash -c in single quotes.", at.Line(), at.Col(), what)
}

func tooDeep() *Fault {
	return faultf("The command is nested too deeply to be read. Split it, or put it in a script file.")
}

// strange is what stands for a byte that the parser would read otherwise than the
// shell: a control character, which shells take for a letter, or one that is not
// UTF-8. It is in no name.
const strange = '\x01'

// replaceStrange replaces the bytes of text that no shell and parser agree on, and
// says where they were.
func replaceStrange(text string) (string, []int) {
	var at []int
	for i := 0; i < len(text); {
		c := text[i]
		n := 1
		switch {
		case c == '\t' || c == '\n' || ' ' <= c && c < 0x7f:
		case c < utf8.RuneSelf:
			at = append(at, i)
		default:
			var r rune
			if r, n = utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && n == 1 {
				at = append(at, i)
			}
		}
		i += n
	}
	if len(at) == 0 {
		return text, nil
	}
	b := []byte(text)
	for _, i := range at {
		b[i] = strange
	}
	return string(b), at
}

// A span is a part of a text: one in quotes, also the body of a here-document, or
// code, which may be in one.
type span struct {
	from, to int
	quoted   bool
	literal  bool // nothing in it is special
}

// innermost says for each of at, ascending, in which of spans it is; the zero span for
// none.
func innermost(spans []span, at []int) []span {
	slices.SortFunc(spans, func(a, b span) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	found := make([]span, len(at))
	var open []span
	next := 0
	for i, offset := range at {
		for next < len(spans) && spans[next].from <= offset {
			open = append(open, spans[next])
			next++
		}
		for len(open) > 0 && open[len(open)-1].to <= offset {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			found[i] = open[len(open)-1]
		}
	}
	return found
}

// suspects finds the places in text that the parser reads as no shell does, if they
// are code: hashes that begin a comment which ends in a backslash (the parser takes the
// next line for a part of the comment), and dollars and parentheses before a folded line (shells
// fold first, so that a substitution may begin there, or arithmetic).
func suspects(text string) (comments, dollars []int) {
	if handles(foldedComment) {
		comments = foldedComments(text)
	}
	if handles(foldedDollar) {
		for i := 0; ; {
			j := strings.Index(text[i:], "$\\\n")
			if j < 0 {
				break
			}
			i += j
			dollars = append(dollars, i)
			i++
		}
		for i := 0; ; i++ {
			j := strings.Index(text[i:], "(\\\n")
			if j < 0 {
				break
			}
			i += j
			rest := text[i+1:]
			for strings.HasPrefix(rest, "\\\n") {
				rest = rest[2:]
			}
			if strings.HasPrefix(rest, "(") {
				dollars = append(dollars, i)
			}
		}
		slices.Sort(dollars)
	}
	return comments, dollars
}

func foldedComments(text string) (at []int) {
	for from := 0; from < len(text); {
		end := strings.IndexByte(text[from:], '\n')
		if end < 0 {
			// A comment may end the text in a backslash: nothing is folded.
			break
		}
		line := text[from : from+end]
		if strings.HasSuffix(line, `\`) {
			for i := range len(line) {
				if line[i] == '#' && (i == 0 || strings.IndexByte(" \t;&|()<>`", line[i-1]) >= 0) {
					at = append(at, from+i)
				}
			}
		}
		from += end + 1
	}
	return at
}
