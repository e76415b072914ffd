// Package policy judges a command line before it runs.
//
// It judges what package command finds in the text: every command in it, wherever it
// stands, and the operators that were used. It is a guard rail against accidents, not a
// wall: what a program does is not seen. (Windows has
// languages of its own, and its names have no case: see windows.go.)
package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
	"github.com/einoshell/einoshell/internal/output"
)

// A Decision is what a Verdict comes to.
type Decision int

const (
	// Deny is the zero Decision: what was never judged does not run.
	Deny Decision = iota
	// Ask means that somebody has to approve first.
	Ask
	// Allow means that the policy has no objection.
	Allow
)

// A Verdict is what the policy says of one command line.
type Verdict struct {
	Decision Decision
	// Reason says to a model what is wrong and what to change. It is empty
	// for Allow.
	Reason string
	// Rule names the configuration that decided, as field or field: entry. It is
	// empty when none did: for Allow, and for a text that cannot be read.
	Rule string
	// Commands are the commands found, as written but for their quotes, each once;
	// Unknown stands for one that is not known. It is empty when the text cannot be
	// read.
	Commands []string
}

// Unknown stands for a command that is not known before it runs.
const Unknown = "?"

// Dynamic says what happens to commands that are not known before they run.
type Dynamic string

const (
	DynamicDeny  Dynamic = "deny"
	DynamicAsk   Dynamic = "ask"
	DynamicAllow Dynamic = "allow"
	// DynamicAuto allows them where a command is confined and there is no list of
	// allowed commands, and denies them elsewhere.
	DynamicAuto Dynamic = "auto"
)

// Config is what a Policy is made of.
type Config struct {
	// Allowed names the only commands that may run; empty for all.
	Allowed []string
	// Denied names commands that may not run.
	Denied []string
	// Operators are operators of the shell that may not be used.
	Operators []string
	// AllowInteractive lets programs through that want a terminal.
	AllowInteractive bool
	// Dynamic is for commands that are not known before they run; empty is deny.
	Dynamic Dynamic
	// Confined says that commands run in a sandbox that limits what they can write.
	Confined bool
	// Shell is what reads the text.
	Shell command.Shell
	// Guards says of guards by their names what becomes of what they find. Nil means all
	// with what their rows say, and a guard that is not in it is off.
	Guards map[string]Setting
	// Rules are the operator's own.
	Rules []Rule
}

// DefaultDenied returns the commands denied when a configuration names none.
// An entry mkfs also covers its family: mkfs.ext4 and the like.
// On Windows there are the names that rm and rmdir have there, too.
func DefaultDenied(windows bool) []string {
	list := []string{"rm", "rmdir", "mkfs", "dd", "format", "shutdown", "reboot", "halt", "poweroff", "init"}
	if windows {
		list = append(list, "rd", "del", "erase", "remove-item", "ri")
	}
	return list
}

// quoted is how much of a command or a word a message repeats, in characters.
const quoted = 200

// A Policy judges command lines. It is immutable and safe for concurrent use.
type Policy struct {
	c     Config
	rules []rule
	// deniedNames says where each of the denied ones first stands in the list, where names are
	// compared as they are: nil elsewhere.
	deniedNames map[string]int
}

// A Fault is one thing wrong in a Config. Field is the name the users of the
// library know the field by.
type Fault struct{ Field, Reason string }

// New compiles a policy. It returns every fault of c; the policy is of use
// only when there is none.
func New(c Config) (*Policy, []Fault) {
	var faults []Fault
	if len(c.Allowed) > 0 && len(c.Denied) > 0 {
		faults = append(faults, Fault{"AllowedCommands", "Specify allowed_commands or denied_commands, not both."})
	}
	names := func(field string, list []string) {
		for _, name := range list {
			if name == "" || strings.ContainsAny(name, " \t\r\n\x00") {
				faults = append(faults, Fault{field, output.Quote(name, quoted) + " is not the name of a command."})
			}
		}
	}
	names("AllowedCommands", c.Allowed)
	names("DeniedCommands", c.Denied)
	for _, op := range c.Operators {
		if _, known := covers[op]; !known && (!c.Shell.Windows() || strings.Trim(op, " \t") == "") {
			faults = append(faults, Fault{"DeniedOperators", output.Quote(op, quoted) + " is not a shell operator."})
		}
	}
	switch c.Dynamic {
	case "", DynamicDeny, DynamicAsk, DynamicAllow, DynamicAuto:
	default:
		faults = append(faults, Fault{"DynamicCommands", output.Quote(string(c.Dynamic), quoted) + " is not deny, ask, allow or auto."})
	}
	for name, setting := range c.Guards {
		switch {
		case !slices.Contains(GuardNames(), name):
			faults = append(faults, Fault{"Guards", fmt.Sprintf("%s is not a guard; there are %s.", output.Quote(name, quoted), strings.Join(GuardNames(), ", "))})
		case setting != GuardOff && setting != GuardAsk && setting != GuardDeny:
			faults = append(faults, Fault{"Guards", fmt.Sprintf("%s: %s is not off, ask or deny.", name, output.Quote(string(setting), quoted))})
		}
	}
	c.Guards = maps.Clone(c.Guards)
	c.Allowed, c.Denied, c.Operators = slices.Clone(c.Allowed), slices.Clone(c.Denied), slices.Clone(c.Operators)
	p := &Policy{c: c}
	if !p.folds() {
		p.deniedNames = map[string]int{}
		for i, name := range slices.Backward(c.Denied) {
			p.deniedNames[name] = i
		}
	}
	return p, append(faults, p.rulesOf(c)...)
}

