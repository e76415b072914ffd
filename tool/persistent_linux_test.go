package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
	"github.com/einoshell/einoshell/tool"
)

var handlesText = regexp.MustCompile("(?s)^(.*?)PID: ([0-9]+) \\((.*?)\\)\nOutput: (/[^\n]*/shell-[0-9a-f]+/output\\.log)\nStatus: (/[^\n]*/shell-[0-9a-f]+/status\\.json)\n(?:(\\{.*\\})\n)?$")

// handles are what a call of the shell tool returns.
type handles struct {
	text, how, output, status, json string
	pid                             int
}

// persistentShell has the shell tool, and ends what its commands leave when the test ends.
func persistentShell(t testing.TB, change func(*tool.Config)) *tool.Shell {
	t.Helper()
	need.Program(t, "setsid")
	state := t.TempDir()
	t.Cleanup(func() {
		statuses, _ := filepath.Glob(filepath.Join(state, "shell-*", "status.json"))
		for _, name := range statuses {
			var status struct {
				PID int `json:"pid"`
			}
			text, _ := os.ReadFile(name)
			if json.Unmarshal(text, &status) == nil && status.PID > 1 {
				syscall.Kill(-status.PID, syscall.SIGKILL)
				leak.AssertGroupGone(t, status.PID)
			}
		}
	})
	return newShell(t, func(c *tool.Config) {
		c.Dir, c.StateDir = t.TempDir(), state
		c.KillGrace = 500 * time.Millisecond
		c.Tools = []string{"shell", "run_command", "start_command", "check_command", "stop_command"}
		if change != nil {
			change(c)
		}
	})
}

func persist(t testing.TB, ctx context.Context, s *tool.Shell, command string, extra ...any) handles {
	t.Helper()
	return parseHandles(t, use(t, ctx, s, "shell", append([]any{"command", command}, extra...)...))
}

func parseHandles(t testing.TB, text string) handles {
	t.Helper()
	m := handlesText.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%q", text)
	}
	pid, _ := strconv.Atoi(m[2])
	return handles{text: m[1], how: m[3], output: m[4], status: m[5], json: m[6], pid: pid}
}

func (h handles) published(code string) string {
	return fmt.Sprintf("{\"pid\": %d, \"exit_code\": %s}", h.pid, code)
}

