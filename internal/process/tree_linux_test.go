package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
)

// Whatever a command starts, and however the command ends: it is gone when Wait
// returns. Not a process id judges that but a file that stops growing. A
// process of the same user that has nothing to do with the command, and another
// command, go on. (C9, C19, C24, cases 92 and 275.)
func TestWhatLeavesTheGroupIsEnded(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	need.Program(t, "bash")
	const beat = `while :; do echo >> "$HB"; sleep 0.05; done`
	starts := map[string]string{
		"child":                             `sh -c '` + beat + `' &`,
		"setsid":                            `setsid sh -c '` + beat + `' &`,
		"daemon, output closed":             `(setsid sh -c '` + beat + `' >/dev/null 2>&1 </dev/null &);`,
		"two sessions":                      `setsid setsid -f sh -c '` + beat + `';`,
		"ignores TERM in a session":         `setsid sh -c 'trap "" TERM HUP; ` + beat + `' &`,
		"job control":                       `bash -c 'set -m; (` + beat + `) & sleep 0.2';`,
		"cleared environment":               `env -i HB="$HB" PATH="$PATH" sh -c '` + beat + `' &`,
		"daemon that is just being started": `setsid -f sh -c '` + beat + `';`,
		"starts another when asked to end":  `setsid sh -c 'trap "setsid sh -c \"trap : TERM; while :; do echo >> $HB; sleep 0.05; done\" & exit" TERM; ` + beat + `' &`,
	}
	const until = ` while ! test -s "$HB"; do sleep 0.05; done`
	foreground := map[string]string{
		"timeout(1), in a group of its own": `timeout 100 sh -c '` + beat + `'`,
		"two timeouts":                      `timeout 100 timeout 90 sh -c '` + beat + `'`,
	}
	bystander := exec.Command("sh", "-c", beat)
	other := filepath.Join(t.TempDir(), "other")
	bystander.Env = append(os.Environ(), "HB="+other)
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { bystander.Process.Kill(); bystander.Wait() }()

	// The other command of the same program.
	var c capture
	otherCommand := filepath.Join(t.TempDir(), "command")
	spec := c.spec(t, beat)
	spec.Env, spec.Mark = append(spec.Env, "HB="+otherCommand), fmt.Sprint("another", os.Getpid())
	command, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan Status)
	go func() { ended <- command.Wait(ctx, time.Minute) }()
	defer func() { cancel(); <-ended }()

	// All at once, more than t.Parallel would run: they sleep most of the time.
	var wg sync.WaitGroup
	check := func(name, script, ending string) {
		dir := t.TempDir()
		wg.Go(func() {
			hb := filepath.Join(dir, "hb")
			var c capture
			spec := c.spec(t, script)
			spec.Env = append(spec.Env, "HB="+hb)
			spec.Mark = fmt.Sprint(filepath.Base(filepath.Dir(spec.Dir)), filepath.Base(spec.Dir), os.Getpid())
			spec.Grace = time.Second / 2
			p, err := Start(context.Background(), spec)
			if err != nil {
				t.Error(err)
				return
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			timeout := time.Minute
			want := Exited
			switch ending {
			case "timeout":
				timeout, want = 3*time.Second, TimedOut
			case "cancel":
				time.AfterFunc(3*time.Second, cancel)
				want = Cancelled
			}
			begin := time.Now()
			if st := p.Wait(ctx, timeout); st.Cause != want || !st.Known {
				t.Errorf("%s, %s: %+v", name, ending, st)
			}
			if took := time.Since(begin); took > 30*time.Second {
				t.Errorf("%s, %s: took %v", name, ending, took)
			}
			if leak.Size(hb) == 0 {
				t.Errorf("%s, %s: it never beat", name, ending)
			}
			if leak.Beats(hb, time.Second/2) {
				t.Errorf("%s, %s: it still beats", name, ending)
			}
		})
	}
	for name, script := range starts {
		check(name, script+until, "exit")
		check(name, script+until+"; sleep 60", "timeout")
		check(name, script+until+"; sleep 60", "cancel")
	}
	for name, script := range foreground {
		check(name, script, "timeout")
		check(name, script, "cancel")
		check(name, script+" &"+until, "exit")
	}
	wg.Wait()
	if !leak.Beats(other, time.Second/2) {
		t.Error("a bystander was ended")
	}
	if !leak.Beats(otherCommand, time.Second/2) {
		t.Error("another command was ended")
	}
}

