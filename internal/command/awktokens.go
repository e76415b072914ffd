package command

import "strings"

// An awkKind is a kind of token.
type awkKind int

const (
	awkOperator awkKind = iota
	awkWord             // or something that is not known
	awkNumber
	awkString
	awkRegex
)

// An awkToken is one token of a program.
type awkToken struct {
	kind awkKind
	text string
}

// awkTokens are the tokens of a program, in which a NUL is something that is not known.
func awkTokens(s string) (tokens []awkToken) {
	brackets := true
	add := func(kind awkKind, text string) { tokens = append(tokens, awkToken{kind, text}) }
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\\': // and the line goes on
			i++
			if i < len(s) {
				i++
			}
		case c == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case c == '"':
			text, end := awkText(s, i+1)
			add(awkString, text)
			i = end
		case c == '/' && awkExpects(tokens):
			i = awkRegexEnd(s, i+1, &brackets)
			add(awkRegex, "")
		case letter(c) || c == 0 || c >= 0x80 || c == '.' && i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9':
			kind, from := awkWord, i
			if '0' <= c && c <= '9' || c == '.' {
				kind = awkNumber
			}
			for i < len(s) && (letter(s[i]) || s[i] == 0 || s[i] >= 0x80 || kind == awkNumber && s[i] == '.') {
				i++
			}
			add(kind, s[from:i])
		default:
			n := 1
			for _, op := range []string{"||", "&&", "|&", ">>", ">=", "<=", "==", "!=", "!~", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**"} {
				if strings.HasPrefix(s[i:], op) {
					n = 2
				}
			}
			add(awkOperator, s[i:i+n])
			i += n
		}
	}
	return tokens
}

// awkExpects tells whether a slash begins a regular expression here: where an operand is
// expected, and not an operator.
func awkExpects(tokens []awkToken) bool {
	if len(tokens) == 0 {
		return true
	}
	switch last := tokens[len(tokens)-1]; last.kind {
	case awkOperator:
		if last.text == ")" {
			return awkCondition(tokens)
		}
		return last.text != "]" && last.text != "++" && last.text != "--" && last.text != "$"
	case awkWord:
		switch last.text {
		case "print", "printf", "return", "in", "case", "else", "do", "BEGIN", "END":
			return true
		}
	}
	return false
}

// awkCondition tells whether the parenthesis that ends tokens is that of if, while or for, behind
// which a statement begins.
func awkCondition(tokens []awkToken) bool {
	depth := 0
	for i := len(tokens) - 1; i >= 0 && len(tokens)-i < 1000; i-- {
		switch {
		case tokens[i].kind != awkOperator:
		case tokens[i].text == ")":
			depth++
		case tokens[i].text == "(":
			if depth--; depth == 0 {
				return i > 0 && tokens[i-1].kind == awkWord && (tokens[i-1].text == "if" || tokens[i-1].text == "while" || tokens[i-1].text == "for")
			}
		}
	}
	return false
}

// awkText is a string that begins at i, and where what follows it begins.
func awkText(s string, i int) (text string, end int) {
	var b strings.Builder
	for ; i < len(s) && s[i] != '"'; i++ {
		c := s[i]
		if c == '\\' && i+1 < len(s) {
			i++
			switch c = s[i]; c {
			case '\n':
				continue
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'r':
				c = '\r'
			case 'a', 'b', 'f', 'v':
				c = ' '
			case '0', '1', '2', '3', '4', '5', '6', '7':
				n := 0
				from := i
				for ; i < len(s) && i < from+3 && '0' <= s[i] && s[i] <= '7'; i++ {
					n = n*8 + int(s[i]-'0')
				}
				i--
				c = byte(n)
			case 'x', 'u':
				c = 0 // some have those, others do not
			case '"', '\\', '/':
			default:
				b.WriteByte('\\')
			}
		}
		b.WriteByte(c)
	}
	return b.String(), i + 1
}

// awkRegexEnd is where what follows a regular expression begins. A slash in brackets does
// not end it, while there are brackets that end themselves.
func awkRegexEnd(s string, i int, brackets *bool) int {
	for i < len(s) && s[i] != '\n' {
		switch s[i] {
		case '/':
			return i + 1
		case '\\':
			i += 2
		case '[':
			i++
			if *brackets {
				end := bracketEnd(s, i)
				*brackets = end > 0
				i = max(i, end)
			}
		default:
			i++
		}
	}
	return min(i, len(s))
}
