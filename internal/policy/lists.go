package policy

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
	"github.com/einoshell/einoshell/internal/output"
)

// denied looks for name, and the file it stands for, in the list of denied commands.
func (p *Policy) denied(name string, look *lookup) Verdict {
	if len(p.c.Denied) == 0 {
		return Verdict{Decision: Allow}
	}
	if denied := p.deniedAs(name, look); denied != "" {
		return deny("DeniedCommands: "+denied, fmt.Sprintf("Command %s is denied. Reach the goal without it.", output.Quote(p.shown(name), quoted)))
	}
	return Verdict{Decision: Allow}
}

// shown is a name for a message.
func (p *Policy) shown(name string) string {
	if p.c.Shell.Windows() {
		return command.WindowsName(name)
	}
	return name
}

// deniedAs is the entry of the list that denies name, empty for none.
func (p *Policy) deniedAs(name string, look *lookup) string {
	var room [3]string
	forms := p.forms(room[:0], name, look)
	if p.deniedNames != nil {
		first := len(p.c.Denied)
		for _, form := range forms {
			if i, found := p.deniedNames[form]; found {
				first = min(first, i)
			}
			if i, found := p.deniedNames["mkfs"]; found && strings.HasPrefix(form, "mkfs.") {
				first = min(first, i)
			}
		}
		if first < len(p.c.Denied) {
			return p.c.Denied[first]
		}
		return ""
	}
	for _, denied := range p.c.Denied {
		for _, form := range forms {
			if p.same(form, denied) || denied == "mkfs" && strings.HasPrefix(form, "mkfs.") {
				return denied
			}
		}
	}
	return ""
}

// forms are the names that a command goes by: as it is written, the last element of that, and
// that of the file it is a link to. They are put behind those in forms.
func (p *Policy) forms(forms []string, name string, look *lookup) []string {
	if p.c.Shell.Windows() {
		return append(forms, p.formsOnWindows(name)...)
	}
	forms = append(forms, name)
	if short := base(name); short != name {
		forms = append(forms, short)
	}
	if file := look.real(name); file != "" {
		forms = append(forms, base(file))
	}
	return forms
}

// plainName is the name of a command as guards and tables know it. One that is held by a
// variable is taken for that of the variable: $RM, ${OPENSSL}.
func (p *Policy) plainName(word command.Word) string {
	if p.c.Shell.Windows() {
		return p.formsOnWindows(word.Text)[0]
	}
	name := base(word.Text)
	if rest, ok := strings.CutPrefix(name, "$"); ok && !word.Known {
		name = strings.ToLower(strings.Trim(rest, "{}"))
	}
	return name
}

// same compares names of files. Where the file system does not know capitals from
// others, they stand for the same file.
func (p *Policy) same(a, b string) bool { return a == b || p.folds() && strings.EqualFold(a, b) }

func (p *Policy) folds() bool { return runtime.GOOS == "darwin" || p.c.Shell.Windows() }

// settings are variables that decide what a name stands for, or load code into programs.
var settings = []string{"PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "BASH_ENV", "ENV"}

// settingsOnWindows are more of them there.
var settingsOnWindows = []string{"PATHEXT", "COMSPEC", "PSMODULEPATH"}

// allowed looks for all commands in the list of allowed ones.
func (p *Policy) allowed(all *facts, look *lookup) Verdict {
	script := all.script
	if len(p.c.Allowed) == 0 {
		return Verdict{Decision: Allow}
	}
	if name := p.changed(all); name != "" {
		return deny("AllowedCommands", fmt.Sprintf("The command sets %s, so that it is not known what an allowed name stands for. Leave it as it is.", name))
	}
	known := map[string]bool{}
	for i := range script.Invocations {
		inv := &script.Invocations[i]
		name := inv.Name()
		if name == "" && (len(inv.Words) == 0 || inv.Dynamic != "") || inv.Function || inv.Keyword || inv.File || known[name] {
			continue
		}
		if p.isAllowed(name, look) {
			known[name] = true
		} else if !p.lifted(all, i, look) { // (A rule is for some of the commands of a name.)
			return deny("AllowedCommands", fmt.Sprintf("Command %s is not in the allowed list. Allowed: %s.", output.Quote(name, quoted), list(p.c.Allowed)))
		}
	}
	for i := range script.Invocations {
		if inv := &script.Invocations[i]; len(inv.Writes) > 0 {
			return deny("AllowedCommands", fmt.Sprintf("Command %s is allowed, but not to write to %s by itself. Use a redirection.", show(inv.Name()), show(inv.Writes[0].Text)))
		}
	}
	return Verdict{Decision: Allow}
}

// isAllowed looks for one name there.
func (p *Policy) isAllowed(name string, look *lookup) bool {
	if p.c.Shell.Windows() {
		return slices.ContainsFunc(p.c.Allowed, func(allowed string) bool { return strings.EqualFold(allowed, name) })
	}
	return slices.Contains(p.c.Allowed, name) || look.stands(name, p.c.Allowed)
}
