package environ

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuild(t *testing.T) {
	host := []string{"PATH=/bin", "HOME=/h", "SECRET=s", "PWD=/x", "OLDPWD=/y", "=C:=weird", "LANG=a", "LANG=b"}
	for _, tt := range []struct {
		name    string
		inherit Inherit
		calm    map[string]string
		set     map[string]string
		want    []string
	}{
		{"core", InheritCore, nil, nil, []string{"HOME=/h", "LANG=b", "PATH=/bin"}},
		{"all", InheritAll, nil, nil, []string{"HOME=/h", "LANG=b", "PATH=/bin", "SECRET=s"}},
		{"none", InheritNone, nil, nil, []string{}},
		{"case 189, only what is set", InheritNone, nil, map[string]string{"FOO": "bar"}, []string{"FOO=bar"}},
		{"set wins", InheritCore, nil, map[string]string{"PATH": "/p", "A": ""}, []string{"A=", "HOME=/h", "LANG=b", "PATH=/p"}},
		{"what keeps programs from waiting wins over the host's", InheritCore, map[string]string{"LANG": "x", "PATH": "/q"}, map[string]string{"PATH": "/p"}, []string{"HOME=/h", "LANG=x", "PATH=/p"}},
	} {
		if diff := cmp.Diff(tt.want, Build(tt.inherit, host, tt.calm, tt.set)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// On Windows Path and PATH are one variable.
func TestBuildForWindows(t *testing.T) {
	windows = true
	defer func() { windows = runtime.GOOS == "windows" }()
	host := []string{"=C:=C:\\x", "Path=C:\\bin", "SystemRoot=C:\\Windows", "Secret=s", "Pwd=x", "EinoShell_Command_Id=x"}
	for _, tt := range []struct {
		inherit Inherit
		calm    map[string]string
		set     map[string]string
		want    []string
	}{
		{InheritCore, nil, nil, []string{"Path=C:\\bin", "SystemRoot=C:\\Windows"}},
		{InheritAll, map[string]string{"Secret": "u"}, map[string]string{"PATH": "p", "SECRET": "t"}, []string{"PATH=p", "SECRET=t", "SystemRoot=C:\\Windows"}},
	} {
		if diff := cmp.Diff(tt.want, Build(tt.inherit, host, tt.calm, tt.set)); diff != "" {
			t.Error(diff)
		}
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

// What is documented, and no more.
func TestLists(t *testing.T) {
	if diff := cmp.Diff("PATH HOME TERM LANG LC_ALL LC_CTYPE USER SHELL TMPDIR", strings.Join(Core(), " ")); diff != "" && !windows {
		t.Error(diff)
	}
	defer func(w bool) { windows = w }(windows)
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
