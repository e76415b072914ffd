package tool

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/einoshell/einoshell/internal/job"
)

// A Run is one run of an agent. It names the commands of the run in events and
// ends them when it is closed. The handler of package adapter opens and closes
// Runs; commands outside of any belong to a Run that the Shell has from the
// start. A Run is safe for concurrent use.
type Run struct {
	id      string
	user    string
	session string
	shell   *Shell
	base    string // where it begins
	env     []string
	off     atomic.Bool // RunOptions.AllowShell is false
	resumed bool        // it goes on with one that is gone
	fault   error       // what is wrong with its RunOptions

	life context.Context // done when the Run is closed
	end  context.CancelFunc

	mu       sync.Mutex
	dir      string // where its next command runs: base, unless Config.PersistDir is set
	closed   bool
	used     bool // something was asked for in it
	turn     int  // see Turn
	commands sync.WaitGroup

	events sync.Mutex // orders events: numbers are given and sinks called under it
	seq    int64

	spills spills
	jobs   job.Registry[*background]

	forget func() bool // does not look at the context of NewRun any more
}

// RunOptions say what a new Run is like. The zero RunOptions are fine.
type RunOptions struct {
	// ID names the Run in events. Empty means a random one. When it is that of a Run of the same
	// User that waits after Park, that goes on, and the other options count for nothing but AllowShell.
	ID string
	// Dir is the directory its commands run in, in the place of Config.Dir, with
	// Config.PersistDir the first of them. A relative name is one in that. It must exist. Empty means Config.Dir.
	Dir string
	// Env are variables that its commands have besides those of Config.Env. They win over
	// Env.Set, and Env.Deny filters them, too.
	Env map[string]string
	// User and Session say whose Run it is. Events carry them; they may be empty.
	User, Session string
	// AllowShell can take the shell away from the Run: when it is false every call in it is refused, as if
	// Config.AllowShell were. Nil and true mean what that says; true gives nothing that it does not.
	AllowShell *bool
	// Resumed says that the Run goes on with an earlier one. When that is not waiting here, since the program was
	// started anew or Config.ParkTTL has passed, a model that asks about its commands is told that they are gone.
	Resumed bool
}

type (
	runKey      struct{ *Shell }
	sinkKey     struct{ *Shell }
	callSinkKey struct{ *Shell }
	offKey      struct{ *Shell }
)

// NewRun opens a Run. Commands of s whose context descends from the returned
// one belong to it. It must be closed; when ctx is done it closes itself. What is wrong
// with o, (*Run).Err tells, and so does every command of the Run, which is not run. Of a
// closed Shell NewRun returns a closed Run.
func (s *Shell) NewRun(ctx context.Context, o RunOptions) (context.Context, *Run) {
	if r := s.unpark(o); r != nil {
		r.attach(ctx)
		return s.WithRun(ctx, r), r
	}
	r := s.newRun(o)
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.runs[r] = struct{}{}
	}
	s.mu.Unlock()
	if closed {
		r.closed = true
		r.end()
	} else {
		r.attach(ctx)
	}
	return s.WithRun(ctx, r), r
}

// attach has the Run closed when ctx is done.
func (r *Run) attach(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn++
	r.forget = context.AfterFunc(ctx, func() { r.Close() })
}

// Turn is how often NewRun has handed out the Run: once, and once more each time that it went on after Park. Who has an
// earlier turn in hand is not to end it.
func (r *Run) Turn() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.turn
}

// Used reports whether anything was asked for in the Run, also if it was refused.
func (r *Run) Used() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

// WithRun returns a context whose commands belong to r, a Run of s.
func (s *Shell) WithRun(ctx context.Context, r *Run) context.Context {
	return context.WithValue(ctx, runKey{s}, r)
}

func (s *Shell) newRun(o RunOptions) *Run {
	r := &Run{id: o.ID, user: o.User, session: o.Session, shell: s, base: s.c.Dir, env: s.env, resumed: o.Resumed}
	r.off.Store(o.AllowShell != nil && !*o.AllowShell)
	if r.id == "" {
		r.id = newID()
	}
	r.life, r.end = context.WithCancel(context.Background())
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, &FieldError{field, fmt.Sprintf(format, args...)})
	}
	if o.Dir != "" {
		r.base = o.Dir
		if !filepath.IsAbs(r.base) {
			r.base = filepath.Join(s.c.Dir, r.base)
		}
		if wrong := noDir(r.base); wrong != "" {
			fault("RunOptions.Dir", "%s", wrong)
		}
	}
	r.dir = r.base
	if len(o.Env) > 0 {
		checkSet("RunOptions.Env", o.Env, fault)
		r.env = s.plan.Build(o.Env)
	}
	r.fault = errors.Join(faults...)
	return r
}

// Err returns what is wrong with the RunOptions, nil when nothing is: a *FieldError for
// each fault, joined.
func (r *Run) Err() error { return r.fault }

