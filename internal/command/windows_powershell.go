package command

import (
	"slices"
	"strings"
)

// A powershell reads one text as PowerShell does, loosely: code is looked for wherever it
// may stand, and what is not understood is dynamic.
type powershell struct {
	*windows
	s         string
	i         int
	functions map[string]bool // those defined by now
}

// plainQuotes: PowerShell takes typographic quotes, dashes and blanks for plain ones.
var plainQuotes = strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'", "\u201c", `"`, "\u201d", `"`, "\u201e", `"`,
	"\u2013", "-", "\u2014", "-", "\u2015", "-", "\u00a0", " ", "\u0085", " ", "\r\n", "\n", "\r", "\n")

// endsWord are the bytes that end a plain word of an argument.
const endsWord = " \t\v\f\n;|&(){},<>"

func (p *powershell) more() bool          { return p.i < len(p.s) && p.fault == nil }
func (p *powershell) has(s string) bool   { return strings.HasPrefix(p.s[p.i:], s) }
func (p *powershell) any(set string) bool { return p.more() && strings.IndexByte(set, p.s[p.i]) >= 0 }

// next is the byte n places from here, 0 for none.
func (p *powershell) next(n int) byte {
	if p.i+n < len(p.s) {
		return p.s[p.i+n]
	}
	return 0
}

func (p *powershell) odd(at spot) {
	p.dynamic("PowerShell may read this in another way", usePlain, at)
}

// skip goes past blanks and comments, and past the end of a line if lines is set.
func (p *powershell) skip(lines bool) {
	for p.more() {
		switch {
		case p.any(" \t\v\f") || lines && p.any("\n"):
			p.i++
		case p.has("`\n"):
			p.i += 2
		case p.any("#"):
			if n := strings.IndexByte(p.s[p.i:], '\n'); n >= 0 {
				p.i += n
			} else {
				p.i = len(p.s)
			}
		case p.has("<#"):
			n := strings.Index(p.s[p.i:], "#>")
			if n < 0 {
				p.fail(faultf("A comment is not closed. Close it."))
				return
			}
			p.i += n + 2
		default:
			return
		}
	}
}

// list reads statements, up to end or to the end of the text.
func (p *powershell) list(at spot, end byte) {
	for first := true; p.fault == nil; first = false {
		op := Operator("\n")
		for p.skip(true); p.any(";"); p.skip(true) {
			op = ";"
			p.i++
		}
		if !p.more() {
			break
		}
		if end != 0 && p.s[p.i] == end {
			p.i++
			return
		}
		if !first {
			p.operator(op)
		}
		start := p.i
		p.statement(at)
		if p.i == start {
			p.odd(at)
			p.i++
		}
	}
	if end != 0 {
		p.fail(faultf("Something that was opened is not closed with %c. Close it.", end))
	}
}

// statement reads pipelines with && and || between them.
func (p *powershell) statement(at spot) {
	at, ok := p.deeper(at)
	if !ok {
		return
	}
	for p.more() {
		p.pipeline(at)
		p.skip(false)
		switch {
		case p.has("&&"), p.has("||"):
			p.operator(Operator(p.s[p.i : p.i+2]))
			p.i += 2
			p.skip(true)
		case p.any("&"):
			p.operator("&")
			p.i++
			return
		default:
			return
		}
	}
}

func (p *powershell) pipeline(at spot) {
	outer, own, stage := at.pipes, 0, 0
	for first := true; p.more(); first = false {
		mark := len(p.script.Invocations)
		p.element(at, first)
		p.skip(false)
		if !p.any("|") || p.has("||") {
			return
		}
		p.i++
		p.operator("|")
		if own == 0 {
			p.pipelines++
			own = p.pipelines
		}
		p.piped(mark, outer, Stage{own, stage})
		stage++
		at.pipes, at.input = append(outer[:len(outer):len(outer)], Stage{own, stage}), true
		p.skip(true)
	}
}

// element reads a command or an expression.
func (p *powershell) element(at spot, first bool) {
	switch next := p.next(1); {
	case p.has("&&"), p.any("|;)}]<>\n"):
	case p.any("&"), p.any(".") && (next == ' ' || next == '\t' || next == '\'' || next == '"' || next == '$' || next == '(' || next == '{' || next == '&'):
		p.i++
		p.skip(false)
		p.called(at)
	case p.any(`$'"@({[-+!,`), p.any("0123456789") && p.number() > 0:
		p.expression(at)
	default:
		start := p.i
		name := p.bare(at)
		keyword := strings.ToLower(p.s[start:p.i])
		if read, ok := keywords[keyword]; ok && first && (keyword != "foreach" || p.opens()) {
			read(p, at)
			return
		}
		if strings.Contains(p.s[start:p.i], "`") {
			p.dynamic(show(p.s[start:p.i])+" names the command", useName, at)
			name.Known = true // what it is like counts against it
		}
		p.command(name, at)
	}
}

// opens tells whether a parenthesis or an option follows, as behind the keyword foreach.
func (p *powershell) opens() bool {
	i := p.i + run(p.s[p.i:], " \t\n")
	return i < len(p.s) && p.s[i] == '('
}

