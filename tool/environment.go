package tool

import (
	"maps"
	"os"
	"slices"

	"github.com/einoshell/einoshell/internal/environ"
	"github.com/einoshell/einoshell/internal/output"
)

// An EnvConfig says what the environment of a command is. PWD is always the
// directory the command runs in, and EINOSHELL_COMMAND_ID always the mark that
// its processes are found by when they have to be ended.
//
// Variables that have programs run others or load code are never inherited, only set: BASH_ENV,
// ENV, BASH_FUNC_*, IFS, PS4, CDPATH, LD_*, DYLD_*, PYTHONPATH, PYTHONSTARTUP, NODE_OPTIONS,
// PERL5OPT, RUBYOPT, JAVA_TOOL_OPTIONS, CLASSPATH, pagers, editors, BROWSER, LESSOPEN, those
// of git that name programs, settings or another repository, TAR_OPTIONS, RIPGREP_CONFIG_PATH, RUSTC_WRAPPER
// and their like; GOFLAGS, MAKEFLAGS, MAVEN_OPTS and the like only if their value does so.
//
// Of PATH the elements that are empty are left out, and of an inherited one those that are
// not absolute, too. A PATH that has no others is left out.
type EnvConfig struct {
	// Inherit says what is taken over from the host's environment, as it is
	// when New is called: "core" (PATH, HOME, TERM, LANG, LC_ALL, LC_CTYPE,
	// USER, SHELL and TMPDIR, and on Windows SYSTEMROOT, SYSTEMDRIVE, WINDIR,
	// COMSPEC, PATHEXT, USERPROFILE, USERNAME, TEMP and TMP), "all" or "none".
	// Empty means core. The names that are kept back are logged by New.
	Inherit string

	// NonInteractive sets variables that keep programs from waiting for a person:
	// PAGER, GIT_PAGER, MANPAGER and SYSTEMD_PAGER are cat, GIT_EDITOR is true (git
	// takes the message it has, or none), EDITOR and VISUAL are false,
	// GIT_TERMINAL_PROMPT is 0, SSH_ASKPASS_REQUIRE never, PIP_NO_INPUT 1 and
	// DEBIAN_FRONTEND noninteractive. They win over inherited ones.
	NonInteractive bool

	// Set adds variables; they win over all others. A relative element of PATH is an error.
	Set map[string]string

	// Deny are patterns of names that commands do not have: neither inherited nor from
	// NonInteractive or Set. They are those of path.Match, but that * and ? stand for slashes,
	// too; capitals are not small letters (on Windows they are). Empty means none.
	Deny []string

	// KeepSecrets hands secrets of the host on, as Inherit says. False means that what
	// SecretPatterns match is not inherited, nor, whatever its name is, what is a secret by its form: a URL
	// with a password (but for HTTPS_PROXY and others that end in _PROXY), the setting of a
	// password or a signature in a connection string or an address, a private key, and tokens that are known
	// by how they begin. Set is not asked. What is kept back so is also hidden in results, events and
	// files, wherever it is known as it stands: values of 8 bytes or more that are no everyday word or short number.
	KeepSecrets bool
}

