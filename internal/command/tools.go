package command

import (
	"slices"
	"strings"
)

// runTar: the first word may be letters without a dash, with their values behind it, and some
// actions run a text.
func runTar(w *walker, u *usage, at where) {
	if len(u.words) > 0 {
		if s := u.words[0]; s.Known && s.Text != "" && s.Text[0] != '-' && !strings.ContainsAny(s.Text, "/.") {
			rest := u.words[1:]
			for i := 0; i < len(s.Text) && len(rest) > 0; i++ {
				if strings.IndexByte("fbCIFgKLNTVXH", s.Text[i]) < 0 {
					continue
				}
				if s.Text[i] == 'I' || s.Text[i] == 'F' {
					w.toldText("tar -"+s.Text[i:i+1], rest[0], at)
				}
				rest = rest[1:]
			}
		}
	}
	for _, o := range u.options {
		if text, runs := strings.CutPrefix(o.value.prefix, "exec="); runs && o.name == "checkpoint-action" {
			w.toldText("tar --checkpoint-action", ending(o.value, text), at)
		}
	}
}

// runFindWrites: find writes its list to files, too. What it runs is in another table.
func runFindWrites(_ *walker, u *usage, _ where) {
	for i, word := range u.words {
		if i+1 < len(u.words) && word.Known && lists("-fprint -fprint0 -fprintf -fls", word.Text) {
			u.writes(u.words[i+1])
		}
	}
}

// runUniq: a second operand is where the result goes.
func runUniq(_ *walker, u *usage, _ where) {
	if len(u.operands) > 1 && u.operands[1].Known {
		u.writes(u.operands[1])
	} else if len(u.operands) > 1 && u.operands[1].One {
		u.written = append(u.written, u.operands[1])
	}
}

// runMan: -H has a browser run, the one that is configured if it has no value.
func runMan(w *walker, u *usage, at where) {
	for _, o := range u.options {
		if o.name != "H" && o.name != "html" {
			continue
		}
		if o.bare() {
			w.toldUnknown(u.told(o), at)
		} else {
			w.toldText(u.told(o), o.value, at)
		}
	}
}

// runFd: behind -x and -X comes a command, up to a semicolon.
func runFd(w *walker, u *usage, at where) {
	for i := 0; i < len(u.words); i++ {
		s := u.words[i].prefix
		if u.words[i].Known && s == "--" {
			return
		}
		if !u.words[i].Known || len(s) < 2 || s[0] != '-' {
			continue
		}
		rest := u.words[i+1:]
		switch letters := strings.TrimRight(s[1:], "xX"); {
		case lists("--exec --exec-batch", s):
		case strings.HasPrefix(s, "--exec=") || strings.HasPrefix(s, "--exec-batch="):
			_, text, _ := strings.Cut(s, "=")
			rest = append([]Word{known(text)}, rest...)
		case s[1] != '-' && len(letters) < len(s)-1 && strings.Trim(letters, "HIupasgilFL01") == "":
		default:
			continue
		}
		end := slices.IndexFunc(rest, func(word Word) bool { return word.Known && word.Text == ";" })
		if end < 0 {
			end = len(rest)
		}
		run := rest[:end]
		for _, hole := range []string{"{}", "{/}", "{//}", "{.}", "{/.}"} {
			run = replaced(run, hole)
		}
		if !slices.ContainsFunc(rest[:end], func(word Word) bool { return strings.Contains(word.Text, "{") }) {
			run = withUnknown(run) // what is found comes behind
		}
		w.invoke(run, nil, at)
		i = len(u.words) - len(rest[end:])
	}
}

// runVim: a command of ex that begins with an exclamation mark is one for the shell.
func runVim(w *walker, u *usage, at where) {
	for _, o := range u.options {
		if o.name == "c" || o.name == "cmd" {
			w.exCommand(u.name, o.value, at)
		}
	}
	for _, word := range u.operands {
		if text, ok := strings.CutPrefix(word.prefix, "+"); ok {
			w.exCommand(u.name, ending(word, text), at)
		}
	}
}

