package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/output"
)

// readWindows returns the first word of a line for cmd.exe or PowerShell without
// its quotes and escapes. ok is false when it is not known before it runs: a
// variable is in it, or a redirection comes first.
func readWindows(line string) (word string, ok bool) {
	const delimiters = " \t\r\n,;=" // cmd.exe takes the last three for spaces
	var b strings.Builder
	quoted, escaped := false, false
read:
	for _, c := range strings.TrimLeft(line, delimiters+"@(&") {
		switch {
		case escaped:
			b.WriteRune(c)
			escaped = false
		case c == '"':
			quoted = !quoted
		case quoted:
			b.WriteRune(c)
		case c == '^' || c == '`':
			escaped = true
		case strings.ContainsRune(delimiters+"&|<>()", c):
			break read
		default:
			b.WriteRune(c)
		}
	}
	word = b.String()
	return word, word != "" && !strings.ContainsAny(word, "%!$")
}

// programsWindows are the names the first word may mean: C:\x\FORMAT.COM is format,
// and a command that is built into the shell ends where its name does, as in
// rd/s and del.x.
func programsWindows(word string) []string {
	lower := strings.ToLower(word)
	name := lower[strings.LastIndexAny(lower, `\/:`)+1:]
	for _, extension := range []string{".exe", ".com", ".bat", ".cmd", ".ps1"} {
		name = strings.TrimSuffix(name, extension)
	}
	builtin := lower
	if i := strings.IndexAny(lower, `\/:.+[]`); i >= 0 {
		builtin = lower[:i]
	}
	return []string{name, builtin}
}

// judgeWindows judges a line for a shell of Windows, by its first word.
func (p *Policy) judgeWindows(command string) Verdict {
	first, ok := readWindows(command)
	if !ok {
		return deny("", "The first word of the command is not known before it runs: "+output.Quote(first, quoted)+". Write the name of a command first.")
	}
	names := programsWindows(first)
	verdict := func(v Verdict) Verdict {
		v.Commands = []string{first}
		return v
	}
	if !p.c.AllowInteractive && slices.ContainsFunc(names, func(name string) bool { return slices.Contains(interactiveWindows, name) }) {
		return verdict(deny("AllowInteractive", fmt.Sprintf("Interactive commands are not allowed. Command: %s. "+
			"There is no terminal: use a form that asks nothing and prints its result.", output.Quote(command, quoted))))
	}
	if v := p.rawOperators(command); v.Decision != Allow {
		return verdict(v)
	}
	for _, denied := range p.c.Denied {
		for _, name := range names {
			if strings.EqualFold(name, denied) || denied == "mkfs" && strings.HasPrefix(name, "mkfs.") {
				return verdict(deny("DeniedCommands: "+denied, fmt.Sprintf("Command %s is denied. Reach the goal without it.", output.Quote(names[0], quoted))))
			}
		}
	}
	if len(p.c.Allowed) > 0 && !slices.ContainsFunc(p.c.Allowed, func(allowed string) bool { return strings.EqualFold(allowed, first) }) {
		return verdict(deny("AllowedCommands", fmt.Sprintf("Command %s is not in the allowed list. Allowed: %s.", output.Quote(first, quoted), list(p.c.Allowed))))
	}
	return verdict(Verdict{Decision: Allow})
}

// interactiveWindows names programs that wait for a person, whatever their arguments.
var interactiveWindows = []string{"vi", "vim", "nano", "emacs", "less", "more", "top", "htop", "man", "passwd", "ssh", "telnet", "ftp", "edit"}
