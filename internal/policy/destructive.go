package policy

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// destructiveRows look for what is lost for good. A single file that is removed by its name is
// left to the lists.
var destructiveRows = []row{
	{Destructive, []string{"rm", "unlink"}, removal},
	{Destructive, []string{"xargs"}, func(c *looked) hit {
		if n := len(c.Words); n > 1 && path.Base(c.Words[n-1].Text) == "rm" {
			return removal(c) // with what it reads, and nothing else
		}
		return hit{}
	}},
	{Destructive, []string{"find"}, findDelete},
	{Destructive, []string{"shred", "srm", "wipe"}, func(c *looked) hit { return denies("%s overwrites files", c.base) }},
	{Destructive, []string{"rimraf", "del-cli"}, func(c *looked) hit { return asks("%s removes directories with all that is in them", c.base) }},
	{Destructive, []string{"truncate"}, truncation},
	{Destructive, nil, fileSystems},
	{Destructive, []string{"wipefs", "blkdiscard", "mke2fs", "mkswap", "sgdisk", "sfdisk", "parted"}, func(c *looked) hit {
		a := c.parsed("ot", "all force list print dump json")
		if c.base == "wipefs" && !a.has("a", "all") || a.has("l", "list", "p", "print", "d", "dump", "J", "json") || slices.ContainsFunc(a.operands, isWord("print")) || !slices.ContainsFunc(a.operands, c.mayBeDevice) {
			return hit{}
		}
		return denies("%s overwrites a device", c.base)
	}},
	{Destructive, nil, ontoDevice},
	{Destructive, nil, redirection},
	{Destructive, []string{"cp"}, func(c *looked) hit {
		a := c.parsed("tS", "")
		if len(a.operands) == 2 && a.operands[0].Text == "/dev/null" && c.holds(a.operands[1]) {
			return asks("cp empties %s", show(a.operands[1].Text))
		}
		return hit{}
	}},
	{Destructive, []string{"chmod", "chown", "chgrp"}, permissions},
	{Destructive, []string{"kill"}, func(c *looked) hit {
		// The first word may be a signal, -1 included.
		words := c.Words[1:]
		if len(words) > 0 && words[0].Text == "-s" || len(words) > 0 && words[0].Text == "-n" {
			words = words[min(2, len(words)):]
		} else if len(words) > 1 && strings.HasPrefix(words[0].Text, "-") && words[0].Text != "--" {
			words = words[1:]
		}
		if len(words) > 0 && slices.ContainsFunc(words, func(w command.Word) bool { return w.Text == "-1" }) && len(c.Words) > 2 {
			return denies("kill -1 ends every process there is").instead("Name the processes.")
		}
		return hit{}
	}},
	{Destructive, []string{"killall5"}, func(*looked) hit { return denies("killall5 ends every process there is") }},
	{Destructive, []string{"crontab"}, func(c *looked) hit {
		if c.parsed("u", "").has("r") {
			return denies("crontab -r removes all entries")
		}
		return hit{}
	}},
	{Destructive, []string{"rsync"}, func(c *looked) hit {
		a := c.parsed("efMBT", "exclude= include= filter= files-from= exclude-from= include-from= rsh= rsync-path= dry-run")
		for _, o := range a.options {
			if strings.HasPrefix(o.name, "del") && !a.has("n", "dry-run") {
				return asks("rsync --%s removes what is not at the source", o.name)
			}
		}
		return hit{}
	}},
	{Destructive, nil, forkBomb},
	{Destructive, nil, inlineRemoval},
	{Destructive, []string{"rd", "rmdir", "del", "erase", "remove-item", "ri", "format"}, windowsRemoval},
}

