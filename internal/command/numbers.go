package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// defines tells whether there is anything in text that may give another meaning to the name
// of a program: function, alias, or a pair of parentheses.
func defines(text string) bool {
	if strings.Contains(text, "\\\n") {
		text = strings.ReplaceAll(text, "\\\n", "")
	}
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "(")
		if !found {
			break
		}
		rest = strings.TrimLeft(after, " \t\n\f\r")
		if strings.HasPrefix(rest, ")") {
			return true
		}
	}
	return strings.Contains(text, "function") || strings.Contains(text, "alias")
}

// printsNumbers tells whether a substitution can print nothing but numbers: a program
// that does, and behind it others that leave parts out.
func (w *walker) printsNumbers(c *syntax.CmdSubst) bool {
	if len(c.Stmts) != 1 || w.scope.functions || !w.scope.constant {
		return false
	}
	s := c.Stmts[0]
	cut := ""
	for {
		last := s
		b, piped := s.Cmd.(*syntax.BinaryCmd)
		if piped {
			if b.Op != syntax.Pipe {
				return false
			}
			last = b.Y
		}
		call, ok := last.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return false
		}
		var args []string // empty for what is not known
		for _, a := range call.Args {
			args = append(args, plainText(a))
		}
		if numeric, filter := w.numberSource(args, cut, call.Args); numeric {
			w.vars.used = true // the programs are taken to be what they are
			return true
		} else if !filter || !piped {
			return false
		}
		if args[0] == "cut" {
			cut = strings.Join(args[1:], " ")
		}
		s = b.X
	}
}

// plainText is the text of a word of literals and quotes, empty for another one.
func plainText(word *syntax.Word) string {
	var b strings.Builder
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					return ""
				}
				b.WriteString(lit.Value)
			}
		default:
			return ""
		}
	}
	return b.String()
}

// numberSource says of the words of a command whether it prints numbers alone, and
// whether it prints parts of what it reads. cut holds the arguments of a cut behind it. What
// is not one of a few plain forms does neither.
func (w *walker) numberSource(args []string, cut string, words []*syntax.Word) (numeric, filter bool) {
	all := strings.Join(args[1:], " ")
	switch args[0] {
	case "nproc":
		return all == "", false
	case "wc":
		// (With the name of a file it prints that, too.)
		return matches(`^(-[lwcm]( |$))*$`, all), false
	case "seq", "expr":
		if args[0] == "expr" && (len(args) != 4 || !slices.Contains([]string{"+", "-", "*", `\*`, "/", "%"}, args[2])) {
			return false, false
		}
		for i, word := range words[1:] {
			if args[0] == "expr" && i == 1 || matches(`^[0-9]+$`, args[i+1]) {
				continue
			}
			// A variable that holds a number.
			x := w.wordValue(word)
			if x.unknown || x.letters || len(x.names) != 1 || len(word.Parts) != 1 {
				return false, false
			}
			w.vars.needed = append(w.vars.needed, use{name: x.names[0], number: true})
		}
		return len(words) > 1, false
	case "echo":
		return matches(`^[0-9 ]+$`, all) && !slices.Contains(args, ""), false
	case "date":
		return len(args) == 2 && matches(`^\+(%-?[sYmdHMSjuVy]|%[0-9]?N|[0-9 ])*$`, args[1]), false
	case "grep", "egrep", "fgrep":
		// Of one file, or of what it reads.
		options, operands := "", 0
		for i, a := range args[1:] {
			switch {
			case operands == 0 && matches(`^-[ciwvEFxn]+$`, a):
				options += a
			case oneWord(words[i+1]) && !strings.HasPrefix(a, "-"):
				operands++
			default:
				return false, false
			}
		}
		if operands == 0 || operands > 2 || strings.HasPrefix(all, "-") && options == "" {
			return false, false
		}
		return strings.Contains(options, "c") || strings.Contains(options, "n") && fields(cut) == ": 1", false
	case "stat":
		return len(args) == 4 && args[1] == "-c" && matches(`^%[sYXZihug]$`, args[2]), false
	case "id":
		return all == "-u" || all == "-g", false
	case "du":
		return fields(cut) == "\t 1" && matches(`^-[hkmb]*s[hkmb]*( [A-Za-z0-9_./]+)+$`, all), false
	case "getconf":
		return matches(`^_?NPROCESSORS_(ONLN|CONF)$`, all), false
	case "jobs":
		return all == "-p", false
	case "pgrep":
		return matches(`^(-[cfxno] )*[A-Za-z0-9_.]+$`, all), false
	case "tr":
		return false, len(args) == 3 && args[1] == "-d"
	case "cut":
		return false, matches(`^(-d ?.? ?|-f ?[0-9,-]+ ?)+$`, all)
	case "head", "tail":
		return false, matches(`^(-n ?)?[-+]?[0-9]*$`, all) || matches(`^-[0-9]+$`, all)
	case "sort":
		return false, matches(`^(-[nru]+)?$`, all)
	case "uniq", "tac":
		return false, all == ""
	}
	return false, false
}

// matches tells whether s is of a form.
func matches(form, s string) bool {
	re, found := forms.Load(form)
	if !found {
		re, _ = forms.LoadOrStore(form, regexp.MustCompile(form))
	}
	return re.(*regexp.Regexp).MatchString(s)
}

// forms are those of matches, compiled.
var forms sync.Map

// oneWord tells whether a word is one word for certain.
func oneWord(word *syntax.Word) bool {
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[{~") {
				return false
			}
		case *syntax.SglQuoted:
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if x, ok := q.(*syntax.ParamExp); ok && list(x) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// fields is the delimiter and the field of the arguments of a cut.
func fields(cut string) string {
	switch cut {
	case "-d: -f1", "-d : -f 1", "-f1 -d:", "-d: -f 1":
		return ": 1"
	case "-f1", "-f 1":
		return "\t 1"
	}
	return ""
}
