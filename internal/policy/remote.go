package policy

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// remoteRows look for code that comes from the network, or that was encoded, and is run.
var remoteRows = []row{
	{RemoteScript, nil, runsRemote},
	{RemoteScript, nil, runsDownloaded},
}

// fetchers bring something from the network.
var fetchers = setOf("curl", "wget", "fetch", "aria2c", "http", "https", "xh", "lynx", "w3m", "links", "scp", "sftp", "ftp", "tftp", "nc", "ncat", "netcat", "socat", "telnet",
	"iwr", "irm", "invoke-webrequest", "invoke-restmethod", "start-bitstransfer")

// decoders are programs that decode something when they are told to.
var decoders = setOf("base64", "base32", "basenc", "xxd", "openssl", "gpg", "gpg2", "age", "gunzip", "zcat", "gzcat", "bunzip2", "bzcat", "unxz", "xzcat", "zstdcat", "unzstd", "uudecode",
	"unlzma", "lzcat", "gzip", "bzip2", "xz", "zstd", "lzma", "tar", "bsdtar", "gtar", "unzip", "7z", "printf", "echo", "certutil")

func setOf(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, name := range names {
		m[name] = true
	}
	return m
}

// fetches tells whether an invocation brings something from the network, or decodes it, and
// from where.
func fetches(inv *command.Invocation) string {
	if len(inv.Words) == 0 {
		return ""
	}
	name := strings.TrimSuffix(strings.ToLower(path.Base(inv.Words[0].Text)), ".exe")
	if fetchers[name] {
		return "the network"
	}
	if !decoders[name] {
		return ""
	}
	long := "decompress stdout"
	if strings.HasPrefix(name, "base") {
		long = "decode"
	}
	a := parse(inv.Words[1:], "w", long)
	decodes := false
	switch name {
	case "base64", "base32", "basenc":
		decodes = a.has("d", "D", "decode")
	case "xxd":
		decodes = a.has("r")
	case "openssl":
		decodes = len(inv.Words) > 1 && slices.ContainsFunc(inv.Words[2:], isWord("-d")) && (slices.Contains([]string{"enc", "base64"}, inv.Words[1].Text) || strings.Contains(inv.Words[1].Text, "-"))
	case "gpg", "gpg2", "age":
		decodes = a.has("d", "decrypt")
	case "gunzip", "zcat", "gzcat", "bunzip2", "bzcat", "unxz", "xzcat", "zstdcat", "unzstd", "uudecode", "unlzma", "lzcat":
		decodes = true
	case "gzip", "bzip2", "xz", "zstd", "lzma":
		decodes = a.has("d", "decompress")
	case "tar", "bsdtar", "gtar":
		decodes = a.has("O", "to-stdout") || len(a.operands) > 0 && len(inv.Words) > 1 && inv.Words[1].Text[:min(1, len(inv.Words[1].Text))] != "-" && strings.Contains(a.operands[0].Text, "O")
	case "unzip", "7z":
		decodes = a.has("p", "so")
	case "printf", "echo":
		decodes = slices.ContainsFunc(inv.Words[1:], func(w command.Word) bool {
			return strings.Contains(w.Text, `\x`) || strings.Contains(w.Text, `\0`) || strings.Contains(w.Text, `\1`)
		})
	case "certutil":
		decodes = slices.ContainsFunc(inv.Words[1:], isWord("-decode", "-urlcache"))
	}
	if decodes {
		return "a decoder"
	}
	return ""
}

// left is where what the invocation reads from its pipes comes from, empty for neither the
// network nor a decoder.
func (c *looked) left() string {
	if len(c.Pipes) == 0 {
		return ""
	}
	c.facts.find()
	for _, source := range c.facts.sources {
		for _, q := range source.pipes {
			if slices.ContainsFunc(c.Pipes, func(p command.Stage) bool { return p.Pipeline == q.Pipeline && q.Stage < p.Stage }) {
				return source.from
			}
		}
	}
	return ""
}

// from is where a word comes from, in the same way.
func (c *looked) from(w command.Word) string {
	if len(w.From) == 0 {
		return ""
	}
	c.facts.find()
	for _, source := range c.facts.sources {
		if slices.Contains(w.From, source.name) {
			return source.from
		}
	}
	return ""
}

// runsRemote is an interpreter, or a shell, that is given code from afar in the same line.
func runsRemote(c *looked) hit {
	if len(c.Words) == 0 {
		return hit{}
	}
	runs := func(who, from string) hit {
		if from == "" {
			return hit{}
		}
		return denies("%s runs what comes from %s", who, from)
	}
	if h := runs("it", c.from(c.Words[0])); h.what != "" {
		return h
	}
	if !c.Words[0].Known && c.Place&command.Possible == 0 {
		return c.runsUnknown()
	}
	if fetches(c.Invocation) != "" {
		for _, red := range c.Redirects {
			for _, name := range red.To.From { // > >(bash)
				if _, is := interpreters[name]; is {
					return runs(name, fetches(c.Invocation))
				}
			}
		}
	}
	r := *c.interprets()
	switch c.base {
	case "su", "runuser", "trap":
		r.is, r.code = true, c.Words[1:]
	case "pwsh", "powershell":
		for _, w := range c.Words[1:] {
			if s := strings.ToLower(w.Text); len(s) > 1 && s[0] == '-' && (strings.HasPrefix("encodedcommand", s[1:]) || s == "-ec") {
				return denies("%s runs what is encoded", c.base)
			}
		}
	}
	if !r.is {
		return hit{}
	}
	for _, w := range slices.Concat(r.code, r.file[:min(1, len(r.file))], r.startup) {
		if h := runs(c.base, c.from(w)); h.what != "" && !(r.shell && argument(w)) {
			return h
		}
		// What xargs or read makes of a pipe is not known, and comes from there.
		if len(r.code) > 0 && (!w.Known || !r.shell && evaluates.MatchString(w.Text)) {
			if h := runs(c.base, c.left()); h.what != "" {
				return h
			}
		}
	}
	if !r.stdin || c.File {
		return hit{}
	}
	for _, red := range c.Redirects {
		if strings.HasPrefix(red.To.Text, "/dev/tcp/") || strings.HasPrefix(red.To.Text, "/dev/udp/") {
			return runs(c.base, "the network")
		}
	}
	for _, red := range c.Redirects {
		switch red.Op {
		case "<<<", "<<", "<<-", "<":
			return runs(c.base, c.from(red.To)) // it reads that, and no pipe
		}
	}
	return runs(c.base, c.left())
}

