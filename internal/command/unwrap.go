package command

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/google/shlex"
)

// Wrapper tells whether a command, by the last element of its name, runs the command in its
// arguments.
func Wrapper(name string) bool {
	_, found := wrappers[name]
	return found
}

// mayRun says that name runs a command, and that its options are not known here.
func (w *walker) mayRun(name string, words []Word, at where) {
	if len(words) == 0 {
		return
	}
	w.dynamic("the options of "+name+" are not known here, and so not what it runs", "Run the command without "+name+".", at)
	w.possibly(words, at)
}

// runExec is exec of the shell: without a command it changes what the shell itself
// reads and writes.
func runExec(w *walker, _ []option, rest []Word, at where) {
	if at.stdin.redirected {
		w.stdinMoved = true // also where there is a command, if it is not found
	}
	w.invoke(rest, nil, at)
}

// runJobs: jobs -x runs a command.
func runJobs(w *walker, words []Word, at where) {
	runs := false
	for i, word := range words {
		switch {
		case !word.Known:
			w.unknownCommand("jobs", words[i:], at)
			return
		case !strings.HasPrefix(word.Text, "-"):
			if runs {
				w.invoke(words[i:], nil, at)
			}
			return
		}
		runs = runs || strings.Contains(word.Text, "x")
	}
}

func runEnv(w *walker, words []Word, at where) {
	row := wrappers["env"]
	for range maxWrappers {
		options, rest, ok := getopt(words, row.short, row.long)
		if !ok {
			w.unknownCommand("env", rest, at)
			return
		}
		if _, found := find(options, "help", "version"); found {
			return
		}
		if text, found := find(options, "S", "split-string"); found {
			splits := slices.IndexFunc(options, func(o option) bool { return o.name == "S" || o.name == "split-string" })
			if splits < len(options)-1 {
				// What it makes of the text comes where it stands: options behind it
				// are something else.
				w.unknownCommand("env", rest, at)
				return
			}
			// What it makes of the text comes before what is left, options included.
			words, ok = splitText(text)
			if !ok {
				w.unknownCommand("env", rest, at)
				return
			}
			words = append(words, rest...)
			continue
		}
		if len(rest) > 0 && rest[0].Known && rest[0].Text == "-" {
			rest = rest[1:] // the same as -i
			if len(rest) > 0 && strings.HasPrefix(rest[0].prefix, "-") {
				w.unknownCommand("env", rest, at) // an option on BSD
				return
			}
		}
		assigns, rest, ok := w.leadingAssigns(rest, at)
		if !ok {
			w.unknownCommand("env", rest, at)
			return
		}
		w.invoke(rest, assigns, at)
		return
	}
	w.fail(faultf("Too many commands run one another. Run the command itself."))
}

// splitText splits the text of env -S, if it is plain.
func splitText(text Word) ([]Word, bool) {
	if !text.Known || text.home || strings.ContainsAny(text.Text, "\\$#") || strings.ContainsFunc(text.Text, unicode.IsControl) {
		return nil, false
	}
	list, err := shlex.Split(text.Text)
	if err != nil {
		return nil, false
	}
	var words []Word
	for _, s := range list {
		words = append(words, known(s))
	}
	return words, true
}

// runNice: a number may stand for -n number.
func runNice(w *walker, words []Word, at where) {
	row := wrappers["nice"]
	for len(words) > 0 && words[0].Known && legacyNumber(words[0].Text) {
		words = words[1:]
	}
	options, rest, ok := getopt(words, "n:", row.long)
	if !ok || len(rest) > 0 && rest[0].Known && legacyNumber(rest[0].Text) {
		w.unknownCommand("nice", rest, at)
		return
	}
	if _, found := find(options, "help", "version"); !found {
		w.invoke(rest, nil, at)
	}
}

// legacyNumber is -10, --10 or -+10.
func legacyNumber(s string) bool {
	s, ok := strings.CutPrefix(s, "-")
	if ok && s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	for _, c := range s {
		ok = ok && '0' <= c && c <= '9'
	}
	return ok && s != ""
}

// runFlock: behind the file comes a command, or -c and shell text.
func runFlock(w *walker, _ []option, rest []Word, at where) {
	if len(rest) == 0 {
		return
	}
	if !rest[0].One {
		w.unknownCommand("flock", rest, at)
		return
	}
	rest = rest[1:]
	if len(rest) > 0 && rest[0].Text == "-c" {
		w.reads("SHELL")
	}
	if len(rest) > 0 && (rest[0].Text == "-c" || rest[0].Text == "--command") && rest[0].Known {
		w.runText("flock -c", "sh", rest[1:], at)
		return
	}
	w.invoke(rest, nil, at)
}

// runText walks the shell text that is the first of words.
func (w *walker) runText(who, shell string, words []Word, at where) {
	if len(words) == 0 {
		return
	}
	if !words[0].Known || words[0].home {
		w.unknownText(who, words, at)
		return
	}
	w.shell(shell, words[0].Text, at)
}

