//go:build unix

package tool_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einoshell/einoshell/tool"
)

// Group E of the reports, as far as it is about directories and what surrounds a command; the
// environment has environment_test.go. E3, E4 and E6 are for directories that a call names or
// keeps, and for sandboxes.
func TestReportsOfGroupE(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	file, link, dangling := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone", dangling); err != nil {
		t.Fatal(err)
	}

	// E1 and E2: what is wrong with a directory is said of the directory, and nothing is run in another.
	for name, want := range map[string]string{filepath.Join(dir, "gone"): "no such file", file: "is not a directory", dangling: "no such file"} {
		_, err := tool.New(ctx, tool.Config{AllowShell: true, Dir: name})
		if err == nil || !strings.Contains(err.Error(), "Dir: ") || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("E2, New: %s: %v", name, err)
		}
		s := newShell(t, nil)
		runCtx, run := s.NewRun(ctx, tool.RunOptions{Dir: name})
		if err := run.Err(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("E2, NewRun: %s: %v", name, err)
		}
		if r, err := s.Exec(runCtx, tool.Request{Command: "pwd"}); err == nil {
			t.Errorf("E2: it ran in %s", r.Dir)
		}
		run.Close()
	}
	for name, lose := range map[string]func(dir string) error{
		"no longer exists":         os.Remove,
		"is no longer a directory": func(dir string) error { os.Remove(dir); return os.WriteFile(dir, nil, 0o600) },
		"longer exists":            func(dir string) error { os.Remove(dir); return os.Symlink("gone", dir) },
	} {
		lost := filepath.Join(t.TempDir(), "work")
		if err := os.Mkdir(lost, 0o755); err != nil {
			t.Fatal(err)
		}
		s := newShell(t, func(c *tool.Config) { c.Dir = lost })
		if err := lose(lost); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"run_command", "start_command"} { // case 99
			text := use(t, ctx, s, command, "command", "ls")
			if !strings.HasPrefix(text, "Command not run: The working directory ") || !strings.Contains(text, name) || strings.Contains(text, lost) {
				t.Errorf("E1, %s: %q", command, text)
			}
		}
	}

	// E5: a directory that is a link is one.
	s := newShell(t, func(c *tool.Config) { c.Dir = link })
	if text := call(t, s, "pwd -L; touch x && ls"); text != "[stdout]\n"+link+"\nx\n" {
		t.Errorf("E5: %q", text)
	}

	// E13: the shell is called what it is.
	real, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run_command", "start_command"} {
		if info, err := named(t, s, name).Info(ctx); err != nil || !strings.Contains(info.Desc, "/bin/sh ("+filepath.Base(real)+")") && filepath.Base(real) != "sh" {
			t.Errorf("E13: %v, %s", err, info.Desc)
		}
	}

	// E16: what is in the workspace configures nothing.
	for name, text := range map[string]string{
		".env": "EINOSHELL_TOOLS=none\nHOME=/evil\nPATH=/evil\n", ".einoshell.yaml": "allow_shell: false\n", "einoshell.toml": "allow_shell = false\n", ".profile": "echo evil\n", ".bashrc": "echo evil\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = newShell(t, func(c *tool.Config) { c.Dir = dir })
	if text := call(t, s, "echo $HOME $PATH"); text != "[stdout]\n"+os.Getenv("HOME")+" "+os.Getenv("PATH")+"\n" {
		t.Errorf("E16: %q", text)
	}

	// E18: the environment of the host is read in another way.
	t.Setenv("EINOSHELL_TEST_TOKEN", "a-value-to-be-hidden")
	s = newShell(t, nil)
	for _, command := range []string{"cat /proc/$PPID/environ", "tr '\\0' '\\n' < /proc/1/environ", "strings /proc/self/../$PPID/environ"} {
		if text := call(t, s, command); !strings.HasPrefix(text, "Command not run: ") {
			t.Errorf("E18: %s: %q", command, text)
		}
	}
}
