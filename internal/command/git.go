package command

import (
	"slices"
	"strings"
)

// gitCommands are the commands of git that run others, or write a file, by an option. A
// value that begins with ext:: is asked for everywhere.
var gitCommands map[string]program

func init() {
	transport := grammar{long: "upload-pack= exec= depth= shallow-since= server-option= filter= refmap= jobs= negotiation-tip= strategy=", short: "j:o:X:s:"}
	fetches := program{grammar: transport, text: "upload-pack exec", run: runGitRemote}
	pushes := program{grammar: grammar{short: "o:", long: "receive-pack= exec= push-option= repo="}, text: "receive-pack exec", run: runGitRemote}
	diffs := program{grammar: grammar{short: "S:G:L:O:n:U:M::C::B::l:", long: "output-indicator-new= output-indicator-old= output-indicator-context= output="}, writes: "output"}
	remote := program{run: runGitRemote}
	gitCommands = map[string]program{
		"grep":          {grammar: grammar{short: "O::e:f:A:B:C:m:", long: "open-files-in-pager[=]"}, run: runGitGrep},
		"fetch":         fetches,
		"pull":          fetches,
		"ls-remote":     fetches,
		"fetch-pack":    fetches,
		"clone-pack":    fetches,
		"clone":         {grammar: grammar{short: "u:b:o:j:c:", long: "upload-pack= template= config= origin= branch= depth= reference= reference-if-able= separate-git-dir= jobs= filter= server-option= shallow-since= shallow-exclude= revision= bundle-uri= ref-format="}, text: "u upload-pack", run: runGitClone},
		"init":          {grammar: grammar{short: "b:", long: "template= separate-git-dir= initial-branch= object-format= ref-format="}, run: runGitClone},
		"push":          pushes,
		"send-pack":     pushes,
		"archive":       {grammar: grammar{short: "o:", long: "exec= output= remote= format= prefix= add-file= add-virtual-file= mtime="}, text: "exec", writes: "o output", run: runGitRemote},
		"rebase":        {grammar: grammar{short: "x:s:X:C:S::", long: "exec= onto= strategy= strategy-option= empty= gpg-sign[=] rebase-merges[=] whitespace="}, text: "x exec"},
		"bisect":        {subs: map[string]program{"run": {command: true}}},
		"submodule":     {subs: map[string]program{"foreach": {grammar: grammar{first: true}, run: runGitForeach}, "add": remote}},
		"remote":        {subs: map[string]program{"add": remote, "set-url": remote}},
		"filter-branch": {grammar: grammar{exact: true, long: "setup= env-filter= tree-filter= index-filter= parent-filter= msg-filter= commit-filter= tag-name-filter= subdirectory-filter= original= state-branch="}, text: "setup env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter"},
		"difftool":      {grammar: grammar{short: "x:t:", long: "extcmd= tool="}, text: "x extcmd"},
		"send-email":    {grammar: grammar{long: "sendmail-cmd= to-cmd= cc-cmd= header-cmd= to= cc= bcc= from= subject= smtp-server= smtp-user="}, text: "sendmail-cmd to-cmd cc-cmd header-cmd", run: runGitSendEmail},
		"config":        {grammar: grammar{short: "f:t:", long: "file= blob= type= default= comment= value= url="}, run: runGitConfig},
	}
	for _, name := range []string{"diff", "log", "show", "diff-tree", "diff-index", "diff-files", "whatchanged", "format-patch"} {
		gitCommands[name] = diffs
	}
}

