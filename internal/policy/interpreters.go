package policy

import (
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// A language is one of which a program runs code that it is given.
type language struct {
	// code are the letters and long names of options whose value is code, modules those
	// behind which the words are the program's, and values those of other options that
	// have a value.
	code, modules, values string
	// digits are letters behind which digits may stand, and attached those whose value is
	// attached, if there is one.
	digits, attached string
	shell            bool // its language is that of a shell
}

// interpreters are those whose code is looked at, or that may be given some from afar.
var interpreters = func() map[string]language {
	m := map[string]language{
		"python": {code: "c", modules: "m", values: "WX"},
		"perl":   {code: "eE", values: "IMm", digits: "l0", attached: "iFxCD"},
		"ruby":   {code: "e", values: "ICEr", digits: "0", attached: "iFKTWx"},
		"node":   {code: "ep eval print", values: "rC require import loader conditions"},
		"php":    {code: "rBRE run", values: "cdzSt"},
		"lua":    {code: "e", values: "l"},
		"deno":   {code: "", values: ""},
		"bun":    {code: "ep eval print", values: ""},
		"sh":     {code: "c", values: "oO", shell: true},
		"pwsh":   {code: "c command", values: "file executionpolicy ep"},
		"iex":    {},
		"make":   {}, "gmake": {}, "parallel": {}, "at": {shell: true}, "batch": {shell: true}, "crontab": {}, "ts-node": {code: "ep"}, "tsx": {code: "e"}, "julia": {code: "eE"}, "R": {code: "e"},
		"eval":    {shell: true},
		"source":  {shell: true},
		"Rscript": {code: "e"}, "tclsh": {}, "guile": {code: "c"}, "osascript": {code: "e"},
	}
	for name, like := range map[string]string{
		"python2": "python", "python3": "python", "pypy": "python", "pypy3": "python", "nodejs": "node", "luajit": "lua", "php-cli": "php",
		"bash": "sh", "dash": "sh", "ash": "sh", "zsh": "sh", "ksh": "sh", "ksh93": "sh", "mksh": "sh", "fish": "sh", "rbash": "sh", "yash": "sh", "csh": "sh", "tcsh": "sh",
		"powershell": "pwsh", "invoke-expression": "iex", ".": "source",
	} {
		m[name] = m[like]
	}
	return m
}()

// stdinNames are names of the standard input.
var stdinNames = []string{"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}

// A reading is what an interpreter takes code from.
type reading struct {
	is    bool
	shell bool
	code  []command.Word // texts
	file  []command.Word // a file, the first of them, and its arguments
	stdin bool           // its standard input
	// startup are files that it reads before.
	startup []command.Word
}

// interprets says what code the invocation runs. Several rows ask.
func (c *looked) interprets() *reading {
	if !c.coded {
		c.code, c.coded = c.interpreted(), true
	}
	return &c.code
}

func (c *looked) interpreted() (r reading) {
	p, found := interpreters[c.base]
	if !found {
		rest, ok := strings.CutPrefix(c.base, "python")
		if !ok || strings.Trim(rest, "0123456789.") != "" || rest == "" {
			return r
		}
		p = interpreters["python"]
	}
	r = reading{is: true, shell: p.shell}
	words := c.Words[1:]
	switch c.base {
	case "eval":
		r.code = words
		return r
	case ".", "source":
		if len(words) > 0 {
			r.file, r.stdin = words, slices.Contains(stdinNames, words[0].Text)
		}
		return r
	case "make", "gmake":
		for j, w := range words[:max(0, len(words)-1)] {
			if w.Text == "-f" || w.Text == "--file" || w.Text == "--makefile" {
				r.file, r.stdin = words[j+1:], slices.Contains(stdinNames, words[j+1].Text)
			}
		}
		return r
	case "parallel", "at", "batch":
		r.stdin = len(words) == 0 || c.base != "parallel"
		return r
	case "crontab":
		r.stdin = len(words) > 0 && words[len(words)-1].Text == "-"
		return r
	case "iex", "invoke-expression":
		r.code, r.stdin = words, true
		return r
	}
	isOption := func(list, name string) bool {
		for f := range strings.FieldsSeq(list) {
			if f == name {
				return true
			}
		}
		first, _, _ := strings.Cut(list, " ")
		return len(name) == 1 && strings.Contains(first, name)
	}
	for i := 0; i < len(words); i++ {
		s := words[i].Text
		if p.shell && strings.HasPrefix(s, "+") && len(s) > 1 {
			continue
		}
		if slices.Contains(stdinNames, s) {
			r.stdin = true
			return r
		}
		if s == "--" && i+1 < len(words) {
			r.file = words[i+1:]
			return r
		}
		if len(s) < 2 || s[0] != '-' {
			if c.base == "deno" || c.base == "bun" {
				if s == "run" {
					continue
				}
			}
			r.file = words[i:]
			return r
		}
		long, isLong := strings.CutPrefix(s, "--")
		if c.base == "pwsh" || c.base == "powershell" {
			long, isLong = strings.ToLower(s[1:]), true
		}
		if isLong {
			name, text, attached := strings.Cut(long, "=")
			switch {
			case isOption(p.code, name):
				w := words[i]
				w.Text = text
				if !attached {
					w = command.Word{}
					if i+1 < len(words) {
						w = words[i+1]
					}
				}
				r.code = append(r.code, w)
				return r
			case p.shell && (name == "rcfile" || name == "init-file") && i+1 < len(words):
				i++
				r.startup = append(r.startup, words[i])
			case isOption(p.values, name) && !attached:
				i++
			}
			continue
		}
		for j := 1; j < len(s); j++ {
			letter := s[j : j+1]
			if isOption(p.modules, letter) {
				return r
			}
			takes := isOption(p.code, letter)
			if p.shell && letter == "s" {
				r.stdin = true
				return r
			}
			if strings.Contains(p.attached, letter) {
				break
			}
			for strings.Contains(p.digits, letter) && j+1 < len(s) && '0' <= s[j+1] && s[j+1] <= '9' {
				j++
			}
			if !takes && !isOption(p.values, letter) {
				continue
			}
			if p.shell && takes {
				// The text is the first word that is no option.
				for k := i + 1; k < len(words); k++ {
					if !strings.HasPrefix(words[k].Text, "-") {
						r.code = append(r.code, words[k])
						break
					}
				}
				return r
			}
			if takes && letter == "p" && j+1 < len(s) {
				continue // node -pe
			}
			w := words[i]
			w.Text = s[j+1:]
			if w.Text == "" && i+1 < len(words) {
				i++
				w = words[i]
			}
			if takes {
				r.code = append(r.code, w)
			}
			break
		}
		if len(r.code) > 0 {
			return r
		}
	}
	r.stdin = true
	return r
}

// isWord makes a test for words.
func isWord(texts ...string) func(command.Word) bool {
	return func(w command.Word) bool { return slices.Contains(texts, w.Text) }
}
