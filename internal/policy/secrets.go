package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// secretRows look for files with keys and passwords in them that are read, and for what prints
// the whole environment.
var secretRows = []row{
	{Secrets, nil, readsSecret},
	{Secrets, nil, opensKeys},
	{Secrets, []string{"env", "printenv", "set", "export", "declare", "typeset", "ps", "jq", "gojq"}, dumpsEnvironment},
	{Secrets, nil, inlineSecrets},
	{Secrets, []string{"get-childitem", "gci", "dir", "ls", "get-item", "gi"}, func(c *looked) hit {
		if slices.ContainsFunc(c.Words[1:], func(w command.Word) bool { return strings.EqualFold(strings.TrimRight(w.Text, `\/*`), "env:") }) {
			return asks("%s prints the whole environment", c.base)
		}
		return hit{}
	}},
	{Secrets, []string{"git"}, gitConfig},
}

// A reader says which words of a program are no files that it reads.
type fileReader struct {
	// none says that it reads no file that it is given, or shows nothing of it.
	none bool
	// program says that the first operand is a program or a pattern, unless one of the options
	// gives one.
	program string
	// values are letters of options that have a value, skips those whose value is no file that
	// is shown, as long names are.
	values, skips string
	// last says that the last operand is written to.
	last bool
}

// skipped are long options whose value is no file that is shown, whatever the program.
// Others are those with ignore or exclude in their names.
var skipped = []string{"env-file", "from-env-file", "envfile", "netrc-file", "defaults-file", "ssl-keyfile", "ssl-certfile", "keystore", "build-arg", "ssh", "kubeconfig", "identity", "cacert", "cert", "key", "message", "format", "glob",
	"output", "tls-cert", "tls-key", "ssl-cert", "ssl-key", "certificate", "private-key", "include-dir", "skip", "title", "body", "description", "author"}

var readers = func() map[string]fileReader {
	m := map[string]fileReader{
		"grep":    {program: "e f regexp file", values: "efmABCdD", skips: "emABCdD"},
		"rg":      {program: "e f regexp file files", values: "efgtTmABCMjrE", skips: "egtTmABCMjrE"},
		"sed":     {program: "e f expression file", values: "efl", skips: "el"},
		"awk":     {program: "f e file source", values: "Fvfe", skips: "Fve"},
		"jq":      {program: "f from-file", values: "fL", skips: "L"},
		"perl":    {program: "e E", values: "eEIMmi", skips: "eEIMmi"},
		"cp":      {last: true, values: "tSm", skips: "tSm"},
		"tar":     {values: "fCTXIb", skips: "XIbf"},
		"zip":     {values: "xi", skips: "xi"},
		"find":    {none: true}, // its own rows
		"git":     {none: true},
		"ssh":     {none: true},
		"scp":     {last: true, values: "iFoPlcSJDX", skips: "iFoPlcSJDX"},
		"rsync":   {last: true, values: "efT", skips: "ef"},
		"curl":    {values: "dTFoHXAebuUxrmcwKECyYzQ", skips: "oXAeuUxrmcwEC"},
		"docker":  {values: "vefpluwHc", skips: "ewplfHc"},
		"wget":    {values: "OPoaeUADI", skips: "OPoaeUADI"},
		"openssl": {none: true},
		"tee":     {none: true},
		"diff":    {values: "xXUCI", skips: "xXUCI"},
		"xargs":   {none: true},
		"kubectl": {values: "nlof", skips: "nlo"},
	}
	for name, like := range map[string]string{
		"egrep": "grep", "fgrep": "grep", "zgrep": "grep", "ag": "rg", "ack": "rg", "gawk": "awk", "mawk": "awk", "nawk": "awk", "gsed": "sed", "yq": "jq", "gojq": "jq", "mv": "cp", "install": "cp",
		"ln": "cp", "bsdtar": "tar", "gtar": "tar", "podman": "docker", "docker-compose": "docker", "helm": "kubectl", "sftp": "scp",
	} {
		m[name] = m[like]
	}
	for _, name := range []string{"echo", "printf", "test", "[", "[[", "ls", "dir", "stat", "touch", "rm", "rmdir", "unlink", "mkdir", "chmod", "chown", "chgrp", "cd", "pushd", "popd", "mktemp",
		"basename", "dirname", "realpath", "readlink", "which", "type", "command", "hash", "export", "unset", "declare", "typeset", "local", "readonly", "alias", "set", "trap", "shift", "read",
		"du", "df", "tree", "file", "shred", "truncate", "ssh-add", "ssh-keygen", "ssh-keyscan", "ssh-copy-id", "ssh-agent", "kill", "pkill", "sleep", "true", "false", ":", "return", "exit", "for",
		"env", "sudo", "doas", "nohup", "nice", "timeout", "time", "exec", "eval", "bash", "sh", "dash", "zsh", "setfacl", "getfacl", "chattr", "inotifywait", "watch", "parallel", "flock", "gh",
		"useradd", "adduser", "htpasswd", "certbot", "mkcert", "keytool", "step", "cfssl", "make", "expr", "let", "logger", "say", "notify-send", "python", "python3", "node", "ruby",
		"wc", "sha1sum", "sha256sum", "sha512sum", "md5sum", "cksum", "cmp", "shasum", "go", "cargo", "pip", "pip3", "uv", "poetry", "pdm", "mvn", "gradle", "bundle", "dotnet", "cmake", "ninja", "pytest",
		"tox", "eslint", "prettier", "flake8", "pylint", "black", "ruff", "mypy", "tsc", "jest", "vitest", "npm", "pnpm", "yarn", "npx", "dotenv", "dotenvx", "env-cmd", "heroku", "honcho", "foreman",
		"terraform", "vagrant", "systemctl", "http-server", "uvicorn", "gunicorn", "nginx", "mysql", "psql", "jarsigner", "act"} {
		m[name] = fileReader{none: true}
	}
	return m
}()

