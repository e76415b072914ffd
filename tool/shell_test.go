//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	einotool "github.com/cloudwego/eino/components/tool"
	"github.com/google/go-cmp/cmp"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
	"github.com/einoshell/einoshell/tool"
)

func TestShellOff(t *testing.T) {
	s := newShell(t, func(c *tool.Config) { c.AllowShell = false })
	if n := len(s.Tools()); n != 0 {
		t.Errorf("%d tools", n)
	}
	var rec recorder
	_, err := s.Exec(s.WithEventSink(context.Background(), rec.sink), tool.Request{Command: "touch marker"})
	if d := asDenied(t, err); d.Kind != tool.DeniedShellOff || !strings.HasPrefix(d.Error(), "Command not run: ") {
		t.Errorf("%+v", d)
	}
	if d := rec.denied(t); d.Kind != tool.DeniedShellOff {
		t.Errorf("event %+v", d)
	}
	// The zero Config is off, too.
	zero, err := tool.New(context.Background(), tool.Config{})
	if err != nil || len(zero.Tools()) != 0 {
		t.Errorf("zero Config: %v, %d tools", err, len(zero.Tools()))
	}
}

// All faults at once, each with its field.
func TestConfigFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := tool.New(context.Background(), tool.Config{
		AllowShell:      true,
		Dir:             file,
		Shell:           []string{"/nonexistent/sh", "-c"},
		AllowedCommands: []string{"echo"},
		DeniedCommands:  []string{"rm"},
		DeniedOperators: []string{""},
		Timeout:         -1,
		MaxTimeout:      -1,
		ParkTTL:         -1,
		KillGrace:       -1,
		MaxOutputChars:  -1,
		SpillBytes:      -1,
		Env:             tool.EnvConfig{Inherit: "some", Set: map[string]string{"A=B": "x", "C": "a\x00b"}},
	})
	got := map[string]string{}
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		var f *tool.FieldError
		if !errors.As(e, &f) {
			t.Fatalf("%T", e)
		}
		got[f.Field] += f.Reason + "|"
	}
	var names []string
	for _, want := range []struct{ field, reason string }{
		{"Dir", "is not a directory"},
		{"Shell", "/nonexistent/sh"},
		{"AllowedCommands", "Specify allowed_commands or denied_commands, not both."}, // case 42
		{"DeniedOperators", "'' is not a shell operator."},                            // case 270
		{"Timeout", "negative"},
		{"MaxTimeout", "negative"},
		{"ParkTTL", "negative"},
		{"KillGrace", "negative"},
		{"MaxOutputChars", "max_output_chars must be a positive integer."}, // case 43
		{"SpillBytes", "negative"},
		{"Env.Inherit", "'some' is not core, all or none"},
		{"Env.Set", "'A=B' is not the name"},
		{"Env.Set", "'C' has a value with a NUL byte"}, // case 105: at construction, never a retry
	} {
		names = append(names, want.field)
		if !strings.Contains(got[want.field], want.reason) {
			t.Errorf("%s: %q, want %q", want.field, got[want.field], want.reason)
		}
		if !strings.Contains(err.Error(), want.field+": ") {
			t.Errorf("the error does not name %s: %v", want.field, err)
		}
	}
	for field := range got {
		if !strings.Contains(strings.Join(names, " "), field) {
			t.Errorf("unexpected fault: %s: %s", field, got[field])
		}
	}
	for name, c := range map[string]tool.Config{
		"no such directory":       {Dir: filepath.Join(file, "x")},
		"Timeout over MaxTimeout": {Timeout: time.Minute, MaxTimeout: time.Second},
		"an empty Shell":          {Shell: []string{}},
		"too many characters":     {MaxOutputChars: 1 << 30},
		"too much kept":           {SpillBytes: 1<<63 - 1},
		"no state directory":      {AllowShell: true, SpillBytes: 1, StateDir: file},
		"an unknown format":       {ResultFormat: "xml"},
		"no room for an object":   {ResultFormat: "json", MaxOutputChars: 999},
		"too long commands":       {MaxCommandBytes: 1 << 30},
		"negative command length": {MaxCommandBytes: -1},
	} {
		if _, err := tool.New(context.Background(), c); err == nil {
			t.Errorf("%s: no fault", name)
		}
	}
}

