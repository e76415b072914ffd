package command

import "strings"

// plain tells whether text is read in the same way by all shells, for certain, so that one
// reading is enough. That is a matter of the letters: what is not known to be the same in
// the grammars of dash and bash is taken to be different.
func plain(text string) bool {
	before := byte('\n')
	for i := 0; i < len(text); i++ {
		c := text[i]
		next := byte('\n')
		if i+1 < len(text) {
			next = text[i+1]
		}
		switch c {
		case '\'', '"', ' ', '\t', '\n', '-', '.', '/', ':', ',', '@', '%', '#', '*', '?', '~', '^', ')', '}':
		case '=':
			if next == '(' || before == '+' || before == ']' {
				return false
			}
		case '+':
			if next == '(' {
				return false
			}
		case '$':
			// $name and $(…
			if !letter(next) && next != '(' {
				return false
			}
		case '(':
			// A subshell or a substitution, no arithmetic and no function.
			if strings.IndexByte(" \t\n;$", before) < 0 || next == '(' || next == ')' {
				return false
			}
		case '|':
			if next == '&' {
				return false
			}
		case '&':
			if next == '>' || before == ';' || before == '>' && next != '1' && next != '2' || before == '<' {
				return false
			}
		case ';':
			if next == '&' {
				return false
			}
		case '<':
			if next == '(' || next == '<' || next == '&' || next == '>' {
				return false
			}
		case '>':
			if next == '(' {
				return false
			}
		case '[':
			// [ alone, the command.
			if before != ' ' && before != '\n' && before != '\t' || next != ' ' {
				return false
			}
		case ']':
			if before != ' ' {
				return false
			}
		case '!':
			if next != ' ' && next != '=' {
				return false
			}
		default:
			if !letter(c) {
				return false
			}
			// A word: some are keywords of bash only.
			j := i + 1
			for j < len(text) && letter(text[j]) {
				j++
			}
			switch text[i:j] {
			case "function", "select", "coproc", "time", "let", "declare", "typeset", "local", "export", "readonly", "nameref", "alias", "builtin":
				return false
			}
			i = j - 1
		}
		before = text[i]
	}
	return true
}
