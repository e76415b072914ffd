// Package policy judges a command line before it runs.
//
// It is a guard rail against accidents, not a wall. For now it looks at the
// first word of the text only, split as google/shlex does: what stands behind
// a semicolon, in a substitution or after a wrapper such as env is not seen.
package policy

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/google/shlex"

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
	// Rule names the configuration that decided, as field or field: entry.
	Rule string
}

// Config is what a Policy is made of.
type Config struct {
	// Allowed names the only commands that may run; empty for all.
	Allowed []string
	// Denied names commands that may not run.
	Denied []string
	// Operators are character sequences that may not occur in a command.
	Operators []string
	// AllowInteractive lets programs through that want a terminal.
	AllowInteractive bool
	// Windows says that the shell is one of Windows: names are compared without
	// regard to case and without extension.
	Windows bool
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

// interactive names programs that wait for a terminal nobody sits at. sudo is
// handled beside it: with -n it asks nothing.
var interactive = []string{
	"vi", "vim", "nano", "emacs", "less", "more", "top", "htop", "man",
	"passwd", "ssh", "telnet", "ftp",
}

// quoted is how much of a command or a word a message repeats, in characters.
const quoted = 200

// A Policy judges command lines. It is immutable and safe for concurrent use.
type Policy struct{ c Config }

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
		if strings.Trim(op, " \t") == "" {
			faults = append(faults, Fault{"DeniedOperators", output.Quote(op, quoted) + " is not a shell operator."})
		}
	}
	return &Policy{Config{
		Allowed:          slices.Clone(c.Allowed),
		Denied:           slices.Clone(c.Denied),
		Operators:        slices.Clone(c.Operators),
		AllowInteractive: c.AllowInteractive,
		Windows:          c.Windows,
	}}, faults
}

// A Line is a command line to judge.
type Line struct {
	Text string
}

// Judge says whether l may run.
func (p *Policy) Judge(l Line) Verdict {
	command := l.Text
	if strings.TrimSpace(command) == "" {
		return deny("", "The command is empty.")
	}
	if strings.Contains(command, "\x00") {
		return deny("", "The command contains a NUL byte, which cannot be passed to a process. Remove it.")
	}
	var first string   // the first word
	var names []string // the programs it may mean
	var terminal, empty bool
	if p.c.Windows {
		var ok bool
		if first, ok = readWindows(command); !ok {
			return deny("", "The first word of the command is not known before it runs: "+output.Quote(first, quoted)+". Write the name of a command first.")
		}
		names = programsWindows(first)
		terminal = slices.ContainsFunc(names, func(name string) bool { return slices.Contains(interactive, name) })
	} else {
		// The shell joins lines at a backslash, but not in a comment; google/shlex
		// knows neither.
		text := strings.TrimLeft(command, " \t\n")
		for strings.HasPrefix(text, "#") {
			_, text, _ = strings.Cut(text, "\n")
			text = strings.TrimLeft(text, " \t\n")
		}
		words := shlex.NewLexer(strings.NewReader(strings.ReplaceAll(text, "\\\n", "")))
		var err error
		if first, err = words.Next(); err != nil && err != io.EOF {
			return deny("", "The first word of the command cannot be read: "+err.Error()+". Close its quotes.")
		}
		names = []string{program(first), path.Base(program(first))}
		terminal, empty = wantsTerminal(first, words), err == io.EOF
	}
	if !p.c.AllowInteractive && terminal {
		return deny("AllowInteractive", fmt.Sprintf("Interactive commands are not allowed. Command: %s. "+
			"There is no terminal: use a form that asks nothing and prints its result.", output.Quote(command, quoted)))
	}
	for _, op := range p.c.Operators {
		if strings.Contains(command, op) {
			return deny("DeniedOperators: "+op, fmt.Sprintf("Shell operator %s is not allowed. Write the command without it.", output.Quote(op, quoted)))
		}
	}
	if empty {
		return Verdict{Decision: Allow} // nothing but comments
	}
	for _, denied := range p.c.Denied {
		for _, name := range names {
			if name == denied || p.c.Windows && strings.EqualFold(name, denied) || denied == "mkfs" && strings.HasPrefix(name, "mkfs.") {
				return deny("DeniedCommands: "+denied, fmt.Sprintf("Command %s is denied. Reach the goal without it.", output.Quote(names[0], quoted)))
			}
		}
	}
	same := func(allowed string) bool { return allowed == first || p.c.Windows && strings.EqualFold(allowed, first) }
	if len(p.c.Allowed) > 0 && !slices.ContainsFunc(p.c.Allowed, same) {
		return deny("AllowedCommands", fmt.Sprintf("Command %s is not in the allowed list. Allowed: %s.", output.Quote(first, quoted), list(p.c.Allowed)))
	}
	return Verdict{Decision: Allow}
}

// program is the name of the program in the first word: an operator behind it
// ends it, as in vim;ls and rm>log.
func program(first string) string {
	if i := strings.IndexAny(first, ";&|<>()`"); i > 0 {
		return first[:i]
	}
	return first
}

func deny(rule, reason string) Verdict { return Verdict{Decision: Deny, Reason: reason, Rule: rule} }

// wantsTerminal tells whether the command that starts with first waits for a
// person. rest holds the words after it.
func wantsTerminal(first string, rest *shlex.Lexer) bool {
	base := path.Base(program(first))
	if base == "sudo" {
		next, err := rest.Next()
		return err != nil || next != "-n" && next != "--non-interactive"
	}
	return slices.Contains(interactive, base)
}

// list writes names for a message, the first of them when there are many.
func list(names []string) string {
	const most = 40
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
