package command

import "strings"

// A gitValue is what git makes of the value of a key.
type gitValue int

const (
	gitText     gitValue = iota + 1 // shell text
	gitPath                         // a program
	gitSwitch                       // shell text, or yes or no
	gitBang                         // shell text if it begins with an exclamation mark
	gitAlias                        // the same, or words for git
	gitHelper                       // the same, or a path, or the rest of the name of a program
	gitRemote                       // the rest of the name of a program
	gitServer                       // a path, or the name of a host
	gitProxy                        // a program, and for which hosts
	gitAddress                      // an address
	gitFile                         // a file or directory that says what runs
	gitProtocol                     // whether addresses may be commands
)

// gitKeys are the keys of git that have something run, in small letters. A star stands for
// what is between the first dot and the last.
var gitKeys = map[string]gitValue{
	"core.pager": gitText, "core.editor": gitText, "core.sshcommand": gitText, "core.askpass": gitPath, "core.fsmonitor": gitSwitch,
	"core.gitproxy": gitProxy, "core.hookspath": gitFile, "core.alternaterefscommand": gitText, "sequence.editor": gitText,
	"alias.*": gitAlias, "pager.*": gitSwitch, "credential.helper": gitHelper, "credential.*.helper": gitHelper,
	"diff.external": gitText, "diff.*.command": gitText, "diff.*.textconv": gitText, "filter.*.clean": gitText, "filter.*.smudge": gitText, "filter.*.process": gitText,
	"merge.*.driver": gitText, "mergetool.*.cmd": gitText, "mergetool.*.path": gitPath, "difftool.*.cmd": gitText, "difftool.*.path": gitPath,
	"browser.*.cmd": gitText, "browser.*.path": gitPath, "man.*.cmd": gitText, "man.*.path": gitPath, "guitool.*.cmd": gitText, "hook.*.command": gitText,
	"gpg.program": gitPath, "gpg.*.program": gitPath, "gpg.*.defaultkeycommand": gitText, "uploadpack.packobjectshook": gitText,
	"remote.*.uploadpack": gitText, "remote.*.receivepack": gitText, "remote.*.vcs": gitRemote, "remote.*.url": gitAddress, "remote.*.pushurl": gitAddress, "url.*.insteadof": gitAddress,
	"sendemail.sendmailcmd": gitText, "sendemail.tocmd": gitText, "sendemail.cccmd": gitText, "sendemail.headercmd": gitText, "sendemail.smtpserver": gitServer,
	"sendemail.*.sendmailcmd": gitText, "sendemail.*.tocmd": gitText, "sendemail.*.cccmd": gitText, "sendemail.*.headercmd": gitText, "sendemail.*.smtpserver": gitServer,
	"trailer.*.command": gitText, "trailer.*.cmd": gitText, "submodule.*.update": gitBang, "tar.*.command": gitText, "imap.tunnel": gitText,
	"web.browser": gitPath, "instaweb.httpd": gitText, "instaweb.browser": gitPath, "interactive.difffilter": gitText,
	"include.path": gitFile, "includeif.*.path": gitFile, "init.templatedir": gitFile, "protocol.allow": gitProtocol, "protocol.ext.allow": gitProtocol,
}

// gitKey tells what git makes of the value of a key, if that has something run.
func gitKey(key string) (gitValue, bool) {
	section, rest, _ := strings.Cut(strings.ToLower(key), ".")
	kind, found := gitKeys[section+"."+rest]
	if found || rest == "" {
		return kind, found
	}
	if i := strings.LastIndexByte(rest, '.'); i >= 0 {
		if kind, found = gitKeys[section+".*"+rest[i:]]; found {
			return kind, true
		}
	}
	kind, found = gitKeys[section+".*"]
	return kind, found
}

// gitSetting walks a key=value.
func (w *walker) gitSetting(who string, setting Word, at where) {
	if key, text, found := strings.Cut(setting.prefix, "="); found {
		w.gitConfigured(who, known(key), ending(setting, text), at)
	}
}

// gitConfigured walks what git runs since a key has a value.
func (w *walker) gitConfigured(who string, key, value Word, at where) {
	kind, runs := gitKey(key.Text)
	if !key.Known || !runs || value.Known && value.Text == "" {
		return
	}
	if plainWord(key.Text) && len(key.Text) < 80 {
		who += " " + key.Text
	} else {
		who += " " + show(key.Text)
	}
	text, bang := strings.CutPrefix(value.prefix, "!")
	switch kind {
	case gitText:
		w.toldText(who, value, at)
	case gitPath:
		w.invoke([]Word{value}, nil, told(at))
	case gitSwitch:
		switch strings.ToLower(value.Text) {
		case "true", "false", "yes", "no", "on", "off", "0", "1":
		default:
			w.toldText(who, value, at)
		}
	case gitProxy:
		program, _, _ := strings.Cut(value.Text, " for ")
		if value.Known {
			value = known(program)
		}
		w.toldText(who, value, at)
	case gitFile, gitProtocol, gitAddress:
		w.gitElsewhere(who, kind, value, at)
	case gitServer:
		if strings.HasPrefix(value.prefix, "/") {
			w.toldWords(value, at)
		}
	case gitRemote:
		w.gitHelper("git-remote-", value, at)
	default: // where there may be an exclamation mark
		switch {
		case bang:
			w.toldText(who, ending(value, text), at)
		case kind == gitAlias:
			if value.Known || value.prefix != "" {
				w.invoke(append([]Word{known("git")}, spaced(value)...), nil, told(at))
				return
			}
			w.toldText(who, value, at)
		case kind == gitHelper:
			w.gitHelper("git-credential-", value, at)
		case !value.Known && value.prefix == "":
			w.toldText(who, value, at)
		}
	}
}

// gitElsewhere says that what git runs is written somewhere else.
func (w *walker) gitElsewhere(who string, kind gitValue, value Word, at where) {
	switch {
	case kind == gitFile && value.Known && value.Text == "/dev/null": // nothing at all
	case kind == gitProtocol && value.Known && (value.Text == "never" || value.Text == "user"):
	case kind == gitAddress && !strings.HasPrefix(value.prefix, "ext::"):
	default:
		w.dynamic("what git runs depends on what "+who+" is set to", "Leave it out.", at)
	}
}

// gitHelpers are those of git itself that keep passwords, which run nothing.
const gitHelpers = "store cache osxkeychain manager manager-core wincred libsecret gnome-keyring"

// gitHelper walks a helper of which git knows the path, or the end of the name.
func (w *walker) gitHelper(prefix string, value Word, at where) {
	words := spaced(value)
	if len(words) == 0 || words[0].Known && lists(gitHelpers, words[0].Text) {
		return
	}
	switch name := words[0]; {
	case strings.HasPrefix(name.prefix, "/"):
	case name.Known:
		words[0] = known(prefix + name.Text)
	}
	w.invoke(words, nil, told(at))
}