// readsSecret is a secret file that is read: given as an argument, or redirected.
func readsSecret(c *looked) hit {
	for _, r := range c.Redirects {
		if (r.Op == "<" || r.Op == "<>") && c.secret(r.To) {
			return denies("it reads %s", show(r.To.Text))
		}
	}
	if len(c.Words) == 0 || c.base == "" || c.argument {
		return hit{}
	}
	if c.File {
		if c.secret(c.Words[0]) {
			return denies("it reads %s", show(c.Words[0].Text))
		}
		return hit{}
	}
	if !slices.ContainsFunc(c.Words, func(w command.Word) bool { return suspicious(w.Text) || len(w.May) > 0 }) && !slices.ContainsFunc(c.dirs(), suspicious) && len(c.facts.finds) == 0 {
		return hit{}
	}
	for _, w := range c.read() {
		if c.facts.paths--; c.facts.paths < 0 || c.facts.entries < 0 {
			return asks("it names more files than can be looked at")
		}
		if what := c.secretWord(w); what != "" {
			return denies("%s reads %s", c.base, show(what))
		}
		if c.doubtful(w) {
			return asks("it is not known what %s reads at %s", c.base, show(w.Text))
		}
	}
	return hit{}
}

// read are the words that may name files which the program shows or passes on.
func (c *looked) read() (list []command.Word) {
	words := c.Words[1:]
	p, known := readers[c.base]
	if c.windows && c.base == "type" {
		p, known = fileReader{}, true // there it is what cat is elsewhere
	}
	switch {
	case c.base == "git":
		return gitReads(c.Words)
	case c.base == "ssh-keygen":
		if a := parse(words, "fCNtbP", ""); a.has("y") {
			w, _ := a.value("f")
			return []command.Word{w}
		}
		return nil
	case c.base == "openssl":
		for i, w := range words {
			if w.Text == "-in" && i+1 < len(words) && slices.Contains([]string{"rsa", "pkey", "ec", "dsa", "pkcs8", "pkcs12", "enc", "base64"}, words[0].Text) {
				list = append(list, words[i+1])
			}
		}
		return list
	case slices.Contains([]string{"sh", "bash", "dash", "zsh", "python", "python3", "node", "ruby"}, c.base):
		return nil // a script, or code
	}
	if known && p.none || command.Wrapper(c.base) {
		return nil
	}
	switch {
	case p.program == readers["grep"].program && c.base != "rg" && parse(words, p.values, programLong).has("q", "c", "l", "L", "quiet", "silent", "count", "files-with-matches", "files-without-match"):
		return nil
	case c.base == "yq" && len(words) > 0 && slices.Contains([]string{"e", "eval", "ea", "eval-all"}, words[0].Text):
		words = words[1:]
	}
	if c.base == "sed" && slices.ContainsFunc(words, func(w command.Word) bool {
		return strings.HasPrefix(w.Text, "-i") || strings.HasPrefix(w.Text, "--in-place")
	}) && !slices.ContainsFunc(words, isWord("-n", "-ni", "-in")) {
		return nil // it changes the file, and shows nothing
	}
	a := parse(c.shownWords(words), p.values, programLong)
	if by := c.found(); by != nil && (len(c.Via) > 0 || slices.ContainsFunc(a.operands, func(w command.Word) bool { return !w.Known })) {
		list = append(list, looksFor(by)...)
	}
	operands := a.operands
	if p.program != "" && len(operands) > 0 && !a.has(strings.Fields(p.program)...) {
		operands = operands[1:]
	}
	if p.last && len(operands) > 1 && !a.has("t", "target-directory") {
		to := operands[len(operands)-1].Text
		if operands = operands[:len(operands)-1]; !strings.Contains(to, ":") && c.base != "rsync" && (secretPath(to) || strings.HasSuffix(to, "/")) {
			return list // it is called something of that kind there, too
		}
	}
	list = append(list, operands...)
	for _, o := range a.options {
		if o.value.Text == "" || isSkipped(o.name) || len(o.name) == 1 && strings.Contains(p.skips, o.name) {
			continue
		}
		list = append(list, o.value)
	}
	if !known {
		// Letters with a value attached.
		for _, w := range words {
			if len(w.Text) > 2 && w.Text[0] == '-' && w.Text[1] != '-' {
				w.Text = w.Text[2:]
				list = append(list, w)
			}
		}
	}
	return list
}

