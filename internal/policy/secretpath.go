package policy

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// secretPath tells whether a path names something secret, by its segments and without regard to
// case. A segment may hold wildcards: what those may stand for is looked for in names that
// begin with a dot, which * alone does not stand for.
func secretPath(file string) bool {
	if !suspicious(file) {
		return false
	}
	file = strings.ReplaceAll(file, `\`, "/")
	// (/etc alone is a directory of the system.)
	if clean := strings.ToLower(path.Clean(file)); strings.HasPrefix(clean, "/etc/") && slices.ContainsFunc([]string{"shadow", "gshadow", "shadow-", "sudoers"}, func(s string) bool { return matches(clean[5:], s) }) {
		return true
	}
	var segments []string
	for s := range strings.SplitSeq(file, "/") {
		switch s {
		case "", ".":
		case "..":
			segments = segments[:max(0, len(segments)-1)]
		default:
			segments = append(segments, strings.ToLower(s))
		}
	}
	for i := range segments {
		last := i == len(segments)-1
		before := segments[:i]
		if last && secretName(segments[i]) || secretFile(before, segments[i], last) {
			return true
		}
	}
	return false
}

// suspicious tells quickly that a path may be secret, or may become so with what is not known
// of it.
func suspicious(file string) bool {
	before := byte('/')
	for i := range len(file) {
		c := file[i]
		switch {
		case c == '*' || c == '?' || c == '[':
			return true
		case c == '.':
			if i+1 == len(file) {
				return i > 0 && before != '.' && before != '/'
			}
			if next := file[i+1]; next == '$' || next == '`' || next == '"' || begins(file[i+1:], startsOfSecrets[next|0x20]) {
				return true
			}
		case wordsOfSecrets[c|0x20] != nil && !letters(before):
			if begins(file[i:], wordsOfSecrets[c|0x20]) {
				return true
			}
		}
		before = c
	}
	return false
}

// startsOfSecrets are how what comes behind the dot in secret names begins, and wordsOfSecrets
// other words in them, by their first letters.
var (
	startsOfSecrets = byLetter("en", "ss", "gi", "gn", "aw", "ku", "do", "ne", "np", "py", "pg", "my", "pe", "ke", "p1", "pf", "jk", "pp", "kd")
	wordsOfSecrets  = byLetter("id_", "shadow", "gshadow", "sudoers", "environ", "netrc", "application-prod", "gcloud", "credentials", "ssh_host_")
)

func byLetter(words ...string) (table [256][]string) {
	for _, word := range words {
		table[word[0]] = append(table[word[0]], word)
	}
	return table
}

func letters(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }

// begins tells whether s begins with one of words, without regard to case.
func begins(s string, words []string) bool {
	for _, word := range words {
		if len(s) >= len(word) && strings.EqualFold(s[:len(word)], word) {
			return true
		}
	}
	return false
}

// secretDirs are directories whose files are secret, but for those named.
var secretDirs = map[string][]string{
	".ssh":   {"known_hosts", "known_hosts.old", "config", "authorized_keys", "environment", "rc", "*.pub"},
	".gnupg": {"gpg.conf", "gpg-agent.conf", "dirmngr.conf", "pubring.kbx", "pubring.gpg"},
}

// secretFiles are files that are secret in a directory of some name.
var secretFiles = map[string][]string{
	".git":    {"config", "credentials"},
	".aws":    {"credentials"},
	".kube":   {"config"},
	".docker": {"config.json"},
	"gcloud":  {"credentials.db", "access_tokens.db", "application_default_credentials.json"},
	"git":     {"credentials"},
}

// secretFile tells whether name is secret in the directory that segments lead to.
func secretFile(segments []string, name string, last bool) bool {
	if len(segments) == 0 {
		return false
	}
	dir := segments[len(segments)-1]
	if name == "environ" && slices.Contains(segments, "proc") || name == "config" && slices.Contains(segments, ".git") {
		return true // of /proc/*/environ, and of .git/modules/x
	}
	for d, open := range secretDirs {
		if matches(dir, d) && !slices.ContainsFunc(open, func(o string) bool { ok, _ := path.Match(o, name); return ok }) {
			return true
		}
	}
	if !last {
		return false
	}
	for d, files := range secretFiles {
		if (dir == d || d[0] == '.' && matches(dir, d)) && slices.ContainsFunc(files, func(f string) bool { return matches(name, f) }) {
			return true
		}
	}
	return false
}