// Cases 47 and 48, and what zero means.
func TestConfigZeroMeanings(t *testing.T) {
	s := newShell(t, func(c *tool.Config) { c.Timeout = 0 })
	info, err := runTool(t, s).Info(context.Background())
	if err != nil || !strings.Contains(info.Desc, "ends after 30.0 seconds") || !strings.Contains(info.Desc, "longer than 50000 characters") {
		t.Errorf("case 47: %v, %s", err, info.Desc)
	}
	s = newShell(t, func(c *tool.Config) {
		c.AllowedCommands, c.DeniedCommands, c.Timeout = []string{"echo", "cat"}, []string{}, time.Minute
	})
	if info, _ := runTool(t, s).Info(context.Background()); !strings.Contains(info.Desc, "ends after 60.0 seconds") {
		t.Errorf("case 48: %s", info.Desc)
	}
	s = newShell(t, func(c *tool.Config) { c.Timeout, c.MaxTimeout = 0, 5*time.Second })
	if info, _ := runTool(t, s).Info(context.Background()); !strings.Contains(info.Desc, "ends after 5.0 seconds") {
		t.Errorf("Timeout above MaxTimeout: %s", info.Desc)
	}
	want := []string{"rm", "dd", "shutdown"} // case 34
	for _, name := range want {
		if !strings.Contains(strings.Join(tool.DefaultDeniedCommands(), " "), name) {
			t.Errorf("case 34: %s is not denied", name)
		}
	}
	s = newShell(t, func(c *tool.Config) { c.Dir = "" })
	wd, _ := os.Getwd()
	if got := call(t, s, "pwd"); got != "[stdout]\n"+wd+"\n" {
		t.Errorf("empty Dir: %q", got)
	}
}

// A Config given away and changed later changes nothing.
func TestConfigIsCopied(t *testing.T) {
	denied, env := []string{"rm"}, map[string]string{"A": "1"}
	shell := []string{"/bin/sh", "-c"}
	s := newShell(t, func(c *tool.Config) { c.DeniedCommands, c.Env.Set, c.Shell = denied, env, shell })
	denied[0], env["A"], shell[0] = "echo", "2", "/bin/false"
	if got := call(t, s, "echo $A"); got != "[stdout]\n1\n" {
		t.Errorf("%q", got)
	}
}

