package policy

import (
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// gitConfig is a look at all of git's configuration, and at what passwords may be in.
func gitConfig(c *looked) hit {
	words := gitWords(c.Words)
	if len(words) == 0 || words[0].Text != "config" {
		return hit{}
	}
	a := parse(words[1:], "f", "list get get-all get-regexp get-urlmatch file= global local system add unset replace-all show-origin name-only type= default=")
	secret := func(key string) bool {
		key = strings.ToLower(key)
		return strings.HasSuffix(key, "extraheader") || strings.HasPrefix(key, "credential.") || strings.HasPrefix(key, "url.")
	}
	if w, found := a.value("f", "file"); found && !secretPath(w.Text) {
		return hit{} // .gitmodules, as may be
	}
	switch {
	case (a.has("l", "list") || len(a.operands) > 0 && a.operands[0].Text == "list") && !a.has("name-only"):
		return asks("git config --list shows all of the configuration")
	case a.has("get-regexp", "get-urlmatch") && len(a.operands) > 0 && !strings.HasPrefix(a.operands[0].Text, "^user") && secretPattern(a.operands[0].Text):
		return asks("git config shows %s", show(a.operands[0].Text))
	case len(a.operands) == 1 && secret(a.operands[0].Text) && !a.has("unset"):
		return asks("git config shows %s", show(a.operands[0].Text))
	case len(a.operands) == 2 && a.operands[0].Text == "get" && secret(a.operands[1].Text):
		return asks("git config shows %s", show(a.operands[1].Text))
	}
	return hit{}
}

// secretPattern tells whether a pattern for keys may match one with a password.
func secretPattern(s string) bool {
	s = strings.ToLower(s)
	return literals(s) < 3 || strings.Contains(s, "header") || strings.Contains(s, "credential") || strings.Contains(s, "http") || strings.Contains(s, "url")
}

// gitReads are the words of a git command that name files which it shows or keeps.
func gitReads(words []command.Word) []command.Word {
	words = gitWords(words)
	if len(words) == 0 {
		return nil
	}
	switch words[0].Text {
	case "add", "show", "whatchanged", "format-patch", "mv", "diff", "cat-file", "blame", "annotate", "archive", "apply", "stage", "hash-object", "difftool":
		a := parse(words[1:], "SGLOU", "stat name-only name-status dry-run numstat shortstat")
		if a.has("stat", "name-only", "name-status", "numstat", "shortstat", "n", "dry-run", "e") && words[0].Text != "show-branch" {
			return nil // nothing of it is shown
		}
		list := a.operands
		for _, o := range a.options {
			if o.value.Text != "" && !isSkipped(o.name) && o.name != "S" && o.name != "G" {
				list = append(list, o.value)
			}
		}
		return list
	case "grep":
		a := parse(words[1:], "efmABCO", "")
		if !a.has("e", "f") && len(a.operands) > 0 {
			return a.operands[1:]
		}
		return a.operands
	case "commit", "stash":
		a := parse(words[1:], "mFCct", "file= message= author= date= fixup= squash= reuse-message= template=")
		list := a.operands
		if w, found := a.value("F", "file"); found {
			list = append(list, w)
		}
		return list
	case "log":
		if a := parse(words[1:], "nSGLU", ""); a.has("p", "u", "U", "L", "patch") {
			list := a.operands
			if w, found := a.value("L"); found {
				list = append(list, w)
			}
			return list
		}
	}
	return nil
}
