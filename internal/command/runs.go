package command

import (
	"path"
	"slices"
	"strings"
)

// runXargs: what is read is put behind the command, or in place of a word of it.
func runXargs(w *walker, options []option, rest []Word, at where) {
	if len(rest) == 0 {
		w.invoke([]Word{known("echo")}, nil, at)
		return
	}
	at.stdin.text, at.stdin.file = nil, false
	if _, found := find(options, "a", "arg-file", "o", "open-tty"); !found {
		at.stdin = input{}
	}
	replace := ""
	for _, o := range options {
		switch o.name {
		case "I":
			if replace = o.value.Text; !o.value.Known || replace == "" {
				w.unknownCommand("xargs", rest, at)
				return
			}
		case "J", "R", "S":
			w.unknownCommand("xargs", rest, at) // of BSD
			return
		case "i", "replace":
			if replace = o.value.Text; replace == "" {
				replace = "{}"
			}
		}
	}
	if replace == "" {
		w.invoke(withUnknown(rest), nil, at)
		return
	}
	rest = replaced(rest, replace)
	if _, found := find(options, "L", "l", "n", "max-lines", "max-args"); found {
		rest = withUnknown(rest) // the one that comes last counts
	}
	w.invoke(rest, nil, at)
}

// replaced is words in which what stands for something unknown is unknown.
func replaced(words []Word, what string) []Word {
	out := slices.Clone(words)
	for i := range out {
		if before, _, found := strings.Cut(out[i].Text, what); found {
			out[i].Known, out[i].guess = false, out[i].Known
			out[i].holes = nil
			if words[i].Known {
				out[i].holes = holes(words[i].Text, what)
			}
			out[i].prefix = before
			// (What find and xargs put there is one word, and not empty.)
			out[i].One = words[i].One
			out[i].slash = out[i].slash || what == "{}" && before == "" && strings.HasPrefix(words[i].Text, "{}/")
		}
	}
	return out
}

// holes are where what stands in s.
func holes(s, what string) (list []hole) {
	for from := 0; ; {
		i := strings.Index(s[from:], what)
		if i < 0 {
			return list
		}
		list = append(list, hole{from + i, from + i + len(what)})
		from += i + len(what)
	}
}

// findRuns are the words of find that a command comes after.
var findRuns = []string{"-exec", "-execdir", "-ok", "-okdir"}

