package command

import (
	"path"
	"slices"
	"strings"
)

// textCommands are the commands that run shell text, or evaluate a part of their
// arguments as the shell does.
var textCommands map[string]func(w *walker, words []Word, at where)

func init() {
	textCommands = map[string]func(*walker, []Word, where){
		"eval":     runEval,
		"trap":     runTrap,
		"alias":    runAlias,
		"source":   runSource,
		".":        runSource,
		"set":      runSet,
		"fc":       func(w *walker, _ []Word, at where) { w.dynamic("fc runs earlier commands", useName, at) },
		"hash":     runHash,
		"enable":   runEnable,
		"complete": runComplete,
		"compgen":  runComplete,
		"bind":     runComplete,
		"test":     runTest,
		"[":        runTest,
		"let":      runLet,
		"printf":   named("v:", "v", false),
		"wait":     named("fnp:", "p", false),
		"unset":    named("fvn", "", true),
		"read":     named("ersa:d:i:n:N:p:t:u:", "a", true),
		"getopts":  runGetopts,
		"mapfile":  runMapfile,
		"export":   runDeclared,
		"readonly": runDeclared,
		"local":    runDeclared,
		"declare":  runDeclared,
		"typeset":  runDeclared,
	}
	textCommands["readarray"] = runMapfile
	for _, name := range []string{"sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "ksh93", "mksh", "lksh", "yash", "fish", "csh", "tcsh", "rc", "es", "pwsh", "posh", "hush"} {
		textCommands[name] = runShell
	}
}

// runShell is a shell: it runs a text, a file, or what it reads.
func runShell(w *walker, words []Word, at where) {
	name := path.Base(words[0].Text)
	words = words[1:]
	text, stdin, interactive := false, false, false
	for len(words) > 0 {
		word := words[0]
		s := word.prefix
		if !word.Known && !(word.One && (s != "" && s[0] != '-' && s[0] != '+' || word.slash)) {
			// It may be an option. As the last one, if it is one, it has nothing to run.
			if !(word.One && len(words) == 1 && s == "") {
				w.unknownText(name, words, at)
				return
			}
			break
		}
		if s == "" || s[0] != '-' && s[0] != '+' {
			break
		}
		if !word.Known {
			w.unknownText(name, words, at)
			return
		}
		words = words[1:]
		if s == "-" || s == "--" {
			break
		}
		if long, ok := strings.CutPrefix(s, "--"); ok {
			switch long {
			case "rcfile", "init-file":
				if len(words) == 0 {
					return
				}
				w.startup(name, words[0], at)
				words = words[1:]
			case "help", "version":
				return
			case "login", "noprofile", "norc", "posix", "noediting", "restricted", "verbose", "debugger":
			default:
				w.unknownText(name, words, at)
				return
			}
			continue
		}
		for _, c := range s[1:] {
			switch {
			case c == 'c' && s[0] == '-':
				text = true
			case c == 's' && s[0] == '-':
				stdin = true
			case c == 'i' && s[0] == '-':
				w.interactive, interactive = true, true
			case c == 'H' && s[0] == '-':
				interactive = true // it has a history
			case c == 'o', c == 'O':
				if len(words) > 0 && !words[0].Known {
					w.unknownText(name, words, at)
					return
				}
				if len(words) > 0 {
					words = words[1:]
				}
			case strings.ContainsRune("aefnuvxbhimklprtBCDEHIPTV", c):
			default:
				w.unknownText(name, words, at)
				return
			}
		}
	}
	switch {
	case text:
		w.runText(name+" -c", name, words, w.as(at, name+" -c"))
	case !stdin && len(words) > 0 && words[0].file:
		if words[0].made == nil {
			w.unknownText(name, nil, at)
			return
		}
		w.shell(name, *words[0].made, at)
	case !stdin && len(words) > 0 && !standardInput(words[0]):
		if w.noFile(words[0], at) {
			w.unknownText(name, nil, at)
		}
	case interactive && at.stdin.given:
		w.unknownText(name, nil, at) // with a history, and prompts
	case at.stdin.text != nil:
		w.script1(name, *at.stdin.text, at)
	case at.stdin.file:
		// As if the file were named.
	case at.stdin.given || w.stdinMoved:
		w.unknownText(name, nil, at)
	}
}