// removal is rm of more than a file, and rm for all that find has found.
func removal(c *looked) hit {
	a := c.parsed("", "recursive force dir interactive verbose one-file-system no-preserve-root preserve-root")
	switch r := a.has("r", "R", "recursive"); {
	case c.base == "rm" && r && (a.has("f", "force", "no-preserve-root") || slices.ContainsFunc(a.operands, c.isRoot)):
		return denies("rm -rf removes directories with all that is in them").instead("Name single files: rm a b.")
	case c.base == "rm" && r:
		return asks("rm -r removes directories with all that is in them").instead("Name single files: rm a b.")
	}
	if by := c.found(); by != nil && !narrow(by.Words[1:]) && (c.base == "xargs" || slices.ContainsFunc(a.operands, func(w command.Word) bool { return !w.Known })) {
		return denies("find and %s remove all there is", c.base).instead("Let find look for files of a name: -name '*.tmp'.")
	}
	return hit{}
}

func findDelete(c *looked) hit {
	if slices.ContainsFunc(c.Words, func(w command.Word) bool { return w.Text == "-delete" }) && !narrow(c.Words[1:]) {
		return denies("find -delete removes all that it finds").instead("Let it look for files of a name: -name '*.tmp'.")
	}
	return hit{}
}

// narrow tells whether find looks for files of some name, for old ones, or for empty ones.
func narrow(words []command.Word) bool {
	not := func(i int) bool { return i > 0 && (words[i-1].Text == "!" || words[i-1].Text == "-not") }
	or, open, tests, inside, alternatives, negated := false, false, 0, 0, 0, false
	for i, w := range words {
		switch w.Text {
		case "(":
			open, negated = true, negated || not(i)
		case ")":
			open = false
		case "-o", "-or", ",":
			if or = true; open {
				alternatives++
			}
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex":
			if i+1 < len(words) && !not(i) && (literals(words[i+1].Text) >= 2 || literals(words[i+1].Text) == 1 && strings.Contains(words[i+1].Text, ".")) {
				if tests++; open {
					inside++
				}
			}
		case "-empty", "-mtime", "-mmin", "-ctime", "-cmin", "-atime", "-amin", "-newer", "-xtype":
			if !not(i) {
				tests++
			}
		}
	}
	if !or {
		return tests > 0
	}
	return alternatives > 0 && inside > alternatives && !negated // one of several names
}

// literals counts letters and digits.
func literals(s string) (n int) {
	for _, c := range s {
		if c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			n++
		}
	}
	return n
}

func truncation(c *looked) hit {
	if s, found := c.parsed("sor", "size= reference= no-create io-blocks").value("s", "size"); found && s.Text != "" && (strings.TrimRight(strings.TrimLeft(s.Text, "0"), "KMGTPBbi") == "" || strings.ContainsAny(s.Text[:1], "-<")) {
		return asks("truncate cuts off what is in a file")
	}
	return hit{}
}

// fileSystems is mkfs, mkfs.ext4 and so on.
func fileSystems(c *looked) hit {
	if (c.base == "mkfs" || strings.HasPrefix(c.base, "mkfs.") || strings.HasPrefix(c.base, "newfs")) && slices.ContainsFunc(c.parsed("tLUbNim", "").operands, c.mayBeDevice) {
		return denies("%s overwrites a file system", c.base)
	}
	return hit{}
}

