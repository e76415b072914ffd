package command

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// defines finds whatever may give another meaning to the name of a program.
var defines = regexp.MustCompile(`\(\s*\)|function|alias`)

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
// whether it prints parts of what it reads. cut holds the arguments of a cut behind it.
func (w *walker) numberSource(args []string, cut string, words []*syntax.Word) (numeric, filter bool) {
	options, operands := 0, 0
	for _, a := range args[1:] {
		if strings.HasPrefix(a, "-") && len(a) > 1 {
			options++
		} else {
			operands++
		}
	}
	has := func(option string) bool { return slices.Contains(args[1:], option) }
	switch args[0] {
	case "nproc":
		return true, false
	case "wc":
		// (With the name of a file it prints that, too.)
		for _, a := range args[1:] {
			if !slices.Contains([]string{"-l", "-w", "-c", "-m"}, a) {
				return false, false
			}
		}
		return true, false
	case "seq":
		for _, a := range words[1:] {
			if x := w.wordValue(a); x.unknown || x.letters || !strings.HasPrefix("0"+plainText(a), "0") || strings.HasPrefix(plainText(a), "-") {
				return false, false // (-f and -s print anything)
			}
		}
		return true, false
	case "date":
		if len(args) != 2 || !strings.HasPrefix(args[1], "+") {
			return false, false
		}
		format := args[1][1:]
		for _, spec := range []string{"%s", "%N", "%Y", "%m", "%d", "%H", "%M", "%S", "%j", "%u", "%V", "%y", "%-m", "%-d", "%-H", "%-M", "%-S", "%3N"} {
			format = strings.ReplaceAll(format, spec, "")
		}
		return strings.Trim(format, "0123456789 ") == "", false
	case "grep", "egrep", "fgrep":
		// Of one file, or of what it reads.
		if has("-r") || has("-R") || has("-H") || operands > 2 {
			return false, false
		}
		return has("-c") || has("-n") && fields(cut) == ": 1", false
	case "stat":
		return len(args) == 4 && args[1] == "-c" && slices.Contains([]string{"%s", "%Y", "%X", "%Z", "%i", "%h", "%u", "%g"}, args[2]), false
	case "id":
		return len(args) == 2 && (args[1] == "-u" || args[1] == "-g"), false
	case "du":
		return fields(cut) == "\t 1", false
	case "expr":
		return len(args) == 4 && slices.Contains([]string{"+", "-", "*", `\*`, "/", "%"}, args[2]), false
	case "getconf":
		return len(args) == 2 && strings.Contains(args[1], "NPROCESSORS"), false
	case "jobs":
		return len(args) == 2 && args[1] == "-p", false
	case "pgrep":
		return !has("-l") && !has("-a") && !has("-d"), false
	case "echo":
		for _, a := range words[1:] {
			if x := w.wordValue(a); x.unknown || x.letters {
				return false, false
			}
		}
		return true, false
	case "tr":
		return false, len(args) == 3 && args[1] == "-d"
	case "cut", "head", "tail", "sort", "uniq", "tac":
		return false, operands == 0 || args[0] != "sort" && operands == 1 && options > 0
	}
	return false, false
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
