package job

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv("EINOSHELL_TEST_HOST"); folder != "" {
		host(folder)
	}
	goleak.VerifyTestMain(m)
}

// host is a program that starts a command and is killed then.
func host(folder string) {
	tools, err := FindTools()
	if err != nil {
		panic(err)
	}
	spec := SupervisedSpec{
		Tools: tools, Folder: folder, Dir: "/", Mark: "host", Env: os.Environ(),
		Args: []string{"/bin/sh", "-c", os.Getenv("EINOSHELL_TEST_COMMAND")},
	}
	if os.Getenv("EINOSHELL_TEST_AT_GATE") != "" {
		spec.Gate = func(pid int) error {
			fmt.Println(pid)
			select {}
		}
	}
	s, err := Supervise(context.Background(), spec)
	if err != nil {
		panic(err)
	}
	fmt.Println(s.PID())
	select {}
}

// shells are what supervisors are run by in tests: by bash as sh, too.
func shells(t *testing.T) map[string]string {
	link := filepath.Join(t.TempDir(), "sh")
	if err := os.Symlink(need.Program(t, "bash"), link); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"dash": need.Program(t, "dash"), "bash": need.Program(t, "bash"), "bash as sh": link}
}

func spec(t *testing.T, sh, command string) SupervisedSpec {
	t.Helper()
	need.Program(t, "setsid")
	tools, err := FindTools()
	if err != nil {
		t.Fatal(err)
	}
	if sh != "" {
		tools.Sh = sh
	}
	return SupervisedSpec{
		Tools: tools, Folder: t.TempDir(), Dir: "/", Env: []string{"PATH=" + os.Getenv("PATH")},
		Args: []string{tools.Sh, "-c", command}, Mark: strings.ReplaceAll(t.Name(), "/", "") + strconv.Itoa(rand.Int()),
	}
}

func supervise(t *testing.T, spec SupervisedSpec) *Supervised {
	t.Helper()
	s, err := Supervise(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Kill()
		s.Log.Close()
		leak.AssertGroupGone(t, s.PID())
		leak.AssertGroupGone(t, s.session.PID())
	})
	return s
}

// wait waits for the supervisor, and returns what is published.
func status(t *testing.T, s *Supervised, spec SupervisedSpec) string {
	t.Helper()
	select {
	case <-s.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("the supervisor does not end")
	}
	return read(t, filepath.Join(spec.Folder, StatusName))
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// How a command ends is published as shells tell it, and the log has what it has printed and
// nothing else.
func TestSupervisedStatus(t *testing.T) {
	for name, sh := range shells(t) {
		for _, tt := range []struct {
			command string
			code    int
			log     string
		}{
			{"echo out; echo err >&2", 0, "out\nerr\n"},
			{"exit 7", 7, ""},
			{"exit 255", 255, ""},
			{"exec sh -c 'echo in; exit 3'", 3, "in\n"},
			{"kill -TERM $$", 143, ""},
			{"kill -KILL $$", 137, ""},
			{"kill -INT $$; sleep 5", 130, ""},
			{"exec dash -c 'kill -QUIT $$'", 131, ""},
			{"cat; ls /proc/self/fd | grep -c '^.$'", 0, "4\n"}, // 0, 1, 2, and that of ls
			{"cat <&8", 2, "Bad file descriptor"},
			{"echo >&9", 2, "Bad file descriptor"},
			{"rm -r " + "$FOLDER; echo more", 0, "more\n"},
			{`echo "$p$c$EINOSHELL_GATE"; set | grep -c ^EINOSHELL_GATE=`, 1, "\n0\n"},
		} {
			t.Run(name+"/"+tt.command, func(t *testing.T) {
				sp := spec(t, sh, tt.command)
				sp.Env = append(sp.Env, "FOLDER="+sp.Folder)
				s := supervise(t, sp)
				<-s.Done()
				code, known := s.Exit()
				if bad := strings.Contains(tt.log, "Bad"); !known || code != tt.code && !(bad && code != 0) {
					t.Errorf("exit %d, %v; want %d", code, known, tt.code)
				}
				want := fmt.Sprintf("{\"pid\": %d, \"exit_code\": %d}\n", s.PID(), code)
				if got := s.Status(); got != want {
					t.Errorf("%q, want %q", got, want)
				}
				log := make([]byte, 1000)
				n, _ := s.Log.ReadAt(log, 0)
				if got := string(log[:n]); got != tt.log && !(strings.HasPrefix(tt.log, "Bad") && strings.Contains(got, tt.log)) {
					t.Errorf("log %q, want %q", got, tt.log)
				}
				if strings.Contains(tt.command, "FOLDER") {
					return
				}
				if got := status(t, s, sp); got != want {
					t.Errorf("published: %q, want %q", got, want)
				}
				if info, err := os.Stat(filepath.Join(sp.Folder, StatusName)); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%v, %v", info.Mode(), err)
				}
				entries, _ := os.ReadDir(sp.Folder)
				if len(entries) != 2 {
					t.Errorf("%v", entries)
				}
			})
		}
	}
}

