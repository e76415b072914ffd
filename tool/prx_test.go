//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
	"github.com/einoshell/einoshell/tool"
)

// The cases drawn from PRX and pi-spring-ai about the contract of the tool and
// about endings and output, by their numbers there. Those about one sandbox
// (234-236) come with it. 324 is the builds and vets of CI, and TestWindowsInWine.

func TestPRXContract(t *testing.T) {
	off, err := tool.New(context.Background(), tool.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer off.Close()
	if len(off.Tools()) != 0 {
		t.Error("1: there are tools")
	}
	marker := filepath.Join(t.TempDir(), "m")
	if _, err := off.Exec(context.Background(), tool.Request{Command: "touch " + marker}); asDenied(t, err).Kind != tool.DeniedShellOff {
		t.Errorf("2: %v", err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("2: it ran")
	}

	s := jsonShell(t, nil)
	info, err := runTool(t, s).Info(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	js, err := info.ParamsOneOf.ToJSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	if command, ok := js.Properties.Get("command"); !ok || command.Type != "string" || strings.Join(js.Required, " ") != "command" {
		t.Errorf("3: %+v", js)
	}
	if _, ok := js.Properties.Get("approved"); ok {
		t.Error("3: a model may approve")
	}
	for number, arguments := range map[string]string{
		"4": `{}`, "6": `{"command":"   \n\t"}`, "7": `{"command":"echo a\u0000b"}`, "8": `{"command":"` + strings.Repeat("x", 1<<20) + `x"}`,
	} {
		o := parse(t, callRaw(t, context.Background(), s, arguments))
		if e, _ := o["error"].(string); !strings.HasPrefix(e, "Command not run: ") || number == "4" && !strings.Contains(e, "command") {
			t.Errorf("%s: %v", number, o)
		}
	}
}

func TestPRXResults(t *testing.T) {
	t.Parallel()
	real := t.TempDir()
	if resolved, err := filepath.EvalSymlinks(real); err == nil {
		real = resolved
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	s := jsonShell(t, func(c *tool.Config) { c.Dir, c.MaxOutputChars = link, 20_000 })
	for _, tt := range []struct {
		number, command string
		want            map[string]any
	}{
		{"9", "cd -P . && pwd", map[string]any{"success": true, "stdout": real + "\n"}},
		{"10", "pwd -P", map[string]any{"success": true, "stdout": real + "\n"}},
		{"12", "cat", map[string]any{"success": true, "stdout": "", "exit_code": 0.0}},
		{"13", "printf out; printf err >&2; exit 7", map[string]any{"success": false, "exit_code": 7.0, "stdout": "out", "stderr": "err"}},
		{"14", "echo warn >&2", map[string]any{"success": true, "exit_code": 0.0, "stderr": "warn\n", "error": ""}},
		{"15", "exit 3", map[string]any{"success": false, "exit_code": 3.0, "error": "The command ended with exit code 3."}},
		{"16", "kill -SEGV $$", map[string]any{"success": false, "exit_code": nil, "signal": 11.0}},
		{"18", "true", map[string]any{"sandbox": "none"}},
		{"237", "yes | head -c 5000000", map[string]any{"success": true, "stdout_truncated": true, "stderr_truncated": false, "stdout_bytes": 5e6, "exit_code": 0.0}},
		{"238", "yes x | head -c 1100000; yes y | head -c 1100000 >&2", map[string]any{
			"stdout_truncated": true, "stderr_truncated": true, "stdout_bytes": 1.1e6, "stderr_bytes": 1.1e6}},
		{"238, one of them", "yes x | head -c 1100000; echo y >&2", map[string]any{"stdout_truncated": true, "stderr_truncated": false, "stderr": "y\n"}},
		{"242", `printf 'a\0b\377\033[31mred\033[0m\n'; head -c 1000 /dev/urandom >&2`, map[string]any{"stdout": "a␀b\uFFFDred\n", "success": true}},
	} {
		text := call(t, s, tt.command)
		if !json.Valid([]byte(text)) || !utf8.ValidString(text) || utf8.RuneCountInString(text) > 20_000 {
			t.Errorf("%s: %.200q", tt.number, text)
		}
		o := parse(t, text)
		for k, v := range tt.want {
			if o[k] != v {
				t.Errorf("%s: %s is %.100v, want %v", tt.number, k, o[k], v)
			}
		}
	}
	text := newShell(t, func(c *tool.Config) { c.MaxOutputChars = 1001 })
	if got := call(t, text, "yes 😀😀😀 | head -c 300000"); !utf8.ValidString(got) || utf8.RuneCountInString(got) != 1001 || strings.Contains(got, "\uFFFD") {
		t.Errorf("241: %d characters, %.100q", utf8.RuneCountInString(got), got)
	}
	// 240: the tail is in the text and the head in the file.
	both, _ := spillShell(t, nil)
	r, err := both.Exec(context.Background(), tool.Request{Command: "echo first; head -c 2M /dev/zero | tr '\\0' .; echo; echo the error"})
	if err != nil || !strings.HasSuffix(r.Text(), "\nthe error\n") {
		t.Fatalf("240: %v", err)
	}
	if head, err := os.ReadFile(r.OutputPath); err != nil || !strings.HasPrefix(string(head), "first\n...") {
		t.Errorf("240: %v", err)
	}
}

func TestPRXEndings(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	for _, tt := range []struct {
		number, command string
		check           func(*tool.Result) bool
		least, most     time.Duration
	}{
		{"224", "echo started; sleep 30", func(r *tool.Result) bool { return r.TimedOut && r.Stdout == "started\n" }, time.Second, 3 * time.Second},
		{"225", "trap 'echo bye; exit 0' TERM; sleep 30 & wait", func(r *tool.Result) bool {
			return r.TimedOut && r.Stdout == "bye\n" && *r.ExitCode == 0
		}, time.Second, 4 * time.Second},
		{"226", "trap '' TERM; while :; do sleep 30; done", func(r *tool.Result) bool { return r.TimedOut && r.Signal == 9 }, 2 * time.Second, 6 * time.Second},
		{"228", "setsid sh -c 'sleep 5; echo x > survived' & sleep 30", func(r *tool.Result) bool { return r.TimedOut }, time.Second, 5 * time.Second},
		{"229", "(setsid sh -c '(sleep 5; echo x > survived) &' >/dev/null 2>&1 </dev/null &) ; sleep 30", func(r *tool.Result) bool { return r.TimedOut }, time.Second, 5 * time.Second},
		{"230", "nohup sh -c 'sleep 3; echo x > survived' >/dev/null 2>&1 & echo done", func(r *tool.Result) bool { return r.Stdout == "done\n" && *r.ExitCode == 0 }, 0, 3 * time.Second},
		{"231", "sleep 20 & echo done", func(r *tool.Result) bool { return r.Stdout == "done\n" && *r.ExitCode == 0 && !r.TimedOut }, 0, 3 * time.Second},
	} {
		t.Run(tt.number, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := newShell(t, func(c *tool.Config) { c.Dir, c.KillGrace = dir, time.Second })
			pid := 0
			ctx := s.WithEventSink(context.Background(), func(e tool.Event) { pid = max(pid, started(e)) })
			r, err := s.Exec(ctx, tool.Request{Command: tt.command, Timeout: time.Second})
			if err != nil || !tt.check(r) || r.Duration < tt.least || r.Duration > tt.most+5*time.Second {
				t.Errorf("%v, %+v", err, r)
			}
			leak.AssertGroupGone(t, pid)
			if strings.Contains(tt.command, "survived") {
				time.Sleep(6*time.Second - r.Duration)
				if _, err := os.Stat(filepath.Join(dir, "survived")); err == nil {
					t.Error("it survived")
				}
			}
		})
	}
	s := newShell(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Exec(ctx, tool.Request{Command: "true"}); asDenied(t, err).Kind != tool.DeniedCancelled {
		t.Errorf("232: %v", err)
	}
}

// 243: a hundred at once: each gets its own, and nothing is left.
func TestPRX243Parallel(t *testing.T) {
	s, dir := spillShell(t, nil)
	call(t, s, "true")
	before := leak.Descriptors(t)
	ctx, run := s.NewRun(context.Background(), tool.RunOptions{})
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			want := strings.Repeat(fmt.Sprintf("number %d\n", i), 300)
			r, err := s.Exec(ctx, tool.Request{Command: fmt.Sprintf("yes number %d | head -n 300", i), Timeout: time.Minute})
			if err != nil {
				t.Error(err)
				return
			}
			if text, err := os.ReadFile(r.OutputPath); err != nil || string(text) != want || r.Stdout != want[len(want)-1000:] {
				t.Errorf("%d: %v, %d bytes, %q", i, err, len(text), r.Stdout[:20])
			}
		})
	}
	wg.Wait()
	run.Close()
	if after := leak.Descriptors(t); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
	if left := files(t, dir); left != nil {
		t.Errorf("left: %v", left)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, left: %v", err, left)
	}
}
