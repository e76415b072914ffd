package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// gitRows look for what git loses for good.
var gitRows = []row{{Destructive, []string{"git"}, gitLoses}}

// gitWords are the words of a git command from the name of the subcommand on, empty for none.
func gitWords(words []command.Word) []command.Word {
	words = words[1:]
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		n := 1
		switch words[0].Text {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--super-prefix", "--attr-source":
			n = 2
		}
		words = words[min(n, len(words)):]
	}
	return words
}

// whole tells whether an operand stands for the whole tree.
func whole(w command.Word) bool {
	s := w.Text
	if rest, ok := strings.CutPrefix(s, ":("); ok {
		_, s, _ = strings.Cut(rest, ")")
	}
	s = path.Clean(strings.TrimLeft(strings.TrimPrefix(s, ":/"), "/"))
	return slices.Contains([]string{".", "..", "*", "**", "**/*", "$PWD", "${PWD}"}, s)
}

func gitLoses(c *looked) hit {
	words := gitWords(c.Words)
	if len(words) == 0 {
		return hit{}
	}
	sub, rest := words[0].Text, words[1:]
	all := func(a arguments) bool {
		return slices.ContainsFunc(a.operands, whole) || len(a.operands) > 0 && !slices.ContainsFunc(a.operands, func(w command.Word) bool {
			return !strings.HasPrefix(w.Text, ":!") && !strings.HasPrefix(w.Text, ":^") && !strings.HasPrefix(w.Text, ":(exclude")
		})
	}
	switch sub {
	case "reset":
		if parse(rest, "U", "hard soft mixed merge keep patch quiet pathspec-from-file=").has("hard") {
			return denies("git reset --hard drops all changes that are not committed").instead("git stash keeps them, and git reset --keep does not touch them.")
		}
	case "clean":
		if a := parse(rest, "e", "force dry-run quiet interactive exclude="); (a.has("f", "force") || slices.ContainsFunc(c.Words, isWord("clean.requireForce=false"))) && !a.has("n", "dry-run") {
			return denies("git clean -f removes files that git does not know").instead("git clean -n shows what would go; remove single files by their names.")
		}
	case "checkout":
		switch a := parse(rest, "bBU", "force ours theirs conflict= orphan= patch track detach quiet progress merge pathspec-from-file="); {
		case a.has("f", "force"):
			return denies("git checkout -f drops changes that are not committed").instead("git stash keeps them.")
		case all(a) && !a.has("b", "B", "orphan"):
			return denies("git checkout of the whole tree drops changes that are not committed").instead("git stash keeps them; single files can be named.")
		}
	case "restore":
		a := parse(rest, "sU", "source= staged worktree patch quiet progress ours theirs merge conflict= ignore-unmerged ignore-skip-worktree-bits overlay pathspec-from-file=")
		if all(a) && (!a.has("S", "staged") || a.has("W", "worktree")) {
			return denies("git restore of the whole tree drops changes that are not committed").instead("git stash keeps them; single files can be named.")
		}
	case "switch":
		if parse(rest, "cC", "force discard-changes create= force-create= orphan= conflict=").has("f", "force", "discard-changes") {
			return denies("git switch --discard-changes drops changes that are not committed").instead("git stash keeps them.")
		}
	case "push":
		a := parse(rest, "o", "force mirror dry-run force-with-lease force-if-includes push-option= repo= receive-pack= exec=")
		if a.has("n", "dry-run") {
			return hit{}
		}
		if a.has("f", "force", "mirror") || slices.ContainsFunc(a.operands, func(w command.Word) bool { return strings.HasPrefix(w.Text, "+") }) {
			return asks("git push --force or --mirror replaces what others have pushed").instead("git push --force-with-lease does not, when somebody has.")
		}
	case "branch":
		if a := parse(rest, "u", "delete force"); a.has("D") || a.has("d", "delete") && a.has("f", "force") {
			return asks("git branch -D drops commits that are nowhere else")
		}
	case "stash":
		if len(rest) > 0 && (rest[0].Text == "drop" || rest[0].Text == "clear") {
			return asks("git stash %s drops changes", rest[0].Text)
		}
	case "rm":
		if a := parse(rest, "", "cached force quiet dry-run ignore-unmatch pathspec-from-file="); a.has("r") && !a.has("cached", "n", "dry-run") {
			return asks("git rm -r removes directories with all that is in them")
		}
	case "read-tree":
		if a := parse(rest, "", "reset prefix= index-output= empty"); a.has("reset") && a.has("u") {
			return denies("git read-tree -u --reset drops changes that are not committed")
		}
	case "worktree":
		if len(rest) > 0 && rest[0].Text == "remove" && parse(rest[1:], "", "force").has("f", "force") {
			return asks("git worktree remove -f removes a directory with changes in it")
		}
	case "filter-branch", "filter-repo":
		return asks("git %s rewrites all commits", sub)
	case "reflog":
		if len(rest) > 0 && (rest[0].Text == "expire" || rest[0].Text == "delete") {
			return asks("git reflog %s drops what commits can be had back with", rest[0].Text)
		}
	}
	return hit{}
}
