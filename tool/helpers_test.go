//go:build unix

package tool_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	einotool "github.com/cloudwego/eino/components/tool"
	"golang.org/x/sys/unix"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/tool"
)

// helpers are run in a process of their own, by name.
var helpers = map[string]func(){
	"no descriptors": func() {
		s := helperShell(nil)
		var files []*os.File
		limit(unix.RLIMIT_NOFILE, 40)
		for {
			f, err := os.Open(os.DevNull)
			if err != nil {
				break
			}
			files = append(files, f)
		}
		for range 3 { // each stage of a start: 1, 3 and 5 descriptors free
			helperRun(s, "")
			files[0].Close()
			files[1].Close()
			files = files[2:]
		}
		for _, f := range files {
			f.Close()
		}
		helperRun(s, "then: ")
	},
	// W-17: root may enter every directory.
	"a kept directory that is forbidden": func() {
		dir, err := os.MkdirTemp("", "einoshell-kept")
		check(err)
		defer os.RemoveAll(dir)
		s := helperShell(func(c *tool.Config) { c.Dir, c.PersistDir = dir, true })
		for _, command := range []string{"mkdir sub && cd sub", "chmod 000 .", "pwd", "pwd", "chmod 700 sub"} {
			text := helperUse(s, "run_command", fmt.Sprintf(`{"command":%q}`, command))
			fmt.Println(strings.ReplaceAll(text, dir, "DIR"))
		}
	},
	"file size": func() {
		check(unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 400, Max: 500}))
		fmt.Print(callRun(helperShell(func(c *tool.Config) { c.MaxFileBytes = 1000 }), `grep "^Max file size" /proc/self/limits | tr -s " "`))
	},
	"no processes": func() {
		s := helperShell(nil)
		limit(unix.RLIMIT_NPROC, 0)
		helperRun(s, "")
		limit(unix.RLIMIT_NPROC, 4096)
		helperRun(s, "then: ")
	},
	"environment too large, case 106": func() {
		set := map[string]string{}
		for i := range 100 {
			set[fmt.Sprint("BIG", i)] = strings.Repeat("x", 100_000)
		}
		helperRun(helperShell(func(c *tool.Config) { c.Env.Set = set }), "")
		helperRun(helperShell(nil), "then: ")
	},
	"memory": func() {
		s := helperShell(func(c *tool.Config) {
			c.SpillBytes, c.StateDir = tool.DefaultSpillBytes, os.Getenv("EINOSHELL_TEST_STATE")
		})
		defer s.Close()
		helperRun(s, "")
		before := peakKiB()
		timeout, err := time.ParseDuration(os.Getenv("EINOSHELL_TEST_TIMEOUT"))
		check(err)
		command := os.Getenv("EINOSHELL_TEST_COMMAND")
		var pid int
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		ctx = s.WithEventSink(ctx, func(e tool.Event) {
			pid = max(pid, started(e))
			if _, ok := e.(tool.CommandOutput); ok && strings.HasSuffix(command, "# cancel") {
				cancel()
			}
		})
		begin := time.Now()
		r, err := s.Exec(ctx, tool.Request{Command: command, Timeout: timeout})
		check(err)
		took := time.Since(begin)
		text := r.Text()
		fmt.Println(peakKiB()-before, took.Milliseconds(), r.StdoutBytes, leak.GroupRuns(pid))
		fmt.Print(text[:min(60, len(text))], "…", strings.ToValidUTF8(text[max(0, len(text)-60):], ""))
	},
	// Root's command, and a host that is not root any more once it runs.
	"another user": func() {
		s := helperShell(nil)
		ctx := s.WithEventSink(context.Background(), func(e tool.Event) {
			if started(e) != 0 {
				check(syscall.Setreuid(65534, 65534))
			}
		})
		r, err := s.Exec(ctx, tool.Request{Command: "sleep 3 & sleep 0.3; exit 3"})
		check(err)
		fmt.Print(r.Text())
	},
	// Case 178: root's command, which the host may not signal any more.
	"another user in the background": func() {
		s := helperShell(nil)
		id := helperStart(s, "echo up; sleep 5")
		helperUse(s, "check_command", `{"command_id":"`+id+`","wait_seconds":10}`)
		check(syscall.Setreuid(65534, 65534))
		for range 2 {
			fmt.Println(helperUse(s, "stop_command", `{"command_id":"`+id+`"}`))
		}
	},
	// Case 160: how it has ended is not known.
	"SIGCHLD ignored in the background": func() {
		signal.Ignore(syscall.SIGCHLD)
		s := helperShell(nil)
		id := helperStart(s, "echo up; exit 3")
		for text := ""; !strings.HasSuffix(text, "[status: finished]\n[exit code: unknown]"); {
			text = helperUse(s, "check_command", `{"command_id":"`+id+`","wait_seconds":10}`)
		}
		fmt.Print(helperUse(s, "stop_command", `{"command_id":"`+id+`"}`))
	},
	// How many OS threads and descriptors it takes to run many at once.
	"many": func() {
		s := helperShell(nil)
		helperRun(s, "")
		var wg sync.WaitGroup
		var running atomic.Int32
		ctx := s.WithEventSink(context.Background(), func(e tool.Event) {
			if started(e) != 0 {
				running.Add(1)
			}
		})
		for range 500 {
			wg.Go(func() {
				r, err := s.Exec(ctx, tool.Request{Command: "sleep 4"})
				check(err)
				if r.Text() != "(no output)" {
					fmt.Println(r.Text())
				}
			})
		}
		threads := 0
		for running.Load() < 500 {
			time.Sleep(10 * time.Millisecond)
		}
		for range 50 {
			tasks, err := os.ReadDir("/proc/self/task")
			check(err)
			threads = max(threads, len(tasks))
			time.Sleep(10 * time.Millisecond)
		}
		wg.Wait()
		files, err := os.ReadDir("/proc/self/fd")
		check(err)
		fmt.Println(threads, len(files))
	},
	// Standard input is a pipe that nobody closes.
	"stdin": func() {
		s := helperShell(nil)
		fmt.Print(callRun(s, "cat; wc -c; read x || echo nothing to read"))
	},
	"SIGCHLD ignored": func() {
		signal.Ignore(syscall.SIGCHLD)
		s := helperShell(func(c *tool.Config) { c.Timeout = 2 * time.Second })
		fmt.Print(callRun(s, "echo hi; exit 3"), "|", callRun(s, "sleep 100 & echo hi; sleep 100"))
		j := helperShell(func(c *tool.Config) { c.ResultFormat = "json" })
		r, err := j.Exec(context.Background(), tool.Request{Command: "sleep 100 & exit 3"})
		check(err)
		if !strings.Contains(r.Text(), `"exit_code":null`) || !strings.Contains(r.Text(), `"error":"How the command ended is not known."`) || leak.GroupRuns(r.PID) {
			fmt.Print(r.Text(), leak.GroupRuns(r.PID))
		}
	},
	"shell gone": func() {
		dir, err := os.MkdirTemp("", "einoshell-test")
		check(err)
		defer os.Remove(dir)
		sh := filepath.Join(dir, "sh")
		check(os.Symlink("/bin/sh", sh))
		s := helperShell(func(c *tool.Config) { c.Shell = []string{sh, "-c"} })
		check(os.Remove(sh))
		helperRun(s, "")
		helperRun(helperShell(nil), "then: ")
	},
	"case 288": func() {
		dir, err := os.MkdirTemp("", "einoshell-test")
		check(err)
		defer os.Remove(dir)
		s := helperShell(func(c *tool.Config) { c.Dir = dir })
		check(os.Chmod(dir, 0))
		_, err = s.Exec(context.Background(), tool.Request{Command: "true"})
		fmt.Print(err)
	},
}

