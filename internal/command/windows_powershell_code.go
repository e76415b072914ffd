package command

import (
	"slices"
	"strings"
)

// keywords are those of the language, and what reads what stands behind them.
var keywords map[string]func(p *powershell, at spot)

func init() {
	keywords = map[string]func(p *powershell, at spot){
		"function": (*powershell).function, "filter": (*powershell).function,
		"switch": (*powershell).cases, "param": (*powershell).condition,
		"break": (*powershell).label, "continue": (*powershell).label,
	}
	for _, name := range strings.Fields("if elseif while until foreach for catch trap") {
		keywords[name] = (*powershell).condition
	}
	for _, name := range strings.Fields("else try finally do begin process end clean dynamicparam") {
		keywords[name] = (*powershell).body
	}
	for _, name := range strings.Fields("return throw exit") {
		keywords[name] = func(p *powershell, at spot) { p.skip(false); p.statement(at) }
	}
	for _, name := range strings.Fields("class enum using workflow configuration data parallel sequence inlinescript") {
		keywords[name] = func(p *powershell, at spot) { p.odd(at) }
	}
}

func (p *powershell) label(spot) {
	p.skip(false)
	p.i += run(p.s[p.i:], letters+"_0123456789")
}

// condition reads what stands between a keyword and its block, and the block.
func (p *powershell) condition(at spot) {
	for {
		p.skip(false)
		switch {
		case p.any("("):
			p.i++
			p.list(at, ')')
		case p.any("["):
			p.typeName(at)
		case p.any("-"), p.any(","):
			p.i++
			p.i += run(p.s[p.i:], letters)
		default:
			// (There is none behind do … while.)
			i := p.i
			if p.skip(true); p.any("{") {
				p.block(at)
			} else {
				p.i = i
			}
			return
		}
	}
}

// body reads the block of a keyword.
func (p *powershell) body(at spot) {
	if p.skip(true); p.any("{") {
		p.block(at)
		return
	}
	if !strings.EqualFold(p.s[p.i:min(p.i+2, len(p.s))], "if") {
		p.odd(at)
	}
}

// function reads a definition.
func (p *powershell) function(at spot) {
	p.skip(false)
	name := p.bare(at)
	if p.skip(true); p.any("(") {
		p.i++
		p.list(at, ')')
		p.skip(true)
	}
	if !p.any("{") {
		p.odd(at)
		return
	}
	inside := at
	inside.place |= InFunction
	p.block(inside)
	if name.Known && at.texts == 0 && at.depth == 1 {
		if p.functions == nil {
			p.functions = map[string]bool{}
		}
		p.functions[strings.ToLower(name.Text)] = true
	}
}

// cases reads switch: its blocks stand behind patterns.
func (p *powershell) cases(at spot) {
	at, ok := p.deeper(at)
	if !ok {
		return
	}
	for p.skip(false); p.more() && !p.any("{"); p.skip(true) {
		if p.any(";|&)}<>,") {
			p.odd(at)
			return
		}
		p.argument(at)
	}
	if !p.more() {
		return
	}
	p.i++
	for p.skip(true); p.more(); p.skip(true) {
		switch {
		case p.any("}"):
			p.i++
			return
		case p.any(";"):
			p.i++
		case p.any("|&)<>,"):
			p.odd(at)
			p.i++
		default:
			p.argument(at)
		}
	}
	p.fail(faultf("A block is not closed. Close it."))
}

// typeName reads a type or an attribute in brackets, and returns it.
func (p *powershell) typeName(at spot) string {
	from := p.i
	for depth := 0; p.more(); {
		switch {
		case p.any("["):
			depth++
			p.i++
		case p.any("]"):
			p.i++
			if depth--; depth == 0 {
				name := strings.ToLower(strings.Trim(p.s[from:p.i], "[] "))
				if name == "scriptblock" || strings.HasSuffix(name, ".scriptblock") {
					p.dynamic("text may become a block of code", usePlain, at)
				}
				return strings.TrimPrefix(name, "system.")
			}
		case p.any(`'"{`) || p.has("$(") || p.has("@("):
			p.argument(at)
		case p.any("\n;|"):
			p.odd(at)
			return ""
		default:
			p.i++
		}
	}
	p.fail(faultf("A bracket is not closed. Close it."))
	return ""
}