// startup walks a file that a shell reads before anything else.
func (w *walker) startup(name string, file Word, at where) {
	switch {
	case file.made != nil:
		w.shell(name, *file.made, at)
	case file.file || w.noFile(file, at):
		w.unknownText(name, nil, at)
	}
}

// script1 walks text that a shell reads from its standard input, as its commands do: one that
// reads takes a part of the script, and what is left is cut in another way. So in more than one
// line there may be only those that are known not to.
func (w *walker) script1(name, text string, at where) {
	mark := len(w.script.Invocations)
	at.stdin = input{given: true}
	w.shell(name, text, at)
	if w.fault != nil || !strings.Contains(strings.TrimRight(text, "\n"), "\n") && !strings.Contains(text, "exec") {
		return
	}
	for _, i := range w.script.Invocations[mark:] {
		if len(i.Words) > 0 && !slices.Contains(readsNothing, path.Base(i.Name())) {
			w.dynamic(show(i.Words[0].Text)+" may read a part of the script that "+name+" reads", "Pass the script with -c, or in a file.", at)
			return
		}
	}
}

// readsNothing are commands that do not read their standard input.
var readsNothing = []string{"echo", "printf", "cd", "pwd", "export", "unset", "true", "false", ":", "test", "[", "return", "exit", "shift", "umask", "local", "readonly", "declare", "set",
	"rm", "mkdir", "rmdir", "mv", "cp", "ls", "touch", "chmod", "chown", "ln", "id", "uname", "date", "hostname", "whoami", "sleep", "basename", "dirname", "realpath", "mktemp", "env"}

// as is at, with the last of those who run it called by name.
func (w *walker) as(at where, name string) where {
	at.via = append(slices.Clone(at.via[:len(at.via)-1]), name)
	return at
}

// runEval joins its arguments to a text for this shell.
func runEval(w *walker, words []Word, at where) {
	words = words[1:]
	if len(words) > 0 && words[0].Known && words[0].Text == "--" {
		words = words[1:]
	}
	var text []string
	for _, word := range words {
		if !word.Known || word.home {
			w.unknownText("eval", words, at)
			return
		}
		text = append(text, word.Text)
	}
	w.nested(strings.Join(text, " "), w.d, at, false)
}

func runTrap(w *walker, words []Word, at where) {
	words = words[1:]
	if len(words) > 0 && words[0].Known && words[0].Text == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	action := words[0]
	switch {
	case !action.Known:
		if action.One && len(words) == 1 {
			return // at most the name of a signal
		}
		w.unknownText("trap", words[:1], at)
	case action.Text == "-" || action.Text == "-l" || action.Text == "-p":
	default:
		at.stdin = input{given: at.stdin.given}
		w.nested(action.Text, w.d, at, false)
	}
}

// runAlias: an alias puts text in the place of a word, before it is parsed. One whose
// text is a plain command is taken for that command; all others make what follows
// unknown.
func runAlias(w *walker, words []Word, at where) {
	for _, word := range words[1:] {
		if !handles(aliases) {
			return
		}
		name, text, found := strings.Cut(word.Text, "=")
		if word.Known && !found {
			continue // shows one
		}
		w.vars.unsure = true
		w.defined[name] = true
		list := strings.Split(text, " ")
		if !word.Known || word.home || !plainName(name) || !plainName(list[0]) || slices.ContainsFunc(list, func(s string) bool { return !plainWord(s) }) {
			w.dynamic("the alias "+show(name)+" changes how the text is read", "Use a function.", at)
			continue
		}
		base := path.Base(list[0])
		_, wraps := wrappers[base]
		if _, runs := textCommands[base]; runs || wraps {
			w.dynamic("the alias "+show(name)+" runs what comes behind it", "Use a function.", at)
			continue
		}
		var run []Word
		for _, s := range list {
			run = append(run, known(s))
		}
		w.invoke(run, nil, at)
	}
}

