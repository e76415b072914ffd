//go:build unix

package tool_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/tool"
)

// A Run that is parked outlives its context; who opens one with its ID and User goes on with it, once, with its directory and its commands.
func TestPark(t *testing.T) {
	t.Parallel()
	sh := newShell(t, func(c *tool.Config) { c.PersistDir = true })
	ctx, cancel := context.WithCancel(context.Background())
	ctx, run := sh.NewRun(ctx, tool.RunOptions{ID: "x", User: "anna", Env: map[string]string{"A": "1"}})
	exec := func(ctx context.Context, command string) string {
		t.Helper()
		r, err := sh.Exec(ctx, tool.Request{Command: command})
		if err != nil {
			t.Fatal(err)
		}
		return r.Stdout
	}
	exec(ctx, "mkdir sub && cd sub")
	run.Park()
	run.Park() // again
	cancel()
	if !sh.Parked("x", "anna") || sh.Parked("x", "") || sh.Parked("y", "anna") {
		t.Error("who waits")
	}
	_, bert := sh.NewRun(context.Background(), tool.RunOptions{ID: "x", User: "bert"})
	defer bert.Close()
	if bert == run {
		t.Fatal("another user has it")
	}
	ctx, again := sh.NewRun(context.Background(), tool.RunOptions{ID: "x", User: "anna", Dir: "not there"})
	if again != run || again.Err() != nil || sh.Parked("x", "anna") {
		t.Fatal("it is another Run")
	}
	if got := exec(ctx, "echo $A; pwd"); got != "1\n"+sh.Dir()+"/sub\n" {
		t.Errorf("%q", got)
	}
	_, third := sh.NewRun(context.Background(), tool.RunOptions{ID: "x", User: "anna"})
	defer third.Close()
	if third == run {
		t.Error("two have it")
	}
	again.Close()
	run.Park()
	if sh.Parked("x", "anna") {
		t.Error("a closed Run waits")
	}
	// It may have less than before.
	ctx, run = sh.NewRun(context.Background(), tool.RunOptions{ID: "z"})
	run.Park()
	ctx, _ = sh.NewRun(ctx, tool.RunOptions{ID: "z", AllowShell: new(bool)})
	if _, err := sh.Exec(ctx, tool.Request{Command: "true"}); err == nil {
		t.Error("AllowShell of the later options counts for nothing")
	}
	run.Close()
}

// Who waits is closed when its time is up, when its place or its name is needed, and with the Shell.
func TestParkEnds(t *testing.T) {
	t.Parallel()
	sh := newShell(t, func(c *tool.Config) { c.ParkTTL = 300 * time.Millisecond })
	closed := func(ctx context.Context) bool {
		for range 200 {
			if _, err := sh.Exec(ctx, tool.Request{Command: "true"}); errors.Is(err, tool.ErrClosed) {
				return true
			}
			time.Sleep(10 * time.Millisecond)
		}
		return false
	}
	ctx, run := sh.NewRun(context.Background(), tool.RunOptions{ID: "a"})
	run.Park()
	if !closed(ctx) || sh.Parked("a", "") {
		t.Error("ParkTTL")
	}
	sh = newShell(t, nil)
	first, run := sh.NewRun(context.Background(), tool.RunOptions{ID: "a"})
	_, other := sh.NewRun(context.Background(), tool.RunOptions{ID: "a"})
	run.Park()
	other.Park()
	if !closed(first) || !sh.Parked("a", "") {
		t.Error("two of one name")
	}
	oldest, run := sh.NewRun(context.Background(), tool.RunOptions{ID: "0"})
	other.Close()
	run.Park()
	for i := 1; i <= 64; i++ {
		_, run := sh.NewRun(context.Background(), tool.RunOptions{ID: fmt.Sprint(i)})
		run.Park()
	}
	if !closed(oldest) || !sh.Parked("1", "") || !sh.Parked("64", "") {
		t.Error("more than 64 wait")
	}
	beats := t.TempDir() + "/beats"
	ctx, run = sh.NewRun(context.Background(), tool.RunOptions{ID: "b"})
	begin(t, ctx, sh, "while :; do echo >> "+beats+"; sleep 0.02; done")
	run.Park()
	if !leak.Beats(beats, 2*time.Second) {
		t.Error("it does not beat")
	}
	sh.Close()
	if leak.Beats(beats, time.Second/4) {
		t.Error("it has outlived the Shell")
	}
	_, run = sh.NewRun(context.Background(), tool.RunOptions{ID: "c"})
	run.Park()
	if sh.Parked("c", "") {
		t.Error("a Run of a closed Shell waits")
	}
}

// A model that goes on with a Run that is gone is told so where it asks for what was there.
func TestResumedRun(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		sh := newShell(t, func(c *tool.Config) {
			c.ResultFormat = format
			c.Tools = []string{"run_command", "start_command", "check_command", "stop_command", "list_commands"}
		})
		ctx, run := sh.NewRun(context.Background(), tool.RunOptions{ID: "gone", Resumed: true})
		defer run.Close()
		for _, name := range []string{"check_command", "stop_command", "list_commands"} {
			args := []any{"command_id", "3fa94c01d27e"}
			if name == "list_commands" {
				args = nil
			}
			if text := use(t, ctx, sh, name, args...); !strings.Contains(text, "the session was interrupted, and what ran in the background before that is gone") {
				t.Errorf("%s, %s: %q", format, name, text)
			}
		}
		if text := use(t, context.Background(), sh, "list_commands"); strings.Contains(text, "interrupted") {
			t.Errorf("%q", text)
		}
	}
}
