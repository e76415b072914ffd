package tool

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/einoshell/einoshell/internal/output"
	"github.com/einoshell/einoshell/internal/process"
)

// A background is a command that goes on beside the call that started it.
type background struct {
	*running
	stop context.CancelFunc // ends it
	// exited is closed when the command's own process has exited, and done when
	// nothing of it is left and how it ended has been told.
	exited, done chan struct{}
	status       process.Status // once exited is closed
	took         time.Duration  // likewise
	left         bool           // processes of it went on without its own; likewise
	stopped      atomic.Bool    // by end
	over         sync.Once      // for conclude

	// Once done is closed, and where nothing is left once exited is: the file with the
	// output, and whether processes are left that could not be ended.
	path      string
	pathBytes int64
	leftover  bool
}

// startBackground starts the command of a call, which ends with its Run if it does not
// before.
func (s *Shell) startBackground(ctx context.Context, c call) (*background, error) {
	c.background = true
	done, err := s.admit(ctx, &c)
	if err != nil {
		return nil, err
	}
	jobs := &c.run.jobs
	if !jobs.Reserve(s.c.MaxBackground) {
		done()
		return nil, c.deny(DeniedLimit, s.full(c.run), "MaxBackground")
	}
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.run.life, cancel)()
	k, err := s.launch(starting, c)
	if err != nil {
		jobs.Release()
		done()
		return nil, err
	}
	life, stop := context.WithCancel(c.run.life)
	b := &background{running: k, stop: stop, exited: make(chan struct{}), done: make(chan struct{})}
	jobs.Add(k.head.CommandID, b)
	announced := make(chan struct{})
	defer close(announced) // also when a sink ends this goroutine
	go func() {
		defer done()
		defer stop()
		<-announced
		b.attend(life)
	}()
	k.announce()
	return b, nil
}

// attend waits for the command, until life is done at most. A sink may end this goroutine
// (a test's FailNow): not without an end of the command.
func (b *background) attend(life context.Context) {
	defer close(b.done)
	var st process.Status
	defer func() { b.conclude(st) }()
	st = b.process.WaitAll(life, func(st process.Status) {
		b.left = true
		b.exit(st)
	})
	b.flush()
	r := b.conclude(st)
	b.finished(r, b.stopped.Load())
}

// exit says that the command's own process has exited.
func (b *background) exit(st process.Status) {
	b.status, b.took = st, time.Since(b.begin)
	close(b.exited)
}

// conclude says, once, that nothing of the command is left, and returns how it went.
func (b *background) conclude(st process.Status) (r *Result) {
	b.over.Do(func() {
		r = b.result(st)
		r.checked = true
		b.run.shell.compose(r)
		b.both.mu.Lock()
		// A check says a little more than this.
		if s := b.run.shell; r.Truncated || 4*(r.StdoutBytes+r.StderrBytes) > int64(s.c.MaxOutputChars) {
			r.OutputPath, r.OutputPathBytes = b.kept()
		}
		b.spill.drop()
		b.both.mu.Unlock()
		b.path, b.pathBytes, b.leftover = r.OutputPath, r.OutputPathBytes, r.leftover
		b.run.jobs.Ended(b.head.CommandID) // its place is free before anybody hears of its end
		if !b.left {
			b.exit(st)
		}
	})
	return r
}

// settle is how long a wait for output goes on once some has come: for the rest of it.
const settle = 50 * time.Millisecond

// wait waits until something has come that nobody has seen, until the command's own
// process has exited or, if it has, until what it has left is gone, until ctx is done,
// and no longer than d.
func (b *background) wait(ctx context.Context, d time.Duration) {
	end := b.exited
	if closed(end) {
		end = b.done
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		news := b.both.wait(b.stdout, b.stderr)
		if news == nil {
			break
		}
		select {
		case <-news:
		case <-end:
			return
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
	rest := time.NewTimer(settle)
	defer rest.Stop()
	select {
	case <-rest.C:
	case <-end:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// summary returns how the command stands, without output.
func (b *background) summary() *Result {
	exited, done := closed(b.exited), closed(b.done)
	r := b.facts()
	r.Note, r.Status = "", StatusRunning
	if exited {
		st := b.status
		st.Left = st.Left || done && b.leftover
		r.ended(st)
		if !b.stopped.Load() {
			r.limited(b.run.shell.c.MaxFileBytes)
		}
		r.Status, r.Duration = StatusFinished, b.took
	}
	if exited && !done && b.left {
		r.Note = notes(r.Note, "[processes that it has started still run]")
	}
	r.StdoutBytes, r.StderrBytes = b.both.printed(b.stdout, b.stderr)
	return r
}

// await is check, but that it waits for something to tell, d at most.
func (b *background) await(ctx context.Context, d time.Duration, fresh bool, note string) *Result {
	for deadline := time.Now().Add(d); ; {
		b.wait(ctx, time.Until(deadline))
		r := b.check(fresh, note)
		// Another check may have been told what there was.
		if !fresh || r.Status != StatusRunning || r.Stdout != "" || r.Stderr != "" || ctx.Err() != nil || !time.Now().Before(deadline) {
			return r
		}
	}
}

// check returns how the command stands, and what it has printed: all that is kept of it
// or, where fresh is set, what no check has returned before.
func (b *background) check(fresh bool, note string) *Result {
	r := b.summary() // before its output: it may end in between
	r.fresh = fresh
	b.both.show(r, b.stdout, b.stderr, b.run.shell.c.MaxOutputChars, true)
	return b.rendered(r, note)
}

// end ends the command and what is left of it, and returns how it ended and what it
// has printed, as check does. Who calls it at the same time gets the same.
func (b *background) end(fresh bool, note string) *Result {
	b.stopped.Store(!closed(b.done))
	b.stop()
	<-b.done
	r := b.summary()
	r.Status, r.fresh = StatusStopped, fresh
	if b.leftover && !b.status.Known { // it goes on, whoever's it is
		r.Status = StatusRunning
	} else {
		b.run.jobs.Remove(b.head.CommandID)
	}
	b.both.show(r, b.stdout, b.stderr, b.run.shell.c.MaxOutputChars, true)
	return b.rendered(r, note)
}

func (b *background) rendered(r *Result, note string) *Result {
	r.checked = true
	r.Note = notes(note, r.Note)
	b.run.shell.render(r, func() (string, int64) {
		if !closed(b.done) && (!closed(b.exited) || b.left) {
			return b.both.sync()
		}
		if !b.run.spills.has(b.path) { // others needed its room
			return "", 0
		}
		return b.path, b.pathBytes
	})
	return r
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// maxListed is how many commands a message names.
const maxListed = 20

// listed names commands for a message.
func listed(list []*background, all bool) string {
	var b strings.Builder
	n := 0
	for _, j := range list {
		if !all && closed(j.done) {
			continue
		}
		if n++; n > maxListed {
			b.WriteString(", …")
			break
		}
		if n > 1 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%s, %s)", j.head.CommandID, output.Quote(j.command, 40), j.summary().Status)
	}
	return b.String()
}