// helperUse calls a tool of s.
func helperUse(s *tool.Shell, name, arguments string) string {
	for _, each := range s.Tools() {
		if info, err := each.Info(context.Background()); err == nil && info.Name == name {
			text, err := each.(einotool.InvokableTool).InvokableRun(context.Background(), arguments)
			check(err)
			return text
		}
	}
	panic(name)
}

// helperStart starts a command in the background and returns its ID.
func helperStart(s *tool.Shell, command string) string {
	text := helperUse(s, "start_command", fmt.Sprintf(`{"command":%q}`, command))
	return text[strings.LastIndex(text, " ")+1:]
}

func callRun(s *tool.Shell, command string) string {
	r, err := s.Exec(context.Background(), tool.Request{Command: command})
	check(err)
	if r.ExitCode != nil && *r.ExitCode != 0 {
		fmt.Print("exit code ", *r.ExitCode, " ")
	}
	return r.Text()
}

func helperShell(change func(*tool.Config)) *tool.Shell {
	c := tool.Default("/")
	c.SpillBytes = 0
	if change != nil {
		change(&c)
	}
	s, err := tool.New(context.Background(), c)
	check(err)
	return s
}

// started returns the process id when e is a start.
func started(e tool.Event) int {
	st, _ := e.(tool.CommandStarted)
	return st.PID
}

// peakKiB is the most memory this process has had resident.
func peakKiB() int {
	status, err := os.ReadFile("/proc/self/status")
	check(err)
	var n int
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscan(rest, &n)
	check(err)
	return n
}

// helperRun says how true went, by Exec and by the tool, which must agree.
func helperRun(s *tool.Shell, prefix string) {
	var rec recorder
	ctx := s.WithEventSink(context.Background(), rec.sink)
	text, toolErr := s.Tools()[0].(einotool.InvokableTool).InvokableRun(ctx, `{"command":"true"}`)
	r, err := s.Exec(context.Background(), tool.Request{Command: "true"})
	var denied *tool.DeniedError
	switch {
	case (err == nil) != (toolErr == nil):
		fmt.Println(prefix+"they differ:", err, toolErr)
	case errors.As(err, &denied):
		fmt.Println(prefix+"refused:", err)
	case err != nil:
		fmt.Println(prefix+"error:", err)
		if d, ok := rec.all()[0].(tool.CommandDenied); len(rec.all()) != 1 || !ok || d.Kind != tool.DeniedHost || strings.Contains(d.Reason, "/") {
			fmt.Printf("%sevents %+v\n", prefix, rec.all())
		}
	default:
		fmt.Println(prefix + r.Text())
		if text != r.Text() {
			fmt.Println(prefix+"the tool says", text)
		}
	}
}

// limit sets the soft limit only, so that it can be raised again.
func limit(resource int, soft uint64) {
	var l unix.Rlimit
	check(unix.Getrlimit(resource, &l))
	l.Cur = min(soft, l.Max)
	check(unix.Setrlimit(resource, &l))
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// asNobody makes cmd, which runs this test binary, run as an ordinary user: in
// a copy, since nobody may enter the directory it was built in.
func asNobody(t *testing.T, cmd *exec.Cmd) (args []string, path string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "einoshell-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path = filepath.Join(dir, "test")
	from, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	// A child that is just being forked would hold it open for writing. (C17.)
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return []string{path}, path
}
