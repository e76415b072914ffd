package environ

import (
	"cmp"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// SecretPatterns are patterns of the names of variables with secrets: * stands for any text,
// and capitals for small letters, too.
func SecretPatterns() []string {
	return strings.Fields("" +
		"*TOKEN* *SECRET* *PASSWORD* *PASSWD* *PASSPHRASE* *_PASS *_PWD *PASSFILE SSHPASS *CREDENTIAL* *COOKIE* *JWT* *BEARER* *MNEMONIC* " +
		"*API_KEY* *APIKEY* *PRIVATE_KEY* *PRIVATEKEY* *ACCESS_KEY* *ACCESSKEY* *ACCOUNTKEY* *AUTHKEY* *MASTERKEY* *SIGNINGKEY* *ENCRYPTIONKEY* " +
		"*_KEY *_KEYS *_KEY_B64 *_KEY_BASE64 *_KEY_PEM *_KEY_JSON *_KEY_DATA *_PAT *_SALT *_SAS " +
		"*CONNECTION_STRING* *CONNECTIONSTRING* *CONN_STR* *_DSN *DATABASE_URL* *DATABASE_URI* *DB_URL *DB_URI *JDBC*URL* " +
		"*BROKER_URL* *AMQP*URL* *RABBITMQ*URL* *REDIS*URL* *REDIS*URI* *MONGO*URL* *MONGO*URI* *POSTGRES*URL* *POSTGRES*URI* *MYSQL*URL* *WEBHOOK* " +
		"*AUTHORIZATION *BASIC_AUTH *HTTP_AUTH *REGISTRY_AUTH* *NPM_AUTH* NPM_CONFIG_*AUTH* COMPOSER_AUTH REDISCLI_AUTH DOCKER_AUTH_CONFIG " +
		"SSH_AUTH_SOCK OP_SESSION* BW_SESSION FASTLANE_SESSION ETCDCTL_USER BUNDLE_*__* VSS_NUGET_* *CUSTOM_HEADERS OTEL_EXPORTER_*HEADERS *KUBE*CONFIG_DATA")
}

// SecretExceptions are patterns of names that SecretPatterns match and that are no secrets.
func SecretExceptions() []string {
	return strings.Fields("" +
		"*_HOST *_PORT *_ENABLED *_TIMEOUT *_TTL *_EXPIRY *_ALGORITHM *_ISSUER *_AUDIENCE " +
		"*_TCP *_TCP_ADDR *_TCP_PROTO *_TCP_PORT *_SERVICE_PORT_* *_EXPIRES_IN *EXPIRATION *EXPIRE_MINUTES *_LIFETIME *_MAX_AGE *_LEEWAY *HTTPONLY " +
		"TIKTOKEN_CACHE_DIR TOKENIZERS_CACHE *CONTEXT_TOKENS TOKENIZERS_PARALLELISM *TOKENIZER *TOKENIZER_MODEL *TOKENIZER_NAME *TOKENIZER_PATH *MAX_TOKENS *MAX_*_TOKENS *MIN_TOKENS *NUM_TOKENS " +
		"*TOKEN_LIMIT *TOKEN_BUDGET *TOKEN_COUNT *TOKEN_TYPE *TOKEN_URL *TOKEN_URI *TOKEN_ENDPOINT HF_HUB_DISABLE_IMPLICIT_TOKEN " +
		"*SECRET_NAME *SECRET_ARN *PASSWORD_MIN_LENGTH *ALLOW_EMPTY_PASSWORD PASSWORD_STORE_DIR PASSWORD_STORE_ENABLE_EXTENSIONS PASSWORD_STORE_GPG_OPTS *CREDENTIAL_STORE " +
		"SECRET_DETECTION_* SECRETS_BACKEND SECRET_MANAGER CREDENTIALS_DIRECTORY *PASSWORD_HASHERS *PASSWORD_RESET_URL JWT_HEADER USE_JWT JENKINS_*_COOKIE " +
		"CODEBUILD_WEBHOOK_* GITHUB_WEBHOOK_EVENTS " +
		"COOKIECUTTER_CONFIG *COOKIE_NAME *COOKIE_DOMAIN *COOKIE_PATH *COOKIE_SECURE *COOKIE_SAMESITE ENABLE_WEBHOOKS *WEBHOOK_PATH " +
		"GPG_KEY GPG_KEYS *PUBLIC_KEY *PUBLIC_KEYS *PUBLIC_KEY_PEM *PUBLIC_KEY_B64 *PUBLIC_KEY_BASE64 *AUTHORIZED_KEYS *PUBLISHABLE_KEY *SITE_KEY " +
		"*CACHE_KEY *FOREIGN_KEY *SORT_KEY *PARTITION_KEY *STATE_KEY *FLAG_KEY I18N_KEY BUILDKITE_STEP_KEY BUILDKITE_GROUP_KEY SONAR_PROJECT_KEY " +
		"NPM_CONFIG_AUTH_TYPE NPM_CONFIG_INIT*AUTHOR* NPM_CONFIG_ALWAYS_AUTH BUNDLE_BUILD__* BUNDLE_LOCAL__* BUNDLE_MIRROR__* BUNDLE_GEM__* BUNDLE_PATH__* BUNDLE_DISABLE__*")
}

// LLMAPIKeyPatterns are pydantic-ai-harness's patterns of what providers of models use.
func LLMAPIKeyPatterns() []string {
	return strings.Fields("ANTHROPIC_* GATEWAY_* GEMINI_* GOOGLE_* OPENAI_* OPENROUTER_* PYDANTIC_AI_GATEWAY_API_KEY")
}

var secretNames, plainNames = SecretPatterns(), SecretExceptions()

// secret says whether a variable holds a secret, by its name or by its value. A proxy is none,
// with its password: there is no network without. Nor is one of the core, whatever the
// directories are called that it names, and a text that is about secrets.
func secret(name, value string) bool {
	name = strings.ToUpper(name)
	in := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool { return like(pattern, name) })
	}
	switch {
	case slices.Contains(Core(), name):
		return false
	case in(secretNames) && !in(plainNames) || strings.HasPrefix(name, "GPG_KEY") && strings.Trim(value, "0123456789ABCDEFabcdefx \t\n,") != "":
		return true
	}
	return !in(texts) && (privateKey(value) || len(formSecrets(value)) > 0)
}

