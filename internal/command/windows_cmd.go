package command

import "strings"

// A cmd reads one text as cmd.exe does.
type cmd struct {
	*windows
	s      string
	i      int
	open   int // parentheses around
	carets int // how many were seen
}

// blanks are what separates words: cmd.exe takes commas and the like for spaces.
const blanks = " \t\v\f,;="

func (c *cmd) more() bool           { return c.i < len(c.s) && c.fault == nil }
func (c *cmd) has(s string) bool    { return strings.HasPrefix(c.s[c.i:], s) }
func (c *cmd) any(set string) bool  { return c.more() && strings.IndexByte(set, c.s[c.i]) >= 0 }
func (c *cmd) skip(set string) bool { from := c.i; c.i += run(c.s[c.i:], set); return c.i > from }

// run is how much of s, from its beginning, is made of set.
func run(s, set string) int { return len(s) - len(strings.TrimLeft(s, set)) }

// odd says that something was not understood.
func (c *cmd) odd(at spot) {
	c.dynamic("cmd.exe may read this line in another way", usePlain, at)
}

// list reads commands, up to a closing parenthesis or to the end.
func (c *cmd) list(at spot, closing bool) {
	for c.more() {
		c.skip(blanks + "\n")
		if c.any(")") && closing {
			c.i++
			return
		}
		start := c.i
		c.pipeline(at)
		c.skip(blanks)
		switch {
		case !c.more():
		case c.has("&&"), c.has("||"):
			c.operator(Operator(c.s[c.i : c.i+2]))
			c.i += 2
		case c.any("&\n"):
			if c.s[c.i] == '&' || strings.TrimLeft(c.s[c.i:], blanks+"\n)") != "" {
				c.operator(Operator(c.s[c.i : c.i+1]))
			}
			c.i++
		case c.any(")") && closing:
		default:
			c.odd(at)
			if c.i == start {
				c.i++
			}
		}
	}
	if closing {
		c.fail(faultf("A parenthesis is not closed. Close it."))
	}
}

func (c *cmd) pipeline(at spot) {
	outer, own, stage, carets := at.pipes, 0, 0, c.carets
	for c.fault == nil {
		mark := len(c.script.Invocations)
		c.command(at)
		c.skip(blanks)
		if !c.any("|") || c.has("||") {
			break
		}
		c.i++
		c.operator("|")
		if own == 0 {
			c.pipelines++
			own = c.pipelines
		}
		c.piped(mark, outer, Stage{own, stage})
		stage++
		at.pipes, at.input = append(outer[:len(outer):len(outer)], Stage{own, stage}), true
	}
	if own != 0 && c.carets > carets {
		// Both sides of a pipe are read a second time, without the carets.
		c.dynamic("a caret in a pipeline of cmd.exe", "Use quotes instead of carets.", at)
	}
}

// command reads one command, or a block of them.
func (c *cmd) command(at spot) {
	at, ok := c.deeper(at)
	if !ok {
		return
	}
	var redirs []Redirect
	for c.skip(blanks+"@") || c.redirect("", &redirs, &at) {
	}
	if c.any("(") {
		mark := len(c.script.Invocations)
		c.i++
		c.operator("(")
		c.open++
		c.list(at, true)
		c.open--
		for c.skip(blanks) || c.redirect("", &redirs, &at) {
		}
		if len(redirs) > 0 {
			c.emit(Invocation{Redirects: redirs}, at)
			for i := mark; i < len(c.script.Invocations); i++ {
				inv := &c.script.Invocations[i]
				inv.Input, inv.Output = inv.Input || at.input, inv.Output || at.output
			}
		}
		return
	}
	switch word := strings.ToLower(c.letters()); {
	case word == "rem" && c.remark():
	case word == "if" && c.keyword("if", blanks+"/"):
		c.ifs(at)
	case word == "for" && c.keyword("for", blanks+"/"):
		c.loop(at)
	case c.any(")"):
		if c.open == 0 {
			c.odd(at)
			c.i++
		}
	case c.any(":"):
		// A label: what follows on its line is nothing, but between parentheses.
		if c.open > 0 {
			c.odd(at)
		}
		c.line()
	default:
		line := c.collect(&redirs, &at)
		c.simple(line, redirs, at)
	}
}

// letters returns those that come next.
func (c *cmd) letters() string { return c.s[c.i : c.i+run(c.s[c.i:], letters)] }

// keyword goes past a word, if what comes behind it is one of next.
func (c *cmd) keyword(word, next string) bool {
	rest := c.s[c.i:]
	if !strings.EqualFold(c.letters(), word) || len(rest) > len(word) && strings.IndexByte(next, rest[len(word)]) < 0 {
		return false
	}
	c.i += len(word)
	return true
}

// line goes past the line.
func (c *cmd) line() { c.i += c.toNewline() }

func (c *cmd) toNewline() int {
	if n := strings.IndexByte(c.s[c.i:], '\n'); n >= 0 {
		return n
	}
	return len(c.s) - c.i
}

// remark goes past a remark, operators included. It is one for certain when a word and a
// blank come behind rem.
func (c *cmd) remark() bool {
	rest := c.s[c.i+len("rem") : c.i+c.toNewline()]
	first := strings.TrimLeft(rest, " \t")
	end := strings.IndexAny(first, " \t&|<>()^\"")
	whole := end < 0 && first != "" || end > 0 && (first[end] == ' ' || first[end] == '\t')
	if len(first) == len(rest) && rest != "" || !whole && rest != "" || strings.HasSuffix(rest, "^") {
		return false
	}
	c.line()
	return true
}

// redirect reads a redirection: fd is the digit before it.
func (c *cmd) redirect(fd string, redirs *[]Redirect, at *spot) bool {
	if fd == "" && c.i+1 < len(c.s) && c.s[c.i] >= '0' && c.s[c.i] <= '9' && (c.s[c.i+1] == '<' || c.s[c.i+1] == '>') {
		fd = c.s[c.i : c.i+1]
		c.i++
	}
	if !c.any("<>") {
		return false
	}
	op := c.s[c.i : c.i+1]
	c.i++
	switch {
	case c.any("&"):
		op += "&"
		c.i++
		c.skip(" \t")
		if !c.any("0123456789") {
			c.odd(*at)
			return true
		}
		*redirs = append(*redirs, Redirect{Op: op, To: known(c.s[c.i : c.i+1])})
		c.operator(Operator(op))
		c.i++
		return true
	case c.any(">") && op == ">":
		op = ">>"
		c.i++
	case c.any("<>"):
		c.odd(*at)
		c.i++
	}
	c.skip(blanks)
	to := c.word(blanks, *at).word()
	if to.Text == "" {
		c.odd(*at)
		return true
	}
	r := Redirect{Op: op, To: to}
	if to.Known && nul(to.Text) {
		r.To = known("/dev/null")
	} else {
		c.operator(Operator(op))
	}
	*redirs = append(*redirs, r)
	if op == "<" {
		at.input = true
	} else if fd == "" || fd == "1" {
		at.output = true
	}
	return true
}

// nul tells whether a name is that of the null device.
func nul(name string) bool {
	name = strings.ToLower(strings.TrimRight(name, ": "))
	return name == "nul" || name == `\\.\nul`
}
