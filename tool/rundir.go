package tool

import (
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Dir returns the directory that the next command of the Run runs in. With Config.PersistDir that
// is where the last one was when it exited with 0. A Run whose RunOptions.Dir is this goes on
// where r is.
func (r *Run) Dir() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dir
}

// move has the next command run where one was that ran in dir. said is what that one said of it.
// What is no directory that can be entered, cannot be shown as it is, or is not what a shell would say, is passed over.
func (r *Run) move(dir, said string) {
	if said == "" || said == dir || !filepath.IsAbs(said) || filepath.Clean(said) != said || !utf8.ValidString(said) || lostDir(said) != "" {
		return
	}
	said = r.familiar(said)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dir = said
}

// familiar returns the name of a directory below base, where that is a link, as one that begins like
// base: a shell says where it is without links.
func (r *Run) familiar(dir string) string {
	real, err := filepath.EvalSymlinks(r.base)
	if err != nil || real == r.base {
		return dir
	}
	rest, below := strings.CutPrefix(dir, real)
	if !below || rest != "" && !os.IsPathSeparator(rest[0]) {
		return dir
	}
	return r.base + rest
}

// lost returns what a model is told when the directory of its last command is gone, and has the
// next one run in base then. Nothing is wrong where it returns nothing.
func (r *Run) lost(dir string) string {
	if dir == r.base {
		return "" // that is seen when a command is started
	}
	reason, ok := strings.CutPrefix(lostDir(dir), "The working directory")
	if !ok {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == dir {
		r.dir = r.base
	}
	if reason == " no longer exists." {
		reason = " was removed."
	}
	return "The previous directory" + strings.TrimSuffix(reason, ".") + "; now in " + r.base + "."
}