// The environment reaches the command as it is, also where it has the names of what the
// supervisor uses, and no PATH.
func TestSupervisedEnvironment(t *testing.T) {
	for name, sh := range shells(t) {
		for _, path := range []string{"", "PATH=", "PATH=/nowhere"} {
			sp := spec(t, sh, "")
			sp.Env = []string{"p=1", "c=2", "EINOSHELL_GATEWAY=3"}
			if path != "" {
				sp.Env = append(sp.Env, path)
			}
			sp.Before = "export LATE='a b'; "
			sp.Args = []string{need.Program(t, "env")}
			s := supervise(t, sp)
			if got := status(t, s, sp); !strings.HasSuffix(got, `"exit_code": 0}`+"\n") {
				t.Errorf("%s, %q: %s", name, path, got)
			}
			got := read(t, filepath.Join(sp.Folder, LogName))
			for _, want := range append(sp.Env, "LATE=a b", "EINOSHELL_COMMAND_ID="+sp.Mark) {
				if !strings.Contains("\n"+got, "\n"+want+"\n") {
					t.Errorf("%s: no %s in %q", name, want, got)
				}
			}
		}
	}
}

// Of what is killed at any moment the end is published.
func TestSupervisedKilledAtAnyMoment(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 5
	}
	for name, sh := range shells(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range rounds {
				for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
					sp := spec(t, sh, "sleep 60; echo never")
					s, err := Supervise(context.Background(), sp)
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Duration(rand.IntN(10_000)) * time.Microsecond)
					if err := syscall.Kill(-s.PID(), sig); err != nil {
						t.Error(err)
					}
					want := fmt.Sprintf("{\"pid\": %d, \"exit_code\": %d}\n", s.PID(), 128+int(sig))
					if got := status(t, s, sp); got != want {
						t.Errorf("round %d: %q, want %q", i, got, want)
					}
					if got := read(t, filepath.Join(sp.Folder, LogName)); got != "" {
						t.Errorf("log %q", got)
					}
					<-s.Gone()
					s.Log.Close()
				}
			}
		})
	}
}

