package tool

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"sync"
	"time"
)

// A Run is one run of an agent. It names the commands of the run in events and
// ends them when it is closed. The handler of package adapter opens and closes
// Runs; commands outside of any belong to a Run that the Shell has from the
// start. A Run is safe for concurrent use.
type Run struct {
	id    string
	shell *Shell

	life context.Context // done when the Run is closed
	end  context.CancelFunc

	mu       sync.Mutex
	closed   bool
	commands sync.WaitGroup

	events sync.Mutex // orders events: numbers are given and sinks called under it
	seq    int64

	spills spills
}

// RunOptions say what a new Run is like. The zero RunOptions are fine.
type RunOptions struct {
	// ID names the Run in events. Empty means a random one.
	ID string
}

type (
	runKey  struct{ *Shell }
	sinkKey struct{ *Shell }
)

// NewRun opens a Run. Commands of s whose context descends from the returned
// one belong to it. It must be closed. Of a closed Shell it returns a closed
// Run.
func (s *Shell) NewRun(ctx context.Context, o RunOptions) (context.Context, *Run) {
	r := s.newRun(o.ID)
	s.mu.Lock()
	if s.closed {
		r.closed = true
		r.end()
	} else {
		s.runs[r] = struct{}{}
	}
	s.mu.Unlock()
	return context.WithValue(ctx, runKey{s}, r), r
}

func (s *Shell) newRun(id string) *Run {
	if id == "" {
		id = newID()
	}
	r := &Run{id: id, shell: s}
	r.life, r.end = context.WithCancel(context.Background())
	return r
}

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

// ID names the Run in events.
func (r *Run) ID() string { return r.id }

// Close ends the commands of the Run, all at once, waits for them, and removes
// the files with their output. It refuses new ones from then on. Closing twice, also at the same time, is
// harmless. The error is always nil.
func (r *Run) Close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.end()
	r.commands.Wait()
	if err := r.spills.remove(); err != nil {
		r.shell.c.Logger.Warn("einoshell: files with output are left", "error", err, "run_id", r.id)
	}
	r.shell.mu.Lock()
	delete(r.shell.runs, r)
	r.shell.mu.Unlock()
	return nil
}

// begin announces a command. Unless it fails, done must be called when the
// command has ended.
func (r *Run) begin() (done func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	r.commands.Add(1)
	return r.commands.Done, nil
}

// WithEventSink returns a context in which the events of s are given to sink,
// beside the sinks that ctx has already. sink is called while the command waits,
// for one event at a time and in order: it must return at once. Package adapter
// has handlers whose listeners may take their time.
func (s *Shell) WithEventSink(ctx context.Context, sink func(Event)) context.Context {
	have, _ := ctx.Value(sinkKey{s}).([]func(Event))
	return context.WithValue(ctx, sinkKey{s}, append(have[:len(have):len(have)], sink))
}

// An emitter sends the events of one call.
type emitter struct {
	run    *Run
	sinks  []func(Event)
	head   EventHead
	logger *slog.Logger
}

func (s *Shell) emitter(ctx context.Context, tool, callID string) *emitter {
	r := s.RunOf(ctx)
	if r == nil {
		r = s.outside
	}
	sinks, _ := ctx.Value(sinkKey{s}).([]func(Event))
	return &emitter{
		run:    r,
		sinks:  sinks,
		head:   EventHead{Tool: tool, CallID: callID, RunID: r.id, CommandID: newID()},
		logger: s.c.Logger,
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
