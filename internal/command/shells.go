package command

import (
	"path"
	"slices"
	"strings"
)

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
			case (c == 'H' || c == 'k') && s[0] == '-':
				w.unknownText(name, words, at) // it has a history, or takes words for variables
				return
			case c == 'o', c == 'O':
				if len(words) > 0 && !words[0].Known {
					w.unknownText(name, words, at)
					return
				}
				if len(words) > 0 {
					if readsOtherwise(words[0].Text) {
						w.unknownText(name, words, at)
						return
					}
					words = words[1:]
				}
			case strings.ContainsRune("aefnuvxbhimlprtBCDEIPTV", c):
			default:
				w.unknownText(name, words, at)
				return
			}
		}
	}
	if text && name == "pwsh" && len(words) == 0 {
		text, stdin = false, true // the dash, which is no option, stands for that
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
		w.scriptFile(name, words, at)
	case interactive && at.stdin.given:
		w.unknownText(name, nil, at) // with a history, and prompts
	case at.stdin.text != nil:
		w.stdinScript(name, *at.stdin.text, at)
	case at.stdin.file && !w.stdinMoved:
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

// stdinScript walks text that a shell reads from its standard input, as its commands do: one that
// reads takes a part of the script, and what is left is cut in another way. So in more than one
// line there may be only those that are known not to.
func (w *walker) stdinScript(name, text string, at where) {
	mark := len(w.script.Invocations)
	at.stdin = input{given: true}
	w.shell(name, text, at)
	if w.fault != nil {
		return
	}
	one := !strings.Contains(strings.TrimRight(text, "\n"), "\n")
	for _, i := range w.script.Invocations[mark:] {
		if len(i.Words) > 0 && (!one || i.Name() == "exec") && !slices.Contains(readsNothing, path.Base(i.Name())) {
			w.dynamic(show(i.Words[0].Text)+" may read a part of the script that "+name+" reads", "Pass the script with -c, or in a file.", at)
			return
		}
	}
}

// readsNothing are commands that do not read their standard input.
var readsNothing = []string{"echo", "printf", "cd", "pwd", "export", "unset", "true", "false", ":", "test", "[", "return", "exit", "shift", "umask", "local", "readonly", "declare", "set",
	"rm", "mkdir", "rmdir", "mv", "cp", "ls", "touch", "chmod", "chown", "ln", "id", "uname", "date", "hostname", "whoami", "sleep", "basename", "dirname", "realpath", "mktemp", "env"}
