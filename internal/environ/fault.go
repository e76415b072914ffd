package environ

import (
	"maps"
	"path"
	"slices"
	"strings"
)

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
	case fold(name) == "PATH" && slices.ContainsFunc(elements(value), func(dir string) bool { return dir != "" && !isAbsolute(dir) }):
		return "has a directory that is not absolute, so that what a name stands for would change with the directory"
	}
	return ""
}

// GlobFault says what is wrong with a pattern of Deny, or nothing. They are patterns of
// path.Match, but that * and ? stand for slashes, too.
func GlobFault(glob string) string {
	_, err := path.Match(glob, "")
	switch {
	case glob == "":
		return "is empty and matches no name"
	case err != nil:
		return "is not a pattern"
	case strings.ContainsAny(glob, "=\x00"):
		return "matches no name of a variable"
	case strings.Contains(glob, "[!"):
		return "says [! for what [^ means here"
	}
	return ""
}

// denies says whether Deny keeps a name out.
func (p Plan) denies(name string) bool {
	return slices.ContainsFunc(p.Deny, func(glob string) bool {
		// (No name has a newline: a slash is nothing special then.)
		found, _ := path.Match(strings.ReplaceAll(fold(glob), "/", "\n"), strings.ReplaceAll(fold(name), "/", "\n"))
		return found
	})
}

// elements are the directories of a PATH, as they are written.
func elements(list string) []string {
	if !windows {
		return strings.Split(list, ":")
	}
	var dirs []string
	quoted, begin := false, 0
	for i := range len(list) {
		switch {
		case list[i] == '"':
			quoted = !quoted
		case list[i] == ';' && !quoted:
			dirs, begin = append(dirs, list[begin:i]), i+1
		}
	}
	return append(dirs, list[begin:])
}

// isAbsolute says whether an element of PATH is the same directory wherever a program runs.
func isAbsolute(dir string) bool {
	if !windows {
		return strings.HasPrefix(dir, "/")
	}
	dir = strings.ReplaceAll(strings.ReplaceAll(dir, `"`, ""), "/", `\`)
	if strings.HasPrefix(dir, `\\`) {
		return true
	}
	return len(dir) > 2 && dir[1:3] == `:\` && ('a' <= dir[0]|0x20 && dir[0]|0x20 <= 'z')
}

// absolute is a PATH without the elements that are not.
func absolute(list string) string {
	separator := ":"
	if windows {
		separator = ";"
	}
	return strings.Join(slices.DeleteFunc(elements(list), func(dir string) bool { return !isAbsolute(dir) }), separator)
}
