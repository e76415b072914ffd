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
	shell                 bool // its language is that of a shell
}

// interpreters are those whose code is looked at, or that may be given some from afar.
var interpreters = func() map[string]language {
	m := map[string]language{
		"python":  {code: "c", modules: "m", values: "WX"},
		"perl":    {code: "eE", values: "IMmFilx0CD"},
		"ruby":    {code: "e", values: "ICEFKrTWx"},
		"node":    {code: "ep eval print", values: "rC require import loader conditions"},
		"php":     {code: "rBRE run", values: "cdzSt"},
		"lua":     {code: "e", values: "l"},
		"deno":    {code: "", values: ""},
		"bun":     {code: "ep eval print", values: ""},
		"sh":      {code: "c", values: "oO rcfile init-file", shell: true},
		"pwsh":    {code: "c command", values: "file executionpolicy ep"},
		"iex":     {},
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

// A reading is what an interpreter takes code from.
type reading struct {
	is    bool
	shell bool
	code  []command.Word // texts
	file  []command.Word // a file, the first of them, and its arguments
	stdin bool           // its standard input
}

// interprets says what code the invocation runs.
func (c *looked) interprets() (r reading) {
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
			r.file = words
		}
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
		if s == "-" || s == "/dev/stdin" || s == "/dev/fd/0" {
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
			w := words[i]
			w.Text = s[j+1:]
			if w.Text == "" && i+1 < len(words) && !slices.Contains([]string{"i", "l", "x", "0", "C", "D", "F", "T", "W", "K"}, letter) || w.Text == "" && takes && i+1 < len(words) {
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