// C31: the tree is not only walked. One that is another process ten times a second, in a session of its own.
func TestReForkerIsEnded(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	refork := filepath.Join(t.TempDir(), "refork")
	text := "#!/bin/sh\necho >> \"$HB\"\nsleep 0.1\nsetsid \"$0\" &\n"
	if err := os.WriteFile(refork, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	// One that is between two of its processes at each look is not found, which on a machine that is
	// busy with other tests happens; a fault loses it each time.
	ended := func(i, attempt int, script string) (string, bool) {
		var c capture
		hb := filepath.Join(t.TempDir(), "hb")
		spec := c.spec(t, "setsid "+refork+` & while ! test -s "$HB"; do sleep 0.05; done`+script)
		spec.Env = append(spec.Env, "HB="+hb)
		spec.Mark = fmt.Sprint("refork", i, "x", attempt, "x", os.Getpid())
		spec.Grace = time.Second / 2
		p, err := Start(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		st := p.Wait(context.Background(), time.Second)
		if took := time.Since(begin); took > 30*time.Second || st.Left {
			t.Errorf("%q: %+v after %v", script, st, took)
		}
		beats := leak.Size(hb)
		return fmt.Sprintf("%q: %d beats, and more", script, beats), beats > 0 && !leak.Beats(hb, time.Second/2)
	}
	for i, script := range []string{"", "; sleep 60"} {
		for attempt := 1; ; attempt++ {
			said, ok := ended(i, attempt, script)
			if ok {
				break
			}
			if attempt == 3 {
				t.Error(said)
				break
			}
			t.Log("once more: " + said)
		}
	}
}

// SIGTERM comes once: a second one is how people say "at once", and programs
// that restore the default after the first would lose their clean-up.
func TestTermComesOnce(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	const clean = `trap "echo term; trap - TERM; sleep 0.7; echo cleaned; exit" TERM; echo up; while :; do sleep 0.1; done`
	for name, script := range map[string]string{
		"child, the shell dies first": "sh -c '" + clean + "'; true",
		"in a session of its own":     "setsid sh -c '" + clean + "'; true",
		"left behind":                 "sh -c '" + clean + "' & sleep 0.5",
		"left behind in a session":    "setsid sh -c '" + clean + "' & sleep 0.5",
	} {
		var c capture
		spec := c.spec(t, script)
		spec.Grace = 5 * time.Second
		spec.Mark = fmt.Sprint("once", os.Getpid())
		p, err := Start(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		p.Wait(context.Background(), time.Second)
		if got := c.out.String(); got != "up\nterm\ncleaned\n" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Of another user nothing can be ended, which is said and not waited for.
func TestAnotherUsersProcess(t *testing.T) {
	t.Parallel()
	need.Root(t)
	cmd := exec.Command(os.Args[0], "-test.run=TestHelperAnotherUser", "-test.v")
	cmd.Env = append(os.Environ(), "EINOSHELL_TEST_OTHER=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestHelperAnotherUser runs in a process of its own that gives up the right to
// signal everybody, and with it root's command is out of its reach.
func TestHelperAnotherUser(t *testing.T) {
	if os.Getenv("EINOSHELL_TEST_OTHER") == "" {
		t.Skip("only for TestAnotherUsersProcess")
	}
	nothing := func([]byte) {}
	p, err := Start(context.Background(), Spec{
		Path: "/bin/sh", Args: []string{"sh", "-c"}, Text: "sleep 3 & sleep 0.2", Dir: "/", Env: os.Environ(),
		Stdout: nothing, Stderr: nothing, Grace: 2 * time.Second, Mark: "other",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setresuid(65534, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	st := p.Wait(context.Background(), time.Minute)
	if !st.Left || st.Code != 0 {
		t.Errorf("%+v", st)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}

// The marks of nested programs add up, and each is found by its own.
func TestMarks(t *testing.T) {
	t.Setenv(MarkName, "outer")
	out, _, _ := run(t, `echo "$`+MarkName+`"`, time.Minute)
	if out != "outer:\n" {
		t.Errorf("%q", out)
	}
	env := marked([]string{"A=1", MarkName + "=old", "B=2"}, "mine")
	if len(env) != 3 || env[2] != MarkName+"=outer:mine" {
		t.Errorf("%q", env)
	}
	for mark, want := range map[string]bool{"outer": true, "mine": true, "min": false, "": false} {
		cmd := exec.Command("sleep", "20")
		cmd.Env = env
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		is, decided := false, false
		for !decided { // it may still be on its way to be sleep
			is, decided = newTree(nil, mark).marked(nil, stat{pid: cmd.Process.Pid})
		}
		if is != want {
			t.Errorf("%q: found %v", mark, is)
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// A process whose main thread has ended still runs.
func TestRuns(t *testing.T) {
	for s, want := range map[stat]bool{
		{state: 'S', threads: 1}: true,
		{state: 'Z', threads: 2}: true,
		{state: 'Z', threads: 1}: false,
		{state: 'X', threads: 0}: false,
	} {
		if s.runs() != want {
			t.Errorf("%+v", s)
		}
	}
	// A group or session whose leader is outside of this PID namespace is 0.
	session, err := unix.Getsid(0)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := readStat(os.Getpid())
	if !ok || s.pid != os.Getpid() || s.ppid != os.Getppid() || s.threads < 2 || s.start == 0 || s.pgrp != unix.Getpgrp() || s.session != session {
		t.Errorf("%+v", s)
	}
}

// Where nothing was started since the leader, nobody is looked at.
func TestCandidates(t *testing.T) {
	if !procIsOurs() {
		t.Skip("/proc is another namespace's")
	}
	cmd := exec.Command("sleep", "20")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	tree := newTree(&leader{proc: cmd.Process}, "x")
	child := exec.Command("sleep", "20")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { child.Process.Kill(); child.Wait() }()
	for name, change := range map[string]func(){"by number": func() {}, "by listing": func() { tree.begin = time.Time{} }} {
		change()
		found := false
		_, list := tree.candidates()
		for _, pid := range list {
			found = found || pid == child.Process.Pid
		}
		if !found {
			t.Errorf("%s: the child is not among the candidates", name)
		}
	}
}

// C13: the leader is not reaped before what is left of its group is ended, so
// its number is nobody else's while signals are sent to it.
func TestC13LeaderIsReapedLast(t *testing.T) {
	t.Parallel()
	var c capture
	spec := c.spec(t, `(trap "" TERM; echo up; sleep 50; sleep 50) & sleep 0.2; exit 7`)
	spec.Grace = time.Second
	p, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan Status)
	go func() { ended <- p.Wait(context.Background(), time.Minute) }()
	zombie := false
	for {
		select {
		case st := <-ended:
			if !zombie || st.Code != 7 {
				t.Errorf("%+v, it was seen exited and not reaped: %v", st, zombie)
			}
			if _, ok := readStat(p.PID()); ok {
				t.Error("it was not reaped")
			}
			return
		case <-time.After(10 * time.Millisecond):
			if s, ok := readStat(p.PID()); !ok || s.ppid != os.Getpid() {
				if leak.GroupRuns(p.PID()) {
					t.Error("reaped while its group was being ended")
				}
			} else if s.state == 'Z' {
				zombie = true
			}
		}
	}
}

// C14: a cancellation that comes as the command exits hits nobody else, and what
// is told is one of the two.
func TestC14CancelAtExit(t *testing.T) {
	bystander := exec.Command("sleep", "60")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	exited, cancelled := 0, 0
	for i := range 200 {
		var c capture
		p, err := Start(context.Background(), c.spec(t, "exit 3"))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		timer := time.AfterFunc(time.Duration(i)*10*time.Microsecond, cancel)
		switch st := p.Wait(ctx, time.Minute); {
		case st.Cause == Exited && st.Known && st.Code == 3 && !st.Left:
			exited++
		case st.Cause == Cancelled && st.Known && (st.Code == 3 || st.Signal == 15) && !st.Left:
			cancelled++
		default:
			t.Errorf("%+v", st)
		}
		timer.Stop()
		cancel()
	}
	if exited == 0 || cancelled == 0 {
		t.Errorf("%d exited, %d cancelled: nothing was tried", exited, cancelled)
	}
	if err := bystander.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := bystander.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the bystander: %v", err)
	}
}

// C16: a command outlives the thread that started it.
func TestC16ThreadEnds(t *testing.T) {
	var c capture
	var p *Process
	done := make(chan struct{})
	go func() { // never unlocked: the thread ends with the goroutine
		defer close(done)
		runtime.LockOSThread()
		if syscall.Gettid() == os.Getpid() {
			runtime.UnlockOSThread() // the first thread is never ended
		}
		var err error
		if p, err = Start(context.Background(), c.spec(t, "sleep 0.5; echo done")); err != nil {
			t.Error(err)
		}
	}()
	<-done
	if p == nil {
		return
	}
	if st := p.Wait(context.Background(), time.Minute); st.Cause != Exited || st.Code != 0 || st.Signal != 0 || c.out.String() != "done\n" {
		t.Errorf("%+v, %q", st, c.out.String())
	}
}

// Parents are asked before their children: a shell whose child has ended would
// go on to the next line of its script. (Case 229 of PRX.)
func TestParentsAreEndedFirst(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	need.Program(t, "timeout")
	n := 20
	if testing.Short() {
		n = 5
	}
	for range n {
		var c capture
		spec := c.spec(t, "setsid sh -c '(sleep 50; echo went on; sleep 50; echo and on) & sleep 50; echo went on' & timeout 50 sleep 50; echo went on")
		spec.Mark = fmt.Sprint("parents", os.Getpid())
		p, err := Start(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if st := p.Wait(context.Background(), 200*time.Millisecond); st.Cause != TimedOut || c.out.Len() != 0 {
			t.Fatalf("%+v, %q", st, c.out.String())
		}
	}
}

// Numbers of processes go round.
func TestSpan(t *testing.T) {
	tree := newTree(&leader{proc: &os.Process{Pid: 32_000}}, "x")
	for pid, want := range map[int]int{32_000: 0, 32_005: 5, 300: 1068} {
		if got := tree.span(pid, 32_768); got != want {
			t.Errorf("%d: %d, want %d", pid, got, want)
		}
	}
	tree.begin = time.Now().Add(-time.Minute)
	if got := tree.span(32_005, 32_768); got >= 0 {
		t.Errorf("after a minute: %d", got)
	}
}

// The name of a process may look like the end of it.
func TestNameWithBrackets(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a) Z 1 (b")
	text, err := os.ReadFile("/bin/sleep")
	if err != nil {
		t.Skip("no /bin/sleep to copy")
	}
	syscall.ForkLock.RLock()
	err = os.WriteFile(name, text, 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "20")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	if s, ok := readStat(cmd.Process.Pid); !ok || s.ppid != os.Getpid() || !s.runs() {
		t.Errorf("%+v, %v", s, ok)
	}
}

// Who is stopped can act on being asked to end, also in a session of its own.
func TestStoppedStrayHandlesTerm(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	var c capture
	spec := c.spec(t, `setsid sh -c 'trap "echo bye; exit" TERM; echo up; kill -STOP $$; sleep 60' & sleep 60`)
	spec.Grace, spec.Mark = 10*time.Second, fmt.Sprint("stopped", os.Getpid())
	p, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if st := p.Wait(context.Background(), time.Second); st.Left || c.out.String() != "up\nbye\n" {
		t.Errorf("%+v, %q", st, c.out.String())
	}
}

// A command waits for its turn to be started no longer than its context lasts.
func TestStartIsCancelled(t *testing.T) {
	for range cap(starting) {
		starting <- struct{}{}
	}
	defer func() {
		for range cap(starting) {
			<-starting
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var c capture
	if _, err := Start(ctx, c.spec(t, "true")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// A command that has become another user's is told of and not waited for.
func TestLeaderOfAnotherUser(t *testing.T) {
	t.Parallel()
	need.Root(t)
	dir, err := os.MkdirTemp("", "einoshell-test")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"root", "test"} {
		syscall.ForkLock.RLock()
		err = os.WriteFile(filepath.Join(dir, name), text, 0o755)
		syscall.ForkLock.RUnlock()
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Join(dir, "root"), 0o755|os.ModeSetuid)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "test"), "-test.run=TestHelperLeaderOfAnotherUser", "-test.v")
	cmd.Dir, cmd.Env = "/", append(os.Environ(), "EINOSHELL_TEST_SETUID="+filepath.Join(dir, "root"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestHelperLeaderOfAnotherUser") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestHelperLeaderOfAnotherUser(t *testing.T) {
	program := os.Getenv("EINOSHELL_TEST_SETUID")
	if program == "" {
		t.Skip("only for TestLeaderOfAnotherUser")
	}
	nothing := func([]byte) {}
	p, err := Start(context.Background(), Spec{
		Path: "/bin/sh", Args: []string{"sh", "-c"}, Text: "exec " + program + " become", Dir: "/", Env: os.Environ(),
		Stdout: nothing, Stderr: nothing, Grace: 20 * time.Second, Mark: "setuid",
	})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	st := p.Wait(context.Background(), time.Second)
	if took := time.Since(begin); !st.Left || st.Known || st.Cause != TimedOut || took > 3*time.Second {
		t.Errorf("%+v after %v", st, took)
	}
	time.Sleep(5*time.Second - time.Since(begin)) // it ends, and is reaped
}
