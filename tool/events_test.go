//go:build unix

package tool_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/einoshell/einoshell/tool"
)

// Case 226, as far as it is ours: one Started, output of the right streams, one
// Finished, all of one command.
func TestCase226Events(t *testing.T) {
	s := newShell(t, nil)
	var rec recorder
	got := callCtx(t, s.WithEventSink(context.Background(), rec.sink), s, "echo one; echo two >&2; echo three; exit 3")
	if got != "[stdout]\none\nthree\n\n[stderr]\ntwo\n\n[exit code: 3]" {
		t.Errorf("text %q", got)
	}
	all := rec.all()
	started, ok := all[0].(tool.CommandStarted)
	if !ok || started.Command != "echo one; echo two >&2; echo three; exit 3" || started.PID <= 0 || started.Timeout != 10*time.Second ||
		started.Background || started.Backend != "none" || !filepath.IsAbs(started.Dir) {
		t.Errorf("first event %+v", all[0])
	}
	finished, ok := all[len(all)-1].(tool.CommandFinished)
	if !ok || finished.PID != started.PID || finished.ExitCode == nil || *finished.ExitCode != 3 || finished.Signal != 0 || finished.TimedOut ||
		finished.Cancelled || finished.Duration <= 0 || finished.StdoutBytes != 10 || finished.StderrBytes != 4 || finished.Truncated ||
		finished.TotalLines == nil || *finished.TotalLines != 3 || finished.OutputPath != "" || finished.StatusPath != "" || finished.Limit != "" {
		t.Errorf("last event %+v", all[len(all)-1])
	}
	if rec.text(tool.Stdout) != "one\nthree\n" || rec.text(tool.Stderr) != "two\n" {
		t.Errorf("output %q, %q", rec.text(tool.Stdout), rec.text(tool.Stderr))
	}
	seq := int64(0)
	for i, e := range all {
		h := e.Head()
		if h.Tool != "run_command" || h.CommandID != started.CommandID || h.CommandID == "" || h.RunID != started.RunID || h.RunID == "" || h.Time.IsZero() {
			t.Errorf("event %d: head %+v", i, h)
		}
		if h.Seq <= seq {
			t.Errorf("event %d: number %d after %d", i, h.Seq, seq)
		}
		seq = h.Seq
		if _, ok := e.(tool.CommandOutput); !ok && i != 0 && i != len(all)-1 {
			t.Errorf("event %d is a %T", i, e)
		}
	}
}

func TestEventsOfOtherEndings(t *testing.T) {
	for _, tt := range []struct {
		name, command string
		check         func(tool.CommandFinished) bool
	}{
		{"case 84, timeout", "printf hello; sleep 60", func(f tool.CommandFinished) bool {
			return f.TimedOut && f.ExitCode == nil && f.Signal == 15 && f.StdoutBytes == 5 && *f.TotalLines == 1
		}},
		{"signal", "printf hello; kill -KILL $$", func(f tool.CommandFinished) bool {
			return !f.TimedOut && f.ExitCode == nil && f.Signal == 9
		}},
		{"a handled timeout", "trap 'exit 7' TERM; printf hello; while :; do sleep 0.1; done", func(f tool.CommandFinished) bool {
			return f.TimedOut && f.ExitCode != nil && *f.ExitCode == 7
		}},
		{"truncated", "printf hello; printf '%0100d' 0 >&2", func(f tool.CommandFinished) bool {
			return f.Truncated && *f.TotalLines == 2
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, func(c *tool.Config) { c.Timeout, c.MaxOutputChars = time.Second, 80 })
			var rec recorder
			callCtx(t, s.WithEventSink(context.Background(), rec.sink), s, tt.command)
			all := rec.all()
			f, ok := all[len(all)-1].(tool.CommandFinished)
			if !ok || !tt.check(f) {
				t.Errorf("%+v", all[len(all)-1])
			}
			if rec.text(tool.Stdout) != "hello" {
				t.Errorf("output %q", rec.text(tool.Stdout))
			}
		})
	}
}

// Live means live: the command blocks on a fifo that only the listener writes,
// and it writes when it sees the first output. (Case 209's idea.)
func TestOutputArrivesWhileTheCommandRuns(t *testing.T) {
	s := newShell(t, nil)
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	ctx := s.WithEventSink(context.Background(), func(e tool.Event) {
		if o, ok := e.(tool.CommandOutput); ok && strings.Contains(o.Text, "ready") {
			once.Do(func() { os.WriteFile(fifo, []byte("go\n"), 0o600) })
		}
	})
	if got := callCtx(t, ctx, s, "printf ready; read x < "+fifo+"; echo $x"); got != "[stdout]\nreadygo\n" {
		t.Errorf("%q", got)
	}
}