func fileText(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// Section O of the harness cases.
func TestPersistent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := persistentShell(t, nil)

	h := persist(t, ctx, s, "mkdir child; printf hello; exit 7")
	if h.text != "hello\n" || h.json != h.published("7") || !strings.Contains(h.json, `"exit_code": 7`) {
		t.Errorf("case 206: %+v", h)
	}
	if _, err := os.Stat(filepath.Join(s.Dir(), "child")); err != nil {
		t.Errorf("case 206: %v", err)
	}
	if h.how != fmt.Sprintf("use `kill -- -%d` to stop the whole process tree", h.pid) {
		t.Errorf("case 206: %q", h.how)
	}
	if info, err := os.Stat(filepath.Dir(h.output)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	for _, timeout := range []any{0, 271, -1, "soon"} {
		if got := use(t, ctx, s, "shell", "command", "true", "timeout", timeout); !strings.Contains(got, "timeout must be a number greater than 0 and at most 270.0.") {
			t.Errorf("case 207: %q", got)
		}
	}
	if got := use(t, ctx, s, "shell", "command", "true", "mode", "elsewhere"); got != "Command not run: mode must be foreground or background." {
		t.Errorf("%q", got)
	}
	if got := use(t, ctx, s, "shell", "command", "a\x00b"); !strings.Contains(got, "NUL") {
		t.Errorf("case 208: %q", got)
	}
	if got := use(t, ctx, s, "shell", "command", "vim x"); !strings.HasPrefix(got, "Command not run: ") {
		t.Errorf("case 208: %q", got)
	}
	if h := persist(t, ctx, s, "seq 1 10000"); true {
		m := regexp.MustCompile(`^\[\.\.\. output truncated, ([0-9]+) earlier bytes omitted\]\n`).FindStringSubmatch(h.text)
		all := fileText(t, h.output)
		if m == nil {
			t.Fatalf("case 213: %q", h.text[:80])
		}
		n, _ := strconv.Atoi(m[1])
		if rest := strings.TrimPrefix(h.text, m[0]); rest != all[n:] || len(rest) > 16_000 || all[n-1] != '\n' {
			t.Errorf("case 213: %d, %d bytes", n, len(rest))
		}
	}
	if h := persist(t, ctx, s, "head -c 20000 /dev/zero | tr '\\0' x"); h.text != "[... output truncated, 4000 earlier bytes omitted]\n"+strings.Repeat("x", 16_000)+"\n" {
		t.Errorf("case 214: %q", h.text[:80])
	}
	if h := persist(t, ctx, s, "echo $0; printf '\\033[31mred\\033[0m\\n'; echo err >&2; cat"); h.text != "/bin/sh\nred\nerr\n" {
		t.Errorf("%q", h.text)
	}
	long := "x='" + strings.Repeat("y", 200_000) + "'; echo ${#x}"
	if h := persist(t, ctx, s, long); h.text != "200000\n" {
		t.Errorf("a long command: %q", h.text)
	}
	// Case 131: it begins in the directory of its Run, wherever run_command has gone.
	kept := persistentShell(t, func(c *tool.Config) { c.PersistDir = true })
	call(t, kept, "mkdir sub && cd sub")
	if h := persist(t, ctx, kept, "pwd"); h.text != kept.Dir()+"\n" {
		t.Errorf("case 131: %q", h.text)
	}
	if got := call(t, kept, "pwd"); got != "[stdout]\n"+kept.Dir()+"/sub\n" {
		t.Errorf("case 131: %q", got)
	}
}

// Cases 209 to 212: events come while it runs, and are bounded.
func TestPersistentEvents(t *testing.T) {
	t.Parallel()
	s := persistentShell(t, nil)
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(command string, sink func(tool.Event), extra ...any) (handles, []tool.Event) {
		t.Helper()
		rec := &recorder{}
		ctx := s.WithEventSink(context.Background(), func(e tool.Event) {
			rec.sink(e)
			if sink != nil {
				sink(e)
			}
		})
		h := persist(t, ctx, s, command, extra...)
		return h, rec.all()
	}
	end := func(events []tool.Event) tool.CommandFinished {
		t.Helper()
		f, ok := events[len(events)-1].(tool.CommandFinished)
		if !ok {
			t.Fatalf("%T", events[len(events)-1])
		}
		return f
	}
	var once sync.Once
	h, events := run("printf ready; cat "+fifo+" >/dev/null; printf done", func(e tool.Event) {
		if o, ok := e.(tool.CommandOutput); ok && o.Text == "ready" {
			once.Do(func() {
				go func() {
					if f, err := os.OpenFile(fifo, os.O_WRONLY, 0); err == nil {
						f.Close()
					}
				}()
			})
		}
	})
	if h.text != "readydone\n" || h.json != h.published("0") {
		t.Errorf("case 209: %+v", h)
	}
	if f := end(events); f.ExitCode == nil || *f.ExitCode != 0 || f.Truncated {
		t.Errorf("case 209: %+v", f)
	}

	h, events = run("printf hello", nil)
	if len(events) != 3 {
		t.Fatalf("case 210: %+v", events)
	}
	if e := events[0].(tool.CommandStarted); e.Command != "printf hello" || e.PID != h.pid || e.Tool != "shell" || e.Background {
		t.Errorf("case 210: %+v", e)
	}
	if e := events[1].(tool.CommandOutput); e.Text != "hello" || e.Stream != tool.Combined || e.Bytes != 5 {
		t.Errorf("case 210: %+v", e)
	}
	if f := end(events); f.TotalLines == nil || *f.TotalLines != 1 || *f.ExitCode != 0 || f.Truncated || f.OutputPath != h.output || f.StatusPath != h.status || f.PID != h.pid {
		t.Errorf("case 210: %+v", f)
	}

	if _, events = run(`printf '\342\202'`, nil); events[1].(tool.CommandOutput).Text != "\uFFFD" || len(events) != 3 {
		t.Errorf("case 211: %+v", events)
	}

	begin := time.Now()
	if _, events = run("truncate -s 4G /dev/stdout 2>/dev/null || dd of=/dev/stdout bs=1 seek=4G count=0", nil, "timeout", 60); time.Since(begin) > 30*time.Second {
		t.Error("case 212: it is read")
	}
	if f := end(events); f.TotalLines != nil || !f.Truncated {
		t.Errorf("case 212: %+v", f)
	}

	_, events = run("seq 1 100000", nil)
	text, n := "", 0
	for _, e := range events {
		if o, ok := e.(tool.CommandOutput); ok {
			text += o.Text
			n += o.Bytes
			if len(o.Text) > tool.MaxEventText {
				t.Errorf("%d bytes", len(o.Text))
			}
		}
	}
	if f := end(events); len(text) != 16_000 || n != 16_000 || !strings.HasPrefix(text, "1\n2\n") || !f.Truncated || *f.TotalLines != 100_000 {
		t.Errorf("%d bytes, %d, %+v", len(text), n, f)
	}

	_, events = run("echo there", nil, "mode", "background")
	if len(events) != 2 || !events[0].(tool.CommandStarted).Background || !end(events).Background {
		t.Errorf("%+v", events)
	}
}

// Case 215: the time of the call and the end of the Run and of the Shell end nothing.
func TestPersistentOutlivesItsRun(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"foreground", "background"} {
		s := persistentShell(t, nil)
		ctx, run := s.NewRun(context.Background(), tool.RunOptions{})
		h := persist(t, ctx, s, "echo before; while ! test -f go; do sleep 0.05; done; echo after", "mode", mode, "timeout", 0.01)
		run.Close()
		s.Close()
		time.Sleep(200 * time.Millisecond)
		if !leak.GroupRuns(h.pid) || strings.TrimSpace(fileText(t, h.status)) != h.published("null") || h.json != h.published("null") {
			t.Errorf("%s: %s", mode, fileText(t, h.status))
		}
		if err := os.WriteFile(filepath.Join(s.Dir(), "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		until(t, "the status", func() bool { return strings.TrimSpace(fileText(t, h.status)) == h.published("0") })
		if got := fileText(t, h.output); got != "before\nafter\n" {
			t.Errorf("%s: %q", mode, got)
		}
	}
}

// Cases 216 and 217: who is cancelled before the handles are out leaves nothing.
func TestPersistentCancelled(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"foreground", "background"} {
		for _, how := range []string{"call", "run", "sink ends the goroutine", "last event"} {
			t.Run(mode+", "+how, func(t *testing.T) {
				t.Parallel()
				var state string
				s := persistentShell(t, func(c *tool.Config) { state = c.StateDir })
				ctx, run := s.NewRun(context.Background(), tool.RunOptions{})
				defer run.Close()
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				pid := 0
				ctx = s.WithEventSink(ctx, func(e tool.Event) {
					_, last := e.(tool.CommandFinished)
					first, ok := e.(tool.CommandStarted)
					switch {
					case ok:
						pid = first.PID
						fallthrough
					case how == "last event" && last:
						switch {
						case how == "call":
							cancel()
						case how == "run":
							go run.Close()
							time.Sleep(100 * time.Millisecond)
						case how == "sink ends the goroutine":
							runtime.Goexit()
						}
					}
				})
				var text string
				done := make(chan struct{})
				go func() {
					defer close(done)
					text = use(t, ctx, s, "shell", "command", "echo here; sleep 60", "mode", mode, "timeout", 1)
				}()
				<-done
				if how == "last event" {
					parseHandles(t, text)
					return
				}
				leak.AssertGroupGone(t, pid)
				if folders, _ := filepath.Glob(filepath.Join(state, "shell-*")); len(folders) != 0 {
					t.Errorf("%v is left", folders)
				}
				if how != "sink ends the goroutine" && !strings.Contains(text, "[Command cancelled after ") {
					t.Errorf("%q", text)
				}
			})
		}
	}
}

// Case 219: the supervisor is killed, and the handles are given out all the same; what they name still
// stops the command.
func TestPersistentSupervisorKilled(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := persistentShell(t, nil)
	for _, sig := range []string{"TERM", "KILL"} {
		h := persist(t, ctx, s, "printf ready; kill -"+sig+" $PPID; sleep 30", "timeout", 5)
		if h.text != "ready\n" || h.json != h.published("null") {
			t.Errorf("case 219, %s: %+v", sig, h)
		}
		if !leak.GroupRuns(h.pid) {
			t.Errorf("case 219, %s: the command is ended, too", sig)
		}
		line := strings.Split(h.how, "`")[1]
		if got := call(t, s, line); got != "(no output)" {
			t.Errorf("case 219, %s: %q", line, got)
		}
		leak.AssertGroupGone(t, h.pid)
	}
}

// Case 221: what fails before the command begins is said, and names the folder.
func TestPersistentFailsToStart(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var state string
	s := persistentShell(t, func(c *tool.Config) { state = filepath.Join(c.StateDir, "below"); c.StateDir = state })
	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := use(t, ctx, s, "shell", "command", "echo hi"); !strings.HasPrefix(got, "Command not run: The folder for its output cannot be made: mkdir "+state) || !strings.HasSuffix(got, ": not a directory.") {
		t.Errorf("case 221: %q", got)
	}
}

// Case 220: a supervisor that ends before there is a status is said, with the folder, which stays.
func TestPersistentSupervisorFails(t *testing.T) {
	dir := t.TempDir()
	setsid := filepath.Join(dir, "setsid")
	if err := os.Symlink(need.Program(t, "setsid"), setsid); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	s := persistentShell(t, nil)
	if err := os.Remove(setsid); err != nil {
		t.Fatal(err)
	}
	rec := &recorder{}
	got := use(t, s.WithEventSink(context.Background(), rec.sink), s, "shell", "command", "echo hi")
	folder, ok := strings.CutPrefix(got, "Command not run: Shell supervisor exited with 127; logs: ")
	if info, err := os.Stat(folder); !ok || err != nil || !info.IsDir() {
		t.Errorf("%q, %v", got, err)
	}
	if d := rec.denied(t); d.Kind != tool.DeniedHost {
		t.Errorf("%+v", d)
	}
}

// Case 222: a command that removes its own folder.
func TestPersistentRemovesItsFolder(t *testing.T) {
	t.Parallel()
	var state string
	s := persistentShell(t, func(c *tool.Config) { state = c.StateDir; c.Guards = map[string]tool.GuardAction{} })
	rec := &recorder{}
	h := persist(t, s.WithEventSink(context.Background(), rec.sink), s, "rm -r "+state+"/shell-*; sleep 10", "timeout", 1)
	if h.text != "" || h.json != "" {
		t.Errorf("case 222: %+v", h)
	}
	all := rec.all()
	if f := all[len(all)-1].(tool.CommandFinished); len(all) != 2 || f.ExitCode != nil || *f.TotalLines != 0 {
		t.Errorf("case 222: %+v", all)
	}
	call(t, s, "kill -- -"+strconv.Itoa(h.pid))
	leak.AssertGroupGone(t, h.pid)
}

// Case 223: the line that the result names, run as it is by run_command, ends the whole tree, and how it has ended
// is published.
func TestPersistentStopLine(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, shell := range []string{"dash", "bash"} {
		path := need.Program(t, shell)
		s := persistentShell(t, func(c *tool.Config) { c.Shell = []string{path, "-c"} })
		for command, code := range map[string]string{"exec sleep 300": "143", "sleep 300 & sleep 300; echo never": "143", "trap 'exit 9' TERM; while :; do sleep 0.1; done": "9"} {
			h := persist(t, ctx, s, command, "mode", "background")
			if h.text != "" || h.json != h.published("null") {
				t.Errorf("case 223: %+v", h)
			}
			line := regexp.MustCompile("`(.*)`").FindStringSubmatch(h.how)
			if line == nil {
				t.Fatalf("case 223: %q", h.how)
			}
			time.Sleep(100 * time.Millisecond) // for the trap
			if got := call(t, s, line[1]); got != "(no output)" {
				t.Errorf("case 223: %q", got)
			}
			until(t, "the status", func() bool { return strings.TrimSpace(fileText(t, h.status)) == h.published(code) })
			leak.AssertGroupGone(t, h.pid)
			// (A shell that goes on says how its children have ended, as it would anywhere.)
			if got := fileText(t, h.output); got != "" && code != "9" {
				t.Errorf("the log has words of a supervisor: %q", got)
			}
		}
	}
}

// Where a model may not run kill the result names stop_command, which is there then, and ends all of
// the tree.
func TestPersistentStopCommand(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, change := range map[string]func(*tool.Config){
		"not allowed":   func(c *tool.Config) { c.AllowedCommands = []string{"sh", "sleep", "echo", "setsid", "trap", "while"} },
		"denied":        func(c *tool.Config) { c.DeniedCommands = []string{"kill"} },
		"by a rule":     func(c *tool.Config) { c.Rules = []tool.Rule{{Pattern: []string{"kill"}, Action: tool.ActionDeny}} },
		"named already": func(c *tool.Config) { c.Tools = []string{"shell", "stop_command"}; c.DeniedCommands = []string{"kill"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := persistentShell(t, func(c *tool.Config) {
				c.Tools = []string{"shell"}
				change(c)
			})
			if got := offered(t, s); got != "stop_command shell" {
				t.Errorf("%s are offered", got)
			}
			h := persist(t, ctx, s, "echo begun; setsid sh -c 'trap \"\" TERM; sleep 300' & sleep 300", "timeout", 0.5)
			if h.how != fmt.Sprintf("use stop_command with command_id %d to stop the whole process tree", h.pid) {
				t.Errorf("%s: %q", name, h.how)
			}
			if got := use(t, ctx, s, "stop_command", "command_id", strconv.Itoa(h.pid)); got != "begun\n[stopped]\n[exit code: 143]" {
				t.Errorf("%s: %q", name, got)
			}
			if got := strings.TrimSpace(fileText(t, h.status)); got != h.published("143") {
				t.Errorf("%s: %s", name, got)
			}
			if got := use(t, ctx, s, "stop_command", "command_id", h.pid); got != "begun\n[stopped]\n[exit code: 143]" {
				t.Errorf("%s, once more and with a number: %q", name, got)
			}
			if got := use(t, ctx, s, "stop_command", "command_id", "1"); !strings.HasPrefix(got, "[Error: unknown command ID '1']") {
				t.Errorf("%s: %q", name, got)
			}
		})
	}
	_, err := tool.New(ctx, tool.Config{AllowShell: true, Dir: t.TempDir(), StateDir: t.TempDir(), Tools: []string{"shell"}, DeniedCommands: []string{"kill"},
		ToolPolicy: map[string]tool.Action{"stop_command": tool.ActionDeny}})
	if err == nil || !strings.Contains(err.Error(), "could not be stopped") {
		t.Errorf("%v", err)
	}
}

// W-37: check_command reads a command of the shell tool, for models without cat; another user's is not known.
func TestPersistentCheckCommand(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := persistentShell(t, func(c *tool.Config) { c.Tools = []string{"shell", "check_command", "list_commands"} })
	alice, run := s.NewRun(ctx, tool.RunOptions{User: "alice"})
	defer run.Close()
	bob, run2 := s.NewRun(ctx, tool.RunOptions{User: "bob"})
	defer run2.Close()
	h := persist(t, alice, s, "echo one; sleep 1; echo two; exit 3", "mode", "background")
	if got := use(t, alice, s, "list_commands"); !strings.HasPrefix(got, strconv.Itoa(h.pid)+" running ") || !strings.HasSuffix(got, " bytes: 'echo one; sleep 1; echo two; exit 3'") {
		t.Errorf("%q", got)
	}
	if got := use(t, bob, s, "list_commands"); got != "(no background commands)" {
		t.Errorf("%q", got)
	}
	got := parseHandles(t, look(t, alice, s, strconv.Itoa(h.pid), "wait_seconds", 10))
	if got.text != "one\ntwo\n" || got.json != h.published("3") {
		t.Errorf("%+v", got)
	}
	if got := use(t, alice, s, "list_commands"); !strings.HasPrefix(got, strconv.Itoa(h.pid)+" finished [exit code: 3] ") || !strings.Contains(got, "s, 8 bytes: ") {
		t.Errorf("%q", got)
	}
	if got := parseHandles(t, look(t, alice, s, strconv.Itoa(h.pid), "new_output_only", true)); !strings.Contains(got.text, "[new_output_only has no effect") {
		t.Errorf("%+v", got)
	}
	if got := look(t, bob, s, strconv.Itoa(h.pid)); !strings.HasPrefix(got, "[Error: unknown") {
		t.Errorf("%q", got)
	}
}

// What a host sets up that cannot be had is an error.
func TestPersistentConfig(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	_, err := tool.New(context.Background(), tool.Config{AllowShell: true, Dir: t.TempDir(), StateDir: t.TempDir(), Tools: []string{"shell"}, Timeout: 300 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "Timeout: ") || !strings.Contains(err.Error(), "270") {
		t.Errorf("%v", err)
	}
	s := persistentShell(t, func(c *tool.Config) { c.MaxBackground = 2; c.MaxTimeout = 5 * time.Second; c.Timeout = time.Second })
	ctx := context.Background()
	var pids []string
	for range 2 {
		pids = append(pids, strconv.Itoa(persist(t, ctx, s, "sleep 60", "mode", "background").pid))
	}
	if got := use(t, ctx, s, "shell", "command", "echo hi"); !strings.HasPrefix(got, "Command not run: 2 commands of shell run") || !strings.Contains(got, "PID "+pids[0]+" ('sleep 60'), PID "+pids[1]) {
		t.Errorf("%q", got)
	}
	if got := use(t, ctx, s, "shell", "command", "echo hi", "timeout", 6); !strings.Contains(got, "at most 5.0") {
		t.Errorf("%q", got)
	}
	stop(t, ctx, s, pids[0])
	if h := persist(t, ctx, s, "echo hi"); h.text != "hi\n" {
		t.Errorf("%+v", h)
	}
}

// A limit on the size of files is the command's, also for its log, and not its supervisor's.
func TestPersistentFileSize(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := persistentShell(t, func(c *tool.Config) { c.MaxFileBytes = 20 })
	h := persist(t, ctx, s, "ulimit -H -f; exec yes > out")
	if info, err := os.Stat(filepath.Join(s.Dir(), "out")); err != nil || info.Size() != 20 {
		t.Errorf("%v, %v", info, err)
	}
	if h.json != h.published("153") || !strings.Contains(h.text, "[File-size limit exceeded: max_file_bytes=20. Reduce file output before retrying.]\n") {
		t.Errorf("%+v", h)
	}
	if h := persist(t, ctx, s, "exec seq 100"); len(fileText(t, h.output)) != 20 || h.json != h.published("153") {
		t.Errorf("%+v", h)
	}
}

// As JSON, with a short result, and with secrets.
func TestPersistentJSON(t *testing.T) {
	ctx := context.Background()
	t.Setenv("SOME_API_KEY", "k3y-v4lu3-that-nobody-sees")
	s := persistentShell(t, func(c *tool.Config) { c.ResultFormat = "json"; c.MaxOutputChars = 2000 })
	var o map[string]any
	read := func(text string) {
		t.Helper()
		o = nil
		if err := json.Unmarshal([]byte(text), &o); err != nil || len([]rune(text)) > 2000 {
			t.Fatalf("%v: %q", err, text)
		}
	}
	read(use(t, ctx, s, "shell", "command", "seq 1 2000; exit 2"))
	if o["success"] != false || o["exit_code"] != 2.0 || o["status"] != "finished" || o["output_truncated"] != true || !strings.HasSuffix(o["output"].(string), "\n2000\n") ||
		!strings.HasSuffix(o["status_path"].(string), "/status.json") || o["pid"] == nil || !strings.Contains(o["note"].(string), "kill -- -") {
		t.Errorf("%v", o)
	}
	read(use(t, ctx, s, "shell", "command", "sleep 60", "mode", "background"))
	if o["success"] != true || o["exit_code"] != nil || o["status"] != "running" {
		t.Errorf("%v", o)
	}
	read(use(t, ctx, s, "stop_command", "command_id", o["pid"]))
	if o["success"] != true || o["exit_code"] != 143.0 || o["status"] != "stopped" {
		t.Errorf("%v", o)
	}

	s = persistentShell(t, func(c *tool.Config) { c.MaxOutputChars = 400 })
	h := persist(t, ctx, s, "seq 1 2000")
	if !strings.HasPrefix(h.text, "[... output truncated, showing last ") {
		t.Errorf("%+v", h)
	}
	rec := &recorder{}
	h = persist(t, s.WithEventSink(ctx, rec.sink), s, "echo a k3y-v4lu3-that-nobody-sees")
	if strings.Contains(h.text, "nobody-sees") || strings.Contains(rec.text(tool.Combined), "nobody-sees") || !strings.Contains(h.text, "[redacted]***") {
		t.Errorf("%+v, %q", h, rec.text(tool.Combined))
	}
	if got := fileText(t, h.output); got != "a k3y-v4lu3-that-nobody-sees\n" {
		t.Errorf("the log is the command's own: %q", got)
	}
	for name, want := range map[string]string{"LD_X": "a'b", "BASH_ENV": "/nowhere"} {
		s := persistentShell(t, func(c *tool.Config) { c.Env.Set = map[string]string{name: want} })
		if h := persist(t, ctx, s, "echo \"$"+name+"\""); h.text != want+"\n" {
			t.Errorf("%s: %q", name, h.text)
		}
	}
}

// BenchmarkPersistent is the shell tool with a command that ends at once, against what os/exec needs for it: two
// shells, setsid and mv beside the command.
func BenchmarkPersistent(b *testing.B) {
	s := persistentShell(b, func(c *tool.Config) { c.MaxBackground = 1000 })
	each := named(b, s, "shell")
	interleave(b,
		func() { exec.Command("/bin/sh", "-c", "true").Run() },
		func() {
			if _, err := each.InvokableRun(context.Background(), `{"command":"true"}`); err != nil {
				b.Fatal(err)
			}
		})
}
