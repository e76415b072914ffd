package process

import (
	"context"
	"os"
	"time"
)

// killWait bounds the wait for processes that were sent SIGKILL. They are gone
// within milliseconds unless the kernel itself holds them (a dead network
// file system), which nothing but time ends.
const killWait = 5 * time.Second

// A Sink receives what a command prints, in order, from one goroutine per
// stream. It must not keep p.
type Sink func(p []byte)

// A Spec says what to start. Path, Args and Dir are required.
type Spec struct {
	Path   string   // the program's absolute path
	Args   []string // its arguments, Args[0] being its name
	Dir    string   // absolute
	Env    []string // the whole environment, each name once
	Stdout Sink
	Stderr Sink
	// Grace is the time between SIGTERM and SIGKILL.
	Grace time.Duration
}

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
	// Known is false when the process could not be ended: then Code and
	// Signal mean nothing.
	Known  bool
	Code   int // exit code; meaningless when Signal is not zero
	Signal int // the number of the signal that ended it, or zero
}

// A Process is a started command. Wait must be called, once.
type Process struct {
	proc   *os.Process
	group  *group
	stdout *reader
	stderr *reader
	grace  time.Duration
}

// Start starts a command. The error is that of the operating system: a missing
// directory or program, too many processes or open files, no memory. Nothing
// is left behind then.
//
// Nothing is read before Wait, so what the caller does in between comes
// before the first call of a Sink.
func Start(spec Spec) (*Process, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer outW.Close()
	errR, errW, err := os.Pipe()
	if err != nil {
		outR.Close()
		return nil, err
	}
	defer errW.Close()

	g := newGroup()
	proc, err := os.StartProcess(spec.Path, spec.Args, &os.ProcAttr{
		Dir:   spec.Dir,
		Env:   spec.Env,
		Files: []*os.File{null, outW, errW},
		Sys:   g.attr(),
	})
	if err != nil {
		outR.Close()
		errR.Close()
		return nil, err
	}
	g.started(proc)
	return &Process{
		proc:   proc,
		group:  g,
		stdout: newReader(outR, spec.Stdout),
		stderr: newReader(errR, spec.Stderr),
		grace:  spec.Grace,
	}, nil
}

// PID is the process id of the command, which is also the id of its process
// group and session.
func (p *Process) PID() int { return p.proc.Pid }

// Wait reads and waits until the command has exited, timeout is over or ctx is
// done, whichever is first, and ends what is left of its process group:
// SIGTERM, up to Grace to go, SIGKILL. All that was printed has been given to
// the Sinks when it returns. It returns within Grace and a bounded time after
// the command's end.
func (p *Process) Wait(ctx context.Context, timeout time.Duration) Status {
	go p.stdout.run()
	go p.stderr.run()
	exited := make(chan exit, 1)
	go func() { exited <- p.group.wait(p.proc) }()

	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var st Status
	var end exit
	select {
	case end = <-exited:
	case <-timer.C:
		st.Cause = TimedOut
	case <-ctx.Done():
		st.Cause = Cancelled
	}

	// From here on one grace covers the command and what it started.
	deadline := time.Now().Add(p.grace)
	empty := p.group.signal(term)
	if !empty {
		p.group.signal(cont) // who is stopped can act on the first one, too
	}
	if st.Cause != Exited {
		end, st.Known = within(exited, deadline)
		if !st.Known {
			p.group.signal(kill)
			end, st.Known = within(exited, time.Now().Add(killWait))
		}
		empty = false
	} else {
		st.Known = true
	}
	if !empty && !p.group.gone(deadline) {
		p.group.signal(kill)
		p.group.gone(time.Now().Add(killWait))
	}

	// Whoever still holds the pipes is outside the group and not waited for.
	p.stdout.stop()
	p.stderr.stop()
	if st.Known {
		p.group.release()
	} else {
		// Still in the kernel's hands: reap it whenever it comes back.
		go func() { <-exited; p.group.release() }()
	}
	st.Code, st.Signal = end.code, end.signal
	return st
}

// exit is how the command's own process ended.
type exit struct{ code, signal int }

func within(c <-chan exit, deadline time.Time) (exit, bool) {
	t := time.NewTimer(time.Until(deadline))
	defer t.Stop()
	select {
	case e := <-c:
		return e, true
	case <-t.C:
		return exit{}, false
	}
}