// programLong are the long options that give a program or a pattern.
const programLong = "expression= regexp= file= from-file= source="

// isSkipped tells whether the value of a long option is no file that is shown.
func isSkipped(name string) bool {
	return slices.Contains(skipped, name) || len(name) > 1 && (strings.Contains(name, "ignore") || strings.Contains(name, "exclude"))
}

// shownWords are words without the long options whose value is no file that is shown, where that
// is a word of its own.
func (c *looked) shownWords(words []command.Word) (out []command.Word) {
	for i := 0; i < len(words); i++ {
		switch name, long := strings.CutPrefix(words[i].Text, "--"); {
		case long && isSkipped(name):
			i++
		case long && (c.base == "jq" || c.base == "gojq") && slices.Contains([]string{"arg", "argjson", "indent"}, name):
			i += 2
		default:
			out = append(out, words[i])
		}
	}
	return out
}

// showers are programs whose operands are files: a word with spaces in it is one, too.
var showers = []string{"cat", "tac", "nl", "head", "tail", "less", "more", "bat", "cp", "mv", "ln", "tar", "zip", "base64", "xxd", "od", "hexdump", "strings", "sort", "cut", "diff", "cmp",
	"scp", "rsync", "grep", "sed", "awk", "source", ".", "type", "get-content", "gc"}

// secretWord is the part of a word that names a secret file, empty for none.
func (c *looked) secretWord(w command.Word) string {
	if w.Text == "" || len(w.Text) > 4096 {
		return ""
	}
	for _, skip := range []string{":!", ":^", ":(exclude", "!"} {
		if strings.HasPrefix(w.Text, skip) {
			return "" // what is left out
		}
	}
	if strings.Contains(w.Text, "://") && !strings.HasPrefix(w.Text, "file://") {
		return "" // of another machine
	}
	if spaces := strings.ContainsAny(w.Text, " \t\n"); spaces && !slices.Contains(showers, c.base) {
		return "" // a text
	} else if c.secret(w) {
		return w.Text
	} else if spaces {
		return ""
	}
	// HEAD:.env, file=@.env, -v .env:/x, file:///etc/shadow
	if strings.Contains(w.Text, "[") {
		return "" // a pattern, or what pip calls extras
	}
	for part := range strings.FieldsFuncSeq(w.Text, func(r rune) bool { return strings.ContainsRune(":=,@!;<\"", r) }) {
		x := w
		x.Text = part
		if part != w.Text && c.secret(x) {
			return part
		}
	}
	return ""
}

