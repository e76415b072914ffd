package process

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"time"
)

// killWait bounds the wait for processes that were sent SIGKILL. They are gone
// within milliseconds unless the kernel itself holds them (a dead network
// file system), which nothing but time ends.
const killWait = 5 * time.Second

// A Sink receives what a command prints, in order, from one goroutine per
// stream. It must not keep p.
type Sink func(p []byte)

// A Spec says what to start.
type Spec struct {
	Path string   // the shell's absolute path
	Args []string // its name and its arguments, but for the last, the text
	Text string   // the script
	// Loads says that the shell can read a text that is too long for an
	// argument from a descriptor, with the dot command of POSIX.
	Loads  bool
	Dir    string   // absolute
	Env    []string // the whole environment, each name once
	Stdout Sink
	Stderr Sink
	// Input says that standard input is what Send is given, and not the null device.
	Input bool
	// KeepDir has the shell say where it is when it ends, see (*Process).Dir. It must be one
	// that Loads.
	KeepDir bool
	// DirApart has a process of its own say that, which costs half as much again as the shell: for
	// a text that may keep the shell from unsetting or setting something.
	DirApart bool
	// FileSize is how large a file may become that the command writes to, in bytes, of which it
	// gets to know by SIGXFSZ and EFBIG. Zero means no limit. The shell must be one that Loads. See
	// LimitsSupported.
	FileSize int64
	// Mark is a word of letters and digits that no other command has. It goes
	// into the environment variable MarkName, by which processes of the command
	// are found that left its group.
	Mark string
	// Grace is the time between SIGTERM and SIGKILL.
	Grace time.Duration
}

// MarkName is the environment variable that carries the marks of a command:
// its own, behind that of the command this program runs in, if it does.
const MarkName = "EINOSHELL_COMMAND_ID"

// A Cause says what ended a command.
type Cause int

const (
	Exited    Cause = iota // by itself
	TimedOut               // its time was up
	Cancelled              // the context of Wait was done
)

// A Status is how a command ended.
type Status struct {
	Cause Cause
	// Known is false when the process could not be ended, when the host program
	// took its status away, and on Windows when it was ended: then Code and Signal
	// mean nothing.
	Known bool
	// Left says that something of the command is left: processes of another
	// user, or such as are started faster than they can be ended.
	Left   bool
	Code   int // exit code; meaningless when Signal is not zero
	Signal int // the number of the signal that ended it, or zero
}

// A Process is a started command. Wait must be called, once.
type Process struct {
	tree   *tree
	stdout *reader
	stderr *reader
	input  *os.File // nil for the null device
	grace  time.Duration

	prelude *prelude
	dir     string

	sending chan struct{} // has one in it while somebody writes to input
}

// starting bounds how many commands are being started at a time. Starting is
// serial in the kernel anyway; without a bound a burst of calls would hold
// descriptors and an OS thread each while they wait for their turn.
var starting = make(chan struct{}, 16)

// Start starts a command. The error is that of the operating system: a missing
// directory or program, too many processes or open files, no memory; or that of
// ctx, when it is done before the command's turn to be started. Nothing is left
// behind then.
//
// Nothing is read before Wait, so what the caller does in between comes
// before the first call of a Sink.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	select {
	case starting <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-starting }()
	in, input, err := openInput(spec.Input)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	failed := true
	defer func() {
		if failed && input != nil {
			input.Close()
		}
	}()
	outR, outW, err := newPipe()
	if err != nil {
		return nil, err
	}
	defer outW.Close()
	errR, errW, err := newPipe()
	if err != nil {
		outR.Close()
		return nil, err
	}
	defer errW.Close()

	pre, err := newPrelude(spec)
	if err != nil {
		outR.Close()
		errR.Close()
		return nil, err
	}
	defer pre.close()

	l := newLeader()
	attr := &os.ProcAttr{
		Dir:   spec.Dir,
		Env:   marked(spec.Env, spec.Mark),
		Files: []*os.File{in, outW, errW},
		Sys:   l.attr(),
	}
	t := newTree(l, spec.Mark)
	proc, err := start(spec, attr, pre)
	if err == nil {
		err = l.started(proc)
	}
	if err == nil {
		if err = pre.admit(proc.Pid); err != nil { // it waits, and has started nothing
			proc.Kill()
			t.wait()
			t.reap()
		}
	}
	if err != nil {
		outR.Close()
		errR.Close()
		pre.closeDir()
		return nil, err
	}
	failed = false
	return &Process{
		input:   input,
		sending: make(chan struct{}, 1),
		tree:    t,
		stdout:  newReader(outR, spec.Stdout),
		stderr:  newReader(errR, spec.Stderr),
		grace:   spec.Grace,
		prelude: pre,
	}, nil
}

// start starts the shell with its text as the last argument. A text that is too
// long for that, by itself or with the environment, it reads from a descriptor.
func start(spec Spec, attr *os.ProcAttr, pre *prelude) (*os.Process, error) {
	env := attr.Env
	try := func(text string) (*os.Process, error) {
		var args []string
		args, attr.Env = pre.arguments(spec, text, env, attr.Sys)
		pre.pass(attr)
		return os.StartProcess(spec.Path, args, attr)
	}
	if len(spec.Text) <= MaxArg || !spec.Loads {
		proc, err := try(spec.Text)
		if !errors.Is(err, syscall.E2BIG) || !spec.Loads {
			return proc, err
		}
	}
	f, err := textFile(spec.Text)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	attr.Files = append(attr.Files[:loaderFD:loaderFD], f)
	return try(loader)
}

