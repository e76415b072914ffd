//go:build unix

package tool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einoshell/einoshell/internal/environ"
	"github.com/einoshell/einoshell/internal/need"
	"github.com/einoshell/einoshell/tool"
)

// envShell is a Shell that lets its environment be printed.
func envShell(t *testing.T, e tool.EnvConfig) *tool.Shell {
	t.Helper()
	return newShell(t, func(c *tool.Config) {
		c.Env, c.Guards, c.Logger = e, map[string]tool.GuardAction{}, slog.New(slog.DiscardHandler)
	})
}

// environment is what a command has, but for what is set for each and by shells.
func environment(t *testing.T, s *tool.Shell) map[string]string {
	t.Helper()
	text := strings.TrimPrefix(call(t, s, "env"), "[stdout]\n")
	env := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok && !slices.Contains([]string{"PWD", "OLDPWD", "EINOSHELL_COMMAND_ID", "SHLVL", "_"}, name) {
			env[name] = value
		}
	}
	return env
}

// ways are how a command comes by its environment.
func ways() []string {
	ways := []string{"env", "export -p", "set"}
	if _, err := os.Stat("/proc/self/environ"); err == nil {
		ways = append(ways, "cat /proc/self/environ")
	}
	return ways
}

// Cases 197, 258, 259 and E10: no variable that a pattern of SecretPatterns matches, under no mode, in no way.
func TestSecretsDoNotReachCommands(t *testing.T) {
	values := map[string]string{}
	for i, pattern := range tool.SecretPatterns() {
		name := strings.ReplaceAll(pattern, "*", "q")
		if i%2 == 0 {
			name = strings.ToLower(name)
		}
		values[name] = fmt.Sprintf("leaked-%d-value", i)
	}
	values["INNOCENT"] = "postgres://u:leaked-url-value@h/d"
	for name, value := range values {
		t.Setenv(name, value)
	}
	for _, inherit := range []string{"", "core", "all", "none"} {
		s := envShell(t, tool.EnvConfig{Inherit: inherit})
		for _, way := range ways() {
			if got := call(t, s, way); strings.Contains(got, "leaked-") || !strings.Contains(got, "PWD") {
				t.Errorf("%s, %s: %s", inherit, way, got)
			}
		}
	}
	// Each is seen where it may be.
	s := envShell(t, tool.EnvConfig{Inherit: "all", KeepSecrets: true})
	for _, way := range ways() {
		got := call(t, s, way)
		for name, value := range values {
			if !strings.Contains(got, value) {
				t.Errorf("KeepSecrets, %s: no %s", way, name)
			}
		}
	}
}

