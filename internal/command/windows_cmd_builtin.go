package command

import (
	"slices"
	"strings"
)

// builtinsOfCmd are the commands of cmd.exe itself. Their names end where they end: rd/s.
var builtinsOfCmd = map[string]bool{}

func init() {
	for _, name := range strings.Fields("assoc break call cd chdir cls color copy date del dir echo endlocal erase exit for ftype goto if md mkdir mklink " +
		"move path pause popd prompt pushd rd rem ren rename rmdir set setlocal shift start time title type ver verify vol") {
		builtinsOfCmd[name] = true
	}
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// simple reads a command and its arguments.
func (c *cmd) simple(line cells, redirs []Redirect, at spot) {
	line = line.from(run(string(line.b), blanks))
	if len(line.b) == 0 {
		if len(redirs) > 0 {
			c.emit(Invocation{Redirects: redirs}, at)
		}
		return
	}
	end, builtin := nameEnds(string(line.b))
	name, rest := cells{line.b[:end], line.f[:end]}, line.from(end)
	inv := Invocation{Words: []Word{name.word()}, Redirects: redirs}
	word := &inv.Words[0]
	switch {
	case word.Text == "" || strangeName(word.Text):
		word.Known = false
		inv.Dynamic = "the name of a command cannot be read. " + useName
	case !word.Known:
		// What it is like counts against it all the same.
		inv.Dynamic = show(word.Text) + " names the command. " + useName
		word.Known = name.flags() == escaped || strings.ContainsAny(word.suffix, `\/`)
	case strings.HasPrefix(word.Text, "!") || strings.Count(word.Text, "!") > 1:
		word.Known = false
		inv.Dynamic = show(word.Text) + " names the command. " + useName
	}
	if builtin {
		inv.Words = append(inv.Words, rest.builtinWords()...)
	} else {
		inv.Words = append(inv.Words, rest.programWords()...)
	}
	c.emit(inv, at)
	if !word.Known {
		return
	}
	switch name := WindowsName(word.Text); {
	case builtin && name == "call":
		c.call(rest, at)
	case builtin && name == "start":
		c.start(rest, at)
	case builtin && (name == "if" || name == "for"):
		c.odd(at)
	case builtin && name == "set" && len(rest.b) > 0:
		text := strings.Trim(string(rest.b), blanks+`"`)
		if len(text) > 2 && text[0] == '/' {
			text = strings.TrimLeft(text[2:], blanks+`"`)
		}
		if name, _, found := strings.Cut(text, "="); found {
			c.sets(name)
		}
	case builtin && name == "path" && len(rest.b) > 0:
		c.sets("PATH")
	default:
		c.run(command{words: inv.Words, raw: string(rest.b), sure: rest.flags()&changing == 0}, at)
	}
}

// nameEnds says where the name of a command ends, and whether it is one of cmd.exe itself.
func nameEnds(line string) (end int, builtin bool) {
	n := run(line, letters)
	if builtinsOfCmd[strings.ToLower(line[:n])] && (n == len(line) || strings.IndexByte(blanks+`\/:.+[](){}"`, line[n]) >= 0) {
		return n, true
	}
	quoted := false
	for i := range len(line) {
		switch b := line[i]; {
		case b == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte(blanks, b) >= 0:
			return i, false
		case b == '/' && i > 0 && !strings.ContainsAny(line[:i], `\/:"%`) && strings.Trim(line[:i], ".") != "":
			return i, false // cmd/c
		}
	}
	return len(line), false
}

// call runs a command that is read a second time.
func (c *cmd) call(rest cells, at spot) {
	if rest.flags() != 0 || strings.ContainsAny(string(rest.b), "%^&|<>") {
		c.dynamic("call reads its arguments a second time", useWindowsText, at)
	}
	if at, ok := c.below(at, "call"); ok {
		if at, ok = c.deeper(at); ok {
			c.simple(rest, nil, at)
		}
	}
}

// start runs a command in a window or in the background.
func (c *cmd) start(rest cells, at spot) {
	at, ok := c.below(at, "start")
	if !ok {
		return
	}
	if at, ok = c.deeper(at); !ok {
		return
	}
	if rest.flags()&^variable != 0 {
		c.dynamic("start may read its arguments a second time", useWindowsText, at)
	}
	first, takes := true, false
	for range maxWrappers {
		rest = rest.from(run(string(rest.b), blanks))
		text := string(rest.b)
		switch {
		case text == "":
			return
		case takes, first && text[0] == '"':
			takes = false
		case text[0] != '/':
			c.simple(rest, nil, at)
			return
		default:
			option := strings.ToLower(text[1 : 1+run(text[1:], letters)])
			switch {
			case slices.Contains([]string{"node", "affinity", "machine"}, option) || option == "d" && (len(text) == 2 || strings.IndexByte(blanks, text[2]) >= 0):
				takes = true
			case option != "" && option[0] == 'd':
			case !slices.Contains([]string{"b", "i", "min", "max", "wait", "w", "low", "normal", "high", "realtime", "abovenormal", "belownormal", "separate", "shared"}, option):
				c.dynamic("an option of start that is not known", useOptions, at)
			case 1+len(option) < len(text) && text[1+len(option)] == '/':
				rest = rest.from(1 + len(option)) // /b/wait
				first = false
				continue
			}
		}
		first = false
		end := len(rest.b)
		quoted := false
		for i, b := range rest.b {
			if b == '"' {
				quoted = !quoted
			} else if !quoted && strings.IndexByte(blanks, b) >= 0 {
				end = i
				break
			}
		}
		rest = rest.from(end)
	}
	c.dynamic("start has too many options", useOptions, at)
}

// ifs reads what stands behind if.
func (c *cmd) ifs(at spot) {
	c.skip(blanks)
	for c.has("/") || c.keyword("not", blanks+"/") {
		if c.has("/") && !strings.EqualFold(c.word(blanks, at).word().Text, "/i") {
			c.odd(at)
		}
		c.skip(blanks)
	}
	left := c.word(blanks, at).word()
	c.skip(" \t\v\f,;")
	switch word := strings.ToLower(left.Text); {
	case left.Text == "":
		c.odd(at)
	case c.has("=="):
		c.skip(blanks)
		c.word(blanks, at)
	case word == "exist" || word == "defined" || word == "errorlevel" || word == "cmdextversion":
		c.skip(blanks)
		c.word(blanks, at)
	default:
		switch strings.ToLower(c.word(blanks, at).word().Text) {
		case "equ", "neq", "lss", "leq", "gtr", "geq":
			c.skip(blanks)
			c.word(blanks, at)
		default:
			c.odd(at)
		}
	}
	c.command(at)
	c.skip(blanks)
	if c.keyword("else", blanks+"(") {
		c.command(at)
	}
}

// loop reads what stands behind for.
func (c *cmd) loop(at spot) {
	text, found := false, false
	for range 6 {
		c.skip(blanks)
		if found = c.keyword("in", blanks+"("); found {
			break
		}
		if c.has("%") { // the variable, and no %NAME%
			for c.more() && !c.any(blanks+"\n&|<>()") {
				c.i++
			}
			continue
		}
		text = strings.EqualFold(c.word(blanks, at).word().Text, "/f") || text
	}
	c.skip(blanks)
	if !found || !c.any("(") {
		c.odd(at)
		return
	}
	c.i++
	c.open++
	set := c.word("", at)
	c.open--
	if !c.any(")") {
		c.odd(at)
		return
	}
	c.i++
	inside := strings.Trim(string(set.b), blanks+"\n")
	if n := len(inside); text && n > 1 && (inside[0] == '\'' || inside[0] == '`') && inside[n-1] == inside[0] {
		if at, ok := c.below(at, "for /f"); ok {
			at.output = true
			c.text("for /f", inside[1:n-1], set.flags()&changing == 0, Cmd, at)
		}
	}
	c.skip(blanks)
	if !c.keyword("do", blanks+"(@") {
		c.odd(at)
	}
	c.command(at)
}