// runFind: any word may begin a command, up to a semicolon.
func runFind(w *walker, words []Word, at where) {
	at.stdin.text, at.stdin.file = nil, false
	anywhere := slices.ContainsFunc(words, func(word Word) bool { return strings.HasPrefix(word.prefix, "-files0") })
	for i, word := range words {
		if !word.Known {
			// It may begin a command itself, unless what follows can be none.
			// As one word it may begin a command, which ends at another one further on.
			last := i+1 == len(words) || words[i+1].Known && strings.HasPrefix(words[i+1].Text, "-") ||
				!slices.ContainsFunc(words[min(i+2, len(words)):], func(w Word) bool { return !w.Known || w.Text == ";" || w.Text == "+" })
			switch {
			case word.pattern && !strings.ContainsAny(word.Text, `[\`) && !slices.ContainsFunc(findRuns, func(s string) bool { ok, err := path.Match(word.Text, s); return ok || err != nil }):
			case (word.One || word.pattern) && (word.prefix != "" && word.prefix[0] != '-' || word.slash):
			case word.One && last:
			default:
				w.unknownCommand("find", words[i+1:], at)
				return
			}
			continue
		}
		if !slices.Contains(findRuns, word.Text) {
			continue
		}
		rest := words[i+1:]
		end := 0 // without one find runs nothing
		for j, r := range rest {
			if !r.Known || r.Text == ";" || r.Text == "+" && j > 0 && rest[j-1].Text == "{}" {
				if end = j; r.Known {
					break
				}
			}
		}
		if w.budget -= len(rest); w.budget < 0 {
			w.fail(faultf("The command gives find too much to run. Split it, or put it in a script file."))
			return
		}
		if end == 0 {
			continue
		}
		run := replaced(rest[:end], "{}")
		for j := range run {
			// A path begins with where find began, or with ./
			run[j].slash = run[j].slash || rest[j].Text == "{}" && j > 0 && !anywhere
		}
		w.invoke(run, nil, at)
	}
}

// runParallel: the words are shell text, to which what is read is added.
func runParallel(w *walker, words []Word, at where) {
	w.reads("SHELL", "PARALLEL", "PARALLEL_SHELL")
	const short = "0a:C:d:D:E:hj:kL:mn:N:P:qrs:tuvVxXM"
	const long = "null arg-file= colsep= delimiter= jobs= keep-order max-args= no-run-if-empty bar eta progress dry-run halt= joblog= group ungroup line-buffer tag verbose quote retries= timeout= delay= load= memfree= nice= will-cite shuf max-procs="
	options, rest, dashes, ok := getoptEnd(words, short, long)
	for _, o := range words[:len(words)-len(rest)] {
		// (Its options are not abbreviated as others are.)
		name, _, _ := strings.Cut(strings.TrimPrefix(o.Text, "--"), "=")
		ok = ok && (!strings.HasPrefix(o.Text, "--") || o.Text == "--" || slices.Contains(strings.Fields(strings.ReplaceAll(long, "=", "")+" help version"), name))
	}
	if !ok || dashes { // (With -- it is another program, in which each word is a command.)
		w.unknownCommand("parallel", rest, at)
		return
	}
	if _, found := find(options, "help", "version", "h", "V"); found {
		return
	}
	for i, word := range rest {
		if word.Known && slices.Contains([]string{":::", "::::", ":::+", "::::+"}, word.Text) {
			rest = rest[:i]
			break
		}
	}
	at.stdin = input{given: true}
	var text []string
	for _, word := range rest {
		if !word.Known || strings.ContainsAny(word.Text, "{}") {
			w.unknownText("parallel", replaced(rest, "{"), at)
			return
		}
		text = append(text, word.Text)
	}
	if len(text) == 0 {
		w.unknownText("parallel", nil, at)
		return
	}
	// What is read becomes one word, or more.
	w.shell("sh", strings.Join(text, " ")+` "$@"`, at)
}

// runWatch: the words are shell text, unless told otherwise.
func runWatch(w *walker, options []option, rest []Word, at where) {
	if _, found := find(options, "x", "exec"); found {
		w.invoke(rest, nil, at)
		return
	}
	w.runJoined("watch", rest, at)
}

// runJoined walks words that are joined to shell text.
func (w *walker) runJoined(who string, words []Word, at where) {
	if len(words) == 0 {
		return
	}
	var text []string
	for _, word := range words {
		if !word.Known || word.home {
			w.unknownText(who, words, at)
			return
		}
		text = append(text, word.Text)
	}
	w.shell("sh", strings.Join(text, " "), at)
}

// runScript: -c is shell text. Without it there is a shell, and on some systems the
// words behind the file are a command.
func runScript(w *walker, words []Word, at where) {
	w.reads("SHELL")
	all := words
	const short, long = "ac:E:efm:o:qt::I:O:B:T:hVkrpd", "append command= echo= return flush force log-in= log-out= log-io= log-timing= logging-format= output-limit= quiet timing[=]"
	var options []option
	for len(words) > 0 {
		o, rest, dashes, ok := getoptEnd(words, short, long)
		if !ok {
			w.unknownCommand("script", rest, at)
			return
		}
		options = append(options, o...)
		if dashes && len(rest) > 0 {
			// What comes behind the dashes is a file, or a file and a command.
			w.invoke(rest, nil, at)
		}
		if dashes || len(rest) == 0 {
			break
		}
		words = rest[1:] // the file
	}
	if _, found := find(options, "h", "V", "help", "version"); found {
		return
	}
	if text, found := find(options, "c", "command"); found {
		w.runText("script -c", "sh", []Word{text}, at)
		return
	}
	w.invoke([]Word{known("sh")}, nil, at)
	for i, word := range all {
		// On BSD and macOS options end at the file, which may be the value of one here.
		if !strings.HasPrefix(word.prefix, "-") {
			at.place |= Possible
			w.invoke(all[i+1:], nil, at)
			if i > 0 {
				w.invoke(all[min(i+2, len(all)):], nil, at)
			}
			break
		}
	}
}

// runSg: behind the group comes shell text, with -c or without.
func runSg(w *walker, words []Word, at where) {
	if len(words) > 0 && words[0].Known && words[0].Text == "-" {
		words = words[1:]
	}
	if len(words) < 2 {
		w.invoke([]Word{known("sh")}, nil, at)
		return
	}
	words = words[1:]
	if words[0].Known && words[0].Text == "-c" {
		words = words[1:]
	}
	w.runText("sg", "sh", words, at)
}

// runNewgrp: a shell in another group, which reads commands as every shell does.
func runNewgrp(w *walker, _ []Word, at where) { w.invoke([]Word{known("sh")}, nil, at) }

// runPee: every word is shell text.
func runPee(w *walker, words []Word, at where) {
	for i := range words {
		w.runText("pee", "sh", words[i:i+1], at)
	}
}

// runApplet: the first word is the command.
func runApplet(w *walker, words []Word, at where) {
	if len(words) > 0 && words[0].Known && strings.HasPrefix(words[0].Text, "--list") {
		return
	}
	w.invoke(words, nil, at)
}
