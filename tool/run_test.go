//go:build unix

package tool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/tool"
)

// A Run has a directory, an environment and an owner of its own, without another Shell.
func TestRunOptions(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(elsewhere, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/rm", filepath.Join(bin, "tidy")); err != nil {
		t.Fatal(err)
	}
	s := newShell(t, func(c *tool.Config) {
		c.Dir = dir
		c.DeniedCommands = nil
		c.Env.Set = map[string]string{"A": "shell", "B": "shell"}
	})
	for _, tt := range []struct {
		o         tool.RunOptions
		dir, want string
	}{
		{tool.RunOptions{}, dir, "shell shell\n"},
		{tool.RunOptions{Dir: "sub", Env: map[string]string{"A": "run's own"}}, filepath.Join(dir, "sub"), "run's own shell\n"},
		{tool.RunOptions{Dir: elsewhere, Env: map[string]string{"B": ""}}, elsewhere, "shell\n"},
	} {
		ctx, run := s.NewRun(context.Background(), tt.o)
		if run.Err() != nil || run.Dir() != tt.dir {
			t.Errorf("%v, %s", run.Err(), run.Dir())
		}
		if got := callCtx(t, ctx, s, "pwd; echo $A $B; printenv PWD"); got != "[stdout]\n"+tt.dir+"\n"+tt.want+tt.dir+"\n" {
			t.Errorf("%+v: %q", tt.o, got)
		}
		r, err := s.Exec(ctx, tool.Request{Command: "pwd"})
		if err != nil || r.Dir != tt.dir || r.Stdout != tt.dir+"\n" {
			t.Errorf("%v, %+v", err, r)
		}
		if info, err := runTool(t, s).Info(ctx); err != nil || !strings.Contains(info.Desc, " in the directory "+tt.dir+" ") {
			t.Errorf("%v, %s", err, info.Desc)
		}
		run.Close()
	}
	// The policy looks names up where the Run's commands would be found.
	if got := call(t, s, "tidy x"); !strings.Contains(got, "tidy: ") {
		t.Errorf("%q", got)
	}
	ctx, run := s.NewRun(context.Background(), tool.RunOptions{Env: map[string]string{"PATH": bin + ":/bin"}})
	defer run.Close()
	if got := callCtx(t, ctx, s, "tidy x"); !strings.HasPrefix(got, "Command not run: ") {
		t.Errorf("%q", got)
	}
}

// What is wrong with RunOptions is the host's to mend: nothing runs instead.
func TestRunOptionsThatAreWrong(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := newShell(t, func(c *tool.Config) { c.Dir = dir })
	for _, o := range []tool.RunOptions{
		{Dir: "gone"}, {Dir: "/gone"}, {Dir: file},
		{Env: map[string]string{"A=B": "x"}}, {Env: map[string]string{"": "x"}}, {Env: map[string]string{"A": "x\x00y"}}, {Env: map[string]string{"A\x00": "x"}}, {Env: map[string]string{"PWD": "/"}},
	} {
		ctx, run := s.NewRun(context.Background(), o)
		var f *tool.FieldError
		if !errors.As(run.Err(), &f) || !strings.HasPrefix(f.Field, "RunOptions.") {
			t.Errorf("%+v: %v", o, run.Err())
		}
		var rec recorder
		sink := s.WithEventSink(ctx, rec.sink)
		if _, err := s.Exec(sink, tool.Request{Command: "touch marker"}); !errors.As(err, &f) {
			t.Errorf("%+v: Exec: %v", o, err)
		}
		if d := rec.denied(t); d.Kind != tool.DeniedHost {
			t.Errorf("%+v", d)
		}
		for _, name := range []string{"run_command", "start_command"} {
			if _, err := named(t, s, name).InvokableRun(ctx, `{"command":"touch marker"}`); !errors.As(err, &f) {
				t.Errorf("%+v: %s: %v", o, name, err)
			}
		}
		for _, name := range []string{"check_command", "stop_command"} {
			if _, err := named(t, s, name).InvokableRun(ctx, `{"command_id":"x"}`); !errors.As(err, &f) {
				t.Errorf("%+v: %s: %v", o, name, err)
			}
		}
		run.Close()
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%v", files)
	}
}