// evaluates finds code that runs what it reads.
var evaluates = regexp.MustCompile(`\b(eval|exec)\b`)

// argument tells whether what is not known of a shell text stands where an argument does, behind
// something that is known.
func argument(w command.Word) bool {
	known := strings.TrimRight(w.Prefix(), " \t\"")
	return known != "" && strings.IndexByte(";&|({\n`", known[len(known)-1]) < 0
}

// runsUnknown is a command whose name is not known, and which reads what comes from afar. It may
// be a shell.
func (c *looked) runsUnknown() hit {
	from := c.left()
	if from == "" {
		return hit{}
	}
	text := c.Words[0].Text
	names := append([]string{c.base, strings.ToLower(strings.Trim(text, "${}\""))}, c.Words[0].From...)
	_, shell := interpreters[c.base]
	if strings.Contains(text, "SHELL") || shell || slices.Contains(names, "which") || slices.Contains(names, "command") || c.Words[0].Pattern() && strings.Contains(text, "sh") ||
		len(c.Via) > 0 && c.Via[len(c.Via)-1] == "xargs" {
		return denies("%s runs what comes from %s", show(text), from)
	}
	if text == strings.ToLower(text) {
		return asks("%s may run what comes from %s", show(text), from)
	}
	return hit{} // $SUDO, $JQ
}

// runsDownloaded is a file that the same text has downloaded or decoded.
func runsDownloaded(c *looked) hit {
	if len(c.Words) == 0 {
		return hit{}
	}
	var files []string
	if r := c.interprets(); r.is && len(r.file) > 0 {
		files = append(files, r.file[0].Text)
	}
	if c.File || strings.Contains(c.Words[0].Text, "/") {
		files = append(files, c.Words[0].Text)
	}
	stdin := c.interprets().stdin
	for _, red := range c.Redirects {
		if red.Op == "<" && stdin {
			files = append(files, red.To.Text)
		}
	}
	if len(files) == 0 {
		return hit{}
	}
	c.facts.find()
	for _, file := range files {
		made, found := c.facts.downloads[path.Base(file)]
		if found && made.index < c.index {
			return asks("%s comes from %s and is run at once", show(file), made.from).instead("Look at it, and run it with a command of its own.")
		}
	}
	return hit{}
}

// downloads are the files that an invocation writes what it fetches to.
func downloads(inv *command.Invocation) (files []string) {
	add := func(list ...string) {
		for _, s := range list {
			if s != "" && s != "-" {
				files = append(files, s)
			}
		}
	}
	name := path.Base(inv.Name())
	a := parse(inv.Words[1:], "oOPHXAebdFTuUxrmcwKE", "output= output-document= remote-name remote-name-all outfile= directory-prefix=")
	if name == "curl" {
		a = parse(inv.Words[1:], "oHXAebdFTuUxrmcwKEyYzCQ", "output= output-dir= remote-name remote-name-all header= request= data= user= url=")
		for _, o := range a.options {
			if o.name == "url" {
				a.operands = append(a.operands, o.value)
			}
		}
	}
	switch name {
	case "curl":
		for _, o := range a.options {
			switch o.name {
			case "o", "output":
				add(o.value.Text)
			case "O", "remote-name", "remote-name-all":
				for _, w := range a.operands {
					add(urlFile(w.Text))
				}
			}
		}
	case "wget":
		if w, found := a.value("O", "output-document"); found {
			add(w.Text)
		} else {
			for _, w := range a.operands {
				add(urlFile(w.Text))
			}
		}
	case "scp", "sftp", "fetch", "aria2c":
		if w, found := a.value("o", "output"); found {
			add(w.Text)
		}
		if n := len(a.operands); n > 1 && !strings.Contains(a.operands[n-1].Text, ":") {
			add(a.operands[n-1].Text)
			for _, w := range a.operands[:n-1] {
				add(urlFile(w.Text))
			}
		} else if n == 1 {
			add(urlFile(a.operands[0].Text))
		}
	case "gunzip", "bunzip2", "unxz", "unzstd", "gzip", "bzip2", "xz", "zstd":
		for _, w := range a.operands {
			add(strings.TrimSuffix(w.Text, path.Ext(w.Text)))
		}
	}
	for i, w := range inv.Words {
		if strings.EqualFold(w.Text, "-outfile") && i+1 < len(inv.Words) {
			add(inv.Words[i+1].Text)
		}
	}
	return files
}

// urlFile is the name of the file that a URL is downloaded to.
func urlFile(s string) string {
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.Contains(s, "://") {
		s = s[i+1:]
	}
	if u, err := url.Parse(s); err == nil && u.Path != "" {
		s = u.Path
	}
	if base := path.Base(s); base != "/" && base != "." {
		return base
	}
	return ""
}
