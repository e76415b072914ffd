//go:build unix

package tool_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/tool"
)

var startedText = regexp.MustCompile(`(?s)^Started background command: ('.*'|".*")\nID: ([0-9a-f]{12})$`)

// start starts a command in the background and returns its ID.
func begin(t testing.TB, ctx context.Context, s *tool.Shell, command string, extra ...any) string {
	t.Helper()
	text := use(t, ctx, s, "start_command", append([]any{"command", command}, extra...)...)
	m := startedText.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%q", text)
	}
	return m[2]
}

func look(t testing.TB, ctx context.Context, s *tool.Shell, id string, extra ...any) string {
	t.Helper()
	return use(t, ctx, s, "check_command", append([]any{"command_id", id}, extra...)...)
}

func stop(t testing.TB, ctx context.Context, s *tool.Shell, id string) string {
	t.Helper()
	return use(t, ctx, s, "stop_command", "command_id", id)
}

// until calls f until it returns true.
func until(t testing.TB, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !f(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// finished waits until a command has ended and returns what check_command says then.
func finished(t testing.TB, ctx context.Context, s *tool.Shell, id string) string {
	t.Helper()
	var text string
	until(t, "the end of "+id, func() bool {
		text = look(t, ctx, s, id, "wait_seconds", 1)
		return strings.Contains(text, "\n[status: finished]\n")
	})
	return text
}

// Section L of the harness cases: what the tools say of a command in the background.
func TestBackground(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	s := newShell(t, func(c *tool.Config) {
		c.Dir = dir
		c.KillGrace = time.Second / 2
		c.Env.Set = map[string]string{"BG_TOKEN": "present"}
	})
	for _, tt := range []struct{ name, command, check, stop string }{
		{"cases 142, 146 and 151", "sleep 100", "(no output yet)\n[status: running]", "(no output)\n[stopped]\n[exit code: -15]"},
		{"case 145", "echo hello_bg", "", "[stdout]\nhello_bg\n\n[stopped]\n[exit code: 0]"},
		{"case 147", "echo done_quick", "[stdout]\ndone_quick\n\n[status: finished]\n[exit code: 0]", ""},
		{"case 148", "echo err_bg >&2", "", "[stderr]\nerr_bg\n\n[stopped]\n[exit code: 0]"},
		{"case 149", "echo err_check >&2", "[stderr]\nerr_check\n\n[status: finished]\n[exit code: 0]", ""},
		{"case 150", "true", "(no output yet)\n[status: finished]\n[exit code: 0]", "(no output)\n[stopped]\n[exit code: 0]"},
		{"cases 62, 152", "pwd", "", "[stdout]\n" + dir + "\n\n[stopped]\n[exit code: 0]"},
		{"case 161", "exit 3", "(no output yet)\n[status: finished]\n[exit code: 3]", "(no output)\n[stopped]\n[exit code: 3]"},
		{"case 162", "echo bg; touch ready; sleep 30", "[stdout]\nbg\n\n[status: running]", "[stdout]\nbg\n\n[stopped]\n[exit code: -15]"},
		{"case 164", `trap "" TERM; echo on; while :; do sleep 0.05; done`, "[stdout]\non\n\n[status: running]", "[stdout]\non\n\n[stopped]\n[exit code: -9]"},
		{"case 203", "echo $BG_TOKEN", "", "[stdout]\npresent\n\n[stopped]\n[exit code: 0]"},
		{"case 187", "echo out; echo warn >&2; touch made; sleep 100", "[stdout]\nout\n\n[stderr]\nwarn\n\n[status: running]", "[stdout]\nout\n\n[stderr]\nwarn\n\n[stopped]\n[exit code: -15]"},
		{"a signal", "kill -KILL $$", "(no output yet)\n[status: finished]\n[exit code: -9]", ""},
		{"H11, no time limit", "echo on; sleep 100", "[stdout]\non\n\n[status: running]", ""},
		{"C39, nothing to read", "cat", "(no output yet)\n[status: finished]\n[exit code: 0]", ""},
		{"no terminal", "read x < /dev/tty || echo none", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			id := begin(t, ctx, s, tt.command)
			running := strings.HasSuffix(tt.check, "[status: running]")
			if !running {
				if text := finished(t, ctx, s, id); tt.check != "" && text != tt.check {
					t.Errorf("check: %q, want\n%q", text, tt.check)
				}
			} else {
				until(t, tt.check, func() bool { return look(t, ctx, s, id) == tt.check })
			}
			if text := stop(t, ctx, s, id); tt.stop != "" && text != tt.stop {
				t.Errorf("stop: %q, want\n%q", text, tt.stop)
			}
			// Case 153: it is forgotten.
			for _, text := range []string{look(t, ctx, s, id), stop(t, ctx, s, id)} {
				if !strings.HasPrefix(text, "[Error: unknown command ID '"+id+"']\n[") {
					t.Errorf("afterwards: %q", text)
				}
			}
		})
	}
}

// Cases 143, 144, 167 and H18: an ID that is not known is no fault of the host, and the
// answer names those that are.
func TestUnknownID(t *testing.T) {
	ctx := context.Background()
	s := newShell(t, nil)
	for _, id := range []string{"nonexistent_id", "../../etc", strings.Repeat("0", 32), "it's", "\x00"} {
		for _, name := range []string{"check_command", "stop_command", "check_command"} {
			text := use(t, ctx, s, name, "command_id", id)
			if !strings.HasPrefix(text, "[Error: unknown command ID ") || !strings.HasSuffix(text, "\n[no command is in the background]") {
				t.Errorf("%s %q: %q", name, id, text)
			}
		}
	}
	id := begin(t, ctx, s, "sleep 100")
	if text := look(t, ctx, s, "x"); text != "[Error: unknown command ID 'x']\n[known: "+id+" ('sleep 100', running)]" {
		t.Errorf("%q", text)
	}
	for _, args := range [][]any{{}, {"command_id", 3}, {"command_id", ""}, {"command_id", nil}, {"command_id", id, "x", 1}, {"command_id", id, "wait_seconds", -1},
		{"command_id", id, "wait_seconds", "soon"}, {"command_id", id, "new_output_only", "perhaps"}} {
		if text := use(t, ctx, s, "check_command", args...); !strings.HasPrefix(text, "[Error: ") {
			t.Errorf("%v: %q", args, text)
		}
	}
	if text := use(t, ctx, s, "check_command", "id", id); text != "(no output yet)\n[status: running]" {
		t.Errorf("another name for the argument: %q", text)
	}
}

// Case 163 and 287: who stops a command at the same time hears the same.
func TestParallelStops(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShell(t, func(c *tool.Config) { c.KillGrace = time.Second / 2 })
	var rec recorder
	id := begin(t, s.WithEventSink(ctx, rec.sink), s, `trap "" TERM; echo on; while :; do sleep 0.05; done`)
	until(t, "the first output", func() bool { return strings.Contains(look(t, ctx, s, id), "on") })
	texts := make([]string, 6)
	var wg sync.WaitGroup
	for i := range texts {
		wg.Go(func() {
			if i == 2 {
				texts[i] = look(t, ctx, s, id)
			} else {
				texts[i] = stop(t, ctx, s, id)
			}
		})
	}
	wg.Wait()
	for i, text := range texts {
		if i != 2 && text != "[stdout]\non\n\n[stopped]\n[exit code: -9]" || i == 2 && !strings.HasPrefix(text, "[stdout]\non\n\n[status: ") {
			t.Errorf("%d: %q", i, text)
		}
	}
	ends := 0
	for _, e := range rec.all() {
		if f, ok := e.(tool.CommandFinished); ok {
			ends++
			if !f.Cancelled || !f.Stopped || !f.Background || f.Signal != 9 || f.CommandID != id {
				t.Errorf("%+v", f)
			}
		}
	}
	if ends != 1 { // Case 242
		t.Errorf("%d ends", ends)
	}
}

// H14: what has ended can be asked about, again and again; what is new is told once.
func TestH14ReadAfterTheEnd(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShell(t, nil)
	id := begin(t, ctx, s, "echo a; exit 4")
	finished(t, ctx, s, id)
	for range 2 {
		if text := look(t, ctx, s, id); text != "[stdout]\na\n\n[status: finished]\n[exit code: 4]" {
			t.Errorf("%q", text)
		}
		if text := look(t, ctx, s, id, "new_output_only", true); text != "(no new output)\n[status: finished]\n[exit code: 4]" {
			t.Errorf("%q", text)
		}
	}
	if text := use(t, ctx, s, "stop_command", "command_id", id, "new_output_only", true); text != "(no output)\n[stopped]\n[exit code: 4]" {
		t.Errorf("%q", text)
	}
}

// What is new: each piece once, whole characters, the last state of a line that is
// written again, and what was lost is said to be.
func TestNewOutputOnly(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	s := newShell(t, func(c *tool.Config) { c.Dir = dir; c.MaxOutputChars = 400 })
	id := begin(t, ctx, s, `step() { while ! [ -e $1 ]; do sleep 0.01; done; }
		echo one; step 1; echo two; echo err >&2; step 2; printf '10%%'; step 3; printf '\r20%%'; step 4
		printf '\303'; step 5; printf '\244x'; step 6; seq 1 1000; step 7; printf '\303'`)
	next := func(want string) {
		t.Helper()
		if text := look(t, ctx, s, id, "new_output_only", true, "wait_seconds", 20); text != want {
			t.Errorf("%q, want\n%q", text, want)
		}
	}
	mark := func(n int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(n)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	next("[stdout]\none\n\n[status: running]")
	if text := look(t, ctx, s, id, "new_output_only", true); text != "(no new output)\n[status: running]" {
		t.Errorf("%q", text)
	}
	mark(1)
	until(t, "both", func() bool { return strings.Contains(look(t, ctx, s, id), "two\n\n[stderr]\nerr") })
	if text := look(t, ctx, s, id, "new_output_only", true); text != "(no new output)\n[status: running]" {
		t.Errorf("what a check of all has shown is new: %q", text)
	}
	mark(2)
	next("[stdout]\n10%\n[status: running]")
	mark(3)
	next("[stdout]\n20%\n[status: running]")
	mark(4)
	if text := look(t, ctx, s, id, "new_output_only", true, "wait_seconds", 0.5); text != "(no new output)\n[status: running]" {
		t.Errorf("half a character: %q", text)
	}
	mark(5)
	next("[stdout]\näx\n[status: running]")
	mark(6)
	text := look(t, ctx, s, id, "new_output_only", true, "wait_seconds", 20)
	if !strings.HasPrefix(text, "[... output truncated, showing last ") || !strings.HasSuffix(text, "\n999\n1000\n\n[status: running]") || utf8.RuneCountInString(text) != 400 {
		t.Errorf("%q", text)
	}
	mark(7)
	if text := finished(t, ctx, s, id); !strings.HasSuffix(text, "\n1000\n\uFFFD\n[stderr]\nerr\n\n[status: finished]\n[exit code: 0]") {
		t.Errorf("%q", text)
	}
}

// wait_seconds: until the end, until something new, and no longer than that.
func TestWaitSeconds(t *testing.T) {
	t.Parallel()
	s := newShell(t, func(c *tool.Config) { c.MaxTimeout = 30 * time.Second })
	ctx := context.Background()
	took := func(f func()) time.Duration {
		since := time.Now()
		f()
		return time.Since(since)
	}
	id := begin(t, ctx, s, "sleep 1; echo x; sleep 1; exit 3")
	if d := took(func() {
		if text := look(t, ctx, s, id, "wait_seconds", 30); text != "[stdout]\nx\n\n[status: running]" {
			t.Errorf("%q", text)
		}
	}); d > 15*time.Second {
		t.Errorf("new output: %v", d)
	}
	if text := look(t, ctx, s, id, "wait_seconds", "30"); text != "[stdout]\nx\n\n[status: finished]\n[exit code: 3]" {
		t.Errorf("%q", text)
	}
	if d := took(func() { look(t, ctx, s, id, "wait_seconds", 30) }); d > 15*time.Second {
		t.Errorf("it has ended: %v", d)
	}
	id = begin(t, ctx, s, "sleep 100")
	if d := took(func() {
		if text := look(t, ctx, s, id, "wait_seconds", 1); text != "(no output yet)\n[status: running]" {
			t.Errorf("%q", text)
		}
	}); d < time.Second || d > 15*time.Second {
		t.Errorf("time is up: %v", d)
	}
	cancelled, cancel := context.WithCancel(ctx)
	time.AfterFunc(100*time.Millisecond, cancel)
	if d := took(func() { look(t, cancelled, s, id, "wait_seconds", 30) }); d > 15*time.Second {
		t.Errorf("cancelled: %v", d)
	}
	done := make(chan string)
	go func() { done <- look(t, ctx, s, id, "wait_seconds", 1e9) }()
	time.Sleep(50 * time.Millisecond)
	if text := stop(t, ctx, s, id); text != "(no output)\n[stopped]\n[exit code: -15]" {
		t.Errorf("%q", text)
	}
	if text := <-done; text != "[wait_seconds was above the limit: 30.0s used]\n(no output yet)\n[status: finished]\n[exit code: -15]" && text != "(no output yet)\n[wait_seconds was above the limit: 30.0s used]\n[status: finished]\n[exit code: -15]" {
		t.Errorf("%q", text)
	}
}

// W-12 and case 172: a command that goes on behind its shell is finished and still
// there, until it is stopped.
func TestW12WhatGoesOnBehindItsShell(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	s := newShell(t, func(c *tool.Config) { c.Dir = dir; c.KillGrace = time.Second / 2 })
	for i, command := range []string{
		`sh -c 'while :; do echo >> HB; sleep 0.05; done' & echo up; exit 5`,
		`echo up; setsid sh -c 'while :; do echo >> HB; echo beat; sleep 0.05; done' </dev/null & exit 5`,
		`(setsid sh -c 'trap "" TERM HUP; while :; do echo >> HB; sleep 0.05; done' >/dev/null 2>&1 </dev/null &) ; echo up; exit 5`,
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			beats := filepath.Join(dir, fmt.Sprint(i))
			var rec recorder
			id := begin(t, s.WithEventSink(ctx, rec.sink), s, strings.ReplaceAll(command, "HB", beats))
			text := finished(t, ctx, s, id)
			if !strings.HasPrefix(text, "[stdout]\nup\n") || !strings.HasSuffix(text, "\n[processes that it has started still run]\n[status: finished]\n[exit code: 5]") {
				t.Errorf("%q", text)
			}
			if !leak.Beats(beats, 10*time.Second) {
				t.Error("it was ended with its shell")
			}
			if i == 1 { // what it prints is heard of
				until(t, "beats in the output", func() bool { return strings.Count(look(t, ctx, s, id), "beat\n") > 5 })
			}
			for _, e := range rec.all() {
				if f, ok := e.(tool.CommandFinished); ok {
					t.Errorf("it has ended: %+v", f)
				}
			}
			if text := stop(t, ctx, s, id); !strings.HasSuffix(text, "\n[stopped]\n[exit code: 5]") {
				t.Errorf("%q", text)
			}
			if leak.Beats(beats, time.Second/2) {
				t.Error("it is still there")
			}
			all := rec.all()
			if f, ok := all[len(all)-1].(tool.CommandFinished); !ok || f.ExitCode == nil || *f.ExitCode != 5 {
				t.Errorf("%+v", all[len(all)-1])
			}
		})
	}
	t.Run("wait_seconds", func(t *testing.T) {
		t.Parallel()
		id := begin(t, ctx, s, "(sleep 2; echo late; sleep 100) & exit 0")
		finished(t, ctx, s, id)
		if text := look(t, ctx, s, id, "wait_seconds", 30, "new_output_only", true); !strings.HasPrefix(text, "[stdout]\nlate\n") {
			t.Errorf("%q", text)
		}
	})
	t.Run("ends by itself", func(t *testing.T) {
		t.Parallel()
		id := begin(t, ctx, s, "sleep 1 & echo up")
		if text := finished(t, ctx, s, id); text != "[stdout]\nup\n\n[processes that it has started still run]\n[status: finished]\n[exit code: 0]" {
			t.Errorf("%q", text)
		}
		until(t, "the end of what was left", func() bool {
			return look(t, ctx, s, id) == "[stdout]\nup\n\n[status: finished]\n[exit code: 0]"
		})
	})
}

