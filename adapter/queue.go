package adapter

import (
	"context"
	"log/slog"
	"sync"

	shelltool "github.com/einoshell/einoshell/tool"
)

// pendingOutput is how many bytes of one command's output may wait for the
// listener: as much as a Shell sends in one burst, so that a command that prints
// a lot at once is not cut short for a listener that is quick enough.
const pendingOutput = 1 << 20

// entryCost is what an entry of the queue counts as, beside its text: about
// what it takes in memory.
const entryCost = 256

// A queue hands events to a listener from a goroutine of its own, which lives
// only while there are any. Output that the listener is too slow for is joined
// to larger pieces and then dropped, and counted.
type queue struct {
	listen func(shelltool.Event)
	logger *slog.Logger

	mu      sync.Mutex
	entries []any              // events, and marks of those who wait for them
	output  map[string]int     // bytes in entries, by command
	dropped map[streamOf]int64 // bytes dropped and not told of yet
	busy    bool               // the goroutine lives
	closed  bool               // nothing is added any more
}

// A streamOf is one stream of one command.
type streamOf struct{ command, name string }

// streams are the names of all streams.
var streams = []string{shelltool.Stdout, shelltool.Stderr, shelltool.Combined}

// A mark is closed when all entries before it have been delivered, and a last is called then.
type (
	mark chan struct{}
	last func()
)

func newQueue(listen func(shelltool.Event), logger *slog.Logger) *queue {
	return &queue{listen: listen, logger: logger, output: map[string]int{}, dropped: map[streamOf]int64{}}
}

// put adds an event. It does not wait.
func (q *queue) put(e shelltool.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	switch e := e.(type) {
	case shelltool.CommandOutput:
		q.putOutput(e)
	case shelltool.CommandFinished:
		for _, name := range streams {
			key := streamOf{e.CommandID, name}
			if n := q.dropped[key]; n > 0 { // nothing came after the gap to tell of it
				delete(q.dropped, key)
				q.output[e.CommandID] += entryCost
				q.entries = append(q.entries, shelltool.CommandOutput{EventHead: e.EventHead, Stream: name, Dropped: n})
			}
		}
		q.entries = append(q.entries, e)
	default:
		q.entries = append(q.entries, e)
	}
	q.wake()
}

// wake has what there is delivered.
func (q *queue) wake() {
	if !q.busy && len(q.entries) > 0 {
		q.busy = true
		go q.deliver()
	}
}

// close has then called when every event so far was delivered, and takes no more.
func (q *queue) close(then func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.entries = append(q.entries, last(then))
	q.wake()
}

func (q *queue) putOutput(e shelltool.CommandOutput) {
	key := streamOf{e.CommandID, e.Stream}
	if q.output[e.CommandID]+entryCost+len(e.Text) > pendingOutput {
		q.dropped[key] += e.Dropped + int64(e.Bytes)
		return
	}
	q.output[e.CommandID] += len(e.Text)
	if n := len(q.entries); n > 0 && q.dropped[key] == 0 && e.Dropped == 0 {
		last, ok := q.entries[n-1].(shelltool.CommandOutput)
		if ok && last.CommandID == e.CommandID && last.Stream == e.Stream && len(last.Text)+len(e.Text) <= shelltool.MaxEventText {
			last.Text += e.Text
			last.Bytes += e.Bytes
			q.entries[n-1] = last
			return
		}
	}
	q.output[e.CommandID] += entryCost
	e.Dropped += q.dropped[key]
	delete(q.dropped, key)
	q.entries = append(q.entries, e)
}

// deliver calls the listener until nothing is left.
func (q *queue) deliver() {
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.busy { // the listener has ended this goroutine (a test's FailNow)
			go q.deliver()
		}
	}()
	for {
		q.mu.Lock()
		if len(q.entries) == 0 {
			q.entries = nil
			q.busy = false
			q.mu.Unlock()
			return
		}
		next := q.entries[0]
		q.entries[0] = nil
		q.entries = q.entries[1:]
		if out, ok := next.(shelltool.CommandOutput); ok {
			if q.output[out.CommandID] -= entryCost + len(out.Text); q.output[out.CommandID] <= 0 {
				delete(q.output, out.CommandID)
			}
		}
		q.mu.Unlock()
		switch next := next.(type) {
		case mark:
			close(next)
		case last:
			next()
		case shelltool.Event:
			q.call(next)
		}
	}
}

// call protects the program from a listener that panics.
func (q *queue) call(e shelltool.Event) {
	defer func() {
		if p := recover(); p != nil {
			q.logger.Error("einoshell: an event listener panicked", "panic", p, "command_id", e.Head().CommandID)
		}
	}()
	q.listen(e)
}

// flush waits until the listener has had every event so far, or ctx is done.
func (q *queue) flush(ctx context.Context) error {
	q.mu.Lock()
	if !q.busy {
		q.mu.Unlock()
		return nil
	}
	m := make(mark)
	q.entries = append(q.entries, m)
	q.mu.Unlock()
	select {
	case <-m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
