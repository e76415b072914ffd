package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// interactive says of programs whether, called in this way, they wait for a person at a
// terminal.
var interactive map[string]func(c call) bool

func init() {
	interactive = map[string]func(call) bool{
		"sudo": func(c call) bool { return !c.has("n", "V", "h", "k", "K", "non-interactive", "version", "help") },
		"doas": func(c call) bool { return !c.has("n", "L", "C") },
		"ssh": func(c call) bool {
			return !c.has("V", "G", "Q") && !c.option("o", "BatchMode=yes")
		},
		"sftp":   func(c call) bool { return !c.has("b", "V", "h") && !c.option("o", "BatchMode=yes") && !c.Input },
		"telnet": func(c call) bool { return !c.Input },
		"ftp":    func(c call) bool { return !c.Input },
		"passwd": func(c call) bool {
			return !c.has("S", "l", "u", "d", "e", "status", "lock", "unlock", "delete", "expire", "stdin", "help")
		},
		"vi":    editor("e", "s"),
		"emacs": func(c call) bool { return !c.word("-batch", "--batch", "--script", "-script", "--version", "--help") },
		"top":   func(c call) bool { return !c.has("b", "l", "v", "h", "batch") && !c.Output },
		"man": func(c call) bool {
			return !c.Output && !c.has("k", "f", "w", "V", "P", "apropos", "whatis", "where", "path", "pager") && !c.sets("PAGER", "MANPAGER")
		},
		"less":    pager,
		"more":    pager,
		"git":     git,
		"crontab": func(c call) bool { return c.has("e") },
		"visudo":  func(c call) bool { return !c.has("c", "check", "V", "version") },
		"screen":  func(c call) bool { return !c.has("d", "ls", "X", "v", "list", "wipe", "Q") },
		"tmux":    func(c call) bool { return len(c.Words) == 1 || c.word("attach", "attach-session", "a", "at") },
		"gdb":     func(c call) bool { return !c.word("-batch", "--batch", "-v", "--version", "--help") && !c.Input },
		"lldb":    func(c call) bool { return !c.word("-b", "--batch", "-v", "--version", "--help") && !c.Input },
		"sqlite3": func(c call) bool {
			return !c.Input && len(c.operands()) < 2 && !c.word("-version", "-help", "-cmd", "-init")
		},
		"mysql": func(c call) bool { return !c.Input && !c.has("e", "V", "execute", "version", "help", "?") },
		"psql": func(c call) bool {
			return !c.Input && !c.has("c", "f", "l", "V", "command", "file", "list", "version", "help")
		},
		"fzf":    func(c call) bool { return !c.has("f", "filter", "version", "help") },
		"php":    func(c call) bool { return c.word("-a", "--interactive") && !c.Input },
		"bash":   nestedShell,
		"python": interpreter,
	}
	alike := map[string]string{
		"vim": "vi", "nvim": "vi", "gvim": "vi", "vimdiff": "vi", "ex": "vi", "mariadb": "mysql", "most": "less", "pg": "less",
		"sh": "bash", "dash": "bash", "ash": "bash", "zsh": "bash", "ksh": "bash", "fish": "bash",
		"node": "python", "irb": "python", "ghci": "python", "iex": "python", "erl": "python", "scala": "python", "jshell": "python", "lua": "python",
		"luajit": "python", "R": "python", "octave": "python", "julia": "python", "ipython": "python", "bc": "python", "ocaml": "python", "mongosh": "python", "redis-cli": "python",
	}
	for name, like := range alike {
		interactive[name] = interactive[like]
	}
	for _, name := range []string{"nano", "pico", "joe", "mcedit", "mc", "htop", "btop", "atop", "vipw", "vigr", "nmtui", "dialog", "whiptail", "cfdisk", "ranger", "alsamixer"} {
		interactive[name] = func(c call) bool { return !c.has("version", "help") }
	}
}

