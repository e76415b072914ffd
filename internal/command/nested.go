package command

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// as is at, with the last of those who run it called by name.
func (w *walker) as(at where, name string) where {
	at.via = append(slices.Clone(at.via[:len(at.via)-1]), name)
	return at
}

// behindDashes are the arguments of a command without options, also behind --.
func behindDashes(words []Word) []Word {
	if len(words) > 1 && words[1].Known && words[1].Text == "--" {
		return words[2:]
	}
	return words[1:]
}

// runEval joins its arguments to a text for this shell.
func runEval(w *walker, words []Word, at where) {
	words = behindDashes(words)
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
	words = behindDashes(words)
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
		list := strings.Split(text, " ")
		if !word.Known || word.home || !plainName(name) || !plainName(list[0]) || slices.ContainsFunc(list, func(s string) bool { return !plainWord(s) }) {
			w.dynamic("the alias "+show(name)+" changes how the text is read", "Use a function.", at)
			continue
		}
		base := path.Base(list[0])
		_, wraps := wrappers[base]
		row := programs[base]
		if _, runs := textCommands[base]; runs || wraps || row.command || row.subs != nil {
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
	words = behindDashes(words)
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
		} else if w.stdinMoved || at.stdin.given && !at.stdin.file {
			w.unknownText("source", nil, at)
		}
	default:
		w.scriptFile("source", words, at)
	}
}

// scriptFile notes that a shell reads a script in the file that is the first of words.
func (w *walker) scriptFile(who string, words []Word, at where) {
	if w.noFile(words[0], at) {
		w.unknownText(who, nil, at)
		return
	}
	w.emit(Invocation{Words: words, File: true}, at)
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
	return at.stdin.given || w.stdinMoved || word.pattern || device(word.prefix) || strings.HasPrefix(word.prefix, "/dev") || strings.HasPrefix(word.prefix, "/proc") ||
		word.suffix != "" && device(word.suffix)
}

// device tells whether name may be that of an open descriptor, wherever it is looked for.
func device(name string) bool {
	clean := path.Clean(name)
	base := path.Base(clean)
	return strings.HasPrefix(clean, "/dev/") || strings.HasPrefix(clean, "/proc/") || base == "stdin" || strings.Trim(base, "0123456789") == ""
}

// nested walks text that a shell is given, in this shell's process or in a new one.
func (w *walker) nested(text string, d dialect, at where, fresh bool) {
	s := scope{functions: w.scope.functions, constant: w.scope.constant, moved: !fresh && w.stdinMoved, sh: w.scope.sh, texts: w.scope.texts + 1,
		depth: at.depth, via: at.via, place: at.place | InText, output: at.output, pipes: at.pipes, function: at.function}
	if fresh {
		s.sh = d == posix || at.sh
	}
	s.stdin = input{given: at.stdin.given || w.stdinMoved, file: at.stdin.file && !w.stdinMoved}
	if s.texts > maxTexts {
		w.fail(faultf("Shell text is nested more than %d times. Run it without so many shells.", maxTexts))
		return
	}
	if !fresh && d == bash && w.scope.sh && !at.sh && !plain(text) {
		// The text around it is the same to all shells; this is not.
		there := at
		there.sh = true
		w.nested(text, posix, there, false)
	}
	key := d.String() + "\x00" + text
	if s.stdin.given {
		key = "<" + key
	}
	if s.stdin.file {
		key = "f" + key
	}
	if s.sh {
		key = "s" + key
	}
	if s.functions {
		key = "()" + key
	}
	if !s.constant {
		key = "$" + key
	}
	if at.place&Possible != 0 {
		key = "?" + key
	}
	for _, p := range at.pipes {
		key = fmt.Sprint(p, key)
	}
	if at.place&Indirect != 0 {
		key = "i" + key
	}
	if len(w.read) > maxCount {
		w.fail(faultf("The command holds more than %d shell texts within shell text. Split it, or put it in a script file.", maxCount))
		return
	}
	t, found := w.read[key]
	if !found {
		t.at = len(w.script.Invocations)
		t.vars, t.stdinMoved = w.readText(text, d, s)
		if w.read == nil {
			w.read = map[string]innerText{}
		}
		w.read[key] = t
	}
	if w.fault != nil {
		return
	}
	w.vars.used = w.vars.used || t.vars.used
	if fresh {
		return
	}
	// It was run in this shell.
	w.vars.texts = w.vars.texts || t.vars.texts || len(t.vars.functions) > 0
	for name, x := range t.vars.assigned {
		w.vars.assign(name, x)
	}
	w.vars.integer, w.vars.cases, w.vars.keys = w.vars.integer || t.vars.integer, w.vars.cases || t.vars.cases, w.vars.keys || t.vars.keys
	for name := range t.vars.arrays {
		note(&w.vars.arrays, name)
	}
	for name := range t.vars.lists {
		note(&w.vars.lists, name)
	}
	for name, x := range t.vars.calls {
		if w.vars.calls == nil {
			w.vars.calls = map[string]value{}
		}
		w.vars.calls[name] = join(w.vars.calls[name], x)
	}
	for name := range t.vars.functions {
		note(&w.vars.functions, name)
	}
	w.vars.unsure = w.vars.unsure || t.vars.unsure
	w.stdinMoved = w.stdinMoved || t.stdinMoved
}

// shell walks text for a new shell of the given name.
func (w *walker) shell(name, text string, at where) {
	switch name {
	case "bash", "rbash":
		w.nested(text, bash, at, true)
	case "sh", "dash", "ash", "busybox", "toybox":
		at.sh = true
		w.nested(text, bash, at, true)
		if !plain(text) && handles(bothReadings) {
			w.nested(text, posix, at, true)
		}
	default:
		// Another shell reads it in its own way; what is found is found.
		w.dynamic(name+" reads text in a way that is not known here", "Use sh or bash.", at)
		w.nested(text, bash, at, true)
	}
}

// document walks a text that is expanded as if it were in double quotes.
func (w *walker) document(text string, at where) {
	if !strings.ContainsAny(text, "$`") {
		return
	}
	// A here-document is read in the same way.
	const end = "EINOSHELL_END"
	if strings.Contains(text, end) {
		w.dynamic("a text is expanded", useText, at)
		return
	}
	w.nested(": <<"+end+"\n"+text+"\n"+end+"\n", w.d, at, false)
}

// unknownText says that a shell runs text that is not known. like is what it may be.
func (w *walker) unknownText(who string, like []Word, at where) {
	w.dynamic("the text that "+who+" runs", useText, at)
	for _, word := range like {
		if word.guess {
			at.place |= Possible
			fault := w.fault
			w.nested(word.Text, w.d, at, true)
			w.fault = fault // (it is but a guess)
		}
	}
}
