package command

import (
	"slices"
	"strings"
)

// A command is one with its arguments: as words, and as the one text that a program on
// Windows gets. sure says that the text is known.
type command struct {
	words []Word
	raw   string
	sure  bool
}

// windowsRuns are the programs that run others, or read text.
var windowsRuns map[string]func(w *windows, c command, at spot)

func init() {
	windowsRuns = map[string]func(w *windows, c command, at spot){
		"cmd": runCmd, "powershell": runPowerShell, "pwsh": runPowerShell, "forfiles": runForfiles, "runas": runRunas, "wsl": runWsl,
	}
	for _, name := range []string{"bash", "sh", "dash", "ash", "zsh", "ksh", "busybox", "env", "xargs", "nice", "nohup", "sudo", "setsid", "stdbuf"} {
		windowsRuns[name] = runUnix
	}
}

// run reads what a command is given to run.
func (w *windows) run(c command, at spot) {
	name := WindowsName(c.words[0].Text)
	runs, found := windowsRuns[name]
	if _, told := programs[name]; told && !found && name != "find" && name != "sort" { // (Those of the system are others.)
		runs, found = runUnix, true
	}
	if !found {
		return
	}
	if at, ok := w.below(at, name); ok {
		if at, ok = w.deeper(at); ok {
			runs(w, c, at)
		}
	}
}

// stdinText says that who reads text from its standard input, when there is some.
func (w *windows) stdinText(who string, at spot) {
	if at.input {
		w.dynamic("the text that "+who+" reads", useWindowsText, at)
	}
}

// runCmd is cmd.exe: what stands behind /c is a line for it, as it is.
func runCmd(w *windows, c command, at spot) {
	rest := c.raw
	for {
		rest = strings.TrimLeft(rest, blanks)
		if rest == "" {
			if c.sure {
				w.stdinText("cmd", at)
			} else {
				w.text("cmd", "", false, Cmd, at)
			}
			return
		}
		if rest[0] == '"' && len(rest) > 1 && rest[1] == '/' {
			rest = rest[1:] // "/c" is an option, too
		}
		if rest[0] == '/' && len(rest) > 1 {
			switch rest[1] {
			case 'c', 'C', 'k', 'K', 'r', 'R':
				w.cmdLine(strings.Trim(rest[2:], blanks), c.sure, at)
				return
			case 'v', 'V':
				at.delayed = !strings.HasPrefix(strings.ToLower(rest[2:min(6, len(rest))]), ":off")
			}
			rest = rest[1:]
		}
		// (At least a byte, as of a slash alone.)
		if n := strings.IndexAny(rest[min(1, len(rest)):], blanks+"/"); n >= 0 {
			rest = rest[n+1:]
		} else {
			rest = ""
		}
	}
}

// cmdLine reads a line for a new cmd.exe, which may or may not take off the quotes around it.
func (w *windows) cmdLine(text string, sure bool, at spot) {
	if len(text) > 0 && text[0] == '"' {
		last := strings.LastIndexByte(text, '"')
		if last == 0 {
			last = len(text)
		}
		if end := strings.Trim(text[min(last+1, len(text)):], blanks); end != "" && last < len(text) {
			w.text("cmd", text, sure, Cmd, at)
		} else if strings.Count(text, `"`) > 2 {
			w.text("cmd", text, sure, Cmd, at)
		}
		text = text[1:last] + text[min(last+1, len(text)):]
	}
	w.text("cmd", text, sure, Cmd, at)
}

// Options of PowerShell, which may be shortened: those with a value, and those without.
var (
	powershellValues = []string{"executionpolicy", "windowstyle", "inputformat", "outputformat", "version", "configurationname", "configurationfile",
		"custompipename", "settingsfile", "workingdirectory", "psconsolefile"}
	powershellFlags = []string{"noprofile", "noninteractive", "nologo", "noexit", "mta", "sta", "login", "help", "interactive", "noprofileloadtime"}
	powershellShort = map[string]string{"ec": "encodedcommand", "ea": "encodedarguments", "ep": "executionpolicy", "nop": "noprofile", "noni": "noninteractive", "noe": "noexit",
		"nol": "nologo", "w": "windowstyle", "if": "inputformat", "of": "outputformat", "wd": "workingdirectory", "cwa": "command", "commandwithargs": "command", "?": "help", "i": "inputformat", "config": "configurationname"}
)