func TestExec(t *testing.T) {
	t.Parallel()
	s := newShell(t, nil)
	r, err := s.Exec(context.Background(), tool.Request{Command: "echo out; echo err >&2; exit 3"})
	if err != nil {
		t.Fatal(err)
	}
	if r.ExitCode == nil || *r.ExitCode != 3 || r.Stdout != "out\n" || r.Stderr != "err\n" || r.StdoutBytes != 4 || r.StderrBytes != 4 ||
		r.TotalLines != 2 || r.Truncated || r.StdoutTruncated || r.TimedOut || r.Cancelled || r.Duration <= 0 || r.PID <= 0 ||
		r.Backend != "none" || r.Timeout != 10*time.Second || r.Text() != "[stdout]\nout\n\n[stderr]\nerr\n\n[exit code: 3]" {
		t.Errorf("%+v", r)
	}
	r, err = s.Exec(context.Background(), tool.Request{Command: "echo partial; sleep 60", Timeout: time.Second})
	if err != nil || !r.TimedOut || r.ExitCode != nil || r.Signal != 15 || r.Stdout != "partial\n" || r.Timeout != time.Second {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = s.Exec(context.Background(), tool.Request{Command: "true", Timeout: 1000 * time.Hour})
	if err != nil || r.Timeout != tool.DefaultMaxTimeout || r.Note == "" {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = s.Exec(context.Background(), tool.Request{Command: "true", Timeout: -1})
	if d := asDenied(t, err); d.Kind != tool.DeniedArguments {
		t.Errorf("%+v", d)
	}
	// Case 104: any bytes but NUL.
	r, err = s.Exec(context.Background(), tool.Request{Command: "printf '%s' '\x80\xff' | od -An -tx1"})
	if err != nil || r.Stdout != " 80 ff\n" {
		t.Errorf("%+v, %v", r, err)
	}
	// One stream longer than the cap: its end is in the Result.
	s = newShell(t, func(c *tool.Config) { c.MaxOutputChars = 100 })
	r, err = s.Exec(context.Background(), tool.Request{Command: "yes 你 | head -n 1000; echo end"})
	if err != nil || !r.StdoutTruncated || !r.Truncated || !strings.HasSuffix(r.Stdout, "你\nend\n") || len([]rune(r.Stdout)) != 100 || r.StderrTruncated {
		t.Errorf("%+v, %v", r, err)
	}
}

// Cancellation keeps what was printed and leaves nothing behind.
func TestCancel(t *testing.T) {
	s := newShell(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	pid := 0
	ctx = s.WithEventSink(ctx, func(e tool.Event) {
		switch e := e.(type) {
		case tool.CommandStarted:
			pid = e.PID
		case tool.CommandOutput:
			cancel()
		}
	})
	begin := time.Now()
	got := callCtx(t, ctx, s, "sleep 100 & echo partial; sleep 60")
	if !strings.HasPrefix(got, "[stdout]\npartial\n\n[Command cancelled after ") || time.Since(begin) > 20*time.Second {
		t.Errorf("%q after %v", got, time.Since(begin))
	}
	leak.AssertGroupGone(t, pid)

	var rec recorder
	got = callCtx(t, s.WithEventSink(ctx, rec.sink), s, "touch marker")
	if got != "Command not run: The call was cancelled before the command started." {
		t.Errorf("a cancelled call: %q", got)
	}
	if d := rec.denied(t); d.Kind != tool.DeniedCancelled {
		t.Errorf("event %+v", d)
	}
}

// Close ends what runs, in parallel, and refuses the rest.
func TestClose(t *testing.T) {
	t.Parallel()
	s := newShell(t, func(c *tool.Config) { c.KillGrace = time.Second })
	ctx, run := s.NewRun(context.Background(), tool.RunOptions{})
	type ended struct {
		r   *tool.Result
		err error
	}
	results := make(chan ended)
	pids := make(chan int, 8)
	for i := range 8 {
		c := ctx
		if i%2 == 0 {
			c = context.Background()
		}
		c = s.WithEventSink(c, func(e tool.Event) {
			if o, ok := e.(tool.CommandStarted); ok {
				pids <- o.PID
			}
		})
		go func() {
			r, err := s.Exec(c, tool.Request{Command: "trap '' TERM; echo up; sleep 100; sleep 100"})
			results <- ended{r, err}
		}()
	}
	var groups []int
	for range 8 {
		groups = append(groups, <-pids)
	}
	time.Sleep(200 * time.Millisecond) // let the traps be set; too early only ends them sooner
	begin := time.Now()
	go s.Close()
	s.Close()
	if took := time.Since(begin); took > 6*time.Second {
		t.Errorf("closing took %v, one grace is 1s", took) // case 291
	}
	for range 8 {
		if e := <-results; e.err != nil || !e.r.Cancelled {
			t.Errorf("%+v, %v", e.r, e.err)
		}
	}
	for _, pid := range groups {
		leak.AssertGroupGone(t, pid)
	}
	var rec recorder
	if _, err := s.Exec(s.WithEventSink(context.Background(), rec.sink), tool.Request{Command: "true"}); !errors.Is(err, tool.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if d := rec.denied(t); d.Kind != tool.DeniedClosed {
		t.Errorf("event %+v", d)
	}
	if _, err := s.Exec(ctx, tool.Request{Command: "true"}); !errors.Is(err, tool.ErrClosed) {
		t.Errorf("in a Run, after Close: %v", err)
	}
	ctx, late := s.NewRun(context.Background(), tool.RunOptions{})
	if _, err := s.Exec(ctx, tool.Request{Command: "true"}); !errors.Is(err, tool.ErrClosed) {
		t.Errorf("in a Run opened after Close: %v", err)
	}
	late.Close()
	run.Close()
}

// Closing one Run does not touch another.
func TestRunClose(t *testing.T) {
	s := newShell(t, nil)
	a, runA := s.NewRun(context.Background(), tool.RunOptions{})
	b, runB := s.NewRun(context.Background(), tool.RunOptions{})
	defer runB.Close()
	if runA.ID() == runB.ID() || s.RunOf(a) != runA || s.RunOf(context.Background()) != nil {
		t.Error("the Runs are mixed up")
	}
	runA.Close()
	if _, err := s.Exec(a, tool.Request{Command: "true"}); !errors.Is(err, tool.ErrClosed) {
		t.Errorf("the closed Run: %v", err)
	}
	if got := callCtx(t, b, s, "echo hi"); got != "[stdout]\nhi\n" {
		t.Errorf("the other Run: %q", got)
	}
}

// The schema, the description, and that asking for them gives no handle on the
// tool itself.
func TestInfo(t *testing.T) {
	s := newShell(t, func(c *tool.Config) {
		c.Timeout, c.MaxTimeout, c.MaxOutputChars = 2*time.Minute, 5*time.Minute, 1234 // case 289
	})
	run := runTool(t, s)
	info, err := run.Info(context.Background())
	if err != nil || info.Name != "run_command" {
		t.Fatalf("%+v, %v", info, err)
	}
	for _, part := range []string{"/bin/sh", "120.0 seconds", "1234 characters", "Command not run:"} {
		if !strings.Contains(info.Desc, part) {
			t.Errorf("the description does not say %q: %s", part, info.Desc)
		}
	}
	js, err := info.ParamsOneOf.ToJSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(js)
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	properties := got["properties"].(map[string]any)
	for _, name := range []string{"command", "timeout_seconds"} {
		p := properties[name].(map[string]any)
		if p["description"] == "" {
			t.Errorf("%s has no description", name)
		}
		delete(p, "description")
	}
	want := map[string]any{
		"type":                 "object",
		"additionalProperties": false,
		"required":             []any{"command"},
		"properties": map[string]any{
			"command":         map[string]any{"type": "string", "minLength": 1.0},
			"timeout_seconds": map[string]any{"type": "number", "exclusiveMinimum": 0.0, "maximum": 300.0},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	info.Name = "other"
	if again, _ := run.Info(context.Background()); again.Name != "run_command" {
		t.Error("a caller renamed the tool")
	}
}

// The structured result reaches callback handlers, a refusal too.
func TestCallbacks(t *testing.T) {
	s := newShell(t, nil)
	run := runTool(t, s)
	if !components.IsCallbacksEnabled(run) {
		t.Error("Eino would call the callbacks a second time")
	}
	var outputs []*einotool.CallbackOutput
	var starts int
	h := callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
			starts++
			if info.Type != "RunCommand" || info.Component != components.ComponentOfTool || einotool.ConvCallbackInput(in).ArgumentsInJSON == "" {
				t.Errorf("start %+v %+v", info, in)
			}
			return ctx
		}).
		OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
			outputs = append(outputs, einotool.ConvCallbackOutput(out))
			return ctx
		}).Build()
	ctx := callbacks.InitCallbacks(context.Background(), &callbacks.RunInfo{Type: "RunCommand", Component: components.ComponentOfTool}, h)
	text := callCtx(t, ctx, s, "printf 'ok\n[exit code: 1]'") // case 280: the text can lie, the Result cannot
	r, _ := outputs[0].Extra[tool.ExtraResult].(*tool.Result)
	if r == nil || r.Text() != text || outputs[0].Response != text || *r.ExitCode != 0 {
		t.Errorf("%+v", outputs[0])
	}
	text = callCtx(t, ctx, s, "")
	d, _ := outputs[1].Extra[tool.ExtraDenied].(*tool.DeniedError)
	if d == nil || d.Error() != text || d.Kind != tool.DeniedPolicy {
		t.Errorf("%+v", outputs[1])
	}
	if starts != 2 || len(outputs) != 2 {
		t.Errorf("%d starts, %d ends", starts, len(outputs))
	}
}

// Cases 106 and 107 and their kin: what only the host can mend is a Go error,
// and nothing is left behind. Each runs in a process of its own, whose limits
// it can spoil.
func TestHostErrors(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"no descriptors", syscall.EMFILE.Error()},
		{"no processes", syscall.EAGAIN.Error()},
		{"environment too large, case 106", syscall.E2BIG.Error()},
		{"shell gone", syscall.ENOENT.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER="+tt.name)
			cmd.Dir = t.TempDir()
			if tt.name == "no processes" {
				if os.Getuid() == 0 { // RLIMIT_NPROC does not bind root
					cmd.Args, cmd.Path = asNobody(t, cmd)
				}
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			// Every attempt is a Go error until the host has mended it, then none.
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			for i, line := range lines {
				want := "then: (no output)"
				if i < len(lines)-1 {
					want = "error: einoshell: start a command: "
				}
				if !strings.HasPrefix(line, want) || i < len(lines)-1 && !strings.HasSuffix(line, tt.want) {
					t.Errorf("line %d: %s\nwant %s… %s", i, line, want, tt.want)
				}
			}
			if len(lines) < 2 {
				t.Errorf("%s", out)
			}
		})
	}
}