// Cases 283, H12: no more than MaxBackground, and only what has ended makes room.
func TestH12MaxBackground(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShell(t, func(c *tool.Config) { c.MaxBackground = 3 })
	var rec recorder
	full := func(ids ...string) {
		t.Helper()
		text := use(t, s.WithEventSink(ctx, rec.sink), s, "start_command", "command", "touch marker")
		if !strings.HasPrefix(text, "Command not run: 3 commands run in the background, and no more may at a time: ") || !strings.HasSuffix(text, " Stop one of them with stop_command, or wait until one has ended.") {
			t.Errorf("%q", text)
		}
		for _, id := range ids {
			if !strings.Contains(text, id+" ('sleep 100', running)") {
				t.Errorf("%s is not in %q", id, text)
			}
		}
	}
	a, quick, c := begin(t, ctx, s, "sleep 100"), begin(t, ctx, s, "sleep 100 & exit 2"), begin(t, ctx, s, "sleep 100")
	finished(t, ctx, s, quick)
	full(a, c) // what goes on behind its shell counts, too
	if d := rec.denied(t); d.Kind != tool.DeniedLimit || d.Rule != "MaxBackground" {
		t.Errorf("%+v", d)
	}
	stop(t, ctx, s, quick)
	ended := begin(t, ctx, s, "exit 3")
	finished(t, ctx, s, ended)
	b := begin(t, ctx, s, "sleep 100")
	full(a, b, c)
	if text := look(t, ctx, s, ended); text != "(no output yet)\n[status: finished]\n[exit code: 3]" {
		t.Errorf("what has ended: %q", text)
	}
	// Not by several at a time, either.
	stop(t, ctx, s, a)
	var wg sync.WaitGroup
	texts := make([]string, 8)
	for i := range texts {
		wg.Go(func() { texts[i] = use(t, ctx, s, "start_command", "command", "sleep 100") })
	}
	wg.Wait()
	n := 0
	for _, text := range texts {
		if startedText.MatchString(text) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d were started: %q", n, texts)
	}
	// A Run has a limit of its own, and knows nothing of another's.
	inner, run := s.NewRun(ctx, tool.RunOptions{})
	defer run.Close()
	begin(t, inner, s, "sleep 100")
	if text := look(t, inner, s, b); !strings.HasPrefix(text, "[Error: unknown command ID ") || strings.Contains(text, c) {
		t.Errorf("%q", text)
	}
}