// PID is the process id of the command, which is also the id of its process
// group and session.
func (p *Process) PID() int { return p.tree.proc.Pid }

// Dir is where the shell was when it exited, without links in it, if that can be known: only
// with Spec.KeepDir, and not when the text has replaced the shell (exec), has a trap of its own at the exit, or has closed
// descriptors that it does not know of. What it says comes from the command: it need not be true, nor
// be a directory. To be asked after Wait.
func (p *Process) Dir() string { return p.dir }

// Wait reads and waits until the command has exited, timeout is over or ctx is
// done, whichever is first, and ends what is left of its process group:
// SIGTERM, up to Grace to go, SIGKILL; and so what else can be found of what it
// started. All that was printed has been given to
// the Sinks when it returns. It returns within Grace and a bounded time after
// the command's end.
func (p *Process) Wait(ctx context.Context, timeout time.Duration) Status {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	return p.wait(ctx, timer.C, nil)
}

// WaitAll is Wait without a timeout, for a command whose processes may outlive its own
// (a daemon that goes into the background). Where they do, left is called with how that
// one ended, once, and they are waited for, too; when ctx is done they are ended. Where
// it cannot be told whether there are any (on the BSDs, and where /proc is missing) there
// are none: they are ended as Wait ends them.
func (p *Process) WaitAll(ctx context.Context, left func(Status)) Status {
	return p.wait(ctx, nil, left)
}

func (p *Process) wait(ctx context.Context, timeout <-chan time.Time, left func(Status)) Status {
	go p.stdout.run()
	go p.stderr.run()
	exited := make(chan struct{})
	go func() {
		p.tree.wait()
		close(exited)
	}()

	var st Status
	select {
	case <-exited:
	case <-timeout:
		st.Cause = TimedOut
	case <-ctx.Done():
		st.Cause = Cancelled
	}
	select {
	case <-exited: // first all the same
		st.Cause = Exited
	default:
	}

	if st.Cause == Exited { // and before anybody else can say anything
		p.dir = p.prelude.where()
	}
	p.prelude.closeDir()
	if st.Cause == Exited && left != nil {
		p.linger(ctx, left)
	}
	// What waits for input is not to go on when that ends, but to end.
	defer p.CloseInput()

	// From here on one grace covers the command and all that it started.
	deadline := time.Now().Add(p.grace)
	gone := true
	if st.Cause != Exited {
		p.tree.terminate()
		if p.tree.beyond() {
			deadline = time.Now()
		}
		if gone = within(exited, deadline); !gone {
			p.tree.kill()
			wait := killWait
			if p.tree.beyond() {
				wait = 0
			}
			gone = within(exited, time.Now().Add(wait))
		}
	}
	if gone {
		st.Left = p.tree.end(deadline)
	}

	// Whoever still holds the pipes is not ours to wait for.
	p.stdout.stop()
	p.stderr.stop()
	if !gone {
		st.Left = true
		// Another user's, or still in the kernel's hands: reap it whenever it comes
		// back.
		go func() { <-exited; p.tree.reap() }()
		return st
	}
	var end exit
	end, st.Known = p.tree.reap()
	st.Code, st.Signal = end.code, end.signal
	return st
}

// LingerPause is how long nobody looks whether the processes that a command left have
// gone, after a look that began at begin. It costs the more the more processes there are: a hundredth of the
// time is spent on looks, more only where one takes longer than a tenth of a second.
func LingerPause(begin time.Time) time.Duration {
	return min(max(2*time.Second, 100*time.Since(begin)), 10*time.Second)
}

// linger waits until the processes that the command's own has left are gone, or ctx is
// done.
func (p *Process) linger(ctx context.Context, left func(Status)) {
	for told := false; ; {
		begin := time.Now()
		if !p.tree.occupied() {
			return
		}
		if !told {
			// What it has printed comes before its end.
			p.stdout.sync()
			p.stderr.sync()
			st := Status{}
			var end exit
			end, st.Known = p.tree.ended()
			st.Code, st.Signal = end.code, end.signal
			left(st)
			told = true
		}
		timer := time.NewTimer(LingerPause(begin))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// marked returns env with mark in it.
func marked(env []string, mark string) []string {
	if outer := os.Getenv(MarkName); outer != "" {
		mark = outer + ":" + mark
	}
	out := make([]string, 0, len(env)+1)
	for _, e := range env {
		if !strings.HasPrefix(e, MarkName+"=") {
			out = append(out, e)
		}
	}
	return append(out, MarkName+"="+mark)
}

// exit is how the command's own process ended.
type exit struct{ code, signal int }

// within waits for c to be closed, at most until deadline.
func within(c <-chan struct{}, deadline time.Time) bool {
	select {
	case <-c:
		return true
	default:
	}
	t := time.NewTimer(time.Until(deadline))
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}