// The cases of pydantic-ai-harness. (203 is for background commands, and 205 also for a persistent shell.)
func TestHarnessEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "u", "ANTHROPIC_MODEL": "m", "OPENROUTER_X": "x", "GEMINI_X": "x", "GOOGLE_X": "x", "GATEWAY_X": "x", "PYDANTIC_AI_GATEWAY_API_KEY": "k",
		"SAFE_VAR": "yes", "HARNESS_KEEP": "yes", "SECRET_KEY": "k", "PAGER": "less",
	} {
		t.Setenv(name, value)
	}
	path := os.Getenv("PATH")
	set := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	for _, tt := range []struct {
		name string
		env  tool.EnvConfig
		has  map[string]string
		not  string
		only bool // has is all there is
	}{
		{"188, 200", tool.Default("").Env, set("SAFE_VAR", "yes", "OPENAI_BASE_URL", "u", "PATH", path), "OPENAI_API_KEY SECRET_KEY", false},
		{"188 with secrets", tool.EnvConfig{Inherit: "all", KeepSecrets: true}, set("SAFE_VAR", "yes", "OPENAI_API_KEY", "k"), "PAGER", false},
		{"189", tool.EnvConfig{Inherit: "none", Set: set("FOO", "bar")}, set("FOO", "bar"), "", true},
		{"190", tool.EnvConfig{Inherit: "none", Set: set()}, set(), "", true},
		{"191", tool.EnvConfig{Inherit: "all", KeepSecrets: true, Deny: []string{"OPENAI_*"}}, set("SAFE_VAR", "yes"), "OPENAI_API_KEY OPENAI_BASE_URL", false},
		{"192", tool.EnvConfig{Inherit: "none", Deny: []string{"OPENAI_*"}}, set(), "", true},
		{"193", tool.EnvConfig{Inherit: "none", Set: set("OPENAI_API_KEY", "k", "PATH", path), Deny: []string{"OPENAI_*"}}, set("PATH", path), "", true},
		{"194", tool.EnvConfig{Inherit: "none", Set: set("FOO", "x"), Deny: []string{"OPENAI_*"}}, set("FOO", "x"), "", true},
		{"195", tool.EnvConfig{Inherit: "none", Set: set("openai_api_key", "k"), Deny: []string{"OPENAI_*"}}, set("openai_api_key", "k"), "", true},
		{"196", tool.EnvConfig{Inherit: "none", Set: set("MY_TOKEN", "present", "PATH", path)}, set("MY_TOKEN", "present", "PATH", path), "", true},
		{"197", tool.EnvConfig{Inherit: "none", Set: set("PATH", path)}, set("PATH", path), "", true},
		{"198, 199, 201", tool.EnvConfig{Inherit: "all", Deny: []string{"ANTHROPIC_*"}}, set("HARNESS_KEEP", "yes", "PATH", path), "ANTHROPIC_MODEL", false},
		{"202", tool.EnvConfig{Inherit: "none", Set: set("SECRET_KEY", "k", "KEEP_VAR", "v", "PATH", path), Deny: []string{"SECRET_*"}}, set("KEEP_VAR", "v", "PATH", path), "", true},
		{"204", tool.EnvConfig{Inherit: "all", KeepSecrets: true, Deny: tool.LLMAPIKeyPatterns()}, set("SAFE_VAR", "yes", "SECRET_KEY", "k"),
			"OPENAI_API_KEY OPENAI_BASE_URL ANTHROPIC_MODEL OPENROUTER_X GEMINI_X GOOGLE_X GATEWAY_X PYDANTIC_AI_GATEWAY_API_KEY", false},
		{"205", tool.EnvConfig{Inherit: "all", Set: set("OPENAI_API_KEY", "k"), Deny: []string{"OPENAI_*"}}, set("SAFE_VAR", "yes"), "OPENAI_API_KEY", false},
		{"264", tool.EnvConfig{Set: set("CI", "true")}, set("CI", "true", "PATH", path), "SAFE_VAR HARNESS_KEEP", false},
		{"E15", tool.EnvConfig{Inherit: "all", Set: set("A", "1")}, set("A", "1", "PATH", path, "HOME", os.Getenv("HOME")), "", false},
		{"Deny filters what keeps programs from waiting", tool.EnvConfig{Inherit: "none", NonInteractive: true, Deny: []string{"*PAGER", "*EDITOR", "PIP_*", "[D-V]*"}}, set(), "", true},
	} {
		got := environment(t, envShell(t, tt.env))
		for name, value := range tt.has {
			if v, ok := got[name]; !ok || v != value {
				t.Errorf("%s: %s is %q", tt.name, name, v)
			}
		}
		for _, name := range strings.Fields(tt.not) {
			if _, ok := got[name]; ok {
				t.Errorf("%s: there is %s", tt.name, name)
			}
		}
		if tt.only && len(got) != len(tt.has) {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// Cases 258 and E11 of the zero value: the nine, and nothing that is added later to the host's.
func TestCase258Core(t *testing.T) {
	nine := environ.Core()
	want := map[string]bool{}
	for _, name := range nine {
		t.Setenv(name, os.Getenv(name)+map[bool]string{true: "C"}[strings.HasPrefix(name, "L")])
		want[name] = true
	}
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_API_KEY_2", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL", "SSH_AUTH_SOCK", "GITHUB_TOKEN", "CUSTOM_X"} {
		t.Setenv(name, "x")
	}
	got := environment(t, envShell(t, tool.EnvConfig{}))
	for name := range got {
		if !want[name] {
			t.Errorf("there is %s", name)
		}
	}
	if len(got) != 9 {
		t.Errorf("%v", got)
	}
	for name := range environment(t, envShell(t, tool.EnvConfig{Inherit: "all"})) {
		if name != "CUSTOM_X" && os.Getenv(name) == "x" {
			t.Errorf("E11: there is %s", name)
		}
	}
}

// Cases 262, E7, E8 and E14.
func TestCase262Path(t *testing.T) {
	dir, path := t.TempDir(), os.Getenv("PATH")
	if err := os.WriteFile(filepath.Join(dir, "e14"), []byte("#!/bin/sh\necho run\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/sh", filepath.Join(dir, "bash")); err != nil {
		t.Fatal(err)
	}
	for _, inherit := range []string{"core", "all"} {
		for _, path := range []string{":/x:" + path, "/x:" + path + ":", "/x::" + path, ".:/x:" + path, "bin:/x:./:" + path} {
			t.Setenv("PATH", path)
			s := newShell(t, func(c *tool.Config) { c.Dir, c.Env.Inherit = dir, inherit })
			got := call(t, s, "echo $PATH; e14")
			path = strings.ReplaceAll(strings.Trim(strings.NewReplacer(".:", "", "bin:/x", "/x", "./:", "").Replace(path), ":"), "::", ":")
			if !strings.HasPrefix(got, "[stdout]\n"+path+"\n") || !strings.Contains(got, "[exit code: 127]") {
				t.Errorf("262: %s", got)
			}
		}
	}
	t.Setenv("PATH", ":"+path)
	t.Chdir(dir)
	_, err := tool.New(context.Background(), tool.Config{AllowShell: true, Shell: []string{"bash", "-c"}})
	var f *tool.FieldError
	if !errors.As(err, &f) || f.Field != "Shell" {
		t.Errorf("E14: %v", err)
	}
	t.Setenv("PATH", path)
	s := newShell(t, func(c *tool.Config) { c.Env.Set = map[string]string{"PATH": dir + "::" + path} })
	if got := call(t, s, "echo $PATH; e14"); got != "[stdout]\n"+dir+":"+path+"\nrun\n" {
		t.Errorf("E8: %s", got)
	}
}

// Case 265.
func TestCase265Value(t *testing.T) {
	const value = "a  b 'c' \"d\" $e `f` \\g\n\n*\n"
	s := newShell(t, func(c *tool.Config) { c.Env.Set = map[string]string{"FOO": value} })
	if got := call(t, s, `printf %s "$FOO"`); got != "[stdout]\n"+value {
		t.Errorf("%q", got)
	}
}

// Cases 268, E9 and E12: what the host runs by its environment is not run by commands.
func TestCase268Startup(t *testing.T) {
	bash := need.Program(t, "bash")
	dir := t.TempDir()
	evil := filepath.Join(dir, "evil")
	if err := os.WriteFile(evil, []byte("echo evil\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	set := map[string]string{
		"BASH_ENV": evil, "ENV": evil, "BASH_FUNC_true%%": "() { echo evil; }", "PS4": "$(echo evil >&2)", "SHELLOPTS": "xtrace", "IFS": "evil", "CDPATH": "/evil", "LD_PRELOAD": "/evil.so", "LD_AUDIT": "",
		"DYLD_INSERT_LIBRARIES": "/evil", "NODE_OPTIONS": "--evil", "PYTHONSTARTUP": evil, "PYTHONPATH": "/evil", "GIT_CONFIG_GLOBAL": evil, "GIT_CONFIG_COUNT": "0", "GIT_SSH_COMMAND": evil, "GIT_EXEC_PATH": "/evil",
		"GIT_EDITOR": evil, "EDITOR": evil, "LESSOPEN": "|" + evil, "RIPGREP_CONFIG_PATH": evil, "GOFLAGS": "-toolexec=" + evil,
	}
	for _, name := range []string{"BASH_ENV", "BASH_FUNC_true%%"} {
		cmd := exec.Command(bash, "-c", "true")
		cmd.Env = []string{name + "=" + set[name]}
		if out, err := cmd.Output(); err != nil || string(out) != "evil\n" {
			t.Fatalf("%s runs nothing without us: %v, %s", name, err, out)
		}
	}
	for name, value := range set {
		t.Setenv(name, value)
	}
	for _, inherit := range []string{"core", "all", "none"} {
		for _, keep := range []bool{false, true} {
			s := newShell(t, func(c *tool.Config) {
				c.Env, c.Guards, c.Shell = tool.EnvConfig{Inherit: inherit, KeepSecrets: keep}, map[string]tool.GuardAction{}, []string{bash, "-c"}
				c.Logger = slog.New(slog.DiscardHandler)
			})
			if got := call(t, s, `true; env; case $- in *i*) echo evil;; esac; echo "${PS1-}"`); strings.Contains(got, "evil") || strings.Contains(got, "GIT_CONFIG_COUNT") || strings.Contains(got, "LD_") {
				t.Errorf("%s, %v: %s", inherit, keep, got)
			}
		}
	}
	s := newShell(t, func(c *tool.Config) { c.Env.Set, c.Shell = map[string]string{"BASH_ENV": evil}, []string{bash, "-c"} })
	if got := call(t, s, "true"); got != "[stdout]\nevil\n" {
		t.Errorf("named in Set: %s", got)
	}
}

// Case E17.
func TestCaseE17WhatStays(t *testing.T) {
	stays := map[string]string{
		"HTTPS_PROXY": "http://u:password@proxy:1", "https_proxy": "http://proxy:1", "NO_PROXY": "localhost", "no_proxy": "localhost", "SSL_CERT_FILE": "/c.pem", "SSL_CERT_DIR": "/c",
		"REQUESTS_CA_BUNDLE": "/c.pem", "NODE_EXTRA_CA_CERTS": "/c.pem", "GIT_SSL_CAINFO": "/c.pem", "LANG": "C", "LC_MESSAGES": "C", "TZ": "UTC", "CI": "true", "GIT_AUTHOR_NAME": "u",
	}
	for name, value := range stays {
		t.Setenv(name, value)
	}
	got := environment(t, newShell(t, func(c *tool.Config) { c.Guards = map[string]tool.GuardAction{} }))
	for name, value := range stays {
		if got[name] != value {
			t.Errorf("%s is %q", name, got[name])
		}
	}
}

// Names are told once for each Shell, and values never.
func TestWithheldNamesAreLogged(t *testing.T) {
	t.Setenv("EINOSHELL_A_TOKEN", "s3cret-value")
	t.Setenv("EINOSHELL_INNOCENT", "https://u:s3cret-value@h")
	t.Setenv("EINOSHELL_DENIED", "s3cret-value")
	t.Setenv("BASH_ENV", "/s3cret-value")
	for _, tt := range []struct {
		name string
		on   bool
		env  tool.EnvConfig
		want string
		not  string
	}{
		{"all", true, tool.EnvConfig{Inherit: "all", Deny: []string{"EINOSHELL_D*"}}, "BASH_ENV EINOSHELL_A_TOKEN EINOSHELL_INNOCENT EINOSHELL_DENIED", "PATH"},
		{"what is set is not missing", true, tool.EnvConfig{Inherit: "all", Set: map[string]string{"EINOSHELL_A_TOKEN": "s3cret-value"}}, "BASH_ENV EINOSHELL_INNOCENT", "A_TOKEN DENIED"},
		{"KeepSecrets", true, tool.EnvConfig{Inherit: "all", KeepSecrets: true}, "BASH_ENV", "EINOSHELL"},
		{"core asks for none of them", true, tool.EnvConfig{}, "", "withheld"},
		{"off", false, tool.EnvConfig{Inherit: "all"}, "", "withheld"},
	} {
		var log bytes.Buffer
		s := newShell(t, func(c *tool.Config) {
			c.AllowShell, c.Env, c.Logger = tt.on, tt.env, slog.New(slog.NewTextHandler(&log, nil))
		})
		if tt.on {
			call(t, s, "true")
			call(t, s, "true")
		}
		text := log.String()
		if strings.Contains(text, "s3cret") || strings.Count(text, "\n") > 1 || tt.want != "" && !strings.Contains(text, `level=INFO msg="einoshell: variables are withheld from commands" names=`) {
			t.Errorf("%s: %s", tt.name, text)
		}
		for _, name := range strings.Fields(tt.want) {
			if !strings.Contains(text, name) {
				t.Errorf("%s: no %s in %s", tt.name, name, text)
			}
		}
		for _, name := range strings.Fields(tt.not) {
			if strings.Contains(text, name) {
				t.Errorf("%s: %s in %s", tt.name, name, text)
			}
		}
	}
}

func TestEnvironmentFaults(t *testing.T) {
	for _, tt := range []struct {
		env   tool.EnvConfig
		field string
	}{
		{tool.EnvConfig{Deny: []string{"A", ""}}, "Env.Deny"},
		{tool.EnvConfig{Deny: []string{"[A"}}, "Env.Deny"},
		{tool.EnvConfig{Deny: []string{"[!A]"}}, "Env.Deny"},
		{tool.EnvConfig{Deny: []string{"A=1"}}, "Env.Deny"},
		{tool.EnvConfig{Set: map[string]string{"PATH": "/bin:bin"}}, "Env.Set"},
		{tool.EnvConfig{Set: map[string]string{"A\x00": ""}}, "Env.Set"},
		{tool.EnvConfig{Set: map[string]string{"A": "\x00"}}, "Env.Set"}, // case 105
		{tool.EnvConfig{Set: map[string]string{"": "x"}}, "Env.Set"},
		{tool.EnvConfig{Set: map[string]string{"PWD": "/"}}, "Env.Set"},
		{tool.EnvConfig{Inherit: "CORE"}, "Env.Inherit"},
		{tool.EnvConfig{Deny: append(tool.LLMAPIKeyPatterns(), tool.SecretPatterns()...)}, ""},
	} {
		_, err := tool.New(context.Background(), tool.Config{Env: tt.env})
		var f *tool.FieldError
		if errors.As(err, &f); tt.field == "" && err != nil || tt.field != "" && (f == nil || f.Field != tt.field) {
			t.Errorf("%+v: %v", tt.env, err)
		}
	}
}

// The exceptions that are documented are those there are.
func TestExceptionsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("environment.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "a pattern matches them:\n")
	list, _, _ = strings.Cut(list, "\nfunc ")
	var got []string
	for _, word := range strings.Fields(list) {
		if strings.ToUpper(word) == word && strings.Trim(word, "/-") != "" {
			got = append(got, word)
		}
	}
	want := environ.SecretExceptions()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q\n%q", got, want)
	}
}
