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
	if !ok || len(call.Args) == 0 || len(call.Assigns) > 0 || s.Background || s.Negated || w.defined["echo"] || w.defined["printf"] || w.defined["cat"] {
		return nil
	}
	// (It was walked as a statement; this is to look at it once more.)
	quiet := &walker{reader: &reader{script: &Script{Sets: map[string]bool{}}, budget: w.budget, read: map[string]innerText{}}, text: w.text, given: w.given, d: w.d, functions: map[string]bool{}, defined: map[string]bool{}}
	quiet.vars = variables{values: w.vars.values}
	at := where{stdin: stdin}
	for _, r := range s.Redirs {
		if r.N == nil && (r.Op == syntax.RdrIn || r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc || r.Op == syntax.WordHdoc) {
			quiet.redirect(r, &at)
			continue
		}
		return nil
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
	w.vars.used = w.vars.used || quiet.vars.used
	if quiet.fault != nil || len(words) == 0 {
		return nil
	}
	w.budget = quiet.budget
	return printed(words, at.stdin)
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