// texts are patterns of the names of variables that hold words about anything.
var texts = strings.Fields("*_PROXY *MESSAGE* *_MSG *_TITLE *DESCRIPTION* *_LOG PS1 PS2 PROMPT")

// formSecrets are what in a value is a secret that is known by its form.
func formSecrets(value string) []string {
	return slices.Concat(urlPasswords(value), assigned(value), tokens(value))
}

// urlPasswords are the passwords of URLs in value.
func urlPasswords(value string) (passwords []string) {
	for {
		scheme, rest, found := strings.Cut(value, "://")
		if !found {
			return passwords
		}
		value = rest
		if scheme == "" || !token(scheme[len(scheme)-1]) {
			continue
		}
		if end := strings.IndexAny(rest, "/?# \t\r\n\"'<>,"); end >= 0 {
			rest = rest[:end]
		}
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			if _, password, _ := strings.Cut(rest[:at], ":"); password != "" {
				passwords = append(passwords, password)
			}
		}
	}
}

// privateKey says whether there is one in PEM or the like, as it is or in base64.
func privateKey(value string) bool {
	const begins = "LS0tLS1CRUdJTi" // -----BEGIN
	text := value
	for rest := value; ; {
		_, behind, found := strings.Cut(rest, begins)
		if !found {
			break
		}
		head := strings.Join(strings.Fields(begins+behind[:min(80, len(behind))]), "")
		plain, _ := base64.StdEncoding.DecodeString(head[:len(head)/4*4])
		text += string(plain)
		rest = behind
	}
	if plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(value), "")); err == nil {
		text += string(plain) // a file, such as a key of an account in JSON
	}
	return strings.Contains(text, "-----BEGIN") && strings.Contains(text, "PRIVATE KEY") ||
		strings.Contains(text, "PuTTY-User-Key-File") || strings.Contains(text, "AGE-SECRET-KEY-1")
}

