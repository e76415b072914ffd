package policy

import (
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// formsOnWindows are the names that the name of a command may stand for, which have no case:
// C:\x\FORMAT.COM is format, and a command that is built into the shell ends where its
// name does.
func (p *Policy) formsOnWindows(name string) []string {
	forms := []string{command.WindowsName(name)}
	if i := strings.IndexAny(name, `\/:.+[]`); i >= 0 && p.c.Shell == command.Cmd {
		forms = append(forms, name[:i])
	}
	if slices.Contains(removers, forms[0]) && p.c.Shell == command.PowerShell {
		forms = append(forms, "remove-item")
	}
	return forms
}

// removers are other names of Remove-Item in PowerShell.
var removers = []string{"rm", "ri", "rd", "del", "erase", "rmdir"}

// waits tells whether an invocation waits for a person.
func (p *Policy) waits(inv *command.Invocation) bool {
	if !p.c.Shell.Windows() {
		return wantsTerminal(inv, base(inv.Name()))
	}
	name := command.WindowsName(inv.Name())
	c := call{inv, program{operands: everywhere}}
	if waits, found := interactiveWindows[name]; found {
		return waits(c)
	}
	return wantsTerminal(inv, name)
}

// interactiveWindows are the programs that wait on Windows, besides those that do
// everywhere, or in another way.
var interactiveWindows = map[string]func(c call) bool{
	"cmd":        func(c call) bool { return !c.Input && !c.slash("c", "r", "?") },
	"powershell": powershell, "pwsh": powershell,
	"wsl":      func(c call) bool { return !c.Input && len(c.Words) == 1 },
	"ftp":      func(c call) bool { return !c.Input && !c.begins("-s:") },
	"diskpart": func(c call) bool { return !c.Input && !c.slash("s") },
	"runas":    func(c call) bool { return !c.slash("savecred", "?") },
	"edit":     always, "notepad": always, "regedit": func(c call) bool { return !c.slash("s", "e") },
	"read-host": always, "get-credential": always, "out-gridview": always, "ogv": always,
	// In PowerShell it is Invoke-Expression.
	"iex": func(call) bool { return false },
}

// slash tells whether one of the options that begin with a slash is there, also with
// something attached: /cdir.
func (c call) slash(options ...string) bool {
	return slices.ContainsFunc(c.Words[1:], func(w command.Word) bool {
		s := strings.ToLower(w.Text)
		return slices.ContainsFunc(options, func(o string) bool {
			return strings.HasPrefix(s, "/"+o) || strings.HasPrefix(s, "-"+o) || strings.HasPrefix(s, "/") && strings.Contains(s, "/"+o)
		})
	})
}

// begins tells whether an argument begins so.
func (c call) begins(prefix string) bool {
	return slices.ContainsFunc(c.Words[1:], func(w command.Word) bool { return strings.HasPrefix(strings.ToLower(w.Text), prefix) })
}

// powershell waits when it has nothing to run, or stays when that is done.
func powershell(c call) bool {
	for i := 1; i < len(c.Words); i++ {
		s := strings.ToLower(c.Words[i].Text)
		option := strings.TrimLeft(s, "-/")
		switch {
		case option == s || option == "?" || option == "":
			return false // a command
		case len(option) > 2 && strings.HasPrefix("noexit", option):
			return true
		case option[0] == 'c' || option[0] == 'f' || option[0] == 'h' || option[0] == 'e' && !strings.HasPrefix(option, "ex") && option != "ep":
			return false
		case strings.HasPrefix(option, "no") || option == "mta" || option == "sta" || option == "login" || option == "l":
		default:
			i++ // its value
		}
	}
	return !c.Input
}
