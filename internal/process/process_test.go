//go:build unix

package process

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "become" { // root, in a copy that is set-uid
		if err := syscall.Setuid(0); err != nil {
			panic(err)
		}
		time.Sleep(4 * time.Second)
		return
	}
	// The tests that wait wait at the same time; -parallel says otherwise.
	flag.Set("test.parallel", "8")
	goleak.VerifyTestMain(m)
}

// A capture is where a test's command prints to.
type capture struct {
	mu       sync.Mutex
	out, err bytes.Buffer
}

func (c *capture) spec(t *testing.T, script string) Spec {
	return Spec{
		Path:   "/bin/sh",
		Args:   []string{"/bin/sh", "-c"},
		Text:   script,
		Loads:  true,
		Dir:    t.TempDir(),
		Env:    os.Environ(),
		Grace:  2 * time.Second,
		Stdout: func(p []byte) { c.mu.Lock(); c.out.Write(p); c.mu.Unlock() },
		Stderr: func(p []byte) { c.mu.Lock(); c.err.Write(p); c.mu.Unlock() },
	}
}

func run(t *testing.T, script string, timeout time.Duration) (string, Status, time.Duration) {
	t.Helper()
	var c capture
	p, err := Start(context.Background(), c.spec(t, script))
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	st := p.Wait(context.Background(), timeout)
	leak.AssertGroupGone(t, p.PID())
	return c.out.String(), st, time.Since(begin)
}

func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		script string
		want   Status
	}{
		{"true", Status{Known: true}},
		{"exit 42", Status{Known: true, Code: 42}},
		{"kill -TERM $$", Status{Known: true, Code: 0, Signal: 15}},
		{"kill -KILL $$", Status{Known: true, Code: 0, Signal: 9}},
		{"sh -c 'kill -KILL $$'; exit $?", Status{Known: true, Code: 137}},
	} {
		if _, got, _ := run(t, tt.script, time.Minute); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.script, got, tt.want)
		}
	}
}

// C1, C2, C5, C7: who holds the pipe does not matter, and the group goes too.
func TestPipeHolderDoesNotDelay(t *testing.T) {
	out, st, took := run(t, "sleep 100 & echo hi", time.Minute)
	if out != "hi\n" || st.Cause != Exited || st.Code != 0 || took > 10*time.Second {
		t.Errorf("%q, %+v after %v", out, st, took)
	}
}

// A holder in a session of its own is outside the group: it may live on (it
// ends by itself here), but it may not delay the call either. C9.
func TestSetsidHolderDoesNotDelay(t *testing.T) {
	need.Program(t, "setsid")
	out, st, took := run(t, "setsid sleep 30 & echo hi; echo $! >&2", time.Minute)
	if out != "hi\n" || st.Cause != Exited || took > 10*time.Second {
		t.Errorf("%q, %+v after %v", out, st, took)
	}
}

// All that was written before the exit arrives, though somebody whom nobody
// can find holds the pipe, and though the reader is slower than the writer. (C8.)
func TestNothingWrittenBeforeExitIsLost(t *testing.T) {
	need.Program(t, "setsid")
	for _, n := range []int{0, 1, 1000, 60_000, 400_000} {
		for range 5 {
			var c capture
			spec := c.spec(t, "(env -i PATH=\"$PATH\" setsid sleep 1 &); head -c "+strconv.Itoa(n)+" /dev/zero")
			fast := spec.Stdout
			spec.Stdout = func(p []byte) { time.Sleep(3 * time.Millisecond); fast(p) }
			p, err := Start(context.Background(), spec)
			if err != nil {
				t.Fatal(err)
			}
			p.Wait(context.Background(), time.Minute)
			if c.out.Len() != n {
				t.Fatalf("%d of %d bytes", c.out.Len(), n)
			}
		}
	}
}

func TestTimeoutEndsTheGroup(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"case 82, background and foreground": "sleep 100 & sleep 100",
		"subshells":                          "(sleep 100; true) | (sleep 100; true)",
	} {
		t.Run(name, func(t *testing.T) {
			_, st, took := run(t, "echo partial; "+script, time.Second)
			if st.Cause != TimedOut || st.Signal != 15 || took > 10*time.Second {
				t.Errorf("%+v after %v", st, took)
			}
		})
	}
}

