package command

import "strings"

// runAwk reads the program of awk, for what it runs and the files it prints to.
func runAwk(w *walker, u *usage, at where) {
	if _, found := find(u.options, "S", "sandbox"); found {
		return // it refuses both
	}
	text, given := w.scripts(u.options, "e source", "f file E exec", at)
	if !given {
		if len(u.operands) == 0 {
			return
		}
		text = u.operands[0].masked()
	}
	p := &awkProgram{w: w, u: u, at: at, tokens: awkTokens(text)}
	for i := 0; i < len(p.tokens) && w.fault == nil; i++ {
		p.token(i)
	}
}

// An awkProgram is a program of awk that is looked at.
type awkProgram struct {
	w      *walker
	u      *usage
	at     where
	tokens []awkToken
}

// is tells whether token i is an operator or a word.
func (p *awkProgram) is(i int, texts ...string) bool {
	if i < 0 || i >= len(p.tokens) {
		return false
	}
	t := p.tokens[i]
	if t.kind != awkOperator && t.kind != awkWord {
		return false
	}
	for _, text := range texts {
		if t.text == text {
			return true
		}
	}
	return false
}

// token looks at what begins at i.
func (p *awkProgram) token(i int) {
	switch {
	case p.is(i, "print", "printf") && p.tokens[i].kind == awkWord:
		p.print(i)
	case p.is(i, "system") && p.is(i+1, "("):
		end := p.closing(i + 1)
		if end > i+2 {
			p.runs("system", i+2, end)
		}
	case p.is(i, "|", "|&") && p.is(i+1, "getline"):
		p.runs("getline", p.operand(i), i)
	case p.is(i, "@") && p.is(i+1, "load"):
		p.w.dynamic("what awk runs depends on the library that it loads", "Leave @load out.", p.at)
	case p.is(i, "@") && p.is(i+2, "("):
		p.w.dynamic("the name of a function that awk calls is in a variable", useName, p.at)
	}
}

// passes notes that so many tokens were looked at once more.
func (p *awkProgram) passes(from, to int) {
	if p.w.budget -= to - from; p.w.budget < 0 {
		p.w.fail(faultf("The program of awk is too long to be read. Put it in a file."))
	}
}

// closing is where the bracket at i is closed, and opening where the one that is closed there is
// opened.
func (p *awkProgram) closing(i int) int { return p.pair(i, 1) }
func (p *awkProgram) opening(i int) int { return p.pair(i, -1) }

// pair is where the other one of the bracket at i is, in steps from there.
func (p *awkProgram) pair(i, step int) int {
	depth := 0
	defer func(from int) { p.passes(min(from, i), max(from, i)) }(i)
	for ; 0 <= i && i < len(p.tokens); i += step {
		switch {
		case p.is(i, "(", "["):
			depth++
		case p.is(i, ")", "]"):
			depth--
		default:
			continue
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// operand is where the strings begin that stand before the pipe at i. If there is something
// else that they are joined to, it is where that ends.
func (p *awkProgram) operand(i int) int {
	from := i
	for from > 0 && p.tokens[from-1].kind == awkString {
		from--
	}
	switch {
	case from == 0:
	case p.is(from-1, ")"):
		open := p.opening(from - 1)
		if from < i && p.is(open-1, "if", "while", "for") {
			return from // the brackets are those of a condition
		}
		if from == i && open >= 0 && (open == 0 || p.tokens[open-1].kind == awkOperator || p.is(open-1, "while", "if")) {
			return open
		}
		return from - 1
	case p.is(from-1, "]", "$", "+", "-", "*", "/", "%", "^", "++", "--") || p.tokens[from-1].kind != awkOperator && !p.is(from-1, "else", "do", "return", "in", "print", "printf"):
		return from - 1
	}
	return from
}

// constant joins the strings between two tokens, if there is nothing else.
func (p *awkProgram) constant(from, to int) (string, bool) {
	for to-from > 2 && p.is(from, "(") && p.closing(from) == to-1 {
		from, to = from+1, to-1
	}
	var b strings.Builder
	for _, t := range p.tokens[from:to] {
		if t.kind != awkString {
			return "", false
		}
		b.WriteString(t.text)
	}
	return b.String(), to > from
}

// runs walks the text between two tokens, which awk has run.
func (p *awkProgram) runs(who string, from, to int) {
	text, ok := p.constant(from, to)
	if !ok {
		p.w.dynamic("what awk runs with "+who+" is put together while it runs", "Write the command out as one string, or run it outside of awk.", p.at)
		return
	}
	p.w.toldText("awk "+who, unmasked(text), p.at)
}

// print looks for where a statement prints to.
func (p *awkProgram) print(i int) {
	depth := 0
	defer func(from int) { p.passes(from, i) }(i)
	for i++; i < len(p.tokens); i++ {
		switch {
		case p.is(i, "(", "["):
			depth++
		case p.is(i, ")", "]"):
			if depth--; depth < 0 {
				return
			}
		case p.is(i, ";", "}", "{") || p.is(i, "\n") && depth == 0 && !p.is(i-1, ",", "&&", "||"):
			return
		case depth == 0 && p.is(i, "|", "|&"):
			if p.is(i+1, "getline") {
				return // it reads
			}
			p.runs("|", i+1, p.statement(i+1))
			return
		case depth == 0 && p.is(i, ">", ">>"):
			file, ok := p.constant(i+1, p.statement(i+1))
			switch {
			case !ok:
				p.u.written = append(p.u.written, Word{Text: "…", One: true})
			case strings.HasPrefix(file, "/inet") || strings.HasPrefix(file, "/dev/fd/"):
			default:
				p.u.writes(unmasked(file))
			}
			return
		}
	}
}

// statement is where the statement ends that i belongs to.
func (p *awkProgram) statement(i int) int {
	depth := 0
	defer func(from int) { p.passes(from, i) }(i)
	for ; i < len(p.tokens); i++ {
		switch {
		case p.is(i, "(", "["):
			depth++
		case p.is(i, ")", "]"):
			if depth--; depth < 0 {
				return i
			}
		case p.is(i, ";", "}", "\n"):
			return i
		}
	}
	return i
}
