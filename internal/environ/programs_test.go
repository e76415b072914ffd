package environ

import (
	"strings"
	"testing"
)

// Case 268 and E12.
func TestRuns(t *testing.T) {
	asUnix(t)
	for _, entry := range strings.Split(`BASH_ENV=/x|ENV=production|BASH_FUNC_a/b%%=() { x; }|BASH_FUNC_ls()=() { x; }|SHELLOPTS=xtrace|PS4=$(x)|IFS=x|PROMPT_COMMAND=x|CDPATH=/x|GLOBIGNORE=x|ZDOTDIR=/x|`+
		`LD_PRELOAD=x|LD_LIBRARY_PATH=/x|LD_AUDIT=x|DYLD_INSERT_LIBRARIES=x|GCONV_PATH=/x|PYTHONSTARTUP=x|PYTHONHOME=/x|PYTHONPATH=/x|PYTHONINSPECT=1|PYTHONBREAKPOINT=x|PYTHONWARNINGS=x|PYTHONUSERBASE=/x|PYTHONEXECUTABLE=/x|`+
		`NODE_OPTIONS=--max-old-space-size=1|NODE_PATH=/x|PERL5OPT=x|PERL5DB=x|PERL5LIB=/x|PERLLIB=/x|RUBYOPT=-w|RUBYLIB=/x|LUA_INIT=x|LUA_INIT_5_4=x|JAVA_TOOL_OPTIONS=x|_JAVA_OPTIONS=x|JDK_JAVA_OPTIONS=x|`+
		`LESSOPEN=\|x|LESSCLOSE=x|RIPGREP_CONFIG_PATH=/x|GIT_ASKPASS=x|GIT_SSH=x|GIT_SSH_COMMAND=x|GIT_EXTERNAL_DIFF=x|GIT_PROXY_COMMAND=x|GIT_PAGER=x|GIT_EDITOR=x|GIT_SEQUENCE_EDITOR=x|GIT_EXEC_PATH=/x|GIT_TEMPLATE_DIR=/x|`+
		`GIT_CONFIG=x|GIT_CONFIG_GLOBAL=x|GIT_CONFIG_SYSTEM=x|GIT_CONFIG_COUNT=1|GIT_CONFIG_KEY_0=x|GIT_CONFIG_VALUE_0=x|GIT_CONFIG_PARAMETERS=x|GIT_DIR=/x|SSH_ASKPASS=x|SUDO_ASKPASS=x|PAGER=less|BAT_PAGER=x|MANPAGER=x|`+
		`EDITOR=vi|VISUAL=vi|KUBE_EDITOR=vi|BROWSER=x|FCEDIT=x|RSYNC_RSH=x|MAKEFILES=x|TAR_OPTIONS=x|RUSTC_WRAPPER=sccache|CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=x|npm_config_script_shell=x|NPM_CONFIG_Script-Shell=x|`+
		`GOFLAGS=-toolexec=x|GOFLAGS=-v '-exec=x y'|MAKEFLAGS=--eval=x|MAKEFLAGS=w -- SHELL=/x|MAVEN_OPTS=-Xmx1g "-javaagent:x"|ERL_AFLAGS=-eval x`, "|") {
		if name, value, ok := strings.Cut(entry, "="); ok && !Runs(name, value) {
			t.Errorf("%s is inherited", entry)
		}
	}
	for _, entry := range []string{
		"GIT_AUTHOR_NAME=x", "GIT_SSL_CAINFO=x", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=-mod=mod -tags=exec", "MAKEFLAGS=--jobserver-auth=3,4 -j8", "env=x", "BASH=x", "LDFLAGS=-lx",
		"PYTHONUNBUFFERED=1", "LESS=-R", "RUST_LOG=x", "npm_config_cache=/x", "MAVEN_OPTS=-Xmx1g", "ERL_AFLAGS=-kernel shell_history enabled", "PAGERDUTY=x", "EDITORS=x", "CARGO_TARGET_DIR=/x",
	} {
		if name, value, _ := strings.Cut(entry, "="); Runs(name, value) {
			t.Errorf("%s is withheld", entry)
		}
	}
	for _, name := range Core() {
		if Runs(name, "/x") || secret(name, "/x") {
			t.Errorf("%s is of the core and withheld", name)
		}
	}
	for name := range NonInteractive() {
		if secret(name, "x") {
			t.Errorf("%s", name)
		}
	}
}

func TestLike(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"A", "A", true}, {"A", "AB", false}, {"A*", "A", true}, {"*A", "A", true}, {"*A", "AB", false}, {"*A*", "BAB", true}, {"A*A", "A", false}, {"A*A", "AA", true},
		{"*A*B*", "xAxBx", true}, {"*A*B*", "xBxA", false}, {"A*B*C", "ABBC", true}, {"A*BC", "ABCBC", true}, {"A**", "AB", true}, {"*", "", true}, {"", "", true},
	} {
		if got := like(tt.pattern, tt.text); got != tt.want {
			t.Errorf("%s, %s: %v", tt.pattern, tt.text, got)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	p := Plan{Inherit: InheritAll, Host: append(stay, secrets...)}
	for b.Loop() {
		p.Build(nil)
	}
}
