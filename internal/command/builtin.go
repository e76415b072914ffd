package command

import (
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
		"unset":    runUnset,
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

// readsOtherwise tells whether an option of set has text read in another way: words that
// stand for earlier ones, or for variables.
func readsOtherwise(option string) bool {
	return option == "history" || option == "histexpand" || option == "keyword"
}

// runSet: with a history, an exclamation mark stands for earlier words.
func runSet(w *walker, words []Word, at where) {
	for i, word := range words[1:] {
		s := word.prefix
		if word.Known && s == "--" || s == "" && word.One || s != "" && s[0] != '-' && s[0] != '+' && (i == 0 || words[i].Text != "-o") {
			return
		}
		if !word.Known || s[0] == '-' && strings.ContainsAny(s, "Hk") || readsOtherwise(s) {
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
	if strings.Contains(word.Text, "[") {
		note(&w.vars.arrays, name)
	}
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
				if option == "a" {
					note(&w.vars.arrays, o.value.Text)
				}
				w.evaluatesName(o.value, at, value{unknown: true})
			}
		}
		if !ok {
			// What is not understood may be the option, and what follows the name.
			for _, word := range words[1:] {
				if word.number {
					continue
				}
				if !word.Known && word.parameter != "" && strings.Contains("!?$#", word.parameter) {
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

// runUnset: a variable is no array any more.
func runUnset(w *walker, words []Word, at where) {
	w.vars.unsets = true
	named("fvn", "", true)(w, words, at)
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
		note(&w.vars.arrays, word.Text)
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