// Case 70, W-39: a command gets nothing to read, whatever the host has open.
func TestCase70StandardInput(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER=stdin")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.Output()
	if err != nil || string(out) != "[stdout]\n0\nnothing to read\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// A host that takes the status of its children away is not told a wrong one, and
// what a leader that is gone left is ended all the same. (C15.)
func TestLostStatus(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER=SIGCHLD ignored")
	out, err := cmd.Output()
	if err != nil || string(out) != "[stdout]\nhi\n\n[exit code: unknown]|[stdout]\nhi\n\n[Command timed out after 2.0s]" {
		t.Errorf("%v\n%s", err, out)
	}
}

// What could not be ended is said, before how the command ended.
func TestWhatIsLeftIsTold(t *testing.T) {
	need.Root(t) // to make a process of another user
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER=another user")
	out, err := cmd.Output()
	if err != nil || string(out) != "(no output)\n[a process is left that could not be ended]\n[exit code: 3]" {
		t.Errorf("%v\n%s", err, out)
	}
}

// Cases 160 and 178: of a command in the background it is said, too, when it could not be
// ended, and when how it ended is not known.
func TestBackgroundThatCannotBeEnded(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"another user in the background":    strings.Repeat("[stdout]\nup\n\n[a process is left that could not be ended]\n[status: running]\n", 2),
		"SIGCHLD ignored in the background": "[stdout]\nup\n\n[stopped]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(name, "another") {
				need.Root(t) // to make a process of another user
			}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER="+name)
			out, err := cmd.Output()
			if err != nil || string(out) != want {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// What zero and Default mean where no other test says it.
func TestDefaults(t *testing.T) {
	t.Setenv("EINOSHELL_INHERITED", "yes")
	sh, err := tool.New(context.Background(), tool.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer sh.Close()
	if got := call(t, sh, "echo $EINOSHELL_INHERITED"); got != "[stdout]\nyes\n" {
		t.Errorf("Default inherits: %q", got)
	}
	if got := call(t, sh, "rmdir x"); !strings.Contains(got, "'rmdir' is denied") {
		t.Errorf("Default denies: %q", got)
	}
}

func TestDefaultGrace(t *testing.T) {
	t.Parallel()
	sh := newShell(t, nil)
	begin := time.Now()
	call(t, sh, "trap '' TERM; sleep 50; sleep 50", "timeout_seconds", 0.5)
	if took := time.Since(begin); took < time.Second || took > 10*time.Second {
		t.Errorf("the grace of 2s was %v", took)
	}
}

// Case 86: a session and a group of its own.
func TestCase86Session(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc")
	}
	r, err := newShell(t, nil).Exec(context.Background(), tool.Request{Command: "cut -d' ' -f5-7 /proc/$$/stat"})
	if err != nil || r.Stdout != fmt.Sprintf("%d %d 0\n", r.PID, r.PID) {
		t.Errorf("group, session and terminal of %d: %q, %v", r.PID, r.Stdout, err)
	}
}

// A sink that ends its goroutine, as a test's FailNow does, leaves no command
// running.
func TestSinkThatExits(t *testing.T) {
	s := newShell(t, nil)
	pid := 0
	ctx := s.WithEventSink(context.Background(), func(e tool.Event) {
		pid = started(e)
		runtime.Goexit()
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Exec(ctx, tool.Request{Command: "sleep 100"})
	}()
	<-done
	if pid == 0 {
		t.Fatal("no start was heard of")
	}
	leak.AssertGroupGone(t, pid)
}

// Case 288: as an ordinary user the directory can be made impossible to enter.
func TestCase288DirectoryWithoutPermission(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER=case 288")
	if os.Getuid() == 0 {
		cmd.Args, cmd.Path = asNobody(t, cmd)
	}
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "Command not run: The working directory can no longer be entered: permission denied." {
		t.Errorf("%v\n%s", err, out)
	}
}
