package process

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// firstRead is the size of the first reads: most commands print little.
	firstRead = 16 << 10
	// fullRead is the size once a command has filled a first read. Larger
	// reads lose more to the cache than they save in system calls.
	fullRead = 128 << 10
)

var (
	firstBuffers = sync.Pool{New: func() any { return new([firstRead]byte) }}
	fullBuffers  = sync.Pool{New: func() any { return new([fullRead]byte) }}
)

// A reader copies one pipe to a Sink until the other end is closed or stop is
// called.
type reader struct {
	pipe *os.File
	sink Sink
	done chan struct{}
	// turns counts what run does: odd while the sink has something.
	turns atomic.Int64
	// synced has something when run came to what sync asked for, and asked says that it
	// was sync that did, not stop.
	synced chan struct{}
	asked  atomic.Bool
}

func newReader(pipe *os.File, sink Sink) *reader {
	return &reader{pipe: pipe, sink: sink, done: make(chan struct{}), synced: make(chan struct{})}
}

func (r *reader) run() {
	defer close(r.done)
	defer r.pipe.Close()
	first := firstBuffers.Get().(*[firstRead]byte)
	defer firstBuffers.Put(first)
	buf := first[:]
	for {
		n, err := r.pipe.Read(buf)
		if n > 0 {
			r.turns.Add(1)
			r.sink(buf[:n])
			r.turns.Add(1)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			drain(r.pipe, buf, r.sink)
			if !r.asked.CompareAndSwap(true, false) || r.pipe.SetReadDeadline(time.Time{}) != nil {
				return
			}
			r.synced <- struct{}{}
			continue
		}
		if err != nil {
			return // the end of the stream
		}
		if n == firstRead && len(buf) == firstRead {
			growPipe(r.pipe)
			full := fullBuffers.Get().(*[fullRead]byte)
			defer fullBuffers.Put(full)
			buf = full[:]
		}
	}
}

// sync returns when run has passed on every byte that is in the pipe now. It is not for
// use while stop runs.
func (r *reader) sync() {
	r.asked.Store(true)
	if r.pipe.SetReadDeadline(time.Now()) != nil {
		// Closed already, or a pipe of a kind that has no deadlines: some time must do.
		r.asked.Store(false)
		time.Sleep(50 * time.Millisecond)
		return
	}
	select {
	case <-r.synced:
	case <-r.done:
	}
}

// stop makes run return: not before it has passed on every byte that is in the
// pipe now, and without waiting for more.
func (r *reader) stop() {
	if r.pipe.SetReadDeadline(time.Now()) != nil {
		// Closed already, or a pipe of a kind that has no deadlines: when nothing
		// more comes, closing is what is left to end the read.
		ticker := time.NewTicker(drainWait)
		defer ticker.Stop()
		for seen := int64(-1); ; {
			select {
			case <-r.done:
				return
			case <-ticker.C:
			}
			if turns := r.turns.Load(); turns%2 == 0 && turns == seen {
				r.pipe.Close() // once more and again: it misses a read that is just about to begin
			} else {
				seen = turns
			}
		}
	}
	<-r.done
}

// drainWait is how long nothing may come from a pipe without deadlines for it to
// count as empty.
const drainWait = 500 * time.Millisecond