// powershellOption is the name of an option, in full, and empty when it is not known.
func powershellOption(s string) string {
	s = strings.ToLower(strings.TrimLeft(s, "-/"))
	if full, ok := powershellShort[s]; ok {
		return full
	}
	for _, full := range slices.Concat([]string{"command", "file", "encodedcommand", "encodedarguments"}, powershellValues, powershellFlags) {
		if s != "" && strings.HasPrefix(full, s) {
			return full
		}
	}
	return ""
}

// runPowerShell is PowerShell itself, which reads its arguments as text.
func runPowerShell(w *windows, c command, at spot) {
	words := c.words[1:]
	name := WindowsName(c.words[0].Text)
	for len(words) > 0 {
		word := words[0]
		if !word.Known && (word.prefix == "" || word.prefix[0] == '-' || word.prefix[0] == '/') {
			w.joined(name, words, PowerShell, at)
			return
		}
		if word.Text == "" || word.Text[0] != '-' && word.Text[0] != '/' {
			w.joined(name, words, PowerShell, at)
			return
		}
		words = words[1:]
		switch option := powershellOption(word.Text); {
		case word.Text == "-":
			w.stdinText(name, at)
			return
		case option == "command":
			if len(words) == 1 && words[0].Text == "-" {
				w.stdinText(name, at)
				return
			}
			w.joined(name, words, PowerShell, at)
			return
		case option == "file":
			if len(words) == 0 || words[0].Text == "-" {
				w.stdinText(name, at)
			}
			return // a script is what its name is
		case strings.HasPrefix(option, "encoded"):
			w.dynamic("encoded text for "+name, useWindowsText, at)
			return
		case option == "help":
			return
		case slices.Contains(powershellValues, option):
			if len(words) > 0 {
				words = words[1:]
			}
		case option == "":
			w.dynamic("an option of "+name+" that is not known", useOptions, at)
		}
	}
	w.stdinText(name, at)
}

// joined reads words, put together, as text.
func (w *windows) joined(who string, words []Word, shell Shell, at spot) {
	var text []string
	sure := true
	for _, word := range words {
		sure = sure && word.Known
		text = append(text, word.Text)
	}
	w.text(who, strings.Join(text, " "), sure, shell, at)
}

// runForfiles runs a command line for each file.
func runForfiles(w *windows, c command, at spot) {
	for i, word := range c.words[1:] {
		option := strings.ToLower(strings.TrimLeft(word.Text, "/-"))
		if !word.Known && word.prefix == "" {
			w.dynamic("an option of forfiles that is not known", useOptions, at)
		}
		if option == "c" && i+2 < len(c.words) {
			text := c.words[i+2]
			// (0x41 is a letter.)
			w.text("forfiles", text.Text, text.Known && !strings.Contains(strings.ToLower(text.Text), "0x"), Cmd, at)
		}
	}
}

// runRunas runs a command line as another user.
func runRunas(w *windows, c command, at spot) {
	words := c.words[1:]
	for len(words) > 0 && words[0].prefix != "" && words[0].prefix[0] == '/' {
		words = words[1:]
	}
	if len(words) > 0 {
		w.joined("runas", words, Cmd, at)
	}
}