// Cases 154 to 156 and 291: the end of a Run ends all its commands under one grace, and
// removes its files; closing again, and at the same time, is harmless.
func TestCase291RunClose(t *testing.T) {
	t.Parallel()
	state, hb := t.TempDir(), t.TempDir()
	s := newShell(t, func(c *tool.Config) {
		c.KillGrace = 2 * time.Second
		c.SpillBytes, c.StateDir, c.MaxOutputChars = 1<<20, state, 1000
	})
	if _, run := s.NewRun(context.Background(), tool.RunOptions{}); run.Close() != nil {
		t.Error("an empty Run")
	}
	ctx, run := s.NewRun(context.Background(), tool.RunOptions{})
	const n = 8
	var beats []string
	for i := range n {
		beats = append(beats, filepath.Join(hb, string(rune('a'+i))))
		begin(t, ctx, s, `trap "" TERM; seq 1 100000; while :; do echo >> `+beats[i]+`; sleep 0.05; done`)
	}
	finished(t, ctx, s, begin(t, ctx, s, "echo done"))
	for _, b := range beats {
		until(t, "beats", func() bool { return leak.Size(b) > 0 })
	}
	waiting := make(chan string)
	go func() {
		ended, err := named(t, s, "stop_command").InvokableRun(ctx, `{"command_id":"x"}`)
		if err != nil {
			ended = err.Error()
		}
		waiting <- ended
	}()
	<-waiting
	since := time.Now()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { run.Close() })
	}
	wg.Wait()
	if took := time.Since(since); took > 2*time.Second+5*time.Second { // one after the other it would be n times as long
		t.Errorf("took %v", took)
	}
	run.Close()
	for _, b := range beats {
		if leak.Beats(b, 100*time.Millisecond) {
			t.Errorf("%s beats", b)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(state, "run-*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	for _, name := range []string{"run_command", "start_command", "check_command", "stop_command"} {
		if _, err := named(t, s, name).InvokableRun(ctx, `{"command":"true"}`); name[1] != 'h' && name != "stop_command" && !errors.Is(err, tool.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := named(t, s, name).InvokableRun(ctx, `{"command_id":"x"}`); !errors.Is(err, tool.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A Run whose context is done closes itself.
func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := newShell(t, nil)
	outer, cancel := context.WithCancel(context.Background())
	ctx, run := s.NewRun(outer, tool.RunOptions{})
	hb := filepath.Join(t.TempDir(), "beats")
	begin(t, ctx, s, "while :; do echo >> "+hb+"; sleep 0.05; done")
	until(t, "beats", func() bool { return leak.Size(hb) > 0 })
	cancel()
	until(t, "silence", func() bool { return !leak.Beats(hb, 300*time.Millisecond) })
	if _, err := s.Exec(ctx, tool.Request{Command: "true"}); err == nil {
		t.Error("a command ran")
	}
	run.Close()
	done, cancel := context.WithCancel(context.Background())
	cancel()
	ctx, run = s.NewRun(done, tool.RunOptions{})
	until(t, "the end", func() bool {
		_, err := s.Exec(context.WithoutCancel(ctx), tool.Request{Command: "true"})
		return errors.Is(err, tool.ErrClosed)
	})
	run.Close()
}

// The end of a Shell ends the commands of all its Runs, also of the one that is there from the start.
func TestC12ShellClose(t *testing.T) {
	t.Parallel()
	s := newShell(t, func(c *tool.Config) { c.KillGrace = time.Second / 2 })
	dir := t.TempDir()
	var beats []string
	for i := range 3 {
		ctx := context.Background()
		if i > 0 {
			ctx, _ = s.NewRun(ctx, tool.RunOptions{})
		}
		beats = append(beats, filepath.Join(dir, string(rune('a'+i))))
		begin(t, ctx, s, "(setsid sh -c 'while :; do echo >> "+beats[i]+"; sleep 0.05; done' >/dev/null 2>&1 &)")
		until(t, "beats", func() bool { return leak.Size(beats[i]) > 0 })
	}
	s.Close()
	for _, b := range beats {
		if leak.Beats(b, 300*time.Millisecond) {
			t.Errorf("%s beats", b)
		}
	}
}