// assigned are the values of settings and parameters that are secrets: Password=x in the
// string of a connection, ?sig=x in an address, "password":"x" in JSON, Authorization: x in a
// header.
func assigned(value string) (list []string) {
	for _, match := range setting.FindAllStringSubmatch(value, -1) {
		list = append(list, strings.TrimSpace(match[1]+match[2]+match[3]))
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// A setting has its value behind =, in quotes or braces or up to the next, or in quotes behind
// a colon; a header has all of its line.
var setting = regexp.MustCompile(`(?i)(?:^|[;,?&\s"'{\-])(?:password|passwd|pwd|secret|client_secret|token|access_token|auth_token|api_key|apikey|` +
	`accountkey|sharedaccesskey|sharedaccesssignature|sig|signature|x-amz-signature|x-goog-signature)` +
	`(?:\s*=\s*["'{]?([^\s;,&"'{}]+)|["']?\s*:\s*["']([^"']+)["'])|authorization:\s*(\S[^\r\n]*)`)

// shapes are how tokens begin that are known by it, and how many bytes follow at least.
var shapes = []struct {
	prefix string
	least  int
}{
	{"ghp_", 36}, {"gho_", 36}, {"ghu_", 36}, {"ghs_", 36}, {"ghr_", 36}, {"github_pat_", 22},
	{"glpat-", 20}, {"glptt-", 20}, {"gldt-", 20}, {"glrt-", 20}, {"glcbt-", 20}, {"glsa_", 30},
	{"sk-", 20}, {"sk_live_", 16}, {"sk_test_", 16}, {"rk_live_", 16}, {"whsec_", 16}, {"gsk_", 40}, {"xai-", 40}, {"pplx-", 40}, {"nvapi-", 40}, {"r8_", 30},
	{"hf_", 30}, {"tvly-", 20}, {"AIza", 35}, {"ya29.", 20}, {"GOCSPX-", 20}, {"AKIA", 16}, {"ASIA", 16}, {"eyJ", 60}, {"ATATT3", 40}, {"dapi", 32},
	{"xoxb-", 20}, {"xoxp-", 20}, {"xoxa-", 20}, {"xoxe-", 20}, {"xoxs-", 20}, {"xapp-", 20}, {"hooks.slack.com/services/", 20}, {"discord.com/api/webhooks/", 20}, {"discordapp.com/api/webhooks/", 20},
	{"npm_", 36}, {"pypi-", 50}, {"dckr_pat_", 20}, {"rubygems_", 40}, {"SG.", 40}, {"shpat_", 32}, {"dop_v1_", 40}, {"lin_api_", 30}, {"figd_", 30},
	{"hvs.", 20}, {"hvb.", 20}, {"tskey-", 20}, {"sntrys_", 30}, {"PMAK-", 40},
}

// tokens are those in value that are known by how they begin.
func tokens(value string) (list []string) {
	if len(value) < 20 {
		return nil
	}
	for _, shape := range shapes {
		for at := 0; ; {
			i := strings.Index(value[at:], shape.prefix)
			if i < 0 {
				break
			}
			begin := at + i
			at = begin + len(shape.prefix)
			end := at
			for end < len(value) && (token(value[end]) || strings.IndexByte("./", value[end]) >= 0 && strings.HasSuffix(shape.prefix, "/") || value[end] == '.') {
				end++
			}
			// (A token has digits in it, and is no part of a word. JSON in base64 is a JWT if there are dots.)
			if end-at >= shape.least && strings.ContainsAny(value[at:end], "0123456789") && (begin == 0 || !token(value[begin-1])) &&
				(shape.prefix != "eyJ" || strings.Contains(value[at:end], ".")) && (shape.prefix != "sk-" || random(value[at:end])) {
				list = append(list, value[begin:end])
			}
		}
	}
	return list
}

// random says that there is a part in s that is no word of a name: names are made of short ones.
func random(s string) bool {
	return slices.ContainsFunc(strings.Split(s, "-"), func(part string) bool { return len(part) >= 20 })
}

func token(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// words are values that stand for secrets and are none: to hide them would hide what is
// no secret in all else.
var words = strings.Fields("password password1 password123 passw0rd changeme changeit change-me change_me localhost 127.0.0.1 postgres postgresql " +
	"mongodb rabbitmq sqlserver elasticsearch database username administrator anonymous development production undefined placeholder " +
	"disabled required optional internal external not-needed not-used not_used your-api-key your_api_key your-token my-secret mysecret dummy-key test-key " +
	"test-token testtest testpassword example.com kubernetes osxkeychain application standard minitest hashicorp unit-tests id_ed25519 branch/main")

// Secrets returns what must not be seen in output, the longer first: the values of the
// host's variables that are secrets, inherited or not, passwords of the URLs among
// them, and their lines. Values that are short, everyday words or numbers, files that exist, or
// parts of what commands are told anyway are left out: parts of keep, and of what
// is inherited. With KeepSecrets there are none.
func (p Plan) Secrets(keep ...string) []string {
	if p.KeepSecrets {
		return nil
	}
	inherited := p
	inherited.Calm, inherited.Set = nil, nil
	for _, entry := range inherited.Build(nil) {
		_, value, _ := strings.Cut(entry, "=")
		keep = append(keep[:len(keep):len(keep)], value)
	}
	var list []string
	add := func(value string, least int) {
		value = strings.TrimSpace(value)
		if len(value) >= least && telling(value, keep) && !slices.ContainsFunc(keep, func(k string) bool { return strings.Contains(k, value) }) {
			list = append(list, value)
		}
	}
	for _, entry := range p.Host {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" || slices.Contains(ours, fold(name)) || !secret(name, value) {
			continue
		}
		add(value, 8)
		for _, part := range formSecrets(value) {
			add(part, 8)
			if _, credentials, ok := strings.Cut(part, " "); ok { // behind Bearer
				add(credentials, 8)
			}
		}
		// (A newline may be written as in a string of JSON.)
		if lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(value), `\n`, "\n"), "\n"); len(lines) > 1 {
			for _, line := range lines {
				if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
					add(line, 16)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(list)
}

// telling says that a value is not one that means something else. dirs are where files are
// looked for.
func telling(value string, dirs []string) bool {
	switch {
	case slices.Contains(words, strings.ToLower(value)), strings.Trim(value, value[:1]) == "", len(value) <= 10 && strings.Trim(value, "0123456789") == "",
		strings.HasPrefix(value, "refs/"), strings.HasPrefix(value, "~/"):
		return false
	case address.MatchString(value): // of a service, without a password
		return false
	case filepath.IsAbs(value):
		dirs = []string{""}
	}
	return !slices.ContainsFunc(dirs, func(dir string) bool {
		if len(value) > 255 || !filepath.IsAbs(filepath.Join(dir, value)) {
			return false
		}
		_, err := os.Lstat(filepath.Join(dir, value))
		return err == nil
	})
}

// address is a URL with nothing in it that only some may know.
var address = regexp.MustCompile(`^[a-z][a-z0-9+.\-]*://[a-zA-Z0-9.\-]*(:[0-9]+)?(/[a-zA-Z0-9_.\-]{0,15})?/?$`)