// runWsl runs a command in a Linux.
func runWsl(w *windows, c command, at spot) {
	words := c.words[1:]
	exec := false
	for len(words) > 0 && words[0].prefix != "" && words[0].prefix[0] == '-' && !exec {
		option := words[0].Text
		words = words[1:]
		switch option {
		case "-e", "--exec":
			exec = true
			continue
		case "-d", "--distribution", "-u", "--user", "--cd", "--shell-type", "--distribution-id":
			if len(words) > 0 {
				words = words[1:]
			}
			continue
		case "-l", "--list", "--status", "--version", "--help", "-v":
			return
		case "--system", "~":
			continue
		case "--":
		default:
			w.dynamic("an option of wsl that is not known", useOptions, at)
			continue
		}
		break
	}
	switch {
	case len(words) == 0:
		w.stdinText("wsl", at)
	case exec:
		w.unix(quoteWords(words), at, false)
	default:
		var text []string
		for _, word := range words {
			text = append(text, word.Text)
			if !word.Known {
				w.dynamic("the text that wsl runs", useWindowsText, at)
			}
		}
		w.unix(strings.Join(text, " "), at, false)
	}
}

// runUnix is a program of Unix that runs others, as Git for Windows brings them.
func runUnix(w *windows, c command, at spot) {
	c.words = append([]Word{known(WindowsName(c.words[0].Text))}, c.words[1:]...)
	w.unix(quoteWords(c.words), at, true)
}

// quoteWords is a command for bash: words that are not known are a variable.
func quoteWords(words []Word) string {
	var b strings.Builder
	for _, word := range words {
		if word.Known {
			b.WriteString(" '" + strings.ReplaceAll(word.Text, "'", `'\''`) + "'")
		} else {
			b.WriteString(` "$EINOSHELL_UNKNOWN"`)
		}
	}
	return b.String()
}

// unix reads text as bash does. itself says that the first command is known already.
func (w *windows) unix(text string, at spot, itself bool) {
	if at.texts++; at.texts > maxTexts {
		w.fail(faultf("Shell text is nested more than %d times. Run it without so many shells.", maxTexts))
		return
	}
	if w.budget -= len(text) + 16; w.budget < 0 {
		w.fail(faultf("The command holds too much shell text within shell text. Split it, or put it in a script file."))
		return
	}
	r := &reader{script: &Script{}, budget: w.budget}
	s := scope{host: true, constant: true, texts: at.texts, depth: at.depth, via: at.via, place: at.place | InText, stdin: input{given: at.input}, output: at.output}
	if err := r.text(text, bash, s); err != nil {
		w.fail(r.fault)
		return
	}
	w.budget = r.budget
	for _, op := range r.script.Operators {
		w.operator(op)
	}
	for name := range r.script.Sets {
		w.sets(name)
	}
	found := r.script.Invocations
	if itself && len(found) > 0 && found[0].Dynamic == "" {
		found = found[1:]
	}
	for _, inv := range found {
		inv.Pipes = slices.Clone(inv.Pipes)
		for i := range inv.Pipes {
			inv.Pipes[i].Pipeline += w.pipelines
		}
		inv.Pipes = append(at.pipes[:len(at.pipes):len(at.pipes)], inv.Pipes...)
		w.script.Invocations = append(w.script.Invocations, inv)
	}
	w.pipelines += r.pipelines
	for _, inv := range found {
		// What is a program of Windows again reads its arguments as that.
		name := WindowsName(inv.Name())
		_, unix := wrappers[name]
		if _, shell := textCommands[name]; unix || shell || windowsRuns[name] == nil || w.fault != nil {
			continue
		}
		below := at
		below.input, below.via = inv.Input, inv.Via
		w.run(asCommand(inv.Words), below)
	}
}

// asCommand is a command made of words, as a program on Windows gets them.
func asCommand(words []Word) command {
	c := command{words: words, sure: true}
	var b strings.Builder
	for _, word := range words[1:] {
		c.sure = c.sure && word.Known
		if b.WriteByte(' '); word.Text == "" || strings.ContainsAny(word.Text, " \t") {
			b.WriteString(`"` + word.Text + `"`)
		} else {
			b.WriteString(word.Text)
		}
	}
	c.raw = b.String()
	return c
}