// newID returns 12 random hex digits.
func newID() string {
	var b [6]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// RunOf returns the Run of s that NewRun made ctx belong to, or nil.
func (s *Shell) RunOf(ctx context.Context) *Run {
	r, _ := ctx.Value(runKey{s}).(*Run)
	return r
}

// runOf returns the Run that commands with ctx belong to.
func (s *Shell) runOf(ctx context.Context) *Run {
	if r := s.RunOf(ctx); r != nil {
		return r
	}
	return s.outside
}

// ID names the Run in events.
func (r *Run) ID() string { return r.id }

// Close ends the commands of the Run, those in the background, too, all at once, waits
// for them, and removes the files with their output. It refuses new ones from then on. Closing twice, also at the same time, is
// harmless. The error is always nil.
func (r *Run) Close() error {
	r.mu.Lock()
	r.closed = true
	forget := r.forget
	r.mu.Unlock()
	if forget != nil {
		forget()
	}
	r.end()
	r.commands.Wait()
	if err := r.spills.remove(); err != nil {
		r.shell.c.Logger.Warn("einoshell: files with output are left", "error", err, "run_id", r.id)
	}
	r.shell.mu.Lock()
	delete(r.shell.runs, r)
	r.shell.parked.remove(r)
	r.shell.mu.Unlock()
	return nil
}

// begin announces a command. Unless it fails, done must be called when the
// command has ended.
func (r *Run) begin() (done func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = true
	if r.closed {
		return nil, ErrClosed
	}
	r.commands.Add(1)
	return r.commands.Done, nil
}

// WithoutShell returns a context in which s refuses every call, as in a Run whose RunOptions.AllowShell is
// false. What ctx does not allow, no context that descends from it does.
func (s *Shell) WithoutShell(ctx context.Context) context.Context {
	return context.WithValue(ctx, offKey{s}, true)
}

// Allowed reports whether calls with ctx are let in at all: by Config.AllowShell, by the RunOptions of the Run that
// ctx belongs to, and by ctx itself (see WithoutShell).
func (s *Shell) Allowed(ctx context.Context) bool {
	return s.c.AllowShell && !s.runOf(ctx).off.Load() && ctx.Value(offKey{s}) == nil
}

// WithEventSink returns a context in which the events of s are given to sink,
// beside the sinks that ctx has already. sink is called while the command waits,
// for one event at a time and in order: it must return at once. The events of a command
// in the background go to the sinks of the call that started it, also when that has
// returned. Package adapter
// has handlers whose listeners may take their time.
func (s *Shell) WithEventSink(ctx context.Context, sink func(Event)) context.Context {
	have, _ := ctx.Value(sinkKey{s}).([]func(Event))
	return context.WithValue(ctx, sinkKey{s}, append(have[:len(have):len(have)], sink))
}

// WithCallSink is WithEventSink for the sink of a tool call: of such sinks there is one, and it takes the place
// of that of the call around this one. A nil sink takes that away.
func (s *Shell) WithCallSink(ctx context.Context, sink func(Event)) context.Context {
	return context.WithValue(ctx, callSinkKey{s}, sink)
}

// An emitter sends the events of one call.
type emitter struct {
	run     *Run
	allowed bool // the call is let in at all
	sinks   []func(Event)
	head    EventHead
	logger  *slog.Logger
}

func (s *Shell) emitter(ctx context.Context, tool, callID string) *emitter {
	r := s.runOf(ctx)
	sinks, _ := ctx.Value(sinkKey{s}).([]func(Event))
	if sink, _ := ctx.Value(callSinkKey{s}).(func(Event)); sink != nil {
		sinks = append(sinks[:len(sinks):len(sinks)], sink)
	}
	return &emitter{
		run:     r,
		allowed: s.Allowed(ctx),
		sinks:   sinks,
		head:    EventHead{Tool: tool, CallID: callID, RunID: r.id, User: r.user, Session: r.session, CommandID: newID()},
		logger:  s.c.Logger,
	}
}

// listened reports whether anybody gets the events.
func (e *emitter) listened() bool { return len(e.sinks) > 0 }

// send makes events and gives them to all sinks.
func (e *emitter) send(events ...func(EventHead) Event) {
	if !e.listened() || len(events) == 0 {
		return
	}
	e.run.events.Lock()
	defer e.run.events.Unlock()
	head := e.head
	head.Time = time.Now()
	for _, make := range events {
		e.run.seq++
		head.Seq = e.run.seq
		ev := make(head)
		for _, sink := range e.sinks {
			e.call(sink, ev)
		}
	}
}

// call protects the command from a sink that panics.
func (e *emitter) call(sink func(Event), ev Event) {
	defer func() {
		if p := recover(); p != nil {
			e.logger.Error("einoshell: an event sink panicked", "panic", p, "command_id", e.head.CommandID)
		}
	}()
	sink(ev)
}
