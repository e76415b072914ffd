package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// output is what a statement prints, if that is known: echo, printf or cat of something
// constant. stdin is what it reads.
func (w *walker) output(s *syntax.Stmt, stdin input) *string {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(call.Assigns) > 0 || s.Background || s.Negated || w.scope.functions || !w.scope.constant {
		return nil
	}
	for _, arg := range call.Args {
		if !simple(arg.Parts) {
			return nil
		}
	}
	for _, r := range s.Redirs {
		if r.Word != nil && !simple(r.Word.Parts) || r.Hdoc != nil && !simple(r.Hdoc.Parts) {
			return nil
		}
	}
	for _, r := range s.Redirs {
		if r.N != nil || r.Op != syntax.RdrIn && r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc && r.Op != syntax.WordHdoc {
			return nil
		}
	}
	if len(s.Redirs) == 0 && w.plainly(call.Args) && !slices.Contains(printers, call.Args[0].Lit()) {
		w.vars.used = true // as below
		return nil
	}
	// (It was walked as a statement; this is to look at it once more.)
	quiet := w.quiet()
	at := where{stdin: stdin}
	for _, r := range s.Redirs {
		quiet.redirect(r, &at)
	}
	var words []string
	for _, arg := range call.Args {
		for _, f := range quiet.fields(arg, at) {
			if !f.Known || f.home {
				return nil
			}
			words = append(words, f.Text)
		}
	}
	w.vars.used = true // echo is taken to be what it is
	if quiet.fault != nil || len(words) == 0 {
		return nil
	}
	w.budget = quiet.budget
	return printed(words, at.stdin)
}

// printers are the commands that printed knows.
var printers = []string{"echo", "printf", "cat"}

// plainly tells whether nothing is special in any of the words.
func (w *walker) plainly(words []*syntax.Word) bool {
	for _, word := range words {
		if _, ok := plainLiteral(word); !ok || w.d == bash && hasBraces(word) {
			return false
		}
	}
	return true
}

// quiet is a walker that leaves nothing behind.
func (w *walker) quiet() *walker {
	q := &walker{reader: &reader{script: &Script{}, budget: w.budget}, text: w.text, given: w.given, d: w.d, scope: w.scope}
	q.vars.values = w.vars.values
	return q
}

// quietly are the fields of a word that was walked before.
func (w *walker) quietly(word *syntax.Word) []Word {
	if !simple(word.Parts) {
		return nil
	}
	return w.quiet().fields(word, where{})
}

// simple tells whether there is nothing to walk in the parts of a word but variables.
func simple(parts []syntax.WordPart) bool {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			if !simple(p.Parts) {
				return false
			}
		case *syntax.ParamExp:
			if p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Excl {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// printed is what words print. Shells differ in what echo makes of backslashes and
// options.
func printed(words []string, stdin input) *string {
	args := words[1:]
	var text string
	switch words[0] {
	case "echo":
		end := "\n"
		if len(args) > 0 && args[0] == "-n" {
			args, end = args[1:], ""
		}
		if len(args) > 0 && strings.HasPrefix(args[0], "-") || slices.ContainsFunc(args, func(s string) bool { return strings.Contains(s, `\`) }) {
			return nil
		}
		text = strings.Join(args, " ") + end
	case "printf":
		if len(args) > 0 && args[0] == "--" {
			args = args[1:]
		}
		switch {
		case len(args) == 1 && !strings.HasPrefix(args[0], "-") && !strings.ContainsAny(strings.ReplaceAll(args[0], `\n`, ""), `\%`):
			text = strings.ReplaceAll(args[0], `\n`, "\n")
		case len(args) > 1 && args[0] == `%s\n`:
			text = strings.Join(args[1:], "\n") + "\n"
		case len(args) > 1 && args[0] == "%s":
			text = strings.Join(args[1:], "")
		default:
			return nil
		}
	case "cat":
		if len(args) > 0 && args[0] != "-" || len(args) > 1 || stdin.text == nil {
			return nil
		}
		text = *stdin.text
	default:
		return nil
	}
	return &text
}
