package policy

import (
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

// everything are operands that stand for the whole tree.
var everything = []string{".", "./", ":/", "*", ":/*", ":(top)", "/"}

func gitLoses(c *looked) hit {
	words := gitWords(c.Words)
	if len(words) == 0 {
		return hit{}
	}
	sub, rest := words[0].Text, words[1:]
	all := func(a arguments) bool {
		return slices.ContainsFunc(a.operands, func(w command.Word) bool { return slices.Contains(everything, w.Text) })
	}
	switch sub {
	case "reset":
		if parse(rest, "U", "hard soft mixed merge keep patch quiet pathspec-from-file=").has("hard") {
			return denies("git reset --hard drops all changes that are not committed")
		}
	case "clean":
		if a := parse(rest, "e", "force dry-run quiet interactive exclude="); a.has("f", "force") && !a.has("n", "dry-run") {
			return denies("git clean -f removes files that git does not know")
		}
	case "checkout":
		switch a := parse(rest, "bBU", "force ours theirs conflict= orphan= patch track detach quiet progress merge pathspec-from-file="); {
		case a.has("f", "force"):
			return denies("git checkout -f drops changes that are not committed")
		case all(a) && !a.has("b", "B", "orphan"):
			return denies("git checkout of the whole tree drops changes that are not committed")
		}
	case "restore":
		a := parse(rest, "sU", "source= staged worktree patch quiet progress ours theirs merge conflict= ignore-unmerged ignore-skip-worktree-bits overlay pathspec-from-file=")
		if all(a) && (!a.has("S", "staged") || a.has("W", "worktree")) {
			return denies("git restore of the whole tree drops changes that are not committed")
		}
	case "switch":
		if parse(rest, "cC", "force discard-changes create= force-create= orphan= conflict=").has("f", "force", "discard-changes") {
			return asks("git switch --discard-changes drops changes that are not committed")
		}
	case "push":
		a := parse(rest, "o", "force mirror force-with-lease force-if-includes push-option= repo= receive-pack= exec=")
		if a.has("f", "force", "mirror") || slices.ContainsFunc(a.operands, func(w command.Word) bool { return strings.HasPrefix(w.Text, "+") }) {
			return asks("git push --force replaces what others have pushed")
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
