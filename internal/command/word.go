package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// known is a word that is as written.
func known(text string) Word { return Word{Text: text, Known: true, One: true, prefix: text} }

// variable returns the name of the variable that a word stands for, alone.
func (word Word) variable() (string, bool) {
	return word.parameter, !word.Known && identifier(word.parameter)
}

// fragments are what a word is put together from.
type fragments struct {
	text    strings.Builder
	unknown bool // a part is not known, and what stands for it in text is its source
	several bool // that part may be more words, or none
	glob    bool // file names are put in its place
	quoted  bool // there is a word, even an empty one
	solid   bool // there is a letter of it that is known
	home    bool
	slash   bool
	file    bool
	made    *string
	number  bool // there is nothing else in it
	pieces  int
	param   string // the parameter that one of them is
	from    []string
	may     []string
	before  int    // how much of text comes before anything unknown
	after   int    // and where the last thing that is unknown ends
	holes   []hole // where all of them are
}

// add adds text that is known.
func (f *fragments) add(s string) {
	if s == "" {
		return
	}
	f.pieces++
	f.solid = true
	f.slash = f.slash || strings.Contains(s, "/")
	f.text.WriteString(s)
	if !f.unknown {
		f.before = f.text.Len()
	}
}

// addUnknown adds what source stands for.
func (f *fragments) addUnknown(source string, several bool) {
	f.pieces++
	f.unknown = true
	f.several = f.several || several
	from := f.text.Len()
	f.text.WriteString(source)
	f.after = f.text.Len()
	f.holes = append(f.holes, hole{from, f.after})
}

func (f *fragments) word() Word {
	if s := f.text.String(); !f.unknown && (s == "[" || s == "[[") {
		f.glob = false // the command
	}
	word := Word{Text: f.text.String(), Known: !f.unknown && !f.glob, slash: f.slash, home: f.home, file: f.file, made: f.made, holes: f.holes, From: f.from}
	word.prefix, word.suffix = word.Text[:f.before], word.Text[f.after:]
	word.One = !f.several && !f.glob
	word.vanish = f.several && !f.quoted && !f.solid
	if f.pieces == 1 {
		word.parameter, word.May = f.param, f.may
	}
	word.number = f.number && !f.solid && !f.quoted
	word.pattern, word.globs = f.glob && !f.unknown, f.glob
	if f.glob {
		word.prefix = word.prefix[:strings.IndexAny(word.prefix+"*", "*?[")]
	}
	return word
}

// empty tells whether no word came of it.
func (f *fragments) empty() bool { return !f.quoted && !f.solid && !f.unknown && f.text.Len() == 0 }

// source is the text of a node.
func (w *walker) source(n syntax.Node) string {
	from, to := n.Pos(), n.End()
	if !from.IsValid() || !to.IsValid() || from.Offset() > to.Offset() || int(to.Offset()) > len(w.text) {
		return "…"
	}
	return w.text[from.Offset():to.Offset()]
}

// restored is value with the strange bytes that stand in it, from skip bytes behind at on.
func (w *walker) restored(value string, at syntax.Pos, skip int) string {
	if strings.IndexByte(value, strange) < 0 {
		return value
	}
	from := int(at.Offset()) + skip
	if end := from + len(value); end <= len(w.text) && w.text[from:end] == value {
		return w.given[from:end]
	}
	return value
}

// word walks a word that is not split: the value of a variable, a file to write to.
func (w *walker) word(word *syntax.Word, at where) Word {
	if word == nil {
		return known("")
	}
	f := &fragments{}
	for _, p := range word.Parts {
		w.part(p, at, f, nil)
	}
	if f.glob {
		// (A file name may be put in its place even here.)
		f.unknown = true
	}
	return f.word()
}

// fields walks a word that becomes any number of words.
func (w *walker) fields(word *syntax.Word, at where) []Word {
	if w.d == bash && handles(braces) && hasBraces(word) {
		return w.braced(word, at)
	}
	return w.plainFields(word, at)
}

// plainLiteral is a word in which nothing is special.
func plainLiteral(word *syntax.Word) (Word, bool) {
	if len(word.Parts) != 1 {
		return Word{}, false
	}
	lit, ok := word.Parts[0].(*syntax.Lit)
	if !ok {
		return Word{}, false
	}
	slash := false
	for i := range len(lit.Value) {
		switch lit.Value[i] {
		case '\\', '*', '?', '[', '~':
			return Word{}, false
		case '/':
			slash = true
		}
	}
	return Word{Text: lit.Value, Known: true, One: true, prefix: lit.Value, slash: slash}, true
}

func (w *walker) plainFields(word *syntax.Word, at where) []Word {
	if plain, ok := plainLiteral(word); ok {
		return []Word{plain}
	}
	if lit, ok := word.Parts[len(word.Parts)-1].(*syntax.Lit); ok && strings.HasSuffix(lit.Value, "$") && len(word.Parts) > 1 {
		// bash does not split it then, and others do.
		for _, p := range word.Parts {
			w.part(p, at, &fragments{}, nil)
		}
		return []Word{{Text: w.source(word)}}
	}
	var out []Word
	f := &fragments{}
	split := func() {
		if !f.empty() {
			out = append(out, f.word())
		}
		*f = fragments{}
	}
	for _, p := range word.Parts {
		w.part(p, at, f, split)
	}
	split()
	return out
}

