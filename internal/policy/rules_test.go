package policy

import (
	"strings"
	"testing"

	"github.com/einoshell/einoshell/internal/command"
)

func TestRuleFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		c      Config
		faults string // parts of their reasons, between bars
	}{
		{"none", Config{Rules: []Rule{{Pattern: []string{"git push"}, Decision: Deny, Match: []string{"git push", "cd x; git -C y push z"}, NotMatch: []string{"git pull", "echo git push"}}}}, ""},
		{"words", Config{Rules: []Rule{{Pattern: []string{"git", "push"}, Decision: Ask, Match: []string{"git push"}}}}, ""},
		{"no pattern", Config{Rules: []Rule{{Decision: Deny}}}, "there is no pattern"},
		{"an empty pattern", Config{Rules: []Rule{{Pattern: []string{" "}, Decision: Deny}}}, "there is no pattern"},
		{"an empty word", Config{Rules: []Rule{{Pattern: []string{"git", ""}, Decision: Deny}}}, "is empty"},
		{"an empty alternative", Config{Rules: []Rule{{Pattern: []string{"git a||b"}, Decision: Deny}}}, "is empty"},
		{"a quote", Config{Rules: []Rule{{Pattern: []string{"git 'x"}, Decision: Deny}}}, "cannot be split"},
		{"an action", Config{Rules: []Rule{{Pattern: []string{"git"}, Decision: -1}}}, "not deny, ask or allow"},
		{"a keyword", Config{Rules: []Rule{{Pattern: []string{"if x"}, Decision: Deny}}}, "never the name of a command"},
		{"a name with spaces", Config{Rules: []Rule{{Pattern: []string{"a b", "c"}, Decision: Deny}}}, "not the name of a command"},
		{"everything allowed", Config{Rules: []Rule{{Pattern: []string{"*"}, Decision: Allow}}}, "leave the lists out"},
		{"too long", Config{Rules: []Rule{{Pattern: []string{strings.Repeat("a ", 33)}, Decision: Deny}}}, "more than 32 words"},
		{"a denied name", Config{Denied: []string{"rm"}, Rules: []Rule{{Pattern: []string{"rm x"}, Decision: Allow}}}, "DeniedCommands denies"},
		{"a denied rule", Config{Rules: []Rule{{Pattern: []string{"git push"}, Decision: Deny}, {Pattern: []string{"git push origin"}, Decision: Allow}}}, "the rule 'git push' denies"},
		{"a denied rule behind", Config{Rules: []Rule{{Pattern: []string{"git push"}, Decision: Allow}, {Pattern: []string{"git"}, Decision: Deny}}}, "the rule 'git' denies"},
		{"a denied alternative", Config{Rules: []Rule{{Pattern: []string{"git push|fetch"}, Decision: Deny}, {Pattern: []string{"git fetch"}, Decision: Allow}}}, "denies"},
		{"a denied wildcard", Config{Rules: []Rule{{Pattern: []string{"g*"}, Decision: Deny}, {Pattern: []string{"git fetch"}, Decision: Allow}}}, "denies"},
		{"an assignment", Config{Rules: []Rule{{Pattern: []string{"git=x"}, Decision: Deny}}}, "never the name"},
		{"an example", Config{Rules: []Rule{{Pattern: []string{"git push"}, Decision: Deny, Match: []string{"git pull"}}}}, "does not match its example 'git pull'"},
		{"a counterexample", Config{Rules: []Rule{{Pattern: []string{"git push"}, Decision: Deny, NotMatch: []string{"git -C x push"}}}}, "which it must not"},
		{"an example that allows", Config{Rules: []Rule{{Pattern: []string{"git push"}, Decision: Allow, Match: []string{"git -C x push"}}}}, "does not match its example"},
		{"an example that cannot be read", Config{Rules: []Rule{{Pattern: []string{"git"}, Decision: Deny, Match: []string{"git '"}}}}, "cannot be read"},
		{"two", Config{Rules: []Rule{{}, {Pattern: []string{"x |"}, Decision: Deny}}}, "rule 1: there is no pattern|rule 2: a word"},
		{"a guard", Config{Guards: map[string]Setting{"secret": GuardDeny}}, "is not a guard"},
		{"a setting", Config{Guards: map[string]Setting{Secrets: "on"}}, "is not off, ask or deny"},
	} {
		_, faults := New(tt.c)
		var got []string
		for _, f := range faults {
			got = append(got, f.Reason)
		}
		want := strings.Split(tt.faults, "|")
		if tt.faults == "" {
			want = nil
		}
		if len(got) != len(want) {
			t.Errorf("%s: %q", tt.name, got)
			continue
		}
		for i := range want {
			if !strings.Contains(got[i], want[i]) {
				t.Errorf("%s: %q, want %q", tt.name, got[i], want[i])
			}
		}
	}
}

