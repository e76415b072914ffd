package command

import "strings"

// parts are what a word of PowerShell is put together from.
type parts struct {
	text          strings.Builder
	unknown, many bool
	before, after int
}

func (f *parts) add(s string) {
	if f.text.WriteString(s); !f.unknown {
		f.before = f.text.Len()
	}
}

func (f *parts) addUnknown(s string) {
	f.unknown = true
	f.text.WriteString(s)
	f.after = f.text.Len()
}

func (f *parts) word() Word {
	text := f.text.String()
	return Word{Text: text, Known: !f.unknown, One: !f.many, prefix: text[:f.before], suffix: text[f.after:]}
}

// argument reads one argument.
func (p *powershell) argument(at spot) Word {
	start := p.i
	switch next := p.next(1); {
	case p.any(`'"`) || p.any("@") && (next == '\'' || next == '"'):
		word := p.quoted(at)
		p.members(at)
		return word
	case p.any("{"):
		return p.block(at)
	case p.has("@{"):
		p.i += 2
		p.hash(at)
	case p.has("$("), p.has("@("):
		p.operator("$(")
		p.i += 2
		p.list(at, ')')
	case p.any("("):
		p.operator("(")
		p.i++
		p.list(at, ')')
	case p.any("@"):
		p.i++
		p.i += run(p.s[p.i:], letters+"0123456789_:")
	case p.any("$") && p.variable(at) != "":
		before := p.i
		p.members(at)
		if before == p.i && p.more() && !p.any(endsWord) {
			p.i = start // $x/y
			return p.bare(at)
		}
		return Word{Text: p.s[start:p.i]}
	default:
		return p.bare(at)
	}
	p.members(at)
	return Word{Text: p.s[start:p.i]}
}

// bare reads a word that does not begin with a quote.
func (p *powershell) bare(at spot) Word {
	var f parts
	for p.more() && !p.any(endsWord) {
		switch {
		case p.has("$("):
			from := p.i
			p.operator("$(")
			p.i += 2
			p.list(at, ')')
			f.addUnknown(p.s[from:p.i])
		case p.any("$"):
			from := p.i
			if p.variable(at) == "" {
				p.i++
				f.add("$")
				continue
			}
			f.addUnknown(p.s[from:p.i])
		case p.any(`'"`):
			p.str(&f, at)
		case p.any("`"):
			if p.i++; p.more() {
				f.addUnknown(p.s[p.i : p.i+1])
				p.i++
			}
		default:
			f.add(p.s[p.i : p.i+1])
			p.i++
		}
	}
	return f.word()
}

// quoted reads a string.
func (p *powershell) quoted(at spot) Word {
	var f parts
	if !p.any("@") {
		p.str(&f, at)
		return f.word()
	}
	end := "\n" + p.s[p.i+1:p.i+2] + "@"
	n := strings.Index(p.s[p.i:], end)
	begin := strings.IndexByte(p.s[p.i:], '\n') + 1
	if n < 0 || strings.Trim(p.s[p.i+2:p.i+max(begin, 2)], " \t\n") != "" {
		p.fail(faultf("A here-string is not closed, or begins on the line of its quote. Write it as a string."))
		return Word{}
	}
	from, to := p.i+min(begin, n), p.i+n
	if strings.HasPrefix(end, "\n'") {
		p.i = to + len(end)
		f.add(p.s[from:to])
		return f.word()
	}
	p.i = from
	for p.i < to && p.fault == nil {
		p.piece(&f, at)
	}
	if p.i > to {
		p.odd(at) // a substitution reaches beyond it
		return f.word()
	}
	p.i = to + len(end)
	return f.word()
}

// str reads a string in simple or double quotes.
func (p *powershell) str(f *parts, at spot) {
	quote := p.s[p.i]
	for p.i++; p.more(); {
		switch {
		case p.s[p.i] == quote && p.next(1) == quote:
			f.add(string(quote))
			p.i += 2
		case p.s[p.i] == quote:
			p.i++
			return
		case quote == '\'':
			f.add(p.s[p.i : p.i+1])
			p.i++
		default:
			p.piece(f, at)
		}
	}
	p.fail(faultf("A quote is not closed. Close it."))
}

// escapes are what a letter behind a backtick stands for.
var escapes = map[byte]string{'0': "\x00", 'a': "\a", 'b': "\b", 'e': "\x1b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v"}

// piece reads what comes next in a string in double quotes.
func (p *powershell) piece(f *parts, at spot) {
	from := p.i
	switch {
	case p.has("$("):
		p.operator("$(")
		p.i += 2
		p.list(at, ')')
		f.addUnknown(p.s[from:p.i])
	case p.any("$") && p.variable(at) != "":
		f.addUnknown(p.s[from:p.i])
	case p.any("`") && p.i+1 < len(p.s):
		c := p.s[p.i+1]
		p.i += 2
		if s, ok := escapes[c]; ok {
			f.add(s)
		} else if c == 'u' {
			f.addUnknown("u")
		} else {
			f.add(string(c))
		}
	default:
		f.add(p.s[p.i : p.i+1])
		p.i++
	}
}

// variable reads one and returns its name, empty when there is none.
func (p *powershell) variable(at spot) string {
	s := p.s[p.i+1:]
	name, n := "", 0
	switch {
	case s == "":
		return ""
	case s[0] == '{':
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return ""
		}
		name, n = s[1:end], end+1
	case strings.IndexByte("$?^", s[0]) >= 0:
		name, n = s[:1], 1
	default:
		for n < len(s) && (letter(s[n]) || s[n] >= 0x80 || s[n] == ':' && n+1 < len(s) && letter(s[n+1])) {
			n++
		}
		name = s[:n]
	}
	if n > 0 {
		p.i += 1 + n
	}
	name = strings.ToLower(name)
	if drive, _, found := strings.Cut(name, ":"); found && (drive == "alias" || drive == "function") {
		p.dynamic(show("$"+name)+" changes what names stand for", useName, at)
	}
	return name
}

// block reads a block: what is in it may run.
func (p *powershell) block(at spot) Word {
	from := p.i
	p.operator("{")
	p.i++
	p.list(at, '}')
	word := known(p.s[from:p.i])
	word.file = true
	return word
}

// hash reads a table, behind its first brace.
func (p *powershell) hash(at spot) {
	at, ok := p.deeper(at)
	if !ok {
		return
	}
	for p.more() {
		for p.skip(true); p.any(";"); p.skip(true) {
			p.i++
		}
		if !p.more() {
			break
		}
		if p.any("}") {
			p.i++
			return
		}
		start := p.i
		if p.any("=") {
			p.i++
			p.skip(true)
			p.statement(at)
		} else {
			p.argument(at)
		}
		if p.i == start {
			p.odd(at)
			p.i++
		}
	}
	p.fail(faultf("A table is not closed. Close it."))
}