// secret tells whether w names a secret file, also seen from where cd has been.
func (c *looked) secret(w command.Word) bool {
	if w.Text == "" {
		return false
	}
	if c.secretHere(w.Text) || slices.Contains([]string{".ssh", ".gnupg", ".aws"}, path.Base(strings.TrimSuffix(w.Text, "/."))) && c.base != "" {
		return true
	}
	dirs := c.dirs()
	for _, dir := range dirs {
		if c.facts.paths--; c.secretHere(dir + "/" + w.Text) {
			return true
		}
	}
	for _, may := range w.May {
		if c.facts.paths--; secretPath(may) {
			return true
		}
	}
	if w.Pattern() {
		for _, dir := range append([]string{""}, dirs...) {
			from := dir
			if !path.IsAbs(dir) {
				from = path.Join(c.line.Dir, dir)
			}
			if !strings.HasPrefix(dir, "~") && !strings.Contains(dir, "$") && standsFor(from, w.Text, &c.facts.entries) {
				return true
			}
		}
	}
	return false
}

// secretHere is secretPath, also seen from the directory that the text runs in.
func (c *looked) secretHere(file string) bool {
	if secretPath(file) {
		return true
	}
	elsewhere := strings.HasPrefix(file, "/") || strings.HasPrefix(file, "~") || strings.HasPrefix(file, "$")
	return !elsewhere && c.line.Dir != "" && secretPath(c.line.Dir+"/"+file)
}

// dirs are the directories that cd goes to before, and those of options, as written.
func (c *looked) dirs() []string {
	if !c.asked {
		c.asked = true
		c.facts.find()
		n := 0 // (They are in the order of the text.)
		for n < len(c.facts.dirs) && c.facts.dirs[n] < c.index {
			n++
		}
		c.went = c.facts.dirNames[:n:n]
		for i := 1; i < len(c.Words)-1 && len(c.went) < 2*mostDirs; i++ {
			if w := c.Words[i].Text; w == "-C" || w == "--directory" {
				c.went = append(c.went, c.Words[i+1].Text)
			}
		}
	}
	return c.went
}

// doubtful tells whether a word begins like a secret name and goes on with something unknown.
func (c *looked) doubtful(w command.Word) bool {
	if w.Known || w.Pattern() {
		return false
	}
	prefix := strings.ToLower(w.Prefix())
	rest := w.Text[min(len(prefix), len(w.Text)):]
	if rest == "" || !strings.HasPrefix(strings.ToLower(w.Text), prefix) || strings.Contains(rest, "/") {
		return false
	}
	dir, name := path.Split(prefix)
	if strings.HasSuffix(dir, "/.ssh/") || dir == ".ssh/" {
		return !strings.HasSuffix(rest, ".pub") && !strings.HasPrefix("known_hosts", name) && name == ""
	}
	return name != "" && strings.HasPrefix(".env", name) || strings.HasPrefix(name, ".env.")
}

// looksFor are the names that find looks for, and secret directories that it looks in.
func looksFor(find *command.Invocation) (names []command.Word) {
	words := find.Words[1:]
	for i, w := range words {
		switch {
		case slices.Contains([]string{"-name", "-iname", "-path", "-ipath", "-wholename"}, w.Text) && i+1 < len(words) && (i == 0 || words[i-1].Text != "!" && words[i-1].Text != "-not"):
			names = append(names, words[i+1])
		case (w.Text == "-regex" || w.Text == "-iregex") && i+1 < len(words):
			x := words[i+1]
			x.Text = strings.NewReplacer(`.*`, "", `\`, "").Replace(x.Text)
			names = append(names, x)
		}
	}
	for _, w := range words {
		if strings.HasPrefix(w.Text, "-") || w.Text == "(" || w.Text == "!" {
			break
		}
		names = append(names, w)
	}
	return names
}

// opensKeys is writing to the files that say who may log in.
func opensKeys(c *looked) hit {
	found := func(w *command.Word) hit {
		s := strings.ToLower(path.Clean(w.Text))
		if strings.HasSuffix(s, ".ssh/authorized_keys") || strings.HasSuffix(s, ".ssh/authorized_keys2") || strings.HasSuffix(s, ".ssh/rc") || strings.HasSuffix(s, ".ssh/environment") {
			return denies("it changes who may log in, in %s", show(w.Text))
		}
		return hit{}
	}
	for i := range c.Redirects {
		if r := &c.Redirects[i]; slices.Contains(writing, r.Op) {
			if h := found(&r.To); h.what != "" {
				return h
			}
		}
	}
	if c.base == "tee" || c.base == "cp" || c.base == "mv" || c.base == "install" || c.base == "ln" {
		for i := range c.Words[1:] {
			if h := found(&c.Words[1+i]); h.what != "" {
				return h
			}
		}
	}
	for i := range c.Writes {
		if h := found(&c.Writes[i]); h.what != "" {
			return h
		}
	}
	return hit{}
}