// asUser has a command run by an ordinary user.
func asUser(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// A command goes on when its host is killed, and publishes how it has ended.
func TestSupervisedOutlivesHost(t *testing.T) {
	need.Program(t, "setsid")
	for _, who := range []string{"as it is", "ordinary user"} {
		for _, atGate := range []bool{false, true} {
			t.Run(fmt.Sprint(who, " at gate ", atGate), func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				cmd := exec.Command(os.Args[0])
				if who != "as it is" {
					need.Root(t)
					asUser(cmd)
					dir, err := os.MkdirTemp("/tmp", "einoshell-host-")
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { os.RemoveAll(dir) })
					program, err := os.ReadFile(os.Args[0])
					if err != nil {
						t.Fatal(err)
					}
					folder, cmd.Path = filepath.Join(dir, "folder"), filepath.Join(dir, "host")
					if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(folder, 0o700), os.Chown(folder, 65534, 65534), os.WriteFile(cmd.Path, program, 0o755)); err != nil {
						t.Fatal(err)
					}
				}
				cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HOST="+folder, "EINOSHELL_TEST_COMMAND=echo before; sleep 1; echo after; exit 5")
				code := 5
				if atGate {
					cmd.Env, code = append(cmd.Env, "EINOSHELL_TEST_AT_GATE=1"), 125
				}
				cmd.Stderr = os.Stderr
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				var pid int
				if _, err := fmt.Fscan(out, &pid); err != nil {
					t.Fatal(err)
				}
				cmd.Process.Kill()
				cmd.Wait()
				want, log := fmt.Sprintf("{\"pid\": %d, \"exit_code\": %d}\n", pid, code), "before\nafter\n"
				if atGate {
					log = ""
				}
				for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
					if text, _ := os.ReadFile(filepath.Join(folder, StatusName)); string(text) == want {
						break
					}
				}
				if got := read(t, filepath.Join(folder, StatusName)); got != want {
					t.Errorf("%q, want %q", got, want)
				}
				if got := read(t, filepath.Join(folder, LogName)); got != log {
					t.Errorf("log %q, want %q", got, log)
				}
				leak.AssertGroupGone(t, pid)
			})
		}
	}
}

// Stop ends the whole tree, whatever it does to get away, and what the command has left behind, also
// once the supervisor was killed.
func TestSupervisedStop(t *testing.T) {
	t.Parallel()
	beats := `sh -c 'trap "" TERM; while :; do echo >>"$BEAT"; sleep 0.05; done'`
	for name, tt := range map[string]struct {
		command string
		before  func(t *testing.T, s *Supervised)
		code    string
	}{
		"own process":        {"exec " + beats, nil, "137"},
		"in its group":       {beats + " & wait", nil, "143"},
		"in another":         {"setsid " + beats + " & sleep 60", nil, "143"},
		"left behind":        {"setsid " + beats + " & exit 4", func(t *testing.T, s *Supervised) { <-s.Done() }, "4"},
		"supervisor stopped": {"exec " + beats, func(t *testing.T, s *Supervised) { syscall.Kill(s.session.PID(), syscall.SIGSTOP) }, "137"},
		"supervisor killed":  {beats, func(t *testing.T, s *Supervised) { syscall.Kill(s.session.PID(), syscall.SIGKILL); <-s.Done() }, "null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sp := spec(t, "", tt.command)
			beat := filepath.Join(t.TempDir(), "beat")
			sp.Env = append(sp.Env, "BEAT="+beat)
			s := supervise(t, sp)
			if !leak.Beats(beat, 10*time.Second) {
				t.Fatal("it does not run")
			}
			if tt.before != nil {
				tt.before(t, s)
			}
			if !leak.Beats(beat, 10*time.Second) {
				t.Error("it does not go on by itself")
			}
			if left := s.Stop(200 * time.Millisecond); left {
				t.Error("something is left")
			}
			if leak.Beats(beat, 300*time.Millisecond) {
				t.Error("it goes on")
			}
			if got := status(t, s, sp); got != fmt.Sprintf("{\"pid\": %d, \"exit_code\": %s}\n", s.PID(), tt.code) {
				t.Errorf("published: %q", got)
			}
			select {
			case <-s.Gone():
			case <-time.After(10 * time.Second):
				t.Error("it is not gone")
			}
			if s.Stop(time.Second) || s.Alive() {
				t.Error("something is left, or found once more")
			}
		})
	}
}

// A process that has got the number is not the command.
func TestSupervisedNumberUsedAgain(t *testing.T) {
	s := supervise(t, spec(t, "", "sleep 60"))
	if !s.Alive() {
		t.Error("not alive")
	}
	s.begun++
	if s.Alive() {
		t.Error("another process counts as the command")
	}
}

