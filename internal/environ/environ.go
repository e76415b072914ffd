// Package environ builds the environment of a command.
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

// Build returns the environment made of what inherit takes from host, a list
// of NAME=value, of what calm adds, and of set, the later winning. PWD, OLDPWD and
// EINOSHELL_COMMAND_ID are left out: they belong to a command. Each name occurs once, in sorted order.
func Build(inherit Inherit, host []string, calm, set map[string]string) []string {
	env := map[string]string{}
	core := Core()
	for _, entry := range host {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" || inherit == InheritNone || inherit == InheritCore && !slices.Contains(core, fold(name)) {
			continue
		}
		env[fold(name)] = name + "=" + value
	}
	for _, more := range []map[string]string{calm, set} {
		for name, value := range more {
			env[fold(name)] = name + "=" + value
		}
	}
	for _, name := range ours {
		delete(env, name)
	}
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, env[name])
	}
	return list
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

// Twice returns a name in set that stands for the same variable as another there,
// or nothing.
func Twice(set map[string]string) string {
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if seen[fold(name)] {
			return name
		}
		seen[fold(name)] = true
	}
	return ""
}

// Fault says what is wrong with a variable to be set, or nothing.
func Fault(name, value string) string {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00"):
		return "is not the name of a variable"
	case strings.Contains(value, "\x00"):
		return "has a value with a NUL byte, which cannot be passed to a process"
	case slices.Contains(ours, fold(name)):
		return "is set for each command and cannot be given"
	}
	return ""
}