// runGit: options before the command set what is configured, and the command has options of
// its own.
func runGit(w *walker, u *usage, at where) {
	words := u.words
	paged, pager := false, slices.ContainsFunc(u.assigns, func(a Assign) bool { return (a.Name == "PAGER" || a.Name == "GIT_PAGER") && a.Value.Known })
	for len(words) > 0 {
		word := words[0]
		s := word.prefix
		if !word.Known && !word.One && s == "" {
			words = words[1:] // options, it may be
			continue
		}
		if s == "" || s[0] != '-' {
			break
		}
		words = words[1:]
		name, text, attached := strings.Cut(s, "=")
		value := ending(word, text)
		switch name {
		case "-c", "--config-env", "-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source":
			if !attached {
				if len(words) == 0 {
					return
				}
				value, words = words[0], words[1:]
			}
		}
		switch name {
		case "-c":
			w.gitSetting(u.name+" -c", value, at)
			key, _, found := strings.Cut(value.prefix, "=")
			pager = pager || found && value.Known && strings.EqualFold(key, "core.pager")
		case "--config-env":
			key, _, found := strings.Cut(value.prefix, "=")
			if _, runs := gitKey(key); runs && found {
				w.dynamic("what git runs depends on the variable that --config-env takes "+show(key)+" from", "Leave it out.", at)
			}
		case "--exec-path":
			if attached {
				w.dynamic("git --exec-path says where the programs are that git runs", "Leave it out.", at)
			}
		case "-p", "--paginate":
			paged = true
		case "-P", "--no-pager":
			paged = false
		}
	}
	if paged && !pager {
		w.dynamic("git -p runs the pager that is configured", "Leave it out, or use GIT_PAGER=cat.", at)
	}
	if len(words) == 0 || !words[0].Known {
		return
	}
	if sub, found := gitCommands[words[0].Text]; found {
		u.name, u.words = u.name+" "+words[0].Text, words[1:]
		sub.look(w, u, at)
	}
}

// runGitRemote: an address may be a command.
func runGitRemote(w *walker, u *usage, at where) {
	for _, word := range u.operands {
		// (On the other end of a remote that has a name, there is what is configured.)
		if strings.HasPrefix(word.prefix, "ext::") {
			w.dynamic("what "+u.name+" runs depends on the address "+show(word.Text), "Use another one: https://, ssh:// or a path.", at)
			return
		}
	}
}

func runGitClone(w *walker, u *usage, at where) {
	for _, o := range u.options {
		switch o.name {
		case "template":
			if !o.value.Known || o.value.Text != "" {
				w.dynamic("what git runs depends on the hooks in the template "+show(o.value.Text), "Leave it out.", at)
			}
		case "c", "config":
			w.gitSetting(u.name+" -c", o.value, at)
		}
	}
	runGitRemote(w, u, at)
}

// runGitGrep: the pager is run with the files that were found.
func runGitGrep(w *walker, u *usage, at where) {
	for _, o := range u.options {
		if o.name != "O" && o.name != "open-files-in-pager" {
			continue
		}
		if o.bare() {
			w.dynamic("git grep -O runs the pager that is configured", "Leave it out.", at)
		} else {
			w.toldText("git grep -O", o.value, at)
		}
	}
}

// runGitForeach: one word is shell text; of more the first one is, and the others are its
// arguments.
func runGitForeach(w *walker, u *usage, at where) {
	words := u.operands
	for len(words) > 0 && words[0].Known && strings.HasPrefix(words[0].Text, "--") {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	if len(words) > 1 && words[0].Known && plainWord(words[0].Text) {
		w.invoke(words, nil, told(at))
		return
	}
	w.toldText(u.name, words[0], at)
}

func runGitSendEmail(w *walker, u *usage, at where) {
	if server, found := find(u.options, "smtp-server"); found && strings.HasPrefix(server.prefix, "/") {
		w.toldWords(server, at) // a program, and no host
	}
}

// runGitConfig: what is configured may be run by every git command that follows.
func runGitConfig(w *walker, u *usage, at where) {
	operands := u.operands
	if len(operands) == 0 {
		return
	}
	for _, o := range u.options {
		if lists("get get-all get-regexp get-urlmatch get-color get-colorbool unset unset-all list l edit e rename-section remove-section", o.name) {
			return
		}
	}
	switch operands[0].Text {
	case "set":
		operands = operands[1:]
	case "get", "list", "unset", "edit", "rename-section", "remove-section":
		return
	}
	if len(operands) > 1 {
		w.gitConfigured(u.name, operands[0], operands[1], at)
	}
}
