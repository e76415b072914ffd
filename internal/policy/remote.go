package policy

import (
	"net/url"
	"path"
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
var fetchers = []string{"curl", "wget", "fetch", "aria2c", "http", "https", "xh", "lynx", "w3m", "links", "scp", "sftp", "ftp", "tftp", "nc", "ncat", "netcat", "socat", "telnet",
	"iwr", "irm", "invoke-webrequest", "invoke-restmethod", "start-bitstransfer"}

// fetches tells whether an invocation brings something from the network, or decodes it, and
// from where.
func fetches(inv *command.Invocation) string {
	if len(inv.Words) == 0 {
		return ""
	}
	name := strings.TrimSuffix(strings.ToLower(path.Base(inv.Words[0].Text)), ".exe")
	if slices.Contains(fetchers, name) {
		return "the network"
	}
	a := parse(inv.Words[1:], "w", "decode decompress stdout")
	decodes := false
	switch name {
	case "base64", "base32", "basenc":
		decodes = a.has("d", "D", "decode")
	case "xxd":
		decodes = a.has("r")
	case "openssl":
		decodes = slices.ContainsFunc(inv.Words[1:], isWord("-d")) && slices.ContainsFunc(inv.Words[1:], isWord("enc", "base64"))
	case "gunzip", "zcat", "gzcat", "bunzip2", "bzcat", "unxz", "xzcat", "zstdcat", "unzstd", "uudecode", "unlzma", "lzcat":
		decodes = true
	case "gzip", "bzip2", "xz", "zstd", "lzma":
		decodes = a.has("d", "decompress")
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
	if from := c.from(c.Words[0]); from != "" {
		return denies("it runs what comes from %s", from)
	}
	r := c.interprets()
	if !r.is {
		return hit{}
	}
	for _, w := range append(slices.Clone(r.code), r.file[:min(1, len(r.file))]...) {
		if from := c.from(w); from != "" {
			return denies("%s runs what comes from %s", c.base, from)
		}
		// What xargs or read makes of a pipe is not known, and comes from there.
		if !w.Known && len(r.code) > 0 {
			if from := c.left(); from != "" {
				return denies("%s runs what comes from %s", c.base, from)
			}
		}
	}
	if !r.stdin || c.File {
		return hit{}
	}
	for _, red := range c.Redirects {
		switch red.Op {
		case "<<<", "<<", "<<-", "<":
			if from := c.from(red.To); from != "" {
				return denies("%s runs what comes from %s", c.base, from)
			}
			return hit{} // it reads that, and no pipe
		}
	}
	if from := c.left(); from != "" {
		return denies("%s runs what comes from %s", c.base, from)
	}
	return hit{}
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
	for _, red := range c.Redirects {
		if red.Op == "<" && c.interprets().stdin {
			files = append(files, red.To.Text)
		}
	}
	if len(files) == 0 {
		return hit{}
	}
	c.facts.find()
	for _, file := range files {
		made, found := c.facts.downloads[path.Base(file)]
		if found && made.index < c.index && (path.Clean(made.file) == path.Clean(file) || !path.IsAbs(made.file) && !path.IsAbs(file)) {
			return asks("%s comes from %s and is run at once", show(file), made.from)
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
		a = parse(inv.Words[1:], "oHXAebdFTuUxrmcwKEyYzCQ", "output= remote-name remote-name-all header= request= data= user= url=")
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
		if len(a.operands) > 1 {
			add(a.operands[len(a.operands)-1].Text)
		}
		for _, w := range a.operands {
			add(urlFile(w.Text))
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