// harmless are devices that hold nothing.
var harmless = []string{"null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "ptmx", "console", "log"}

// device tells whether writing to a file writes to a device.
func device(file string) bool {
	rest, ok := strings.CutPrefix(path.Clean(file), "/dev/")
	first, _, _ := strings.Cut(rest, "/")
	return ok && !slices.Contains(harmless, rest) && !strings.HasPrefix(rest, "tty") && !slices.Contains([]string{"fd", "pts", "shm", "mqueue", "tcp", "udp"}, first)
}

// mayBeDevice tells whether a word names a device, or may.
func (c *looked) mayBeDevice(w command.Word) bool {
	return !w.Known || c.isDevice(w)
}

// writers are programs that write to a file among their arguments.
var writers = []string{"dd", "tee", "sponge", "cp", "mv", "install", "rsync", "curl", "wget"}

func ontoDevice(c *looked) hit {
	var to []command.Word
	if !slices.Contains(writers, c.base) && len(c.Writes) == 0 {
		return hit{}
	}
	a := c.parsed("tSmog", "target-directory=")
	switch c.base {
	case "dd":
		for _, w := range c.Words[1:] {
			if file, ok := strings.CutPrefix(w.Text, "of="); ok {
				w.Text = file
				to = append(to, w)
			}
		}
	case "tee", "sponge":
		to = a.operands
	case "cp", "mv", "install", "rsync":
		if len(a.operands) > 1 {
			to = a.operands[len(a.operands)-1:]
		}
	case "curl", "wget":
		for _, file := range downloads(c.Invocation) {
			to = append(to, command.Word{Text: file, Known: true})
		}
	}
	for _, w := range append(to, c.Writes...) {
		if c.isDevice(w) {
			return denies("%s writes to the device %s", c.base, show(w.Text))
		}
		if c.startsUp(w) && c.base != "tee" {
			return asks("%s replaces %s, which shells run when they start", c.base, show(w.Text))
		}
	}
	return hit{}
}

// startup are files of a user that shells run when they start.
var startup = []string{".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zprofile", ".zshenv", ".zlogin", ".kshrc", ".cshrc", ".tcshrc"}

// startsUp tells whether w names such a file.
func (c *looked) startsUp(w command.Word) bool { return slices.Contains(startup, path.Base(w.Text)) }

// overwrites are the redirections that write, and those that empty a file before.
var (
	writing    = []string{">", ">>", ">|", "<>", "&>", "&>>", ">&"}
	overwrites = []string{">", ">|", "&>", ">&"}
)

// redirection is one that writes to a device, or empties a file that is there.
func redirection(c *looked) hit {
	for _, r := range c.Redirects {
		if !slices.Contains(writing, r.Op) {
			continue
		}
		switch {
		case c.isDevice(r.To):
			return denies("%s %s writes to a device", r.Op, show(r.To.Text))
		case slices.Contains(overwrites, r.Op) && c.startsUp(r.To):
			return denies("%s %s empties a file that shells run when they start", r.Op, show(r.To.Text))
		case slices.Contains(overwrites, r.Op) && c.silent() && c.holds(r.To):
			return asks("%s %s empties the file", r.Op, show(r.To.Text))
		}
	}
	return hit{}
}

// silent tells whether the invocation prints nothing, so that a redirection empties a file.
func (c *looked) silent() bool {
	return len(c.Words) == 0 && c.Place&command.InText == 0 && c.Dynamic == "" && !c.Input || c.base == ":" || c.base == "true"
}

// holds tells whether w names a file there is that is not empty, seen from where the line
// starts.
func (c *looked) holds(w command.Word) bool {
	if !w.Known || w.Text == "" || strings.HasPrefix(w.Text, "~") {
		return false
	}
	file := w.Text
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.line.Dir, file)
	}
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// systemDirs are directories that belong to the system, and those where homes are.
var systemDirs = []string{"/", "/*", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/usr", "/var",
	"/usr/bin", "/usr/lib", "/usr/sbin", "/Users", "/System", "/Library", "~", "~/*", "$HOME", "${HOME}", "$HOME/*", "/home/*"}

// isRoot tells whether w is the root of a system, or a home.
func (c *looked) isRoot(w command.Word) bool {
	s := w.Text
	if len(s) > 1 {
		s = strings.TrimSuffix(s, "/")
	}
	if s = path.Clean(s); s == "." {
		for _, dir := range c.dirs() {
			if c.isRoot(command.Word{Text: dir, Known: true}) && path.Clean(dir) != "." {
				return true
			}
		}
	}
	if rest, ok := strings.CutPrefix(s, "/home/"); ok && !strings.Contains(rest, "/") {
		return true
	}
	return slices.Contains(systemDirs, s) || strings.HasPrefix(s, "~") && !strings.Contains(s, "/")
}

