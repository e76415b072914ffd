package policy

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A lookup finds the files that the names of commands stand for, where a command line
// starts. (Where cd has been is not followed.)
type lookup struct {
	dir, path string
	// again says that rules ask for the same names more than once; known are those then.
	again bool
	known map[string]string
}

// base is the last element of a name.
func base(name string) string {
	if !strings.Contains(name, "/") {
		return name
	}
	return path.Base(name)
}

// file is the file that name stands for, empty for none, and whether it is a symbolic link.
func (l *lookup) file(name string) (file string, link bool) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(l.dir, name)
		}
		_, link = isProgram(name)
		return name, link
	}
	bin, sbin := false, false // whether /usr/bin and /usr/sbin were looked in
	for dir := range strings.SplitSeq(l.path, string(os.PathListSeparator)) {
		switch {
		case dir == "/usr/bin":
			bin = true
		case dir == "/usr/sbin":
			sbin = true
		case (dir == "/bin" && bin || dir == "/sbin" && sbin) && merged():
			continue // the same once more
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(l.dir, dir)
		}
		// (Most are not there: a path that is not kept costs nothing as long as it is short.)
		if is, link := isProgram(dir + "/" + name); is {
			return dir + "/" + name, link
		}
	}
	return "", false
}

// merged tells whether /bin and /sbin are links to those in /usr, as most systems have it.
var merged = sync.OnceValue(func() bool {
	for _, dir := range []string{"/bin", "/sbin"} {
		a, err1 := os.Stat(dir)
		b, err2 := os.Stat("/usr" + dir)
		if err1 != nil || err2 != nil || !os.SameFile(a, b) {
			return false
		}
	}
	return true
})

// applets are files that hold many commands: being linked to one says nothing.
var applets = []string{"busybox", "toybox", "coreutils"}

// real is the file that name stands for when it is a symbolic link, with all links
// resolved; empty when it is none.
func (l *lookup) real(name string) string {
	if builtins[name] {
		return ""
	}
	if !l.again {
		return l.resolve(name)
	}
	if target, found := l.known[name]; found {
		return target
	}
	target := l.resolve(name)
	if l.known == nil {
		l.known = map[string]string{}
	}
	if len(l.known) < mostNames {
		l.known[name] = target
	}
	return target
}

func (l *lookup) resolve(name string) string {
	file, link := l.file(name)
	if !link {
		return ""
	}
	target, err := filepath.EvalSymlinks(file)
	if err != nil || slices.Contains(applets, filepath.Base(target)) {
		return ""
	}
	return target
}

// stands tells whether name is the path of the file that one of the allowed names
// stands for.
func (l *lookup) stands(name string, allowed []string) bool {
	if !path.IsAbs(name) || !slices.Contains(allowed, path.Base(name)) {
		return false
	}
	found, _ := l.file(path.Base(name))
	if found == "" {
		return false
	}
	a, err1 := os.Stat(name)
	b, err2 := os.Stat(found)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// builtins are commands that shells do themselves, so that there is no file to look at.
var builtins = setOf(
	".", ":", "[", "alias", "bg", "break", "builtin", "cd", "command", "continue", "declare", "dirs", "echo", "eval", "exec", "exit", "export", "false", "fg",
	"getopts", "hash", "jobs", "kill", "let", "local", "popd", "printf", "pushd", "pwd", "read", "readonly", "return", "set", "shift", "shopt", "source", "test",
	"times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait")