// Case 211 and 230: half a character at the end is one mark; a character in two
// writes is whole.
func TestOutputEventsHoldWholeCharacters(t *testing.T) {
	s := newShell(t, nil)
	for command, want := range map[string]string{
		`printf '\344\275'`:                           "\uFFFD",
		`printf '\344'; sleep 0.2; printf '\275\240'`: "你",
		`printf 'a\377b'`:                             "a\uFFFDb",
	} {
		var rec recorder
		callCtx(t, s.WithEventSink(context.Background(), rec.sink), s, command)
		if got := rec.text(tool.Stdout); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	var rec recorder
	callCtx(t, s.WithEventSink(context.Background(), rec.sink), s, "yes 你 | head -c 200000")
	for _, e := range rec.all() {
		if o, ok := e.(tool.CommandOutput); ok && (len(o.Text) > tool.MaxEventText || o.Text == "" || !utf8.ValidString(o.Text)) {
			t.Fatalf("a piece of %d bytes, valid %v", len(o.Text), utf8.ValidString(o.Text))
		}
	}
}

// A panic in a sink harms neither the command nor the other sinks, and is told
// to the host.
func TestPanickingSink(t *testing.T) {
	var log bytes.Buffer
	s := newShell(t, func(c *tool.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	var rec recorder
	ctx := s.WithEventSink(context.Background(), func(tool.Event) { panic("sink broke") })
	ctx = s.WithEventSink(ctx, rec.sink)
	if got := callCtx(t, ctx, s, "echo hi"); got != "[stdout]\nhi\n" {
		t.Errorf("%q", got)
	}
	if len(rec.all()) != 3 {
		t.Errorf("%d events", len(rec.all()))
	}
	if !strings.Contains(log.String(), "sink broke") {
		t.Errorf("log %q", log.String())
	}
}

// Events of one Shell do not reach the sinks of another.
func TestSinksBelongToOneShell(t *testing.T) {
	a, b := newShell(t, nil), newShell(t, nil)
	var rec recorder
	ctx := a.WithEventSink(context.Background(), rec.sink)
	callCtx(t, ctx, b, "echo hi")
	if n := len(rec.all()); n != 0 {
		t.Errorf("%d events", n)
	}
}

// Parallel calls of one Run: numbers are unique and every command has its own
// start and end.
func TestParallelCommands(t *testing.T) {
	s := newShell(t, nil)
	var rec recorder
	ctx, run := s.NewRun(s.WithEventSink(context.Background(), rec.sink), tool.RunOptions{ID: "the-run"})
	defer run.Close()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { callCtx(t, ctx, s, "echo out; echo err >&2") })
	}
	wg.Wait()
	state := map[string]int{}
	last := int64(0)
	for _, e := range rec.all() {
		h := e.Head()
		if h.RunID != "the-run" || h.Seq <= last {
			t.Fatalf("head %+v after %d", h, last)
		}
		last = h.Seq
		switch e.(type) {
		case tool.CommandStarted:
			if state[h.CommandID] != 0 {
				t.Errorf("%s: a second start", h.CommandID)
			}
			state[h.CommandID] = 1
		case tool.CommandOutput:
			if state[h.CommandID] != 1 {
				t.Errorf("%s: output outside", h.CommandID)
			}
		case tool.CommandFinished:
			if state[h.CommandID] != 1 {
				t.Errorf("%s: an end without a start", h.CommandID)
			}
			state[h.CommandID] = 2
		}
	}
	if len(state) != 20 {
		t.Errorf("%d commands", len(state))
	}
}

// A command that floods costs events a fixed amount, the gap is counted to the
// byte, and what comes after it is shown again.
func TestFloodIsDroppedAndCounted(t *testing.T) {
	s := newShell(t, func(c *tool.Config) { c.Timeout = 2 * time.Minute })
	size := int64(200 << 20)
	if raceEnabled {
		size = 40 << 20 // nothing is left out where it takes longer to look at it
	}
	var sent, dropped int64
	last := ""
	ctx := s.WithEventSink(context.Background(), func(e tool.Event) {
		if o, ok := e.(tool.CommandOutput); ok {
			sent += int64(len(o.Text))
			dropped += o.Dropped
			last = o.Text
			if o.Text == "" && o.Dropped == 0 {
				t.Error("an event that says nothing")
			}
		}
	})
	callCtx(t, ctx, s, fmt.Sprintf("yes 你 | head -c %d; sleep 0.5; echo; echo end", size))
	if total := size + 5; sent+dropped != total || dropped == 0 && !raceEnabled {
		t.Errorf("%d sent and %d dropped of %d", sent, dropped, total)
	}
	if !strings.HasSuffix(last, "end\n") {
		t.Errorf("the last piece is %q", last)
	}
	// The same with nothing after the gap.
	sent, dropped = 0, 0
	callCtx(t, ctx, s, fmt.Sprintf("head -c %d /dev/zero", size))
	if sent+dropped != size {
		t.Errorf("%d sent and %d dropped", sent, dropped)
	}
}
