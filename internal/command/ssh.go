package command

import (
	"slices"
	"strings"
)

// sshOptions are those of ssh, which may stand behind the host, too.
var sshOptions = grammar{first: true, short: "B:b:c:D:E:e:F:I:i:J:L:l:m:O:o:p:P:Q:R:S:W:w:"}

// runSSH: what comes behind the host is joined to a text for the shell there.
func runSSH(w *walker, u *usage, at where) {
	w.sshSettings(u, at)
	if _, other := find(u.options, "N", "n", "f", "W", "s", "O", "G", "Q", "V"); len(u.operands) == 1 && !other {
		// The shell of the user there reads it.
		there := at
		there.place |= Indirect
		switch {
		case at.stdin.text != nil:
			there.stdin = input{given: true}
			w.shell("sh", *at.stdin.text, there)
		case at.stdin.given && !at.stdin.file:
			w.unknownText(u.name, nil, there)
		}
	}
	if len(u.operands) < 2 {
		return
	}
	// (After -- there are no more options.)
	host := slices.IndexFunc(u.words, func(word Word) bool { return word.Known && word.Text == "--" })
	if host < 0 || host > len(u.words)-len(u.operands) {
		u.options, u.operands = sshOptions.split(u.operands[1:])
		w.sshSettings(u, at)
	} else {
		u.operands = u.operands[1:]
	}
	if len(u.operands) == 0 {
		return
	}
	at.place |= Indirect
	w.remote(u.operands, at)
}

// runCopy is scp and sftp.
func runCopy(w *walker, u *usage, at where) { w.sshSettings(u, at) }

// remote walks words that are joined to a text for a shell in another place. Something in
// it that is not known is taken for an argument, or a part of one: it does not decide what
// runs unless it stands where the name of a command does.
func (w *walker) remote(words []Word, at where) {
	var parts []string
	for _, word := range words {
		part := word.Text
		if !word.home {
			part = word.masked()
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, " ")
	if list := strings.Fields(text); !slices.ContainsFunc(list, func(s string) bool { return !plainWord(s) }) {
		w.invoke(knownWords(list), nil, at) // which has all of the standard input
		return
	}
	if strings.HasPrefix(text, "\x00") {
		w.unknownText(at.via[len(at.via)-1], nil, at)
	}
	text = strings.ReplaceAll(text, "\x00", "${UNKNOWN}")
	w.shell("sh", text, at)
}

// sshSettings walks the settings that have something run.
func (w *walker) sshSettings(u *usage, at where) {
	for _, o := range u.options {
		if o.name != "o" {
			continue
		}
		s := strings.TrimLeft(o.value.prefix, " \t")
		end := strings.IndexAny(s, " \t=")
		if end < 0 {
			continue
		}
		value := ending(o.value, strings.TrimLeft(s[end:], " \t="))
		if value.Known && strings.EqualFold(value.Text, "none") {
			continue
		}
		switch strings.ToLower(s[:end]) {
		case "proxycommand", "localcommand", "knownhostscommand":
			w.toldText(u.name+" -o "+s[:end], value, at)
		case "remotecommand":
			there := at
			there.place |= Indirect
			w.remote([]Word{value}, there)
		case "xauthlocation":
			w.toldWords(value, at)
		case "pkcs11provider", "securitykeyprovider", "smartcarddevice":
			w.dynamic("what "+u.name+" runs depends on the library that "+s[:end]+" names", useOptionless, at)
		}
	}
}

// runRsync: the program on the other side is started by the shell there.
func runRsync(w *walker, u *usage, at where) {
	for _, o := range u.options {
		if o.name == "rsync-path" {
			w.remote([]Word{o.value}, told(at))
		}
	}
}

// runVagrant: -c is a text for the shell of the machine.
func runVagrant(w *walker, u *usage, at where) {
	if text, found := find(u.options, "c", "command"); found {
		at.place |= Indirect
		w.remote([]Word{text}, at)
	}
}
