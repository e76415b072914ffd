package environ

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asUnix has names be as they are elsewhere than on Windows.
func asUnix(t *testing.T) {
	was := windows
	windows = false
	t.Cleanup(func() { windows = was })
}

func TestBuild(t *testing.T) {
	asUnix(t)
	host := []string{"PATH=/bin", "HOME=/h", "OTHER=s", "PWD=/x", "OLDPWD=/y", "=C:=weird", "LANG=a", "LANG=b", "TOKEN=t", "BASH_ENV=/e", "TOK=x", "TOK=ghp_0123456789abcdefghijABCDEFGHIJ012345"}
	set := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	for _, tt := range []struct {
		name string
		plan Plan
		more map[string]string
		want string
	}{
		{"core", Plan{Inherit: InheritCore}, nil, "HOME=/h LANG=b PATH=/bin"},
		{"all", Plan{Inherit: InheritAll}, nil, "HOME=/h LANG=b OTHER=s PATH=/bin"},
		{"all with secrets", Plan{Inherit: InheritAll, KeepSecrets: true}, nil, "HOME=/h LANG=b OTHER=s PATH=/bin TOK=ghp_0123456789abcdefghijABCDEFGHIJ012345 TOKEN=t"},
		{"none", Plan{Inherit: InheritNone}, nil, ""},
		{"case 189, only what is set", Plan{Inherit: InheritNone, Set: set("FOO", "bar")}, nil, "FOO=bar"},
		{"case 190", Plan{Inherit: InheritNone, Set: set()}, nil, ""},
		{"set wins", Plan{Inherit: InheritCore, Set: set("PATH", "/p", "A", "")}, nil, "A= HOME=/h LANG=b PATH=/p"},
		{"what keeps programs from waiting wins over the host's", Plan{Inherit: InheritCore, Calm: set("LANG", "x", "PATH", "/q"), Set: set("PATH", "/p")}, nil, "HOME=/h LANG=x PATH=/p"},
		{"more wins", Plan{Inherit: InheritNone, Calm: set("A", "1"), Set: set("A", "2", "B", "2")}, set("A", "3", "PWD", "/z", "PATH", ":/b:c"), "A=3 B=2 PATH=/b"},
		{"named in Set, secrets and all", Plan{Inherit: InheritNone, Set: set("TOKEN", "u", "BASH_ENV", "/f")}, set("LD_PRELOAD", "l", "API_KEY", "k"), "API_KEY=k BASH_ENV=/f LD_PRELOAD=l TOKEN=u"},
		{"Deny filters all", Plan{Inherit: InheritAll, Calm: set("C_A", "1"), Set: set("C_B", "2", "D", "2"), Deny: []string{"C_*", "O????", "LANG"}}, set("C_C", "3", "E", "3"), "D=2 E=3 HOME=/h PATH=/bin"},
		{"Deny without KeepSecrets lets go", Plan{Inherit: InheritAll, KeepSecrets: true, Deny: []string{"TOK*"}}, nil, "HOME=/h LANG=b OTHER=s PATH=/bin"},
		{"Deny knows capitals, case 195", Plan{Inherit: InheritNone, Set: set("openai_api_key", "1", "OPENAI_API_KEY", "2"), Deny: []string{"OPENAI_*"}}, nil, "openai_api_key=1"},
		{"Deny, slashes", Plan{Inherit: InheritNone, Set: set("a/b/c", "1"), Deny: []string{"a*c"}}, nil, ""},
		{"Deny, one slash", Plan{Inherit: InheritNone, Set: set("a/b", "1"), Deny: []string{"a/[a-c]"}}, nil, ""},
	} {
		tt.plan.Host = host
		if diff := cmp.Diff(tt.want, strings.Join(tt.plan.Build(tt.more), " ")); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// Case 262 and E7: what is left keeps its order and how it is written.
func TestPath(t *testing.T) {
	asUnix(t)
	for _, tt := range []struct {
		windows    bool
		path, want string
		relative   bool // a fault in Set
	}{
		{false, "/b:/a:/b", "/b:/a:/b", false},
		{false, ":/b::/a/../x/:", "/b:/a/../x/", false},
		{false, ".:/b:bin:./x:~/y:..", "/b", true},
		{false, "", "", false}, {false, ":", "", false}, {false, ".", "", true},
		{true, `C:\b;;D:/a;c:\x y`, `C:\b;D:/a;c:\x y`, false},
		{true, `"C:\a;b";\\srv\x;"//s/y"`, `"C:\a;b";\\srv\x;"//s/y"`, false},
		{true, `.;C:;C:x;\x;%X%\b;1:\x;C:\b`, `C:\b`, true},
	} {
		windows = tt.windows
		name := "PATH"
		if windows {
			name = "Path"
		}
		got := Get(Plan{Inherit: InheritAll, Host: []string{name + "=" + tt.path}}.Build(nil), "PATH")
		if got != tt.want || (Fault(name, tt.path) != "") != tt.relative {
			t.Errorf("%q: %q, %q", tt.path, got, Fault(name, tt.path))
		}
		if env := (Plan{Inherit: InheritCore, Host: []string{name + "=" + tt.path}}).Build(nil); tt.want == "" && len(env) > 0 {
			t.Errorf("%q: %q", tt.path, env)
		}
	}
}

func TestWithheld(t *testing.T) {
	asUnix(t)
	host := []string{"PATH=/bin", "API_KEY=k", "PAGER=less", "EDITOR=vi", "A=1", "B_C=2", "PWD=/x", "HIDDEN=postgres://u:p@h/", "LANG=x"}
	for _, tt := range []struct {
		plan Plan
		want string
	}{
		{Plan{Inherit: InheritAll}, "API_KEY EDITOR HIDDEN PAGER"},
		{Plan{Inherit: InheritAll, KeepSecrets: true}, "EDITOR PAGER"},
		{Plan{Inherit: InheritAll, Deny: []string{"B_*"}}, "API_KEY B_C EDITOR HIDDEN PAGER"},
		{Plan{Inherit: InheritAll, Calm: map[string]string{"PAGER": "cat"}, Set: map[string]string{"API_KEY": "x"}}, "EDITOR HIDDEN"}, // nobody misses those
		{Plan{Inherit: InheritCore, Deny: []string{"L*"}}, "LANG"},
		{Plan{Inherit: InheritCore}, ""},
		{Plan{Inherit: InheritNone, Deny: []string{"*"}}, ""},
	} {
		tt.plan.Host = host
		if got := strings.Join(tt.plan.Withheld(), " "); got != tt.want {
			t.Errorf("%+v: %s", tt.plan, got)
		}
	}
}

// On Windows Path and PATH are one variable.
func TestBuildForWindows(t *testing.T) {
	asUnix(t)
	windows = true
	host := []string{"=C:=C:\\x", "Path=C:\\bin", "SystemRoot=C:\\Windows", "Other=s", "Pwd=x", "EinoShell_Command_Id=x", "Node_Options=x", "Api_Key=x"}
	for _, tt := range []struct {
		plan Plan
		want []string
	}{
		{Plan{Inherit: InheritCore}, []string{"Path=C:\\bin", "SystemRoot=C:\\Windows"}},
		{Plan{Inherit: InheritAll, Calm: map[string]string{"Other": "u"}, Set: map[string]string{"PATH": "C:\\p", "OTHER": "t"}}, []string{"OTHER=t", "PATH=C:\\p", "SystemRoot=C:\\Windows"}},
		{Plan{Inherit: InheritAll, Deny: []string{"oth*", "[p]ath"}}, []string{"SystemRoot=C:\\Windows"}},
	} {
		tt.plan.Host = host
		if diff := cmp.Diff(tt.want, tt.plan.Build(nil)); diff != "" {
			t.Error(diff)
		}
	}
	if got := strings.Join(Plan{Inherit: InheritAll, Host: host}.Withheld(), " "); got != "Api_Key Node_Options" {
		t.Error(got)
	}
	if twice := Twice(map[string]string{"Path": "a", "PATH": "b", "X": "c"}); twice != "Path" {
		t.Errorf("%q", twice)
	}
	if Fault("Pwd", "x") == "" {
		t.Error("Pwd can be set")
	}
}

func TestInDoesNotShare(t *testing.T) {
	env := append(make([]string, 0, 10), "A=1")
	a, b := In(env, "/a"), In(env, "/b")
	if a[1] != "PWD=/a" || b[1] != "PWD=/b" {
		t.Errorf("%v, %v", a, b)
	}
}

func TestFault(t *testing.T) {
	for name, bad := range map[string]bool{"A": false, "": true, "A=B": true, "A\x00": true, "PWD": true, "OLDPWD": true, "EINOSHELL_COMMAND_ID": true} {
		if got := Fault(name, "v") != ""; got != bad {
			t.Errorf("%q: fault %v", name, got)
		}
	}
	if Fault("A", "x\x00y") == "" || Fault("A", "\xff=") != "" {
		t.Error("values")
	}
}

func TestGlobFault(t *testing.T) {
	asUnix(t)
	for glob, bad := range map[string]bool{"": true, "[": true, "[]": true, `A\`: true, "A=*": true, "A\x00": true, "[!A]*": true, "[^A]*": false, "*": false, "A?[0-9]*": false} {
		if got := GlobFault(glob) != ""; got != bad {
			t.Errorf("%q: fault %v", glob, got)
		}
	}
}

// What is documented, and no more.
func TestLists(t *testing.T) {
	asUnix(t)
	if diff := cmp.Diff("PATH HOME TERM LANG LC_ALL LC_CTYPE USER SHELL TMPDIR", strings.Join(Core(), " ")); diff != "" {
		t.Error(diff)
	}
	windows = true
	if diff := cmp.Diff("SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE USERNAME TEMP TMP", strings.Join(Core()[9:], " ")); diff != "" {
		t.Error(diff)
	}
	want := map[string]string{
		"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "SYSTEMD_PAGER": "cat", "GIT_EDITOR": "true", "EDITOR": "false", "VISUAL": "false",
		"GIT_TERMINAL_PROMPT": "0", "SSH_ASKPASS_REQUIRE": "never", "PIP_NO_INPUT": "1", "DEBIAN_FRONTEND": "noninteractive",
	}
	if diff := cmp.Diff(want, NonInteractive()); diff != "" {
		t.Error(diff)
	}
}
