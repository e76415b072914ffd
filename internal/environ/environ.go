// Package environ builds the environment of commands.
package environ

import (
	"maps"
	"runtime"
	"slices"
	"strings"
)

// Core returns the variables that a command gets by default, the nine that
// programs need to find themselves and a user: PRX's list. On Windows there are
// those too without which programs do not start, and which say there what HOME,
// USER and TMPDIR say elsewhere.
func Core() []string {
	core := []string{"PATH", "HOME", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "USER", "SHELL", "TMPDIR"}
	if windows {
		core = append(core, "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME", "TEMP", "TMP")
	}
	return core
}

// windows says that the names of variables are the same in capitals. A variable
// for tests.
var windows = runtime.GOOS == "windows"

func fold(name string) string {
	if windows {
		return strings.ToUpper(name)
	}
	return name
}

// Inherit says what a command takes over from the host's environment.
type Inherit string

const (
	InheritCore Inherit = "core" // the variables of Core
	InheritAll  Inherit = "all"  // every variable
	InheritNone Inherit = "none" // nothing
)

// NonInteractive returns the variables that keep programs from waiting for a
// person: pagers print, prompts fail, and editors leave what they are given as it
// is (for git, which then takes the message it has or none) or fail.
func NonInteractive() map[string]string {
	return map[string]string{
		"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "SYSTEMD_PAGER": "cat",
		"GIT_EDITOR": "true", "EDITOR": "false", "VISUAL": "false",
		"GIT_TERMINAL_PROMPT": "0", "SSH_ASKPASS_REQUIRE": "never", "PIP_NO_INPUT": "1", "DEBIAN_FRONTEND": "noninteractive",
	}
}

// A Plan says what the environment of commands is made of. It is not changed once
// it is made.
type Plan struct {
	Inherit Inherit  // what is taken over from Host
	Host    []string // the host's environment, as NAME=value

	Calm map[string]string // wins over what is inherited
	Set  map[string]string // wins over Calm

	Deny        []string // patterns of names that are never there, see GlobFault
	KeepSecrets bool     // secrets are inherited as all else
}

// Build returns the environment of a command: what is inherited, Calm, Set, and more, the
// later winning. Those that have programs run others (Runs) and secrets are not
// inherited, Deny filters all, and relative elements of PATH are taken out, and so is a PATH
// that has no others. PWD, OLDPWD and EINOSHELL_COMMAND_ID are left out: they belong to
// a command. Each name occurs once, in sorted order.
func (p Plan) Build(more map[string]string) []string {
	env := map[string]string{}
	for key, entry := range p.wanted() {
		if name, value, _ := strings.Cut(entry, "="); !Runs(name, value) && (p.KeepSecrets || !secret(name, value)) {
			env[key] = entry
		}
	}
	for _, more := range []map[string]string{p.Calm, p.Set, more} {
		for name, value := range more {
			env[fold(name)] = name + "=" + value
		}
	}
	for key, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		path := value
		if key == "PATH" {
			path = absolute(value)
		}
		if slices.Contains(ours, key) || p.denies(name) || key == "PATH" && path == "" {
			delete(env, key)
		} else if path != value {
			env[key] = name + "=" + path
		}
	}
	list := make([]string, 0, len(env))
	for _, key := range slices.Sorted(maps.Keys(env)) {
		list = append(list, env[key])
	}
	return list
}

// wanted are the entries that Inherit asks for, by their folded names.
func (p Plan) wanted() map[string]string {
	wanted, core := map[string]string{}, Core()
	for _, entry := range p.Host {
		name, _, ok := strings.Cut(entry, "=")
		key := fold(name)
		if ok && name != "" && (p.Inherit == InheritAll || p.Inherit == InheritCore && slices.Contains(core, key)) && !slices.Contains(ours, key) {
			wanted[key] = entry
		}
	}
	return wanted
}

// Withheld returns the names, sorted, of the variables that Inherit asks for and that
// commands do not have, by no other way either.
func (p Plan) Withheld() []string {
	missing := p.wanted()
	for _, entry := range p.Build(nil) {
		name, _, _ := strings.Cut(entry, "=")
		delete(missing, fold(name))
	}
	var names []string
	for _, entry := range missing {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ours are the variables that are set for each command.
var ours = []string{"PWD", "OLDPWD", "EINOSHELL_COMMAND_ID"}

// In returns env for a command that runs in dir. env is not changed.
func In(env []string, dir string) []string {
	return append(slices.Clip(env), "PWD="+dir)
}

// Get is the value of name in env, empty when it is not there.
func Get(env []string, name string) string {
	for _, entry := range env {
		if n, value, ok := strings.Cut(entry, "="); ok && fold(n) == fold(name) {
			return value
		}
	}
	return ""
}