// wantsTerminal tells whether an invocation waits for a person.
func wantsTerminal(inv *command.Invocation) bool {
	name := inv.Name()
	if name == "" || inv.Function {
		return false
	}
	waits, found := interactive[path.Base(name)]
	if !found {
		// python3.11
		if rest, ok := strings.CutPrefix(path.Base(name), "python"); !ok || strings.Trim(rest, "0123456789.") != "" {
			return false
		}
		waits = interpreter
	}
	return waits(call{inv})
}

// A call is an invocation that is looked at for its arguments.
type call struct{ *command.Invocation }

// has tells whether there is an option: a letter, alone or among others behind one
// dash, or a long name. Words behind -- are none.
func (c call) has(options ...string) bool {
	for _, w := range c.Words[1:] {
		s := w.Text
		if s == "--" {
			return false
		}
		if long, ok := strings.CutPrefix(s, "--"); ok {
			name, _, _ := strings.Cut(long, "=")
			if slices.Contains(options, name) {
				return true
			}
			continue
		}
		if len(s) < 2 || s[0] != '-' {
			continue
		}
		if slices.Contains(options, s[1:]) {
			return true
		}
		for _, o := range options {
			if len(o) == 1 && strings.Contains(s[1:], o) {
				return true
			}
		}
	}
	return false
}

// option tells whether the option with a letter has a value, behind it or attached.
func (c call) option(letter, value string) bool {
	for i, w := range c.Words {
		if strings.EqualFold(w.Text, "-"+letter+value) || w.Text == "-"+letter && i+1 < len(c.Words) && strings.EqualFold(c.Words[i+1].Text, value) {
			return true
		}
	}
	return false
}

// word tells whether one of words is an argument.
func (c call) word(words ...string) bool {
	return slices.ContainsFunc(c.Words[1:], func(w command.Word) bool { return slices.Contains(words, w.Text) })
}

// sets tells whether one of the variables is set for the command.
func (c call) sets(names ...string) bool {
	return slices.ContainsFunc(c.Assigns, func(a command.Assign) bool { return slices.Contains(names, a.Name) })
}

// operands are the arguments that are no options.
func (c call) operands() []command.Word {
	var out []command.Word
	for _, w := range c.Words[1:] {
		if !strings.HasPrefix(w.Text, "-") {
			out = append(out, w)
		}
	}
	return out
}

// editor waits unless it is given one of the options that make it read commands.
func editor(letters ...string) func(call) bool {
	return func(c call) bool {
		for _, l := range letters {
			if !c.has(l) {
				return !c.has("headless", "version", "help", "h")
			}
		}
		return false
	}
}

// pager is only one when a terminal shows what it prints.
func pager(c call) bool { return !c.Output && !c.has("V", "version", "help") }

// nestedShell is a shell in a shell: it waits when it has neither text nor file.
func nestedShell(c call) bool {
	if c.Input || c.has("c", "version", "help") {
		return false
	}
	return len(c.operands()) == 0
}

// interpreter waits for lines when it has nothing to do.
func interpreter(c call) bool {
	if c.Input {
		return false
	}
	rest := c.Words[1:]
	return len(rest) == 0 || len(rest) == 1 && rest[0].Known && slices.Contains([]string{"-i", "-q", "-B", "-u"}, rest[0].Text) || len(rest) > 0 && rest[0].Text == "-i"
}

// git opens an editor or asks, with some options of some commands.
func git(c call) bool {
	words := c.Words[1:]
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		switch words[0].Text {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env":
			if len(words) > 1 && words[0].Text == "-c" && strings.HasPrefix(words[1].Text, "sequence.editor=") {
				return false
			}
			words = words[1:]
		}
		if len(words) > 0 {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return false
	}
	sub := call{&command.Invocation{Words: words, Assigns: c.Assigns, Input: c.Input}}
	switch words[0].Text {
	case "rebase":
		return sub.has("i", "interactive") && !sub.sets("GIT_SEQUENCE_EDITOR", "GIT_EDITOR")
	case "add":
		return sub.has("i", "p", "e", "interactive", "patch", "edit") && !c.Input
	case "commit", "checkout", "restore", "reset", "stash":
		return sub.has("p", "patch", "interactive") && !c.Input
	case "mergetool", "difftool", "citool", "gui":
		return !sub.has("y", "no-prompt")
	}
	return false
}
