package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/einoshell/einoshell/internal/command"
)

// What each entry of the denied operators refuses, and what it does not.
func TestOperators(t *testing.T) {
	tested := map[string]bool{}
	for _, tt := range []struct {
		op               string
		refused, allowed []string
	}{
		{">", []string{"a >f", "a >>f", "a >|f", "a <>f", "a &>f", "a &>>f", "a >&f", "a >$f", "a 2>f", "{ a; } >f", "sh -c 'a >f'", "echo $(a >f)", "{fd}>f a"},
			[]string{"a 2>&1", "a >&2", "a >&-", "a >/dev/null", "a 2>/dev/null", "a &>/dev/null", "grep 'a->b' f", "[[ b > a ]]", "a <f", "cat <<E\n>\nE"}},
		{">>", []string{"a >>f", "a &>>f"}, []string{"a >f", "a >|f"}},
		{">|", []string{"a >|f"}, []string{"a >f"}},
		{"&>", []string{"a &>f", "a &>>f", "a >&f"}, []string{"a >f", "a &"}},
		{"&>>", []string{"a &>>f"}, []string{"a &>f"}},
		{">&", []string{"a 2>&1", "a >&2", "a >&f"}, []string{"a >f", "a <&3"}},
		{"<", []string{"a <f", "a <>f", "a <<E\nE", "a <<-E\nE", "a <<<x"}, []string{"a </dev/null", "a <&-", "a >f", "b='<'"}},
		{"<>", []string{"a <>f"}, []string{"a <f"}},
		{"<<", []string{"a <<E\nE", "a <<-E\nE", "a <<<x"}, []string{"a <f"}},
		{"<<-", []string{"a <<-E\nE"}, []string{"a <<E\nE"}},
		{"<<<", []string{"a <<<x"}, []string{"a <<E\nE"}},
		{"<&", []string{"a <&3"}, []string{"a <f"}},
		{"|", []string{"a | b", "a |& b", "coproc a", "(a | b)"}, []string{"a || b", "a '|'", "case a in b|c) d;; esac"}},
		{"|&", []string{"a |& b"}, []string{"a | b"}},
		{"||", []string{"a || b"}, []string{"a | b", "[[ a || b ]]"}},
		{"&&", []string{"a && b"}, []string{"a & b", "[[ a && b ]]"}},
		{"&", []string{"a &", "a & b", "coproc a"}, []string{"a && b", "a 2>&1", "a &>f"}},
		{";", []string{"a; b", "a\nb", "(a; b)"}, []string{"a;", "for i in a; do b; done", "if a; then b; fi", "a ';'", "find . -exec a \\;"}},
		{"\n", []string{"a\nb"}, []string{"a; b", "a\n", "\na", "a |\nb", "a \\\nb", "cat <<E\nx\nE"}},
		{"$(", []string{"a $(b)", "a \"$(b)\"", "a `b`", "cat <<E\n$(b)\nE"}, []string{"a '$(b)'", "a $((1))", "cat <<'E'\n$(b)\nE"}},
		{"`", []string{"a `b`", "a $(b)"}, []string{"a '`b`'"}},
		{"<(", []string{"a <(b)"}, []string{"a <b"}},
		{">(", []string{"a >(b)"}, []string{"a >b"}},
		{"(", []string{"(a)"}, []string{"a $(b)", "a '('", "f() { a; }"}},
		{"{", []string{"{ a; }"}, []string{"a {}", "a ${x}", "a {b,c}"}},
		{"!", []string{"! a"}, []string{"a !", "[ ! a ]", "[[ ! a ]]"}},
	} {
		tested[tt.op] = true
		p := compile(t, Config{Operators: []string{tt.op}, Shell: command.Bash, Dynamic: DynamicAllow})
		for _, text := range tt.refused {
			if v := p.Judge(Line{Text: text}); v.Decision != Deny || v.Rule != "DeniedOperators: "+tt.op {
				t.Errorf("%q: %q: %+v", tt.op, text, v)
			}
		}
		for _, text := range tt.allowed {
			if v := p.Judge(Line{Text: text}); v.Decision != Allow {
				t.Errorf("%q: %q: %+v", tt.op, text, v)
			}
		}
	}
	for op := range covers {
		if !tested[op] {
			t.Errorf("no test for %q", op)
		}
	}
	v := compile(t, Config{Operators: []string{">"}}).Judge(Line{Text: "a >>f"})
	if !strings.Contains(v.Reason, "Shell operator '>' is not allowed ('>>' counts as that).") {
		t.Errorf("%+v", v)
	}
}

// All that can be seen is seen: a text in which something is unknown has its operators judged,
// too.
func TestOrderOfChecks(t *testing.T) {
	p := compile(t, Config{Denied: []string{"rm"}, Operators: []string{"|"}})
	for text, rule := range map[string]string{
		"$x; vim f | rm":   "AllowInteractive",
		"$x; a | rm":       "DeniedOperators: |",
		"$x; rm":           "DeniedCommands: rm",
		"$x; ls":           "DynamicCommands",
		"ls":               "",
		"rm; $x":           "DeniedCommands: rm",
		"$(rm x)":          "DeniedCommands: rm",
		"x=$(ls); $x":      "DynamicCommands",
		"x=ls; $x":         "",
		"eval \"$x\"; ls":  "DynamicCommands",
		"bash -c \"$x\"":   "DynamicCommands",
		"time -p $x":       "DynamicCommands",
		"f() { $1; }; f a": "DynamicCommands",
	} {
		if v := p.Judge(Line{Text: text}); v.Rule != rule {
			t.Errorf("%s: %+v, want %s", text, v, rule)
		}
	}
}

func TestDynamic(t *testing.T) {
	for _, tt := range []struct {
		how      Dynamic
		confined bool
		allowed  []string
		want     Decision
	}{
		{"", false, nil, Deny}, {"", true, nil, Deny},
		{DynamicDeny, true, nil, Deny},
		{DynamicAsk, false, nil, Ask}, {DynamicAsk, true, nil, Ask},
		{DynamicAllow, false, nil, Allow},
		{DynamicAuto, false, nil, Deny}, {DynamicAuto, true, nil, Allow}, {DynamicAuto, true, []string{"ls"}, Deny},
	} {
		p := compile(t, Config{Dynamic: tt.how, Confined: tt.confined, Allowed: tt.allowed})
		v := p.Judge(Line{Text: "$x ls"})
		if v.Decision != tt.want || (v.Decision == Allow) != (v.Reason == "") || !slices.Equal(v.Commands, []string{"?", "ls"}) {
			t.Errorf("%+v: %+v", tt, v)
		}
	}
	if _, faults := New(Config{Dynamic: "maybe"}); len(faults) != 1 || faults[0].Field != "DynamicCommands" {
		t.Error(faults)
	}
}

// More commands than anybody writes are refused, not passed over.
func TestManyCommands(t *testing.T) {
	p := compile(t, Config{Denied: []string{"rm"}})
	var b strings.Builder
	for i := range 1100 {
		b.WriteString("c" + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + strings.Repeat("y", i/50) + ";")
	}
	if v := p.Judge(Line{Text: b.String() + "rm x"}); v.Decision != Deny {
		t.Errorf("%+v", v.Reason)
	}
	if v := p.Judge(Line{Text: strings.Repeat("true;", 5000) + "rm x"}); v.Rule != "DeniedCommands: rm" {
		t.Errorf("A52: %+v", v)
	}
}
