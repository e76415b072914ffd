//go:build unix

package tool_test

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
	"github.com/einoshell/einoshell/tool"
)

// The reports of groups C, D and I that no other test names. What belongs to
// background commands (D11, the stop in C14) and to the persistent shell (C26)
// has no test before those are there.

func init() {
	helpers["C18"] = func() {
		becomeSubreaper()
		s := helperShell(func(c *tool.Config) { c.Timeout = 200 * time.Millisecond })
		for i := range 100 {
			command := []string{
				"sleep 0 & sleep 0.01 & true",
				"(sleep 0.005 &); sleep 100 & echo",
				"(setsid sleep 100 &); sleep 0.01",
			}[i%3]
			if i%20 == 0 { // until its time is up
				command += "; sleep 100"
			}
			callRun(s, command)
		}
		tasks, err := os.ReadDir("/proc/self/task")
		check(err)
		for _, task := range tasks {
			text, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
			check(err)
			for _, pid := range strings.Fields(string(text)) {
				stat, _ := os.ReadFile("/proc/" + pid + "/stat")
				fmt.Printf("left: %s", stat)
			}
		}
		// And who is not of a command is nobody else's to reap.
		cmd := exec.Command("sleep", "0")
		check(cmd.Start())
		callRun(s, "sleep 0 & sleep 0.1")
		check(cmd.Wait())
	}
	helpers["C30"] = func() {
		s := helperShell(nil)
		defer s.Close()
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		r, err := s.Exec(ctx, tool.Request{Command: `echo $$; while :; do echo >> "$EINOSHELL_TEST_HB"; sleep 0.05; done`})
		check(err)
		fmt.Print(r.Cancelled)
	}
}

// C4: one place starts processes, so that all are ended alike.
func TestC4OnePlaceStartsProcesses(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly); err != nil {
			return err
		}
		for _, call := range []string{"exec.Command", "os.StartProcess", "syscall.ForkExec", "syscall.StartProcess", "syscall.Exec("} {
			if strings.Contains(string(text), call) {
				found[filepath.ToSlash(filepath.Dir(path))] = true
			}
		}
		return nil
	})
	if err != nil || len(found) != 1 || !found["../internal/process"] {
		t.Errorf("%v, %v", err, found)
	}
}

func TestReportsOfGroupC(t *testing.T) {
	t.Parallel()
	quick := func(c *tool.Config) { c.KillGrace = time.Second / 2 }
	for _, tt := range []struct {
		name, command string
		change        func(*tool.Config)
		timeout       float64 // zero for the default
		want          string  // of the text, in part
		most          time.Duration
	}{
		// The grace is for the command, and who holds the pipe gets none of it.
		{"C6", `setsid sleep 100 & trap 'sleep 1.5; echo cleaned; exit' TERM; echo up; while :; do sleep 0.1; done`,
			func(c *tool.Config) { c.KillGrace = 5 * time.Second }, 0.5, "[stdout]\nup\ncleaned\n", 5 * time.Second},
		{"C10", `(trap "" TERM; : > up; sleep 50; sleep 50) & while ! [ -f up ]; do sleep 0.05; done; echo hi`, quick, 0, "[stdout]\nhi\n", 10 * time.Second},
		{"C20", `git init -q && git -c user.name=x -c user.email=x@y commit --allow-empty; echo code $?`, nil, 0, "code 1\n", 8 * time.Second},
		{"C20, a prompt", "git init -q && printf 'protocol=https\nhost=example.invalid\n' | git credential fill; echo code $?", nil, 0, "code 128\n", 8 * time.Second},
		{"C22", `git init -q && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m first && git log --format=%s; git var GIT_PAGER; git var GIT_EDITOR; echo $PAGER $MANPAGER`, nil, 0, "[stdout]\nfirst\ncat\ntrue\ncat cat\n", 8 * time.Second},
		{"C23", "sudo true", nil, 0, "Command not run: Interactive commands are not allowed.", time.Second},
		{"C23, behind the first word", "true; sudo -k true </dev/null; echo end", nil, 0, "end\n", 10 * time.Second},
		{"C29", "sleep 100", func(c *tool.Config) { c.Timeout = 0; c.MaxTimeout = 700 * time.Millisecond }, 0, "[Command timed out after 0.7s]", 10 * time.Second},
		{"C32", `(setsid sh -c 'sleep 100' </dev/null >/dev/null 2>&1 &); echo started`, nil, 0, "[stdout]\nstarted\n", 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range []string{"git", "setsid"} {
				if strings.Contains(tt.command, name+" ") {
					need.Program(t, name)
				}
			}
			s := newShell(t, tt.change)
			var extra []any
			if tt.timeout > 0 {
				extra = []any{"timeout_seconds", tt.timeout}
			}
			pid := 0
			ctx := s.WithEventSink(context.Background(), func(e tool.Event) { pid = max(pid, started(e)) })
			begin := time.Now()
			got := callCtx(t, ctx, s, tt.command, extra...)
			if !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if took := time.Since(begin); took > tt.most {
				t.Errorf("took %v", took)
			}
			if pid != 0 {
				leak.AssertGroupGone(t, pid)
			}
			if got := call(t, s, "echo next"); got != "[stdout]\nnext\n" { // C32
				t.Errorf("the next call: %q", got)
			}
		})
	}
}