// SecretPatterns returns patterns of the names of variables that hold secrets, or lead to them; * stands
// for any text, and capitals for small letters, too. EnvConfig.KeepSecrets says what
// becomes of them. These are none, though a pattern matches them:
//
//   - settings: *_HOST *_PORT *_ENABLED *_TIMEOUT *_TTL *_EXPIRY *_EXPIRES_IN *EXPIRATION *EXPIRE_MINUTES *_LIFETIME *_MAX_AGE *_LEEWAY
//     *_ALGORITHM *_ISSUER *_AUDIENCE *TOKEN_TYPE *TOKEN_URL *TOKEN_URI *TOKEN_ENDPOINT HF_HUB_DISABLE_IMPLICIT_TOKEN JWT_HEADER USE_JWT
//     *PASSWORD_MIN_LENGTH *ALLOW_EMPTY_PASSWORD *PASSWORD_HASHERS *PASSWORD_RESET_URL *COOKIE_NAME *COOKIE_DOMAIN *COOKIE_PATH
//     *COOKIE_SECURE *COOKIE_SAMESITE *HTTPONLY JENKINS_*_COOKIE ENABLE_WEBHOOKS *WEBHOOK_PATH CODEBUILD_WEBHOOK_* GITHUB_WEBHOOK_EVENTS
//     NPM_CONFIG_AUTH_TYPE NPM_CONFIG_ALWAYS_AUTH NPM_CONFIG_INIT*AUTHOR* BUNDLE_BUILD__* BUNDLE_LOCAL__* BUNDLE_MIRROR__* BUNDLE_GEM__*
//     BUNDLE_PATH__* BUNDLE_DISABLE__* SECRET_DETECTION_* SECRETS_BACKEND SECRET_MANAGER
//   - addresses of services: *_TCP *_TCP_ADDR *_TCP_PROTO *_TCP_PORT *_SERVICE_PORT_*
//   - tokens of text: TOKENIZERS_PARALLELISM *TOKENIZER *TOKENIZER_MODEL *TOKENIZER_NAME *TOKENIZER_PATH TOKENIZERS_CACHE
//     TIKTOKEN_CACHE_DIR *MAX_TOKENS *MAX_*_TOKENS *MIN_TOKENS *NUM_TOKENS *CONTEXT_TOKENS *TOKEN_LIMIT *TOKEN_BUDGET *TOKEN_COUNT
//   - names and places of secrets: *SECRET_NAME *SECRET_ARN CREDENTIALS_DIRECTORY *CREDENTIAL_STORE COOKIECUTTER_CONFIG
//     PASSWORD_STORE_DIR PASSWORD_STORE_ENABLE_EXTENSIONS PASSWORD_STORE_GPG_OPTS
//   - fingerprints: GPG_KEY GPG_KEYS
//   - public keys, and keys of data: *PUBLIC_KEY *PUBLIC_KEYS *PUBLIC_KEY_PEM *PUBLIC_KEY_B64 *PUBLIC_KEY_BASE64
//     *AUTHORIZED_KEYS *PUBLISHABLE_KEY *SITE_KEY *CACHE_KEY *FOREIGN_KEY *SORT_KEY *PARTITION_KEY *STATE_KEY *FLAG_KEY I18N_KEY
//     BUILDKITE_STEP_KEY BUILDKITE_GROUP_KEY SONAR_PROJECT_KEY
func SecretPatterns() []string { return environ.SecretPatterns() }

// LLMAPIKeyPatterns returns patterns for EnvConfig.Deny that keep from commands what providers of
// models use: pydantic-ai-harness's set. They match more than keys (OPENAI_BASE_URL), and not the keys of all
// providers: for those there is SecretPatterns, without being asked.
func LLMAPIKeyPatterns() []string { return environ.LLMAPIKeyPatterns() }

// plan checks e and says what the environment of commands is made of.
func (e EnvConfig) plan(fault func(field, format string, args ...any)) environ.Plan {
	p := environ.Plan{
		Inherit: environ.Inherit(e.Inherit), Host: os.Environ(),
		Set: maps.Clone(e.Set), Deny: slices.Clone(e.Deny), KeepSecrets: e.KeepSecrets,
	}
	switch p.Inherit {
	case "":
		p.Inherit = environ.InheritCore
	case environ.InheritCore, environ.InheritAll, environ.InheritNone:
	default:
		fault("Env.Inherit", "%s is not core, all or none", output.Quote(e.Inherit, 40))
	}
	checkSet("Env.Set", p.Set, fault)
	for _, glob := range p.Deny {
		if wrong := environ.GlobFault(glob); wrong != "" {
			fault("Env.Deny", "%s %s", output.Quote(glob, 80), wrong)
		}
	}
	if e.NonInteractive {
		p.Calm = environ.NonInteractive()
	}
	return p
}

// checkSet looks at variables that a field sets.
func checkSet(field string, set map[string]string, fault func(field, format string, args ...any)) {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if wrong := environ.Fault(name, set[name]); wrong != "" {
			fault(field, "%s %s", output.Quote(name, 80), wrong)
		}
	}
	if name := environ.Twice(set); name != "" {
		fault(field, "%s is there twice, in capitals and not", output.Quote(name, 80))
	}
}