// part walks a part of a word outside of quotes, and adds what it stands for. split
// begins a new word; nil where words are not split.
func (w *walker) part(p syntax.WordPart, at where, f *fragments, split func()) {
	switch p := p.(type) {
	case *syntax.Lit:
		w.literal(p.Value, f)
	case *syntax.SglQuoted:
		f.quoted = true
		w.mark(p, true, !p.Dollar, at)
		if !p.Dollar {
			f.add(w.restored(p.Value, p.Left, 1))
		} else if s, ok := decodeANSI(p.Value); ok {
			f.add(s)
		} else {
			f.addUnknown(w.source(p), false)
		}
	case *syntax.DblQuoted:
		f.quoted = true
		w.mark(p, true, false, at)
		w.quotedParts(p.Parts, at, f, false)
	case *syntax.ParamExp:
		s, ok := w.param(p, at, false)
		if !ok {
			f.param = plainParameter(p)
			f.comes(w.vars.from[f.param])
			f.may = w.vars.may[f.param]
			f.addUnknown(w.source(p), split != nil && !w.hostDirectory(p))
			if p.Exp != nil && (p.Exp.Op == syntax.DefaultUnsetOrNull || p.Exp.Op == syntax.AssignUnsetOrNull) && p.Exp.Word != nil && p.Exp.Word.Lit() != "" {
				f.solid = true // it is never empty
			}
			return
		}
		if split == nil {
			f.add(s)
			return
		}
		w.splitInto(s, f, split)
	case *syntax.CmdSubst:
		f.comes(w.substitution(p, at))
		f.number = f.empty() && w.printsNumbers(p)
		f.addUnknown(w.source(p), split != nil)
	case *syntax.ArithmExp:
		w.expansion(p, at)
		f.addUnknown(w.source(p), false)
		f.quoted = true // it is a number
	case *syntax.ProcSubst:
		mark := len(w.script.Invocations)
		f.file, f.made = true, w.process(p, at)
		f.comes(w.names(mark))
		f.addUnknown(w.source(p), false)
	default:
		f.addUnknown(w.source(p), split != nil)
		f.quoted = true
	}
}

// plainParameter is the name in $name and ${name}, empty for anything else.
func plainParameter(p *syntax.ParamExp) string {
	if p.Param == nil || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Excl || p.Length || p.Width || p.Names != 0 {
		return ""
	}
	return p.Param.Value
}

// splitInto adds the value of a variable outside of quotes.
func (w *walker) splitInto(s string, f *fragments, split func()) {
	const blanks = " \t\n"
	for i, piece := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(blanks, r) }) {
		if i > 0 || strings.ContainsRune(blanks, rune(s[0])) {
			split()
		}
		f.glob = f.glob || strings.ContainsAny(piece, "*?[\\(")
		f.add(piece)
	}
	if s != "" && strings.ContainsRune(blanks, rune(s[len(s)-1])) {
		split()
	}
}

// literal adds text outside of quotes.
func (w *walker) literal(s string, f *fragments) {
	if strings.HasPrefix(s, "~") && f.empty() || strings.Contains(s, "=~") || strings.Contains(s, ":~") {
		f.home = true
		if name, _, slash := strings.Cut(s, "/"); name != "~" && strings.HasPrefix(s, "~") || !slash {
			f.addUnknown("", false)
		}
	}
	if strings.ContainsAny(s, "*?") {
		f.glob = f.glob || strings.ContainsAny(unescaped(s), "*?")
	}
	if strings.Contains(s, "[") {
		f.glob = f.glob || strings.Contains(unescaped(s), "[")
	}
	if !strings.Contains(s, `\`) {
		f.add(s)
		return
	}
	f.quoted = true
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	f.add(b.String())
}

// unescaped is s without what backslashes quote.
func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// quotedParts adds what is in double quotes or in a here-document.
func (w *walker) quotedParts(parts []syntax.WordPart, at where, f *fragments, document bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			f.add(unquoteDouble(w.restored(p.Value, p.ValuePos, 0), document))
		case *syntax.ParamExp:
			s, ok := w.param(p, at, true)
			if ok {
				f.add(s)
			} else {
				f.param = plainParameter(p)
				f.comes(w.vars.from[f.param])
				f.may = w.vars.may[f.param]
				f.addUnknown(w.source(p), list(p))
				if list(p) && len(parts) == 1 {
					f.quoted = false // "$@" is no word where there are no arguments
				}
			}
		case *syntax.CmdSubst:
			f.comes(w.substitution(p, at))
			f.addUnknown(w.source(p), false)
		case *syntax.ArithmExp:
			w.expansion(p, at)
			f.addUnknown(w.source(p), false)
		default:
			// Nothing else is special in there, whatever the parser says.
			w.fail(faultf("%s in double quotes cannot be read with certainty. Write it in another way.", w.source(p)))
			f.addUnknown(w.source(p), false)
		}
	}
}

// unquoteDouble removes the backslashes that are none within double quotes.
func unquoteDouble(s string, document bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	special := "$`\"\\\n"
	if document {
		special = "$`\\\n"
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(special, s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