// A Line is a command line to judge.
type Line struct {
	Text string
	// Dir is the directory it runs in and Path the PATH it runs with, to look names of
	// programs up.
	Dir, Path string
	// Input says that it is given something on standard input, which is not known.
	Input bool
}

func (l Line) read(shell command.Shell) (*command.Script, error) {
	if l.Input {
		return command.ReadFed(l.Text, shell)
	}
	return command.Read(l.Text, shell)
}

// Judge says whether l may run. It runs nothing.
func (p *Policy) Judge(l Line) Verdict {
	if strings.TrimSpace(l.Text) == "" {
		return deny("", "The command is empty.")
	}
	if strings.Contains(l.Text, "\x00") {
		return deny("", "The command contains a NUL byte, which cannot be passed to a process. Remove it.")
	}
	script, err := l.read(p.c.Shell)
	if err != nil {
		return deny("", err.Error())
	}
	v := p.judge(script, l)
	if p.c.Shell.Windows() && v.Decision != Deny {
		if raw := p.rawOperators(l.Text); raw.Decision == Deny {
			v = raw
		}
	}
	v.Commands = names(script)
	return v
}

// names lists the commands of a script.
func names(script *command.Script) []string {
	var list []string
	seen := map[string]bool{}
	for i := range script.Invocations {
		inv := &script.Invocations[i]
		name := inv.Name()
		if inv.Dynamic != "" {
			name = Unknown
		} else if len(inv.Words) == 0 || inv.Keyword || inv.File {
			continue
		}
		if !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	return list
}

// mostNames is how many different commands a text may have.
const mostNames = 1000

// judge goes through the checks in the order of pydantic-ai-harness.
func (p *Policy) judge(script *command.Script, line Line) Verdict {
	look, all := &lookup{dir: line.Dir, path: line.Path, again: len(p.rules) > 0}, newFacts(script)
	if !p.c.AllowInteractive {
		for i := range script.Invocations {
			if inv := &script.Invocations[i]; p.waits(inv) && !(inv.Name() == "git" && script.Sets["GIT_SEQUENCE_EDITOR"]) {
				return deny("AllowInteractive", fmt.Sprintf("Interactive commands are not allowed. Command: %s. There is no terminal: %s.",
					output.Quote(text(inv), quoted), instead(inv)))
			}
		}
	}
	if v := p.operators(script); v.Decision != Allow {
		return v
	}
	judged := map[string]bool{}
	for i := range script.Invocations {
		inv := &script.Invocations[i]
		if name := inv.Name(); name != "" && !inv.Keyword && !judged[name] {
			judged[name] = true
			if len(judged) > mostNames {
				return deny("", fmt.Sprintf("The command names more than %d commands. Split it, or put it in a script file.", mostNames))
			}
			if v := p.denied(name, look); v.Decision != Allow {
				return v
			}
		}
	}
	if v := p.allowed(all, look); v.Decision != Allow {
		return v
	}
	// The strictest of what is left counts.
	worst := Verdict{Decision: Allow}
	for _, v := range []Verdict{p.judgeRules(script, look), p.guards(all, line), p.dynamic(all, look)} {
		if v.Decision < worst.Decision {
			worst = v
		}
	}
	return worst
}

// instead says what to do instead of something interactive.
func instead(inv *command.Invocation) string {
	switch base(inv.Name()) {
	case "sudo", "doas":
		return "use sudo -n, which fails instead of asking for a password"
	case "ssh", "sftp":
		return "use -o BatchMode=yes, which fails instead of asking"
	case "less", "more", "man", "most", "pg":
		return "use cat, head or tail, or a pipe into cat"
	case "top":
		return "use top -b -n 1, or ps"
	case "vi", "vim", "nvim", "ex", "nano", "pico", "emacs", "joe":
		return "write the file with a here-document, or change it with sed"
	case "git":
		return "use a form that asks nothing: paths instead of -p, GIT_SEQUENCE_EDITOR for rebase -i"
	case "sqlite3", "mysql", "mariadb", "psql":
		return "pass the SQL as an argument or on standard input"
	}
	return "use a form that asks nothing and prints its result, as with the work to do in an argument, a file or on standard input"
}

// text is an invocation for a message.
func text(inv *command.Invocation) string {
	var b strings.Builder
	for i, w := range inv.Words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.WriteString(w.Text); b.Len() > 4*quoted {
			break
		}
	}
	return b.String()
}

// dynamic judges what is not known before it runs.
func (p *Policy) dynamic(all *facts, look *lookup) Verdict {
	script := all.script
	how := p.c.Dynamic
	if how == DynamicAuto {
		if how = DynamicDeny; p.c.Confined && len(p.c.Allowed) == 0 {
			how = DynamicAllow
		}
	}
	if how == DynamicAllow {
		return Verdict{Decision: Allow}
	}
	for i := range script.Invocations {
		if why := script.Invocations[i].Dynamic; why != "" && !(how == DynamicAsk && p.lifted(all, i, look)) {
			v := deny("DynamicCommands", "It is not known before what would run: "+why)
			if how == DynamicAsk {
				v.Decision = Ask
			}
			return v
		}
	}
	return Verdict{Decision: Allow}
}

func deny(rule, reason string) Verdict { return Verdict{Decision: Deny, Reason: reason, Rule: rule} }

// list writes names for a message, the first of them when there are many.
func list(names []string) string {
	const most = 40
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