// C12, C15: closing ends a group whose leader is gone, too.
func TestC12CloseEndsWhatLostItsLeader(t *testing.T) {
	t.Parallel()
	s := newShell(t, func(c *tool.Config) { c.KillGrace = time.Second / 2 })
	hb := filepath.Join(t.TempDir(), "hb")
	done := make(chan struct{})
	pid := make(chan int, 1)
	ctx := s.WithEventSink(context.Background(), func(e tool.Event) {
		if n := started(e); n != 0 {
			pid <- n
		}
	})
	go func() {
		defer close(done)
		s.Exec(ctx, tool.Request{Command: `(trap "" TERM; while :; do echo >> ` + hb + `; sleep 0.05; done) & sleep 0.3`, Timeout: time.Minute})
	}()
	n := <-pid
	time.Sleep(500 * time.Millisecond) // the shell has exited, its child is in its grace
	s.Close()
	leak.AssertGroupGone(t, n)
	<-done
	if leak.Size(hb) == 0 {
		t.Error("it never beat")
	}
}

// C18: a host that is given orphans, as the first process of a container is,
// reaps those of its commands, and nobody else's children.
func TestC18Orphans(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	if !subreapers {
		t.Skip("no subreapers here")
	}
	need.Program(t, "setsid")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER=C18")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) != 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// C30: a host that is told to end takes its commands along when it passes that
// on to their context.
func TestC30HostIsToldToEnd(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		hb := filepath.Join(t.TempDir(), "hb")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER=C30", "EINOSHELL_TEST_HB="+hb)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 200 {
			if leak.Size(hb) > 0 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		cmd.Process.Signal(sig)
		if err := cmd.Wait(); err != nil || out.String() != "true" {
			t.Errorf("%v: %v, %s", sig, err, out.String())
		}
		if leak.Beats(hb, 300*time.Millisecond) {
			t.Errorf("%v: it still beats", sig)
		}
	}
}