func TestWild(t *testing.T) {
	for _, tt := range []struct {
		pattern, s string
		want       bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"a*", "a", true}, {"a*", "ab/c", true}, {"*a", "ba", true}, {"*a", "ab", false}, {"a*b", "ab", true}, {"a*b", "aab", true}, {"a*b", "a", false},
		{"*", "", true}, {"a*a", "a", false}, {"a*b*c", "a-b-b-c", true}, {"a*b*c", "a-c-b", false}, {"**", "x", true}, {"*b*", "abc", true},
	} {
		if got := wild(tt.pattern, tt.s); got != tt.want {
			t.Errorf("%s, %s: %t", tt.pattern, tt.s, got)
		}
	}
}

// A rule costs what its words and those of the command do, and no more.
func TestRuleBounds(t *testing.T) {
	p, faults := New(Config{Dynamic: DynamicAllow, Rules: []Rule{{Pattern: []string{"c" + strings.Repeat(" p", 30) + " q"}, Decision: Deny}, {Pattern: []string{"c" + strings.Repeat(" *a*a*a*", 8) + " q"}, Decision: Deny}}})
	if faults != nil {
		t.Fatal(faults)
	}
	for _, text := range []string{"c" + strings.Repeat(" -a p", 12_000), "c" + strings.Repeat(` -a "$x"`, 12_000), "c" + strings.Repeat(" -a", 12_000), "c " + strings.Repeat("a", 100_000)} {
		if v := p.Judge(Line{Text: text}); v.Decision != Allow {
			t.Errorf("%.20s: %.100s", text, v.Reason)
		}
	}
}

// On Windows names have no case, and options begin with slashes, too.
func TestRulesOnWindows(t *testing.T) {
	for _, tt := range []struct {
		shell   command.Shell
		pattern string
		deny    []string
	}{
		{command.PowerShell, "Remove-Item", []string{"Remove-Item x", "remove-item x", "ri x", "del x"}},
		{command.PowerShell, "rm", []string{"Remove-Item x", "rm x"}},
		{command.Cmd, "DEL", []string{"del x", "DEL x"}},
		{command.Cmd, "git.exe push", []string{"git.exe push", "git push", `C:\bin\GIT.EXE PUSH`}},
		{command.Cmd, "net stop", []string{"net STOP x", "net /y stop x"}},
		{command.Cmd, "del /s", []string{"del /S x"}},
	} {
		p := compile(t, Config{Shell: tt.shell, Guards: map[string]Setting{}, Dynamic: DynamicAllow, Rules: []Rule{{Pattern: []string{tt.pattern}, Decision: Deny}}})
		for _, text := range tt.deny {
			if v := p.Judge(Line{Text: text}); v.Decision != Deny {
				t.Errorf("%s: %s: %+v", tt.pattern, text, v)
			}
		}
		if v := p.Judge(Line{Text: "echo " + tt.pattern}); v.Decision != Allow {
			t.Errorf("%+v", v)
		}
	}
	p := compile(t, Config{Shell: command.PowerShell, Allowed: []string{"ls"}, Rules: []Rule{{Pattern: []string{"Get-ChildItem"}, Decision: Allow}}})
	if v := p.Judge(Line{Text: "get-childitem x"}); v.Decision != Allow {
		t.Errorf("%+v", v)
	}
}

// What a variable holds is not known to rules either.
func TestRulesAndDynamic(t *testing.T) {
	p, _ := New(Config{Dynamic: DynamicAsk, Shell: command.Bash, Rules: []Rule{{Pattern: []string{"bash -c"}, Decision: Allow}}})
	for text, want := range map[string]Decision{`bash -c "$x"`: Allow, `sh -c "$x"`: Ask, `$x`: Ask, `eval "$x"`: Ask, `env bash -c "$x"`: Allow} {
		if v := p.Judge(Line{Text: text}); v.Decision != want {
			t.Errorf("%s: %+v", text, v)
		}
	}
}