// Cases 73 to 75: the cap, and what outlasts it.
func TestBackgroundCap(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShell(t, func(c *tool.Config) { c.MaxOutputChars = 80 })
	text := use(t, ctx, s, "start_command", "command", "true "+strings.Repeat("x", 200))
	id := text[strings.LastIndex(text, "\nID: ")+5:]
	if utf8.RuneCountInString(text) != 80 || !strings.HasPrefix(text, "[... output truncated, showing last 34 chars]\n") || len(id) != 12 {
		t.Errorf("case 73: %q", text)
	}
	finished(t, ctx, s, id)

	s = newShell(t, func(c *tool.Config) { c.MaxOutputChars = 200 })
	id = begin(t, ctx, s, "printf '%0400d' 0; sleep 30")
	until(t, "output", func() bool { return strings.Contains(look(t, ctx, s, id), "00") })
	if text := look(t, ctx, s, id); len(text) != 200 || !strings.HasPrefix(text, "[... output truncated, showing last 153 chars]\n0") || !strings.HasSuffix(text, "0\n[status: running]") {
		t.Errorf("case 74: %q", text)
	}
	text = stop(t, ctx, s, id)
	lines := strings.Split(text, "\n")
	if len(text) != 200 || !strings.HasPrefix(text, "[... output truncated") || lines[len(lines)-2] != "[stopped]" || !strings.HasPrefix(lines[len(lines)-1], "[exit code: ") {
		t.Errorf("case 75: %q", text)
	}
}
