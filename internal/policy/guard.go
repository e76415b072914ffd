package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
	"github.com/einoshell/einoshell/internal/output"
)

// The guards, each against one kind of harm.
const (
	Destructive  = "destructive"   // loses what cannot be had back
	Power        = "power"         // turns the machine off
	RemoteScript = "remote-script" // runs what comes from the network, or was encoded
	Secrets      = "secrets"       // reads keys and passwords
)

// GuardNames are the names of all guards.
func GuardNames() []string { return []string{Destructive, Power, RemoteScript, Secrets} }

// A Setting of a guard says what becomes of what it finds.
type Setting string

const (
	GuardOff  Setting = "off"
	GuardAsk  Setting = "ask"
	GuardDeny Setting = "deny"
)

// A hit is harm that a guard has found in an invocation: the zero hit is none.
type hit struct {
	decision Decision // Ask or Deny, unless a Setting says otherwise
	what     string   // what the command would do, as the end of a sentence
	hint     string   // what to do instead, where there is something
}

// instead is h with what to do instead.
func (h hit) instead(hint string) hit {
	if h.what != "" {
		h.hint = hint
	}
	return h
}

func asks(format string, args ...any) hit {
	return hit{decision: Ask, what: fmt.Sprintf(format, args...)}
}

func denies(format string, args ...any) hit {
	return hit{decision: Deny, what: fmt.Sprintf(format, args...)}
}

// A row of a guard looks at the invocations of some programs.
type row struct {
	guard string
	names []string // last elements of names; empty for all
	find  func(c *looked) hit
}

// A looked is an invocation that is looked at by guards.
type looked struct {
	*command.Invocation
	facts *facts
	index int // in the script
	line  Line
	went  []string // see dirs
	asked bool     // whether that is known
	code  reading  // see interprets
	coded bool     // whether that is known
	helps bool     // it only prints how it is used
	// argument says that its name is most likely an argument of a variable's program.
	argument bool
	// windows says that its shell is one of Windows.
	windows bool
	base    string // the last element of the name
}

// guardText says of each guard how a refusal begins, and how it ends when there is no better
// hint.
var guardText = map[string][2]string{
	Destructive:  {"The command is destructive", ""},
	Power:        {"The command turns the machine off", "Leave it out."},
	RemoteScript: {"The command runs a script that nobody has seen", "Download it to a file, look at it, and run that with a command of its own."},
	Secrets:      {"The command reads secrets", "Reach the goal without what is in them; names of files and .env.example and the like can be read."},
}

// rows are those of all guards.
var rows = slices.Concat(destructiveRows, gitRows, powerRows, remoteRows, secretRows)

// rowsOf are the rows for a name, those for all names under the empty one.
var rowsOf = func() map[string][]row {
	m := map[string][]row{}
	for _, r := range rows {
		if len(r.names) == 0 {
			m[""] = append(m[""], r)
		}
		for _, name := range r.names {
			m[name] = append(m[name], r)
		}
	}
	return m
}()

// guards looks for harm. The strictest hit is the one that counts.
func (p *Policy) guards(all *facts, line Line) Verdict {
	script := all.script
	if p.c.Guards != nil && len(p.c.Guards) == 0 {
		return Verdict{Decision: Allow}
	}
	worst := Verdict{Decision: Allow}
	c, always := new(looked), rowsOf[""]
	for i := range script.Invocations {
		*c = looked{Invocation: &script.Invocations[i], facts: all, index: i, line: line, windows: p.c.Shell.Windows()}
		if len(c.Words) > 0 {
			c.base = p.plainName(c.Words[0])
		}
		if c.Keyword || c.Function {
			c.base = ""
		}
		c.argument = c.Place&command.Possible != 0 && i > 0 && p.plainlyNamed(&script.Invocations[i-1])
		c.helps = onlyHelps(c.Words)
		look := func(list []row) {
			for j := range list {
				if v := p.guard(&list[j], c); v.Decision < worst.Decision {
					worst = v
				}
			}
		}
		mine := rowsOf[c.base]
		if len(c.Words) == 1 && c.Words[0].Known && len(c.Redirects)+len(c.Pipes)+len(c.Writes) == 0 && c.Within == "" && !c.File && len(mine) == 0 && !strings.Contains(c.Words[0].Text, "/") {
			continue // a program of the system, and nothing else
		}
		if look(always); c.base != "" && !c.File { // (The name of a script is no program's.)
			look(mine)
		}
		if worst.Decision == Deny {
			break
		}
	}
	return worst
}

// onlyHelps tells whether a program is only asked how it is used: by the last word, if that is
// no value of an option and no operand.
func onlyHelps(words []command.Word) bool {
	n := len(words) - 1
	return n > 0 && words[n].Known && (words[n].Text == "--help" || words[n].Text == "--version") && (n == 1 || words[n-1].Known && !strings.HasPrefix(words[n-1].Text, "-")) &&
		!slices.ContainsFunc(words, func(w command.Word) bool { return w.Text == "--" || !w.Known })
}

// plainlyNamed tells whether the variable that names a command goes by the name of a program: of
// $OPENSSL x509 the second word is no command, as that of $SUDO cat may be.
func (p *Policy) plainlyNamed(inv *command.Invocation) bool {
	if len(inv.Words) == 0 || inv.Words[0].Known {
		return false
	}
	name := p.plainName(inv.Words[0])
	r, reads := readers[name]
	_, runs := interpreters[name]
	return runs || reads && (!r.none || name == "openssl")
}

