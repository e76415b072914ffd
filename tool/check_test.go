//go:build unix

package tool_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einoshell/einoshell/internal/need"
	"github.com/einoshell/einoshell/tool"
)

// Check says what a call would be told, and works where calls are refused.
func TestCheck(t *testing.T) {
	s := newShell(t, func(c *tool.Config) { c.MaxCommandBytes, c.DeniedCommands = 100, []string{"rm"} })
	for _, tt := range []struct {
		command      string
		action       tool.Action
		reason, rule string
		commands     []string
	}{
		{"cd a && ls | wc -l", tool.ActionAllow, "", "", []string{"cd", "ls", "wc"}},
		{"ls; env rm x", tool.ActionDeny, "Command 'rm' is denied. ", "DeniedCommands: rm", []string{"ls", "env", "rm"}},
		{"$x", tool.ActionDeny, "It is not known before what would run: '$x' names the command. ", "DynamicCommands", []string{"?"}},
		{"ls )", tool.ActionDeny, "The command cannot be read: ", "", nil},
		{"", tool.ActionDeny, "The command is empty.", "", nil},
		{strings.Repeat("x", 101), tool.ActionDeny, "The command is 101 bytes long, and may be 100. ", "MaxCommandBytes", nil},
		{"# nothing", tool.ActionAllow, "", "", nil},
	} {
		v := s.Check(tt.command)
		if v.Action != tt.action || !strings.HasPrefix(v.Reason, tt.reason) || (tt.reason == "") != (v.Reason == "") || v.Rule != tt.rule || !slices.Equal(v.Commands, tt.commands) {
			t.Errorf("%q: %+v", tt.command, v)
		}
		got := call(t, s, tt.command)
		if refused := strings.HasPrefix(got, "Command not run: "); refused != (tt.action == tool.ActionDeny) || !strings.HasPrefix(strings.TrimPrefix(got, "Command not run: "), tt.reason) {
			t.Errorf("%q: the tool says %q", tt.command, got)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if v := s.Check("ls"); v.Action != tool.ActionAllow {
		t.Errorf("closed: %+v", v)
	}
	off, err := tool.New(context.Background(), tool.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if v := off.Check("rm x"); v.Rule != "DeniedCommands: rm" {
		t.Errorf("off: %+v", v)
	}
}

// Where somebody has to be asked, nobody is there.
func TestAskIsRefused(t *testing.T) {
	s := newShell(t, func(c *tool.Config) { c.DynamicCommands = "ask" })
	if v := s.Check("$x y"); v.Action != tool.ActionAsk || v.Rule != "DynamicCommands" {
		t.Errorf("%+v", v)
	}
	if got := call(t, s, "$x y"); !strings.HasPrefix(got, "Command not run: ") || !strings.HasSuffix(got, "there is nobody to ask.)") {
		t.Errorf("%q", got)
	}
	s = newShell(t, func(c *tool.Config) { c.DynamicCommands = "allow" })
	if got := call(t, s, "x=$(printf echo); $x hi"); got != "[stdout]\nhi\n" {
		t.Errorf("%q", got)
	}
}

// The Shell may be one string; its language has to be known.
func TestShellLanguage(t *testing.T) {
	need.Program(t, "bash")
	s := newShell(t, func(c *tool.Config) { c.Shell = []string{"bash --norc '-c'"} })
	if got := call(t, s, "x=(1 2); echo ${#x[@]}"); got != "[stdout]\n2\n" {
		t.Errorf("%q", got)
	}
	if got := call(t, newShell(t, nil), "x=(1 2); echo ${#x[@]}"); !strings.Contains(got, "known to bash only") {
		t.Errorf("%q", got)
	}
	zsh := filepath.Join(t.TempDir(), "zsh")
	if err := os.Symlink("/bin/sh", zsh); err != nil {
		t.Fatal(err)
	}
	for _, shell := range [][]string{{zsh, "-c"}, {"env", "sh", "-c"}, {"bash 'x"}} {
		_, err := tool.New(context.Background(), tool.Config{AllowShell: true, Shell: shell})
		if err == nil || !strings.Contains(err.Error(), "Shell: ") {
			t.Errorf("%q: %v", shell, err)
		}
	}
	_, err := tool.New(context.Background(), tool.Config{DynamicCommands: "x", DeniedOperators: []string{"=>"}})
	if err == nil || err.Error() != "DeniedOperators: '=>' is not a shell operator.\nDynamicCommands: 'x' is not deny, ask, allow or auto." {
		t.Errorf("%v", err)
	}
}

// A name is looked up in the directory and on the PATH of the command, not on the host's.
func TestCheckLooksNamesUp(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	for _, link := range []string{filepath.Join(dir, "here"), filepath.Join(bin, "there")} {
		if err := os.Symlink("/bin/rm", link); err != nil {
			t.Fatal(err)
		}
	}
	s := newShell(t, func(c *tool.Config) {
		c.Dir, c.Env.Set, c.DeniedCommands = dir, map[string]string{"PATH": bin}, []string{"rm"}
	})
	for text, want := range map[string]tool.Action{"./here x": tool.ActionDeny, "there x": tool.ActionDeny, "here x": tool.ActionAllow, "./there x": tool.ActionAllow} {
		if v := s.Check(text); v.Action != want {
			t.Errorf("%s: %+v", text, v)
		}
	}
}