// plainWord tells whether s is a word that no shell makes anything of.
func plainWord(s string) bool {
	for i := range len(s) {
		if !letter(s[i]) && strings.IndexByte("-./:,+@%", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

// plainName tells whether s is a plain word and no keyword.
func plainName(s string) bool {
	switch s {
	case "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in", "select", "function", "time", "coproc":
		return false
	}
	return plainWord(s)
}

// runSource reads a file into this shell.
func runSource(w *walker, words []Word, at where) {
	words = words[1:]
	if len(words) > 0 && words[0].Known && words[0].Text == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	word := words[0]
	switch {
	case word.file && word.made != nil:
		w.nested(*word.made, w.d, at, false)
	case word.file:
		w.unknownText("source", nil, at)
	case standardInput(word):
		if at.stdin.text != nil {
			w.nested(*at.stdin.text, w.d, at, false)
		} else if (at.stdin.given || w.stdinMoved) && !at.stdin.file {
			w.unknownText("source", nil, at)
		}
	case w.noFile(word, at):
		w.unknownText("source", nil, at)
	}
}

// standardInput tells whether a word names the file that is read anyway.
func standardInput(word Word) bool {
	return word.Known && slices.Contains([]string{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}, path.Clean(word.Text))
}

// noFile tells whether a word may name something to read that the text itself made, and not
// a file. A file, known or not, is a script like any other.
func (w *walker) noFile(word Word, at where) bool {
	if word.Known {
		return device(word.Text)
	}
	return at.stdin.given || w.stdinMoved || device(word.prefix) || strings.HasPrefix(word.prefix, "/dev") || strings.HasPrefix(word.prefix, "/proc") ||
		word.suffix != "" && device(word.suffix)
}

// device tells whether name may be that of an open descriptor, wherever it is looked for.
func device(name string) bool {
	clean := path.Clean(name)
	base := path.Base(clean)
	return strings.HasPrefix(clean, "/dev/") || strings.HasPrefix(clean, "/proc/") || base == "stdin" || strings.Trim(base, "0123456789") == ""
}

// runSet: with a history, an exclamation mark stands for earlier words.
func runSet(w *walker, words []Word, at where) {
	for i, word := range words[1:] {
		s := word.prefix
		if word.Known && s == "--" || s == "" && word.One || s != "" && s[0] != '-' && s[0] != '+' && (i == 0 || words[i].Text != "-o") {
			return
		}
		if !word.Known || s[0] == '-' && strings.Contains(s, "H") || s == "history" || s == "histexpand" {
			w.dynamic("set "+show(word.Text)+" may change how the text is read", "Leave it out.", at)
			return
		}
	}
}

// runHash: hash -p gives a name another meaning.
func runHash(w *walker, words []Word, at where) {
	for i, word := range words[1:] {
		if !word.Known && word.One && i == len(words)-2 {
			continue // as an option it would want a name
		}
		if !word.Known || strings.HasPrefix(word.Text, "-") && strings.Contains(word.Text, "p") {
			w.dynamic("hash may give a name another meaning", "Leave it out.", at)
			return
		}
	}
}

// runEnable: enable -f loads code.
func runEnable(w *walker, words []Word, at where) {
	if len(words) > 1 {
		w.dynamic("enable gives names another meaning, or loads code", "Leave it out.", at)
	}
}

// runComplete: these run commands given by options.
func runComplete(w *walker, words []Word, at where) {
	for _, word := range words[1:] {
		if !word.Known || strings.HasPrefix(word.Text, "-") && strings.ContainsAny(word.Text, "CFWx") {
			w.dynamic(words[0].Text+" runs what its options say", "Leave it out.", at)
			return
		}
	}
}

// evaluatesName says that bash evaluates the subscript in a name that is given as a
// word, and that the variable gets a value that is not known.
func (w *walker) evaluatesName(word Word, at where, gets value) {
	name := word.Text
	if i := strings.IndexAny(name, "=["); i >= 0 {
		name = name[:i]
	}
	w.assign(name, gets, at)
	if word.Known && identifier(word.Text) {
		return
	}
	w.vars.unsure = true
	if w.d != bash || !handles(evaluatedNames) {
		return
	}
	if variable, ok := word.variable(); ok {
		w.evaluates(value{names: []string{variable}}, at, "")
		return
	}
	if !word.Known {
		w.dynamic(show(word.Text)+" may be the name of a variable, which bash evaluates", useNames, at)
		return
	}
	_, subscript, found := strings.Cut(word.Text, "[")
	if found {
		w.evaluates(textValue(strings.TrimSuffix(subscript, "]")), at, "the subscript of "+show(word.Text)+" is evaluated")
	}
}

// named is a command that sets the variable named by an option, and those named by its
// operands if all is true.
func named(short, option string, all bool) func(*walker, []Word, where) {
	return func(w *walker, words []Word, at where) {
		options, rest, ok := getopt(words[1:], short, "")
		for _, o := range options {
			if o.name == option {
				w.evaluatesName(o.value, at, value{unknown: true})
			}
		}
		if !ok {
			// What is not understood may be the option, and what follows the name.
			for _, word := range words[1:] {
				if word.number {
					continue
				}
				if slices.Contains([]string{"$!", "$?", "$$", "$#"}, strings.Trim(word.Text, `"`)) && !word.Known {
					continue // a number
				}
				if name, ok := word.variable(); ok {
					w.vars.needed = append(w.vars.needed, use{name: name, at: at, number: true})
				} else if !word.Known && !word.noName() || word.Known && strings.Contains(word.Text, "[") {
					w.evaluatesName(Word{Text: word.Text}, at, value{unknown: true})
					return
				}
			}
		}
		if all {
			for _, word := range rest {
				w.evaluatesName(word, at, value{unknown: true})
			}
		}
	}
}

func runGetopts(w *walker, words []Word, at where) {
	if len(words) > 2 {
		w.evaluatesName(words[2], at, value{unknown: true})
	}
	w.assign("OPTARG", value{unknown: true}, at)
}

// noName tells whether a word holds something for certain that is in no option and in no
// name of a variable.
func (word Word) noName() bool {
	return word.One && strings.ContainsAny(word.prefix+word.suffix, " \t\n\\%:;,.!?/'()<>=+")
}

// runMapfile: -C runs a text.
func runMapfile(w *walker, words []Word, at where) {
	options, rest, ok := getopt(words[1:], "d:n:O:s:tu:C:c:", "")
	// (Even a comment there changes how bash reads what follows.)
	if _, found := find(options, "C"); found || !ok {
		w.unknownText("mapfile", nil, at)
		return
	}
	for _, word := range rest {
		w.evaluatesName(word, at, value{unknown: true})
	}
	if len(rest) == 0 {
		w.assign("MAPFILE", value{unknown: true}, at)
	}
}

// runTest: -v evaluates the subscript of a name.
func runTest(w *walker, words []Word, at where) {
	for i, word := range words {
		if i > 0 && i+1 < len(words) && (word.Known && word.Text == "-v" || !word.Known && !word.noName()) {
			next := words[i+1]
			if next.Known && (!strings.Contains(next.Text, "[") || next.Text == "]") {
				continue
			}
			before := w.vars.unsure
			w.evaluatesName(next, at, value{})
			w.vars.unsure = before // it sets nothing
		}
	}
}

// runLet: the arguments are arithmetic.
func runLet(w *walker, words []Word, at where) {
	w.vars.unsure = true
	for _, word := range words[1:] {
		w.evaluates(numeric(word), at, "let evaluates "+show(word.Text))
	}
}

// runDeclared is export, readonly and the like, where they are plain commands.
func runDeclared(w *walker, words []Word, at where) {
	evaluates := words[0].Text != "export" && words[0].Text != "readonly"
	for _, word := range words[1:] {
		if word.Known && (strings.HasPrefix(word.Text, "-") || strings.HasPrefix(word.Text, "+")) {
			if strings.ContainsAny(word.Text, "aAulc") {
				w.dynamic(words[0].Text+" "+show(word.Text)+" makes bash expand values", "Leave the option out.", at)
			}
			if strings.ContainsAny(word.Text, "in") && evaluates {
				w.vars.unsure = true
				w.dynamic(words[0].Text+" "+show(word.Text)+" makes bash evaluate values", "Leave the option out.", at)
			}
			continue
		}
		w.declared(words[0].Text, word, at)
	}
}

// declared walks an argument of export and the like that is no option.
func (w *walker) declared(by string, word Word, at where) {
	name, text, set := strings.Cut(word.prefix, "=")
	switch {
	case set && identifier(name) && word.One:
		w.setVariable(name, tail(word, text), nil, at)
		if w.d == bash && (strings.HasPrefix(text, "(") || text == "" && !word.Known && by != "export" && by != "readonly") {
			w.dynamic(by+" expands what "+name+" is set to, where it is a list", by+" "+name+`="$x" is known.`, at)
		}
	case word.Known && identifier(word.Text):
		w.vars.assign(word.Text, value{})
	case !word.Known:
		w.dynamic(by+" may set any variable with "+show(word.Text), by+` NAME="$x" is known.`, at)
	case by == "export" || by == "readonly":
		w.vars.unsure = true
	default:
		w.evaluatesName(word, at, value{unknown: true})
	}
}