func (w *walker) exCommand(who string, command Word, at where) {
	s := strings.TrimLeft(command.prefix, ": \t%.,$0123456789")
	for _, word := range []string{"silent!", "silent", "sil!", "sil", "read", "r", "write", "w"} {
		if rest, ok := strings.CutPrefix(s, word); ok && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "!")) {
			s = strings.TrimLeft(rest, " \t:")
			break
		}
	}
	if text, ok := strings.CutPrefix(s, "!"); ok {
		w.toldText(who, ending(command, text), at)
	}
}

// runGdb: some commands of gdb are for the shell.
func runGdb(w *walker, u *usage, at where) {
	for _, o := range u.options {
		if !lists("ex iex eval-command init-eval-command", o.name) {
			continue
		}
		s := strings.TrimLeft(o.value.prefix, " \t")
		for _, word := range []string{"shell ", "!"} {
			if text, ok := strings.CutPrefix(s, word); ok {
				w.toldText("gdb", ending(o.value, text), at)
			}
		}
	}
}

// runSocat: some addresses are commands.
func runSocat(w *walker, u *usage, at where) {
	for _, word := range u.operands {
		kind, text, found := strings.Cut(word.prefix, ":")
		if !found {
			continue
		}
		// (What follows a comma is an option of socat.)
		value := ending(word, text)
		if before, _, cut := strings.Cut(text, ","); cut {
			value = known(before)
		}
		switch strings.ToUpper(kind) {
		case "EXEC":
			w.toldWords(value, at)
		case "SYSTEM", "SHELL":
			w.toldText("socat "+kind, value, at)
		}
	}
}

// runAt: what at reads is shell text for later.
func runAt(w *walker, u *usage, at where) {
	if _, other := find(u.options, "l", "r", "d", "c", "V"); other {
		return
	}
	if file, given := find(u.options, "f"); given && !standardInput(file) {
		at.place |= Indirect
		w.scriptFile(u.name, []Word{file}, at)
		return
	}
	switch {
	case at.stdin.text != nil:
		text := *at.stdin.text
		at.stdin = input{}
		at.place |= Indirect
		w.shell("sh", text, at)
	case at.stdin.given && !at.stdin.file:
		w.unknownText(u.name, nil, at)
	}
}

// runScreen: a command runs in a new session, and not in one that is there.
func runScreen(w *walker, u *usage, at where) {
	_, other := find(u.options, "r", "R", "x", "X", "Q", "l", "w", "v")
	_, detach := find(u.options, "d", "D")
	_, opens := find(u.options, "m")
	if !other && (opens || !detach) {
		at.place |= Indirect
		w.invoke(u.operands, nil, at)
	}
}

// tmuxCommands are those of tmux that run something. Of one word they make shell text.
var tmuxCommands = map[string]grammar{
	"new-session": {short: "c:e:F:f:n:s:t:x:y:"}, "new-window": {short: "c:e:F:n:t:"}, "split-window": {short: "c:e:F:l:p:t:"},
	"respawn-pane": {short: "c:e:t:"}, "respawn-window": {short: "c:e:t:"}, "display-popup": {short: "b:c:d:e:h:s:S:t:T:w:x:y:"},
	"pipe-pane": {short: "t:"}, "run-shell": {short: "c:d:t:"}, "if-shell": {short: "t:"},
}

func init() {
	for short, long := range map[string]string{"new": "new-session", "neww": "new-window", "splitw": "split-window", "respawnp": "respawn-pane", "respawnw": "respawn-window",
		"popup": "display-popup", "pipep": "pipe-pane", "run": "run-shell", "if": "if-shell"} {
		tmuxCommands[short] = tmuxCommands[long]
	}
}

// runTmux: commands of tmux are joined by semicolons.
func runTmux(w *walker, u *usage, at where) {
	for words := u.operands; len(words) > 0; {
		end := slices.IndexFunc(words, func(word Word) bool { return word.Known && word.Text == ";" })
		if end < 0 {
			end = len(words)
		}
		if end > 0 && words[0].Known {
			w.tmuxCommand(words[0].Text, words[1:end], at)
		}
		words = words[min(end+1, len(words)):]
	}
}