// Methods and types that run nothing and change nothing but text and numbers.
var (
	harmlessMethods = strings.Fields("tostring trim trimstart trimend split toupper tolower substring startswith endswith contains indexof lastindexof padleft padright " +
		"equals gettype where containskey add adddays addhours addminutes addseconds getstring getbytes toarray join compareto insert replace")
	harmlessTypes = strings.Fields("math string datetime io.path int int32 int64 long double guid timespan version char convert regex text.regularexpressions.regex " +
		"bitconverter decimal datetimeoffset")
)

// members reads what stands behind a value without a blank: .Name, [index], .Method().
func (p *powershell) members(at spot) {
	for p.more() {
		switch next := p.next(1); {
		case p.any(".") && (letter(next) || next == '$' || next == '\'' || next == '"' || next == '('):
			p.i++
			p.member(at, "")
		case p.has("::"):
			p.i += 2
			p.member(at, "?")
		case p.any("["):
			p.i++
			inner, ok := p.deeper(at)
			if !ok {
				return
			}
			if p.expression(inner); !p.any("]") {
				p.odd(at)
				return
			}
			p.i++
		default:
			return
		}
	}
}

// member reads the name of a member, and its arguments if it is a method: of typed, if
// it is that of a type.
func (p *powershell) member(at spot, typed string) {
	from := p.i
	if p.i += run(p.s[p.i:], letters+"0123456789_"); p.i == from && p.more() {
		inner, ok := p.deeper(at)
		if !ok {
			return
		}
		p.argument(inner)
	}
	name := strings.ToLower(p.s[from:p.i])
	if !p.any("({") {
		return
	}
	if typed != "" && !slices.Contains(harmlessTypes, typed) || typed == "" && !slices.Contains(harmlessMethods, name) {
		p.dynamic("what the method "+show(p.s[from:p.i])+" does", "Use a command instead.", at)
	}
	if p.any("(") {
		p.i++
		p.list(at, ')')
	}
}

// expression reads one, up to what ends a statement.
func (p *powershell) expression(at spot) {
	last := "" // the variable that was last read
	for p.more() {
		p.skip(false)
		if !p.more() || p.any("\n;)}]|&") {
			return
		}
		start, next := p.i, p.next(1)
		var redirs []Redirect
		switch {
		case p.any(","):
			p.i++
			p.skip(true)
		case p.any("$") && next != '(':
			if last = p.variable(at); last == "" {
				p.odd(at)
				p.i++
			}
			p.members(at)
			continue
		case p.any(`'"($`), p.any("@"), p.any("{"):
			p.argument(at)
		case p.any("["):
			if typed := p.typeName(at); p.has("::") {
				p.i += 2
				p.member(at, typed)
				p.members(at)
			}
		case p.any("=") && next != '=', p.any("+-*/%?") && p.assigns():
			p.i += run(p.s[p.i:], "+-*/%?")
			p.i++
			if name, ok := strings.CutPrefix(last, "env:"); ok {
				p.sets(name)
			}
			p.skip(true)
			p.statement(at)
			return
		case p.any("0123456789") && p.number() > 0:
			p.i += p.number()
			p.members(at)
		case p.any("123456*<>") && p.redirect(&redirs, &at):
			if len(redirs) > 0 {
				p.emit(Invocation{Redirects: redirs}, at)
			}
		case p.any("-") && (letter(next)):
			p.i++
			p.i += run(p.s[p.i:], letters)
		case p.any(".") || p.has("::"):
			p.members(at)
			if p.i == start {
				p.i += run(p.s[p.i:], ".:")
			}
		case p.any("+-*/%!?:"):
			p.i++
		default:
			word := p.bare(at)
			if strings.EqualFold(word.Text, "in") && last != "" {
				p.skip(true)
				p.statement(at)
				return
			}
			p.odd(at)
			if p.i == start {
				p.i++
			}
		}
	}
}

// assigns tells whether += or the like comes next.
func (p *powershell) assigns() bool {
	n := run(p.s[p.i:min(p.i+3, len(p.s))], "+-*/%?")
	return n <= 2 && p.next(n) == '='
}