// called reads what stands behind the operators & and . which run it.
func (p *powershell) called(at spot) {
	switch {
	case p.any("{"):
		block := p.block(at)
		block.Text = "{}"
		p.arguments([]Word{block}, at)
	case p.any(`'"`) || p.has("@'") || p.has(`@"`):
		p.command(p.quoted(at), at)
	case p.any("$(@["):
		from := p.i
		if p.any("[") {
			p.expression(at)
		} else {
			p.argument(at)
		}
		p.dynamic(show(p.s[from:p.i])+" names the command", useName, at)
		p.arguments([]Word{{Text: p.s[from:p.i], One: true}}, at)
	case p.any(endsWord):
		p.odd(at)
	default:
		p.command(p.bare(at), at)
	}
}

// command reads the arguments of a command.
func (p *powershell) command(name Word, at spot) {
	if end := name.suffix[strings.LastIndexAny(name.suffix, `\/`)+1:]; !name.Known && name.One && len(end) < len(name.suffix) && strings.Trim(end, ". ") != "" {
		name.Known = true // the directory is not known, the name is
	}
	if name.Text == "" {
		p.odd(at)
	} else if !name.Known || strangeName(name.Text) {
		name.Known = false
		p.dynamic(show(name.Text)+" names the command", useName, at)
	}
	p.arguments([]Word{name}, at)
}

// arguments reads them, and what the command makes of them. Without a name there is none.
func (p *powershell) arguments(words []Word, at spot) {
	var redirs []Redirect
	outer := at
	mark := len(p.script.Invocations)
	for {
		p.skip(false)
		if p.any(",") {
			p.i++
			p.skip(true)
			continue
		}
		if !p.more() || p.any(";|&)}\n") {
			break
		}
		if p.redirect(&redirs, &outer) {
			continue
		}
		if p.has("--%") {
			// What follows is passed as it is.
			n := strings.IndexAny(p.s[p.i:], "|\n")
			if n < 0 {
				n = len(p.s) - p.i
			}
			for _, s := range strings.Fields(p.s[p.i+3 : p.i+n]) {
				words = append(words, Word{Text: strings.Trim(s, `"`), Known: !strings.Contains(s, "%"), One: true})
			}
			p.i += n
			continue
		}
		start := p.i
		word := p.argument(at)
		if p.i == start {
			p.odd(at)
			p.i++
			continue
		}
		words = append(words, word)
	}
	inv := Invocation{Words: words, Redirects: redirs}
	if !words[0].Known {
		inv.Dynamic = show(words[0].Text) + " names the command. " + useName
	}
	if words[0].file { // a block
		inv = Invocation{Redirects: redirs}
	}
	inv.Function = words[0].Known && p.functions[strings.ToLower(words[0].Text)] && len(at.via) == 0
	if len(inv.Words) > 0 || len(redirs) > 0 {
		// Commands in the arguments come behind the one they are the arguments of.
		p.emit(inv, outer)
		list := p.script.Invocations
		if n := len(list) - 1; n-mark < 64 {
			copy(list[mark+1:], list[mark:n])
			inv.Via, inv.Place, inv.Pipes, inv.Input, inv.Output = at.via, at.place, at.pipes, outer.input, outer.output
			list[mark] = inv
		}
	}
	if len(inv.Words) > 0 && words[0].Known && p.fault == nil {
		p.runs(words, outer)
	}
}

// redirect reads a redirection.
func (p *powershell) redirect(redirs *[]Redirect, at *spot) bool {
	stream := ""
	if p.any("123456*") && p.next(1) == '>' {
		stream = p.s[p.i : p.i+1]
		p.i++
	}
	if !p.any("<>") {
		return false
	}
	if p.any("<") {
		p.odd(*at) // (not in the language)
		p.i++
		return true
	}
	op := ">"
	if p.i++; p.any("&") && p.next(1) >= '1' && p.next(1) <= '6' {
		*redirs = append(*redirs, Redirect{Op: ">&", To: known(string(p.next(1)))})
		p.operator(">&")
		p.i += 2
		return true
	}
	if p.any(">") {
		op = ">>"
		p.i++
	}
	if stream == "*" {
		op = "&" + op
	}
	p.skip(false)
	start := p.i
	to := p.argument(*at)
	if p.i == start {
		p.odd(*at)
		return true
	}
	if strings.EqualFold(to.Text, "$null") && !to.Known || to.Known && nul(to.Text) {
		to = known("/dev/null")
	} else {
		p.operator(Operator(op))
	}
	*redirs = append(*redirs, Redirect{Op: op, To: to})
	at.output = at.output || stream == "" || stream == "1" || stream == "*"
	return true
}

// number is how long a number is that comes next; 0 for none, as in 7z.
func (p *powershell) number() int {
	s := p.s[p.i:]
	n := run(s, "0123456789abcdefABCDEFxXkKmMgGtTpPlLdDuUsSyYnN._")
	if n == 0 || s[0] < '0' || s[0] > '9' || n < len(s) && strings.IndexByte(endsWord+"]+-*/%='\"", s[n]) < 0 {
		return 0
	}
	digits := run(s, "0123456789._")
	unit := strings.ToLower(s[digits:n])
	if strings.HasPrefix(s, "0x") || slices.Contains([]string{"", "kb", "mb", "gb", "tb", "pb", "l", "d", "u", "ul", "s", "y"}, unit) || unit[0] == 'e' && strings.Trim(unit[1:], "0123456789") == "" {
		return n
	}
	return 0
}