// permissions is chmod -R and the like on roots and homes.
func permissions(c *looked) hit {
	a := c.parsed("", "recursive reference= from=")
	if !a.has("R", "recursive") || len(a.operands) == 0 {
		return hit{}
	}
	targets := a.operands
	// (chmod -x is a mode, and no option.)
	mode := c.base == "chmod" && slices.ContainsFunc(c.Words[1:], func(w command.Word) bool {
		return len(w.Text) > 1 && w.Text[0] == '-' && strings.Trim(w.Text, "-rwxXstugo,+=") == ""
	})
	if !a.has("reference") && !mode {
		targets = targets[1:]
	}
	for _, w := range targets {
		if c.isRoot(w) {
			return denies("%s -R changes all that is in %s", c.base, show(w.Text))
		}
		owner, _, _ := strings.Cut(a.operands[0].Text, ":")
		if s := path.Clean(w.Text); c.base == "chown" && (owner == "root" || owner == "0") && (s == "." || s == "..") {
			return asks("chown -R gives all that is in %s to root", show(w.Text))
		}
	}
	return hit{}
}

// forkBomb is a function that starts itself more than once, or beside itself.
func forkBomb(c *looked) hit {
	if c.Within == "" || len(c.Words) == 0 || c.Words[0].Text != c.Within {
		return hit{}
	}
	twice := c.Place&command.InBackground != 0
	// (The stages of a pipeline are found one behind the other.)
	list := c.facts.script.Invocations
	for i := max(0, c.index-8); i < min(len(list), c.index+8) && len(c.Pipes) > 0; i++ {
		other := &list[i]
		twice = twice || i != c.index && other.Within == c.Within && len(other.Words) > 0 && other.Words[0].Text == c.Within &&
			len(other.Pipes) > 0 && other.Pipes[0].Pipeline == c.Pipes[0].Pipeline && other.Pipes[0].Stage != c.Pipes[0].Stage
	}
	if twice {
		return denies("the function %s starts itself over and over", show(c.Within))
	}
	return hit{}
}

// removes finds calls in the languages of interpreters that remove trees, and outside such as
// run other programs, of which removal is rm. (What a program does is not known: these are the plain
// ones.)
var (
	removes = regexp.MustCompile(`(?i)\brmtree\b|\bremove_tree\b|\bremovedirs\b|\bremoveSync\b|\brmdirSync\b|\brmSync\b|\brimraf\b|\bfs(\.promises)?\.rm(dir)?\s*\(|\.rm\(.*recursive|\brm_rf?\b|\bremove_dir(_all)?\b|\bremove_entry|\bRemoveAll\b|\bdelete_tree\b|\bunlink\(.*recursive`)
	outside = regexp.MustCompile("\\b(system|popen|exec\\w*|spawn\\w*|subprocess|run|call|check_output|shell_exec|passthru)\\b|`")
	callsRm = regexp.MustCompile(`\brm['",\s]+-[a-zA-Z]*[rRf]`)
)

// removesTrees tells whether code plainly removes trees.
func removesTrees(code string) bool {
	return removes.MatchString(code) || callsRm.MatchString(code) && outside.MatchString(code)
}

// inlineRemoval is code for an interpreter that plainly removes trees.
func inlineRemoval(c *looked) hit {
	reads := c.interprets()
	if reads.shell {
		return hit{} // that is read as what it is
	}
	for _, code := range reads.code {
		if removesTrees(code.Text) {
			return asks("the code for %s removes directories with all that is in them", c.base)
		}
	}
	if reads.stdin && c.Stdin != nil && removesTrees(*c.Stdin) {
		return asks("the code for %s removes directories with all that is in them", c.base)
	}
	return hit{}
}

// windowsRemoval is removal as it is spelt on Windows.
func windowsRemoval(c *looked) hit {
	for _, w := range c.Words[1:] {
		s := strings.ToLower(w.Text)
		switch c.base {
		case "rd", "rmdir", "del", "erase":
			if strings.HasPrefix(s, "/s") || strings.HasPrefix(s, "/q/s") || strings.Contains(s, "/s") && s[0] == '/' && len(s) <= 8 && !strings.HasPrefix(s, "/s/") && strings.Count(s, "/") > 1 {
				return denies("%s /s removes directories with all that is in them", c.base)
			}
		case "format":
			if len(s) == 2 && s[1] == ':' {
				return denies("format overwrites a file system")
			}
		}
		if c.base != "format" && len(s) > 1 && strings.HasPrefix("-recurse", s) {
			return denies("%s -Recurse removes directories with all that is in them", c.base)
		}
	}
	return hit{}
}
