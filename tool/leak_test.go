//go:build unix

package tool_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/tool"
)

// The four commands that hang or leak most tools: right text, prompt return,
// nothing of the group left. Memory is tested apart, see memory_test.go.
func TestHardCommands(t *testing.T) {
	t.Parallel()
	cancelled := func(t *testing.T, got string) {
		if !strings.HasPrefix(got, "[stdout]\npartial\n\n[Command cancelled after ") {
			t.Errorf("%q", got)
		}
	}
	equal := func(want string) func(*testing.T, string) {
		return func(t *testing.T, got string) {
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	for _, tt := range []struct {
		name, command string
		timeout       time.Duration
		cancel        bool // at the first output
		check         func(*testing.T, string)
	}{
		{"C2, case 274", "sleep 100 & echo hi", time.Minute, false, equal("[stdout]\nhi\n")},
		{"C11", "nohup sleep 100 >/dev/null 2>&1 & true", time.Minute, false, equal("(no output)")},
		{"D15", "echo partial; sleep 60", time.Second, false, equal("[stdout]\npartial\n\n[timeout_seconds can give a command more time, up to 600.0s]\n[Command timed out after 1.0s]")},
		{"cancelled", "echo partial; sleep 60", time.Minute, true, cancelled},
		{"cancelled with children", "sleep 99 & (sleep 98; true) & echo partial; sleep 60", time.Minute, true, cancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, func(c *tool.Config) { c.Timeout = tt.timeout })
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			pid := 0
			ctx = s.WithEventSink(ctx, func(e tool.Event) {
				pid = max(pid, started(e))
				if _, ok := e.(tool.CommandOutput); ok && tt.cancel {
					cancel()
				}
			})
			begin := time.Now()
			tt.check(t, callCtx(t, ctx, s, tt.command))
			if took := time.Since(begin); took > 8*time.Second {
				t.Errorf("took %v", took)
			}
			if pid == 0 {
				t.Fatal("no start was heard of")
			}
			leak.AssertGroupGone(t, pid)
		})
	}
}

// Many commands, some of them unruly, leave no descriptor behind; goroutines
// are checked at the end of all tests.
func TestNothingLeaks(t *testing.T) {
	s := newShell(t, nil)
	call(t, s, "true")
	before := leak.Descriptors(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				call(t, s, "echo hi")
				call(t, s, "sleep 100 & echo hi >&2")
				call(t, s, "sleep 100", "timeout_seconds", 0.05)
				call(t, s, "")
			}
		})
	}
	wg.Wait()
	if after := leak.Descriptors(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

var soak = flag.Bool("soak", false, "run 10 000 commands one after another")

// 10 000 commands, one after another, leave no descriptor, thread, goroutine or
// child.
func TestSoak(t *testing.T) {
	if !*soak {
		t.Skip("only with -soak")
	}
	s := newShell(t, nil)
	count := func() (files, threads, goroutines, children int) {
		tasks, _ := os.ReadDir("/proc/self/task")
		for _, task := range tasks {
			text, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
			children += len(strings.Fields(string(text)))
		}
		return leak.Descriptors(t), len(tasks), runtime.NumGoroutine(), children
	}
	for range 20 {
		call(t, s, "true")
	}
	files, threads, goroutines, children := count()
	for i := range 10_000 {
		command, want := "true", "(no output)"
		switch i % 10 {
		case 1:
			command, want = "echo hi | cat", "[stdout]\nhi\n"
		case 2:
			command, want = "sleep 100 & echo hi", "[stdout]\nhi\n"
		case 3:
			command, want = "exit 3", "(no output)\n[exit code: 3]"
		}
		if got := call(t, s, command); got != want {
			t.Fatalf("number %d, %s: %q", i, command, got)
		}
	}
	f, th, g, c := count()
	t.Logf("descriptors %d to %d, threads %d to %d, goroutines %d to %d, children %d to %d", files, f, threads, th, goroutines, g, children, c)
	if f > files || th > threads+10 || g > goroutines || c > children {
		t.Error("something is left")
	}
}

// 500 commands at once need no thread each, and leave no descriptor.
func TestManyAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("no /proc")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER=many")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var threads, files int
	if _, err := fmt.Sscanf(string(out), "(no output)\n%d %d\n", &threads, &files); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%d threads, %d descriptors left", threads, files)
	if threads > 30 || files > 30 {
		t.Errorf("%d threads, %d descriptors left", threads, files)
	}
}
