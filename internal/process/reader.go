package process

import (
	"errors"
	"os"
	"sync"
	"time"
)

const (
	// firstRead is the size of the first reads: most commands print little.
	firstRead = 16 << 10
	// fullRead is the size once a command has filled a first read. Larger
	// reads lose more to the cache than they save in system calls.
	fullRead = 128 << 10
)

var fullBuffers = sync.Pool{New: func() any { return new([fullRead]byte) }}

// A reader copies one pipe to a Sink until the other end is closed or stop is
// called.
type reader struct {
	pipe *os.File
	sink Sink
	done chan struct{}
}

func newReader(pipe *os.File, sink Sink) *reader {
	return &reader{pipe: pipe, sink: sink, done: make(chan struct{})}
}

func (r *reader) run() {
	defer close(r.done)
	defer r.pipe.Close()
	buf := make([]byte, firstRead)
	for {
		n, err := r.pipe.Read(buf)
		if n > 0 {
			r.sink(buf[:n])
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			drain(r.pipe, buf, r.sink)
			return
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

// stop makes run return: not before it has passed on every byte that is in the
// pipe now, and without waiting for more.
func (r *reader) stop() {
	if r.pipe.SetReadDeadline(time.Now()) != nil {
		// Closed already, or a pipe of a kind that has no deadlines: closing
		// is what is left to end the read.
		select {
		case <-r.done:
		case <-time.After(drainWait):
			r.pipe.Close()
		}
	}
	<-r.done
}

// drainWait is how long a pipe without deadlines may take to reach its end.
const drainWait = 500 * time.Millisecond
