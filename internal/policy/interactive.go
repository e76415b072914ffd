package policy

import (
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// A program is one that may wait for a person at a terminal.
type program struct {
	// values are the letters of options that have a value, and operands how many words
	// that are no options may come before the options end.
	values   string
	operands int
	// waits tells whether it does, called in this way.
	waits func(c call) bool
}

// everywhere is for programs whose options may stand behind all operands.
const everywhere = 1 << 30

// interactive are the programs known to wait.
var interactive map[string]program

func init() {
	interactive = map[string]program{
		"sudo": {"CDghpRrTtUu", 0, func(c call) bool {
			return !c.has("n", "V", "h", "k", "K", "A", "non-interactive", "askpass") && !(c.Input && c.has("S", "stdin"))
		}},
		"sudoedit": {"", 0, always},
		"doas":     {"uCa", 0, func(c call) bool { return !c.has("n", "L", "C") }},
		"ssh": {"BbcDEeFIiJLlmOopQRSWw", 1, func(c call) bool {
			return !c.has("V", "G", "Q", "O") && !c.option("o", "BatchMode=yes") && !c.option("o", "BatchMode yes")
		}},
		"sftp":   {"BbcDFiJloPRSsX", 1, func(c call) bool { return !c.has("b") && !c.option("o", "BatchMode=yes") && !c.Input }},
		"telnet": {"", everywhere, func(c call) bool { return !c.Input }},
		"ftp":    {"", everywhere, func(c call) bool { return !c.Input }},
		"passwd": {"inwxRr", everywhere, func(c call) bool {
			return !c.has("S", "l", "u", "d", "e", "status", "lock", "unlock", "delete", "expire", "stdin")
		}},
		"vi": {"cSsTuUWirw", everywhere, func(c call) bool {
			return !(c.has("e", "E") && c.word("-s", "-es", "-Es")) && !c.has("headless") && !c.word("-l")
		}},
		"ex":    {"cSTuUWirw", everywhere, func(c call) bool { return !c.has("s") }},
		"emacs": {"", everywhere, func(c call) bool { return !c.word("-batch", "--batch", "--script", "-script", "--daemon") }},
		"top":   {"dnpuUowEe", everywhere, func(c call) bool { return !c.has("b", "l", "batch") && !c.Output }},
		"man": {"CLmMSsertEpPR", everywhere, func(c call) bool {
			return !c.Output && !c.has("k", "f", "w", "P", "apropos", "whatis", "where", "path", "pager") && !c.sets("PAGER", "MANPAGER")
		}},
		"less":    {"bhjkopPtTxyz#", everywhere, pager},
		"more":    {"n", everywhere, pager},
		"git":     {"", 0, git},
		"crontab": {"u", everywhere, func(c call) bool { return c.has("e") }},
		"visudo":  {"f", everywhere, func(c call) bool { return !c.has("c", "check") }},
		"screen":  {"cehpSsTtX", everywhere, func(c call) bool { return !c.has("d", "ls", "X", "list", "wipe", "Q") }},
		"tmux":    {"cfLST", 0, tmux},
		"gdb": {"", everywhere, func(c call) bool {
			return !c.word("-batch", "--batch", "-batch-silent", "--batch-silent", "quit", "q") && !c.Input
		}},
		"lldb": {"", everywhere, func(c call) bool { return !c.word("-b", "--batch", "quit") && !c.Input }},
		"sqlite3": {"", everywhere, func(c call) bool {
			return !c.Input && len(c.operands()) < 2 && !c.word("-version", "-help", "-cmd", "-init")
		}},
		"mysql":  {"uhPDeS", everywhere, func(c call) bool { return !c.Input && !c.has("e", "execute", "?") }},
		"psql":   {"cdfFhLopPRTUv", everywhere, func(c call) bool { return !c.Input && !c.has("c", "f", "l", "command", "file", "list") }},
		"fzf":    {"", everywhere, func(c call) bool { return !c.has("f", "filter") }},
		"php":    {"", everywhere, func(c call) bool { return c.word("-a", "--interactive") && !c.Input }},
		"bash":   {"oO", 0, nestedShell},
		"python": {"cmWX", 0, interpreter},
		"redis": {"hpanus", everywhere, func(c call) bool {
			return !c.Input && len(c.operands()) == 0 && !c.word("--scan", "--latency", "--stat", "--bigkeys", "--rdb", "--pipe")
		}},
	}
	alike := map[string]string{
		"vim": "vi", "nvim": "vi", "gvim": "vi", "vimdiff": "vi", "mariadb": "mysql", "most": "less", "pg": "less", "redis-cli": "redis", "valkey-cli": "redis",
		"sh": "bash", "dash": "bash", "ash": "bash", "zsh": "bash", "ksh": "bash", "fish": "bash",
		"node": "python", "irb": "python", "ghci": "python", "iex": "python", "erl": "python", "scala": "python", "jshell": "python", "lua": "python",
		"luajit": "python", "R": "python", "octave": "python", "julia": "python", "ipython": "python", "bc": "python", "ocaml": "python", "mongosh": "python",
	}
	for name, like := range alike {
		interactive[name] = interactive[like]
	}
	delete(interactive, "redis")
	for _, name := range []string{"nano", "pico", "joe", "mcedit", "mc", "htop", "btop", "atop", "vipw", "vigr", "nmtui", "dialog", "whiptail", "cfdisk", "ranger", "alsamixer"} {
		interactive[name] = program{"", everywhere, always}
	}
}

func always(call) bool { return true }

// wantsTerminal tells whether an invocation, of a program called base, waits for a person.
func wantsTerminal(inv *command.Invocation, base string) bool {
	if base == "" || inv.Function || inv.File || inv.Place&command.Indirect != 0 {
		return false
	}
	p, found := interactive[base]
	if !found {
		// python3.11
		if rest, ok := strings.CutPrefix(base, "python"); !ok || strings.Trim(rest, "0123456789.") != "" {
			return false
		}
		p = interactive["python"]
	}
	c := call{inv, p}
	return !c.has("help", "version") && p.waits(c)
}

// A call is an invocation that is looked at for its arguments.
type call struct {
	*command.Invocation
	program
}

// has tells whether there is an option: a letter, alone or among others behind one
// dash, or a name. Values of options are none, and words behind -- or behind the operands.
func (c call) has(options ...string) bool {
	operands := 0
	for i := 1; i < len(c.Words); i++ {
		s := c.Words[i].Text
		if s == "--" {
			return false
		}
		if len(s) < 2 || s[0] != '-' {
			if operands++; operands > c.program.operands {
				return false
			}
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(s, "--"), "=")
		if slices.Contains(options, strings.TrimPrefix(name, "-")) {
			return true
		}
		if strings.HasPrefix(s, "--") {
			continue
		}
		for j := 1; j < len(s); j++ {
			if slices.Contains(options, s[j:j+1]) {
				return true
			}
			if strings.IndexByte(c.values, s[j]) >= 0 {
				if j == len(s)-1 {
					i++ // its value is the next word
				}
				break
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

// pager is only one when a terminal shows what it prints.
func pager(c call) bool { return !c.Output && !c.has("V") }

// nestedShell is a shell in a shell: it waits when it has neither text nor file.
func nestedShell(c call) bool {
	if c.Input || c.has("c") {
		return false
	}
	return c.word("-i") || c.has("i") || len(c.operands()) == 0
}

// interpreter waits for lines when it has nothing to do.
func interpreter(c call) bool {
	if c.Input {
		return false
	}
	rest := c.Words[1:]
	return len(rest) == 0 || len(rest) == 1 && rest[0].Known && slices.Contains([]string{"-i", "-q", "-B", "-u"}, rest[0].Text) || len(rest) > 0 && rest[0].Text == "-i"
}

// tmux opens a terminal of its own, unless it is told to stay in the background.
func tmux(c call) bool {
	operands := c.operands()
	if len(operands) == 0 {
		return !c.has("V")
	}
	switch operands[0].Text {
	case "attach", "attach-session", "a", "at":
		return true
	case "new", "new-session":
		return !c.word("-d", "-Ad", "-dA", "-dP", "-Pd")
	}
	return false
}

// git opens an editor or asks, with some options of some commands.
func git(c call) bool {
	words := c.Words[1:]
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		switch words[0].Text {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env":
			if len(words) > 1 && words[0].Text == "-c" && (strings.HasPrefix(words[1].Text, "sequence.editor=") || strings.HasPrefix(words[1].Text, "core.editor=")) {
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
	inv := &command.Invocation{Words: words, Assigns: c.Assigns, Input: c.Input}
	sub := func(values string) call { return call{inv, program{values: values, operands: everywhere}} }
	switch name := words[0].Text; name {
	case "rebase":
		s := sub("XsxC")
		return s.has("i", "interactive") && !s.sets("GIT_SEQUENCE_EDITOR", "GIT_EDITOR")
	case "add":
		return sub("").has("i", "p", "e", "interactive", "patch", "edit") && !c.Input
	case "commit":
		return sub("mFCctSu").has("p", "patch", "interactive") && !c.Input
	case "checkout", "restore", "reset":
		return sub("bBsU").has("p", "patch") && !c.Input
	case "stash":
		if len(words) > 1 && !strings.HasPrefix(words[1].Text, "-") && words[1].Text != "push" && words[1].Text != "save" {
			return false
		}
		return sub("m").has("p", "patch") && !c.Input
	case "mergetool", "difftool":
		return !sub("tx").has("y", "no-prompt", "tool-help")
	case "citool", "gui":
		return true
	}
	return false
}