// Cases 88 and 90, C24: TERM, grace, KILL, to the whole group.
func TestTermIgnoredIsKilled(t *testing.T) {
	t.Parallel()
	var c capture
	spec := c.spec(t, "trap '' TERM; sleep 100 & echo up; sleep 100; sleep 100")
	spec.Grace = 300 * time.Millisecond
	p, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	st := p.Wait(context.Background(), time.Second)
	if st.Cause != TimedOut || st.Signal != 9 {
		t.Errorf("%+v", st)
	}
	if got := c.out.String(); got != "up\n" {
		t.Errorf("output %q", got)
	}
	leak.AssertGroupGone(t, p.PID())
}

// C25: the command gets to clean up, and what it prints then is kept.
func TestTermComesFirst(t *testing.T) {
	t.Parallel()
	out, st, _ := run(t, "trap 'echo cleaned; exit 3' TERM; echo up; while :; do sleep 0.1; done", time.Second)
	if out != "up\ncleaned\n" || st.Code != 3 || st.Cause != TimedOut {
		t.Errorf("%q, %+v", out, st)
	}
}

// A stopped command gets to clean up as well.
func TestStoppedCommandHandlesTerm(t *testing.T) {
	t.Parallel()
	out, st, _ := run(t, "trap 'echo cleaned; exit 3' TERM; echo up; kill -STOP $$; sleep 50", time.Second)
	if out != "up\ncleaned\n" || st.Code != 3 || st.Cause != TimedOut {
		t.Errorf("%q, %+v", out, st)
	}
}

// Case 92: leader gone, child ignoring TERM: the sweep still gets it.
func TestCase92LeftoverIgnoringTermIsSwept(t *testing.T) {
	t.Parallel()
	var c capture
	spec := c.spec(t, "(trap '' TERM; echo up; sleep 60; sleep 60) & while ! test -e f; do sleep 0.05; done")
	spec.Grace = 200 * time.Millisecond
	spec.Stdout = func(p []byte) { os.WriteFile(filepath.Join(spec.Dir, "f"), nil, 0o600) }
	p, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if st := p.Wait(context.Background(), time.Minute); st.Cause != Exited || st.Code != 0 {
		t.Errorf("%+v", st)
	}
	leak.AssertGroupGone(t, p.PID())
}

func TestCancel(t *testing.T) {
	var c capture
	ctx, cancel := context.WithCancel(context.Background())
	spec := c.spec(t, "echo partial; sleep 100")
	inner := spec.Stdout
	spec.Stdout = func(p []byte) { inner(p); cancel() }
	p, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if st := p.Wait(ctx, time.Minute); st.Cause != Cancelled || st.Signal != 15 {
		t.Errorf("%+v", st)
	}
	if got := c.out.String(); got != "partial\n" {
		t.Errorf("output %q", got)
	}
	leak.AssertGroupGone(t, p.PID())
}

// C21 and case 70: no terminal, nothing on standard input; output blocks as
// programs expect.
func TestStandardFiles(t *testing.T) {
	out, _, took := run(t, "cat; (read x < /dev/tty) 2>/dev/null || echo no tty", time.Minute)
	if out != "no tty\n" || took > 10*time.Second {
		t.Errorf("%q after %v", out, took)
	}
	if _, err := os.Stat("/proc/self/fdinfo/1"); err == nil {
		out, _, _ = run(t, "for i in 1 2; do while read k v; do test $k != flags: || echo $k $v; done < /proc/$$/fdinfo/$i; done; ls /proc/self/fd | wc -l", time.Minute)
		f := strings.Fields(out)
		if len(f) != 5 {
			t.Fatalf("%q", out)
		}
		for _, flags := range []string{f[1], f[3]} {
			if n, err := strconv.ParseUint(flags, 8, 64); err != nil || n&syscall.O_NONBLOCK != 0 {
				t.Errorf("standard output does not block: %q", out)
			}
		}
		// None of ours: what os/exec hands on (what this process itself
		// inherited without close-on-exec) is the floor.
		floor, err := exec.Command("/bin/sh", "-c", "ls /proc/self/fd | wc -l").Output()
		if err != nil || f[4] != strings.TrimSpace(string(floor)) {
			t.Errorf("%s descriptors open in the child, %s with os/exec, %v", f[4], floor, err)
		}
	}
}