func (w *walker) tmuxCommand(name string, words []Word, at where) {
	g, found := tmuxCommands[name]
	if !found {
		return
	}
	g.first = true
	options, rest := g.split(words)
	switch name {
	case "run-shell", "run":
		if _, own := find(options, "C"); own {
			return
		}
	case "if-shell", "if":
		if _, own := find(options, "F"); own {
			return
		}
		rest = rest[:min(1, len(rest))] // the others are commands of tmux
	}
	switch {
	case len(rest) == 1:
		w.toldText("tmux "+name, rest[0], at)
	case len(rest) > 1:
		w.invoke(rest, nil, told(at))
	}
}

// runMake: SHELL=name is what runs the lines of a makefile.
func runMake(w *walker, u *usage, at where) {
	for _, word := range u.operands {
		if shell, ok := strings.CutPrefix(word.prefix, "SHELL="); ok {
			at.place |= Indirect
			w.invoke(spaced(ending(word, shell)), nil, at)
		}
	}
}

// runCmake: cmake -E runs commands in some way.
func runCmake(w *walker, u *usage, at where) {
	words := u.words
	if len(words) < 3 || words[0].Text != "-E" || !words[1].Known {
		return
	}
	switch rest := words[2:]; words[1].Text {
	case "time":
		w.invoke(rest, nil, at)
	case "chdir":
		w.invoke(rest[1:], nil, at)
	case "env":
		for len(rest) > 0 && strings.HasPrefix(rest[0].prefix, "--") {
			rest = rest[1:]
		}
		assigns, rest, _ := w.leadingAssigns(rest, at)
		w.invoke(rest, assigns, at)
	}
}

// runZip: -TT is a command that tests the archive.
func runZip(w *walker, u *usage, at where) {
	for i, word := range u.words {
		text, short := strings.CutPrefix(word.prefix, "-TT")
		value, long := strings.CutPrefix(word.prefix, "--unzip-command")
		switch {
		case long && strings.HasPrefix(value, "="):
			w.toldText("zip -TT", ending(word, value[1:]), at)
		case short && text != "":
			w.toldText("zip -TT", ending(word, text), at)
		case (short || long && value == "") && i+1 < len(u.words):
			w.toldText("zip -TT", u.words[i+1], at)
		}
	}
}

// runHyperfine: every operand is a text to measure.
func runHyperfine(w *walker, u *usage, at where) {
	var words []Word
	for i := 0; i < len(u.words); i++ {
		switch u.words[i].Text {
		case "-P", "--parameter-scan": // three values
			i += 3
		case "-L", "--parameter-list": // two
			i += 2
		default:
			words = append(words, u.words[i])
		}
	}
	options, operands := grammar{short: "w:m:M:r:s:p:c:S:u:n:C:", exact: true, long: "warmup= min-runs= max-runs= runs= setup= prepare= cleanup= conclude= reference= reference-name= shell= style= sort= time-unit= export-json= export-csv= export-markdown= export-asciidoc= export-orgmode= output= input= command-name= parameter-step-size="}.split(words)
	shell, found := find(options, "S", "shell")
	_, plain := find(options, "N")
	texts := operands
	for _, o := range options {
		if lists("s setup p prepare c cleanup C conclude reference", o.name) {
			texts = append(texts, o.value)
		}
	}
	for _, text := range texts {
		if plain || found && shell.Text == "none" {
			w.toldWords(text, at)
		} else {
			w.toldText("hyperfine", text, at)
		}
	}
}

// runCrossEnv: behind NAME=value the words are joined to shell text.
func runCrossEnv(w *walker, u *usage, at where) {
	_, rest, _ := w.leadingAssigns(u.operands, at)
	w.runJoined(u.name, rest, at)
}

// runNix: behind -c comes a command.
func runNix(w *walker, u *usage, at where) {
	for i, word := range u.words {
		if word.Known && lists("-c --command", word.Text) {
			w.invoke(u.words[i+1:], nil, at)
			return
		}
	}
}