// examples are endings of names that hold no secrets, but show what those look like.
var examples = []string{"example", "sample", "template", "dist", "tmpl", "tpl", "defaults", "schema", "j2", "erb", "in", "md"}

// dotSecrets are names that begin with a dot, to match wildcards with.
// (The others are looked for where they are.)
var dotSecrets = []string{".env", ".env.local", ".env.production"}

// secretNames are names that are secret everywhere.
var secretNames = []string{".env", ".git-credentials", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"}

// keys are extensions of private keys and stores of keys.
var keys = []string{".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx"}

// public are words in the names of keys that anybody may have.
var public = []string{"cert", "crt", "chain", "public", "pub", "cacert", "ca", "bundle", "csr", "dhparam", "dhparams", "fullchain", "root"}

// secretName tells whether the name of a file says that it holds secrets.
func secretName(name string) bool {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '.' })
	if n := len(parts); n > 0 && (slices.Contains(examples, parts[n-1]) || slices.Contains(examples, parts[0]) && parts[n-1] == "env") {
		return false
	}
	if strings.ContainsAny(name, "*?[") {
		end := name[strings.LastIndexAny(name, "*?]")+1:]
		return name[0] == '.' && slices.ContainsFunc(dotSecrets, func(s string) bool { return matches(name, s) }) ||
			slices.Contains(keys, end) || strings.HasPrefix(name, "id_") && slices.ContainsFunc(secretNames, func(s string) bool { return matches(name, s) }) || strings.HasPrefix(name, "application-prod")
	}
	if slices.Contains(secretNames, name) || strings.HasPrefix(name, ".env.") && name != ".env.d.ts" || strings.HasPrefix(name, "application-prod.") ||
		strings.HasPrefix(name, ".env-") || strings.HasPrefix(name, ".env_") || name == ".env~" || strings.HasPrefix(name, "ssh_host_") && strings.HasSuffix(name, "_key") {
		return true
	}
	for _, k := range keys {
		if stem, ok := strings.CutSuffix(name, k); ok && name != k {
			return k == ".key" || strings.Contains(stem, "key") || strings.Contains(stem, "private") || !slices.ContainsFunc(strings.FieldsFunc(stem, func(r rune) bool { return !('a' <= r && r <= 'z') }), func(word string) bool {
				return slices.Contains(public, word)
			})
		}
	}
	return false
}

// matches tells whether a segment of a path is name, or may stand for it.
func matches(segment, name string) bool {
	if !strings.ContainsAny(segment, "*?[") {
		return segment == name
	}
	if name[0] == '.' && segment[0] != '.' {
		return false
	}
	ok, _ := path.Match(strings.ReplaceAll(segment, "[!", "[^"), name) // (what is no pattern is a name)
	return ok
}

// Bounds of the search for secret files in one text.
const (
	mostEntries = 20_000  // entries of directories that patterns are looked for in
	mostFound   = 256     // files of a pattern
	mostPaths   = 100_000 // paths that are looked at
)

// standsFor tells whether a pattern stands for a secret file that is there, seen from dir.
func standsFor(dir, pattern string, left *int) bool {
	if strings.HasPrefix(pattern, "~") || strings.Contains(pattern, "$") {
		return false
	}
	if filepath.IsAbs(pattern) {
		dir, pattern = "/", strings.TrimLeft(pattern, "/")
	}
	found := []string{""}
	for segment := range strings.SplitSeq(pattern, "/") {
		if segment == "" {
			continue
		}
		var next []string
		for _, at := range found {
			if !strings.ContainsAny(segment, "*?[") {
				next = append(next, path.Join(at, segment))
				continue
			}
			d, err := os.Open(filepath.Join(dir, at))
			if err != nil {
				continue
			}
			names, _ := d.Readdirnames(max(1, *left))
			d.Close()
			*left -= len(names) + 1
			for _, name := range names {
				if ok, _ := path.Match(strings.ReplaceAll(segment, "[!", "[^"), name); ok && (name[0] != '.' || segment[0] == '.') {
					next = append(next, path.Join(at, name))
				}
			}
		}
		found = next[:min(len(next), mostFound)]
		if len(found) == 0 || *left <= 0 {
			break
		}
	}
	return slices.ContainsFunc(found, secretPath)
}