// What fails before the command begins leaves nothing, and says what it was.
func TestSupervisedFailures(t *testing.T) {
	before := leak.Descriptors(t)
	fail := func(name string, change func(*SupervisedSpec), want string) {
		t.Helper()
		sp := spec(t, "", "echo ran")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		change(&sp)
		if gate := sp.Gate; name == "cancelled" {
			sp.Gate = func(pid int) error { cancel(); return gate(pid) }
		}
		s, err := Supervise(ctx, sp)
		if err == nil {
			s.Kill()
			s.Log.Close()
			t.Fatalf("%s: no error", name)
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		if text, _ := os.ReadFile(filepath.Join(sp.Folder, LogName)); strings.Contains(string(text), "ran") {
			t.Errorf("%s: it ran", name)
		}
	}
	fail("gate", func(sp *SupervisedSpec) { sp.Gate = func(int) error { return errors.New("no limit") } }, "no limit")
	fail("cancelled", func(sp *SupervisedSpec) { sp.Gate = func(int) error { return context.Canceled } }, "canceled")
	fail("no setsid", func(sp *SupervisedSpec) { sp.Setsid = "/nowhere/setsid" }, "Shell supervisor exited with 127; logs: ")
	fail("setsid fails", func(sp *SupervisedSpec) { sp.Setsid = "/bin/false" }, "Shell supervisor exited with 1; logs: ")
	fail("no sh", func(sp *SupervisedSpec) { sp.Sh = "/nowhere/sh" }, "no such file")
	fail("no directory", func(sp *SupervisedSpec) { sp.Dir = "/nowhere" }, "no such file")
	fail("no folder", func(sp *SupervisedSpec) { sp.Folder = "/nowhere" }, "no such file")
	fail("folder removed", func(sp *SupervisedSpec) {
		folder := sp.Folder
		sp.Gate = func(int) error { return os.RemoveAll(folder) }
	}, "no such file")
	if after := leak.Descriptors(t); after != before {
		t.Errorf("%d descriptors, were %d", after, before)
	}
	if err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil); !errors.Is(err, unix.ECHILD) {
		t.Errorf("children are left: %v", err)
	}
}

// Many at a time cost no threads, and leave nothing.
func TestManySupervised(t *testing.T) {
	before, goroutines := leak.Descriptors(t), runtime.NumGoroutine()
	var list []*Supervised
	for range 30 {
		s, err := Supervise(context.Background(), spec(t, "", "sleep 60"))
		if err != nil {
			t.Fatal(err)
		}
		s.Log.Close()
		list = append(list, s)
	}
	if n := leak.Descriptors(t) - before; n > 2*len(list) {
		t.Errorf("%d descriptors for %d commands", n, len(list))
	}
	for _, s := range list {
		syscall.Kill(-s.PID(), syscall.SIGKILL)
	}
	for _, s := range list {
		<-s.Gone()
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, were %d", n, goroutines)
	}
	if n := leak.Descriptors(t); n > before {
		t.Errorf("%d descriptors, were %d", n, before)
	}
}

// What the environment asks of a shell does not keep the supervisor from publishing, and neither do signals that a careless kill sends it.
func TestSupervisorIsNotDisturbed(t *testing.T) {
	for name, sh := range shells(t) {
		for _, env := range []string{"SHELLOPTS=errexit", "SHELLOPTS=nounset", "POSIXLY_CORRECT=1", "IFS=1234"} {
			t.Run(name+" "+env, func(t *testing.T) {
				t.Parallel()
				sp := spec(t, sh, "exit 3")
				sp.Env = append(sp.Env, env)
				s := supervise(t, sp)
				<-s.Done()
				if got := read(t, filepath.Join(sp.Folder, StatusName)); got != s.Status() || !strings.Contains(got, `"exit_code": 3`) {
					t.Errorf("%q, %q", got, s.Status())
				}
			})
		}
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGALRM} {
			t.Run(name+" "+sig.String(), func(t *testing.T) {
				t.Parallel()
				sp := spec(t, sh, "sleep 0.5; exit 3")
				s := supervise(t, sp)
				syscall.Kill(s.session.PID(), sig)
				<-s.Done()
				if got := read(t, filepath.Join(sp.Folder, StatusName)); !strings.Contains(got, `"exit_code": 3`) {
					t.Errorf("%q", got)
				}
			})
		}
	}
}
