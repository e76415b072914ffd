package policy

import (
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// dumpsEnvironment is a command that prints all variables.
func dumpsEnvironment(c *looked) hit {
	words := c.Words[1:]
	a := parse(words, "uCSa", "")
	if c.Place&command.Indirect != 0 || !c.system() || slices.ContainsFunc(c.Redirects, func(r command.Redirect) bool { return r.Op == ">" && r.To.Text == "/dev/null" }) {
		return hit{} // of another machine, or not shown
	}
	switch c.base {
	case "ps":
		if len(words) == 0 || strings.HasPrefix(words[0].Text, "-") || !strings.Contains(words[0].Text, "e") {
			return hit{}
		}
		return asks("ps e prints the whole environment").instead("ps aux shows no variables.")
	case "jq", "gojq":
		if !slices.ContainsFunc(c.shownWords(words), isWord("env", "$ENV")) {
			return hit{}
		}
	case "printenv":
		if len(a.operands) > 0 || a.has("help", "version") {
			return hit{}
		}
	case "env":
		// Of what it is given, assignments are no command.
		for _, w := range a.operands {
			if !strings.Contains(w.Text, "=") {
				return hit{}
			}
		}
		if a.has("help", "version", "i", "S", "split-string", "ignore-environment") || slices.ContainsFunc(words, isWord("-")) {
			return hit{}
		}
	case "set":
		if len(words) > 0 {
			return hit{}
		}
	default:
		if len(a.operands) > 0 || len(words) > 0 && !a.has("p", "x") {
			return hit{}
		}
	}
	return asks("%s prints the whole environment", c.base).instead("printenv NAME prints one variable.")
}