func TestReportsOfGroupD(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, command string
		cap           int
		check         func(string) bool
	}{
		{"D4", "head -c 100 /dev/urandom", 50_000, func(s string) bool { return strings.HasPrefix(s, "[stdout]\n") }},
		{"D4, much", "head -c 300000 /dev/urandom", 50_000, func(s string) bool { return strings.HasPrefix(s, "[... output truncated") }},
		{"D5", "printf ééééééé", 10, func(s string) bool { return s == "t]\nééééééé" }},
		{"D8", "yes | head -c 200000; yes | head -c 200000 >&2", 1000, func(s string) bool { return strings.HasPrefix(s, "[... output truncated") }},
		{"D16, a timeout", "echo x; sleep 9", 50_000, func(s string) bool {
			return strings.HasSuffix(s, "[Command timed out after 1.0s]") && !strings.Contains(s, "exit code")
		}},
		{"D16, a failure", "echo x; exit 9", 50_000, func(s string) bool {
			return strings.HasSuffix(s, "[exit code: 9]") && !strings.Contains(s, "timed out")
		}},
		{"D21", "rm x", 50_000, func(s string) bool {
			return strings.HasPrefix(s, "Command not run: Command 'rm' is denied.") && !strings.Contains(s, "exit code")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, func(c *tool.Config) { c.MaxOutputChars, c.DeniedCommands = tt.cap, []string{"rm"} })
			got := call(t, s, tt.command, "timeout_seconds", 1)
			if !tt.check(got) || !utf8.ValidString(got) || utf8.RuneCountInString(got) > tt.cap {
				t.Errorf("%d characters, valid %v: %.200q", utf8.RuneCountInString(got), utf8.ValidString(got), got)
			}
			// D20: the cap is the same for whoever calls.
			r, err := s.Exec(context.Background(), tool.Request{Command: tt.command, Timeout: time.Second})
			if err == nil && (utf8.RuneCountInString(r.Text()) > tt.cap || strings.HasPrefix(r.Text(), "[...") != strings.HasPrefix(got, "[...")) {
				t.Errorf("Exec: %.200q", r.Text())
			}
		})
	}
}

func TestReportsOfGroupI(t *testing.T) {
	t.Parallel()
	s := newShell(t, nil)
	// I6: below a second is not rounded away.
	begin := time.Now()
	if got := call(t, s, "echo a; sleep 0.1; echo b; sleep 30", "timeout_seconds", 0.8); got != "[stdout]\na\nb\n\n[Command timed out after 0.8s]" {
		t.Errorf("I6: %q", got)
	}
	if took := time.Since(begin); took < 800*time.Millisecond || took > 10*time.Second {
		t.Errorf("I6: %v", took)
	}
	// I7: what is configured is checked as what is asked for is.
	for _, d := range []time.Duration{-1, math.MinInt64, time.Duration(float64(time.Second) * -1e9)} {
		if _, err := tool.New(context.Background(), tool.Config{Timeout: d}); err == nil || !strings.Contains(err.Error(), "Timeout: ") {
			t.Errorf("I7: %d: %v", d, err)
		}
	}
	// I15: the model is told that it is one script.
	info, err := runTool(t, s).Info(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	js, err := info.ParamsOneOf.ToJSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	command, _ := js.Properties.Get("command")
	if !strings.Contains(command.Description, "The shell script to run, as one text") {
		t.Errorf("I15: %q", command.Description)
	}
	// I16: a NUL byte.
	if got := callRaw(t, context.Background(), s, `{"command":"a\u0000b"}`); !strings.HasPrefix(got, "Command not run: The command contains a NUL byte") {
		t.Errorf("I16: %q", got)
	}
	// I19: a default that is over names itself and the field that changes it;
	// who set it knows already.
	short := newShell(t, func(c *tool.Config) { c.Timeout = 300 * time.Millisecond })
	const field = "[timeout_seconds can give a command more time, up to 600.0s]\n"
	if got := call(t, short, "sleep 9"); got != field+"[Command timed out after 0.3s]" {
		t.Errorf("I19: %q", got)
	}
	if got := call(t, short, "sleep 9", "timeout_seconds", 0.2); got != "[Command timed out after 0.2s]" {
		t.Errorf("I19: %q", got)
	}
	most := newShell(t, func(c *tool.Config) { c.Timeout, c.MaxTimeout = 300*time.Millisecond, 300*time.Millisecond })
	if got := call(t, most, "sleep 9"); got != "[Command timed out after 0.3s]" {
		t.Errorf("I19: %q", got)
	}
}