func TestStartErrorsLeaveNothing(t *testing.T) {
	before := leak.Descriptors(t)
	var c capture
	for name, change := range map[string]func(*Spec){
		"no such program":   func(s *Spec) { s.Path = "/nonexistent/sh" },
		"no such directory": func(s *Spec) { s.Dir = "/nonexistent" },
		"a file as directory": func(s *Spec) {
			s.Dir = filepath.Join(s.Dir, "f")
			os.WriteFile(s.Dir, nil, 0o600)
		},
		"NUL in an argument": func(s *Spec) { s.Text = "a\x00b" },
		"argument too long":  func(s *Spec) { s.Text, s.Loads = strings.Repeat("x", 1<<20), false },
		"environment too large": func(s *Spec) {
			s.Env = nil
			for i := range 100 {
				s.Env = append(s.Env, fmt.Sprint("V", i, "=", strings.Repeat("x", 100_000)))
			}
		},
	} {
		spec := c.spec(t, "true")
		change(&spec)
		if p, err := Start(context.Background(), spec); err == nil {
			p.Wait(context.Background(), time.Second)
			t.Errorf("%s: started", name)
		}
	}
	if after := leak.Descriptors(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func TestManyLeakNothing(t *testing.T) {
	run(t, "true", time.Minute)
	before := leak.Descriptors(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				run(t, "echo x; sleep 50 &", time.Minute)
			}
		})
	}
	wg.Wait()
	if after := leak.Descriptors(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// A text too long for an argument, by itself or with the environment, reaches
// the shell all the same, and looks no different to it. (C17: never in a file that
// is run, which a fork elsewhere would keep busy.)
func TestLongText(t *testing.T) {
	long := ": " + strings.Repeat("x", 1<<20) + "\n"
	var big []string
	for i := range 14 {
		big = append(big, fmt.Sprint("BIG", i, "=", strings.Repeat("x", 130_000)))
	}
	for _, sh := range []string{"sh", "dash", "bash"} {
		path, err := exec.LookPath(sh)
		if err != nil {
			continue
		}
		for _, tt := range []struct {
			name, text string
			env        []string
			want       string
			code       int
		}{
			{"ends as usual", long + "echo end; exit 3", nil, "end\n", 3},
			{"comment first", "# it's a comment\n" + long + "echo $0 $#", nil, sh + " 0\n", 0},
			{"here-document", "wc -c <<'E'\n" + strings.Repeat("0123456789abcde\n", 1<<16) + "E\n", nil, "1048576\n", 0},
			{"no descriptor is left", long + "ls /proc/self/fd | wc -l", nil, "", 0},
			{"reads nothing", long + "cat; read x || echo none", nil, "none\n", 0},
			{"fails", long + "false", nil, "", 1},
			{"largest argument", ": " + strings.Repeat("x", MaxArg-2), nil, "", 0},
			{"one more", ": " + strings.Repeat("x", MaxArg-1), nil, "", 0},
			{"with the environment", ": " + strings.Repeat("x", 120_000) + "\necho end", big, "end\n", 0},
		} {
			var c capture
			spec := c.spec(t, tt.text)
			spec.Path, spec.Args = path, []string{sh, "-c"}
			spec.Env = append([]string{"PATH=" + os.Getenv("PATH")}, tt.env...)
			p, err := Start(context.Background(), spec)
			if err != nil {
				t.Errorf("%s, %s: %v", sh, tt.name, err)
				continue
			}
			st := p.Wait(context.Background(), time.Minute)
			if tt.name == "no descriptor is left" {
				floor, _ := exec.Command("/bin/sh", "-c", "ls /proc/self/fd | wc -l").Output()
				tt.want = string(floor)
			}
			if st.Code != tt.code || c.out.String() != tt.want || c.err.Len() > 0 {
				t.Errorf("%s, %s: %+v, %q, %.200q", sh, tt.name, st, c.out.String(), c.err.String())
			}
		}
	}
}
