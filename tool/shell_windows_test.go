package tool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	einotool "github.com/cloudwego/eino/components/tool"

	"github.com/einoshell/einoshell/tool"
)

func windowsShell(t *testing.T, change func(*tool.Config)) *tool.Shell {
	t.Helper()
	c := tool.Default(os.TempDir())
	if change != nil {
		change(&c)
	}
	s, err := tool.New(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// run_command with cmd.exe, as a model calls it.
func TestRunCommandOnWindows(t *testing.T) {
	s := windowsShell(t, nil)
	run := s.Tools()[0].(einotool.InvokableTool)
	for arguments, want := range map[string]string{
		`{"command":"echo hi"}`:                                                "[stdout]\nhi\n",
		`{"command":"echo err 1>&2& exit 3"}`:                                  "[stderr]\nerr \n\n[exit code: 3]",
		`{"command":"echo \"a  b\"& echo %CD%"}`:                               "[stdout]\n\"a  b\"\n" + strings.TrimSuffix(os.TempDir(), `\`) + "\n",
		`{"command":"echo a\necho b"}`:                                         "Command not run: The command has more than one line",
		`{"command":"FORMAT C:"}`:                                              "Command not run: Command 'format' is denied.",
		`{"command":"` + strings.Repeat("x", 9000) + `"}`:                      "Command not run: The command is 9000 bytes long",
		`{"command":"echo hi& ping -n 60 127.0.0.1 >NUL","timeout_seconds":2}`: "[stdout]\nhi\n\n[Command timed out after 2.0s]",
	} {
		got, err := run.InvokableRun(context.Background(), arguments)
		if err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%.100s: %v, %q", arguments, err, got)
		}
	}
	r, err := s.Exec(context.Background(), tool.Request{Command: "ping -n 60 127.0.0.1 >NUL", Timeout: time.Second})
	if err != nil || !r.TimedOut || r.ExitCode != nil || r.Duration > 30*time.Second {
		t.Errorf("%v, %+v", err, r)
	}
	before := runtime.NumGoroutine()
	for range 20 {
		if r, err := s.Exec(context.Background(), tool.Request{Command: "exit 0"}); err != nil || *r.ExitCode != 0 {
			t.Fatalf("%v, %+v", err, r)
		}
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

func TestSpillOnWindows(t *testing.T) {
	s := windowsShell(t, func(c *tool.Config) { c.MaxOutputChars = 1000 })
	r, err := s.Exec(context.Background(), tool.Request{Command: "for /l %i in (1,1,500) do @echo line %i"})
	if err != nil || !r.Truncated || r.TotalLines != 500 {
		t.Fatalf("%v, %+v", err, r)
	}
	text, err := os.ReadFile(r.OutputPath)
	if err != nil || !strings.HasPrefix(string(text), "line 1\r\n") || int64(len(text)) != r.StdoutBytes {
		t.Errorf("%v, %d bytes of %d", err, len(text), r.StdoutBytes)
	}
}

// The environment is one of Windows: what programs need to start is in core.
func TestEnvironmentOnWindows(t *testing.T) {
	s := windowsShell(t, func(c *tool.Config) {
		c.Guards = map[string]tool.GuardAction{} // set prints the whole environment
		c.Env = tool.EnvConfig{Set: map[string]string{"path": `C:\mine;` + os.Getenv("PATH")}}
	})
	r, err := s.Exec(context.Background(), tool.Request{Command: "set"})
	if err != nil {
		t.Fatal(err)
	}
	upper := strings.ToUpper(r.Stdout)
	if !strings.Contains(upper, "SYSTEMROOT=") || strings.Count(upper, "\nPATH=") != 1 || !strings.Contains(r.Stdout, `C:\mine;`) {
		t.Errorf("%s", r.Stdout)
	}
	_, err = tool.New(context.Background(), tool.Config{AllowShell: true, Shell: []string{filepath.Join(os.TempDir(), "no-such-shell.exe")}})
	var f *tool.FieldError
	if !errors.As(err, &f) || f.Field != "Shell" {
		t.Errorf("%v", err)
	}
}

// What is for POSIX shells is an error here.
func TestNotOnWindows(t *testing.T) {
	c := tool.Default(os.TempDir())
	c.PersistDir, c.MaxFileBytes, c.Tools = true, 1024, []string{"run_command", "shell"}
	_, err := tool.New(context.Background(), c)
	for _, want := range []string{"PersistDir: persist_cwd needs a POSIX shell", "MaxFileBytes: max_file_bytes: limits are not supported on windows", "Tools: shell: commands that outlive the program are not supported on windows"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