// guard is what one row makes of an invocation.
func (p *Policy) guard(r *row, c *looked) Verdict {
	var setting Setting
	if p.c.Guards != nil {
		var set bool
		if setting, set = p.c.Guards[r.guard]; !set || setting == GuardOff {
			return Verdict{Decision: Allow}
		}
	}
	if (r.guard == Destructive || r.guard == Power) && len(r.names) > 0 && c.helps || r.guard == Power && !c.system() {
		return Verdict{Decision: Allow}
	}
	found := r.find(c)
	if found.what == "" {
		return Verdict{Decision: Allow}
	}
	switch setting {
	case GuardAsk:
		found.decision = Ask
	case GuardDeny:
		found.decision = Deny
	}
	if found.decision == Ask && p.lifted(c.facts, c.index, &lookup{dir: c.line.Dir, path: c.line.Path, again: true}) {
		return Verdict{Decision: Allow}
	}
	text := guardText[r.guard]
	if found.hint != "" {
		text[1] = found.hint
	}
	return Verdict{Decision: found.decision, Rule: "Guards: " + r.guard, Reason: strings.TrimSpace(fmt.Sprintf("%s: %s. %s", text[0], found.what, text[1]))}
}

// system tells whether the command may be a program of the system: it has no directory in its
// name, or one of the system's.
func (c *looked) system() bool {
	if len(c.Words) == 0 || !strings.Contains(c.Words[0].Text, "/") {
		return true
	}
	return slices.ContainsFunc([]string{"/bin/", "/sbin/", "/usr/"}, func(dir string) bool { return strings.HasPrefix(c.Words[0].Text, dir) })
}

// isDevice tells whether a word names a device, seen from where the line starts or from where cd
// has been.
func (c *looked) isDevice(w command.Word) bool {
	if device(w.Text) {
		return true
	}
	if strings.HasPrefix(w.Text, "/") || strings.HasPrefix(w.Text, "~") {
		return false
	}
	return slices.ContainsFunc(c.dirs(), func(dir string) bool {
		return (dir == "" || dir[0] == '/') && device(strings.TrimRight(dir, "/")+"/"+w.Text)
	})
}

// found is the find whose finds the invocation is run for, by itself, by xargs or by a shell.
func (c *looked) found() *command.Invocation {
	list := c.facts.script.Invocations
	for i, n := c.index, 0; n < 4; n++ {
		if i = c.facts.runner(i); i < 0 {
			break
		}
		if path.Base(list[i].Name()) == "find" {
			return &list[i]
		}
	}
	c.facts.find()
	for _, i := range c.facts.finds {
		for _, q := range list[i].Pipes {
			if slices.ContainsFunc(c.Pipes, func(p command.Stage) bool { return p.Pipeline == q.Pipeline && q.Stage < p.Stage }) {
				return &list[i]
			}
		}
	}
	return nil
}

// show quotes a part of a command for a message.
func show(s string) string { return output.Quote(s, quoted) }

// arguments are the options and operands of an invocation.
type arguments struct {
	options  []option
	operands []command.Word
}

// An option is one that was given: a letter, or a long name.
type option struct {
	name  string
	value command.Word
}

// parse splits the words behind the name into options, which may stand anywhere, and operands.
// values are the letters of those that have a value. long lists the long names that matter, with
// = behind those that have one; they may be abbreviated.
func parse(words []command.Word, values, long string) (a arguments) {
	for i := 0; i < len(words); i++ {
		s := words[i].Text
		switch {
		case s == "--" && words[i].Known:
			a.operands = append(a.operands, words[i+1:]...)
			return a
		case len(s) < 2 || s[0] != '-' || !strings.HasPrefix(words[i].Prefix(), "-"):
			a.operands = append(a.operands, words[i])
		case strings.HasPrefix(s, "--"):
			name, text, attached := strings.Cut(s[2:], "=")
			name, wants := fullName(name, long)
			o := option{name: name}
			if attached {
				o.value = words[i]
				o.value.Text = text
			} else if wants && i+1 < len(words) {
				i++
				o.value = words[i]
			}
			a.options = append(a.options, o)
		default:
			for j := 1; j < len(s); j++ {
				o := option{name: s[j : j+1]}
				end := strings.IndexByte(values, s[j]) >= 0
				if end && j+1 < len(s) {
					o.value = words[i]
					o.value.Text = s[j+1:]
				} else if end && i+1 < len(words) {
					i++
					o.value = words[i]
				}
				a.options = append(a.options, o)
				if end {
					break
				}
			}
		}
	}
	return a
}

// fullName is the long name that name is the beginning of, or name.
func fullName(name, long string) (full string, wants bool) {
	full = name
	for candidate := range strings.FieldsSeq(long) {
		c, w := strings.CutSuffix(candidate, "=")
		if c == name {
			return c, w
		}
		if name != "" && strings.HasPrefix(c, name) {
			full, wants = c, w
		}
	}
	return full, wants
}

// has tells whether one of the options was given.
func (a arguments) has(names ...string) bool {
	return slices.ContainsFunc(a.options, func(o option) bool { return slices.Contains(names, o.name) })
}

// value is the value of the last of the options that was given.
func (a arguments) value(names ...string) (w command.Word, found bool) {
	for _, o := range a.options {
		if slices.Contains(names, o.name) {
			w, found = o.value, true
		}
	}
	return w, found
}

// parsed are the arguments of the invocation.
func (c *looked) parsed(values, long string) arguments {
	if len(c.Words) == 0 {
		return arguments{}
	}
	return parse(c.Words[1:], values, long)
}