func runStrace(w *walker, options []option, rest []Word, at where) {
	if to, found := find(options, "o", "output"); found {
		pipe := to.prefix == "" || to.prefix[0] == '|' || to.prefix[0] == '!'
		switch {
		case pipe && to.Known && to.Text != "":
			w.shell("sh", to.Text[1:], at)
		case pipe && !to.Known:
			w.unknownText("strace -o", nil, at)
		}
	}
	w.invoke(rest, nil, at)
}

// runSetarch: an architecture may come first.
func runSetarch(w *walker, words []Word, at where) {
	if last := at.via[len(at.via)-1]; last == "setarch" && len(words) > 0 && words[0].Known && !strings.HasPrefix(words[0].Text, "-") {
		words = words[1:]
	}
	options, rest, ok := getopt(words, "BFILRSTXZ3vhV", "32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds sticky-timeouts read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 verbose list show[=]")
	if !ok {
		w.unknownCommand("setarch", rest, at)
		return
	}
	if _, found := find(options, "h", "V", "help", "version", "list", "show"); found {
		return
	}
	if len(rest) == 0 {
		rest = []Word{known("sh")}
	}
	w.invoke(rest, nil, at)
}

// runSudo is sudo and doas: with -s or -i, or without a command, a shell.
func runSudo(w *walker, options []option, rest []Word, at where) {
	if _, edit := find(options, "e", "edit"); edit {
		w.unknownCommand("sudo", rest, at)
		return
	}
	_, s := find(options, "s", "shell")
	_, i := find(options, "i", "login")
	if s || i {
		w.reads("SHELL")
	}
	if len(rest) == 0 {
		if s || i {
			w.invoke([]Word{known("sh")}, nil, at)
		}
		return
	}
	if s || i {
		// The words are quoted for the shell, but not dollars in them.
		for _, word := range rest {
			if !word.Known || strings.ContainsAny(word.Text, "$\n") {
				w.unknownCommand("sudo", rest, at)
				return
			}
		}
	}
	w.invoke(rest, nil, at)
}

// runSu is su and runuser: options may stand anywhere, and what comes behind the user is
// for the user's shell.
func runSu(w *walker, words []Word, at where) {
	w.reads("SHELL")
	const short, long = "c:fg:G:lmpPs:Tu:w:hV", "command= session-command= fast group= supp-group= login preserve-environment pty shell= user= whitelist-environment= no-pty"
	var options []option
	var operands []Word
	for first := true; len(words) > 0 || first; first = false {
		o, rest, dashes, ok := getoptEnd(words, short, long)
		if !ok {
			w.unknownCommand("su", rest, at)
			return
		}
		options = append(options, o...)
		if len(rest) == 0 {
			break
		}
		if dashes {
			operands = append(operands, rest...)
			break
		}
		operands = append(operands, rest[0])
		words = rest[1:]
		if _, user := find(options, "u", "user"); user {
			if slices.ContainsFunc(words, func(x Word) bool { return x.prefix == "" || x.prefix[0] == '-' }) {
				w.unknownCommand("runuser", operands, at) // its options go on
				return
			}
			operands = append(operands, words...)
			break
		}
	}
	if _, found := find(options, "h", "V", "help", "version"); found {
		return
	}
	if _, found := find(options, "u", "user"); found {
		w.invoke(operands, nil, at)
		return
	}
	shell := "sh"
	if s, found := find(options, "s", "shell"); found {
		if !s.Known {
			w.unknownText("su -s", nil, at)
			return
		}
		shell = s.Text
		w.emit(Invocation{Words: []Word{s}}, at)
	}
	texts := 0
	for _, o := range options {
		if o.name == "c" || o.name == "command" || o.name == "session-command" {
			// (Some take the first, others the last. What begins with a dash is an option of the
			// shell.)
			if texts++; strings.HasPrefix(o.value.prefix, "-") || strings.HasPrefix(o.value.prefix, "+") {
				w.unknownText("su -c", nil, at)
				return
			}
			w.runText("su -c", path.Base(shell), []Word{o.value}, at)
		}
	}
	if texts > 0 {
		return
	}
	if len(operands) > 0 && operands[0].Known && operands[0].Text == "-" {
		operands = operands[1:]
	}
	if len(operands) > 0 {
		if !operands[0].One {
			w.unknownCommand("su", operands, at)
			return
		}
		operands = operands[1:]
	}
	w.invoke(append([]Word{known(shell)}, operands...), nil, at)
}

// clusterOfUnshare tells whether letters in one word are read otherwise where options
// for namespaces may have a value.
func clusterOfUnshare(words []Word) bool {
	return slices.ContainsFunc(words, func(word Word) bool {
		s := word.prefix
		return len(s) > 2 && s[0] == '-' && s[1] != '-' && strings.IndexByte("muinpUCT", s[1]) >= 0 && strings.ContainsAny(s, "RwSGl")
	})
}
