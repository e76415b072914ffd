// Package environ builds the environment of a command.
package environ

import (
	"maps"
	"slices"
	"strings"
)

// Core returns the variables that a command gets by default, the nine that
// programs need to find themselves and a user: PRX's list.
func Core() []string {
	return []string{"PATH", "HOME", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "USER", "SHELL", "TMPDIR"}
}

// Inherit says what a command takes over from the host's environment.
type Inherit string

const (
	InheritCore Inherit = "core" // the variables of Core
	InheritAll  Inherit = "all"  // every variable
	InheritNone Inherit = "none" // nothing
)

// Build returns the environment made of what inherit takes from host, a list
// of NAME=value, and of set, which wins. PWD and OLDPWD are left out: they
// belong to a directory, see In. Each name occurs once, in sorted order.
func Build(inherit Inherit, host []string, set map[string]string) []string {
	env := map[string]string{}
	core := Core()
	for _, entry := range host {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" || inherit == InheritNone || inherit == InheritCore && !slices.Contains(core, name) {
			continue
		}
		env[name] = value
	}
	maps.Copy(env, set)
	delete(env, "PWD")
	delete(env, "OLDPWD")
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// In returns env for a command that runs in dir. env is not changed.
func In(env []string, dir string) []string {
	return append(slices.Clip(env), "PWD="+dir)
}

// Fault says what is wrong with a variable to be set, or nothing.
func Fault(name, value string) string {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00"):
		return "is not the name of a variable"
	case strings.Contains(value, "\x00"):
		return "has a value with a NUL byte, which cannot be passed to a process"
	case name == "PWD" || name == "OLDPWD" || name == "EINOSHELL_COMMAND_ID":
		return "is set for each command and cannot be given"
	}
	return ""
}
