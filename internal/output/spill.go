package output

import (
	"errors"
	"os"
	"sync"
	"time"
)

// A Spill keeps the beginning of what a command prints in a file, for those who
// want more than fits a result. Little is kept in memory: a command that prints
// little costs no file. All that can be held up by a file system happens beside
// the command, which waits for it a bounded time. A nil Spill keeps nothing.
//
// Write, Sync, and Keep or Drop are for one goroutine at a time; the functions are
// called by another.
type Spill struct {
	// Limit is how many bytes the file may have.
	Limit int64
	// Create makes the file.
	Create func() (*os.File, error)
	// Grow reports whether the file may have n more bytes. It is asked before they
	// are written, the first time with what the file itself takes.
	Grow func(n int) bool

	taken  int64         // bytes taken in
	buf    []byte        // the last of them
	waited time.Duration // for the writer, of spillPatience
	queue  chan []byte   // to the writer; nil before there is one, and when it gets no more
	free   chan []byte   // buffers to use again
	synced chan struct{} // has something when the writer came to what Sync asked for
	done   chan struct{} // closed by the writer; nil when there was none
	slow   bool          // the writer was given up
	whole  bool          // Keep told of the file

	// The writer's own, and Keep's once it has ended.
	file *os.File
	kept int64
	err  error

	mu    sync.Mutex
	path  string // of the file, and how much of it is written, for Sync
	size  int64
	ended bool // the file is whole and stays
	late  bool // nobody waits for it any more
}

const (
	// spillBuffer is how many bytes are collected before they are written, and
	// spillQueue how many times as many may wait for it.
	spillBuffer = 64 << 10
	spillQueue  = 4
	// SpillFile is what the smallest file takes of a disk.
	SpillFile = 4096
)

// spillPatience is how long a command waits for a file system, all in all. A
// variable for tests.
var spillPatience = 5 * time.Second

var errSlow = errors.New("the file system takes too long")

// Write takes in p, up to the limit.
func (s *Spill) Write(p []byte) {
	if s == nil || s.slow {
		return
	}
	for p = p[:min(int64(len(p)), s.Limit-s.taken)]; len(p) > 0; {
		if len(s.buf) == spillBuffer {
			if s.hand(); s.slow {
				return
			}
		}
		n := min(len(p), spillBuffer-len(s.buf))
		s.buf = append(s.buf, p[:n]...)
		s.taken += int64(n)
		p = p[n:]
	}
}

// hand gives what was collected to the writer.
func (s *Spill) hand() {
	if s.queue == nil {
		s.begin()
	}
	select {
	case s.queue <- s.buf:
	default:
		begin := time.Now()
		timer := time.NewTimer(spillPatience - s.waited)
		defer timer.Stop()
		select {
		case s.queue <- s.buf:
			s.waited += time.Since(begin)
		case <-timer.C: // it may end what it has, beside the command
			s.slow, s.waited, s.buf = true, spillPatience, nil
			s.close()
			return
		}
	}
	select {
	case s.buf = <-s.free:
	default:
		s.buf = make([]byte, 0, spillBuffer)
	}
}

func (s *Spill) begin() {
	s.queue, s.free, s.done = make(chan []byte, spillQueue), make(chan []byte, spillQueue+2), make(chan struct{})
	s.synced = make(chan struct{}, 1)
	go s.run(s.queue)
}

// syncPatience is how long Sync waits for a file system.
const syncPatience = time.Second

// Sync has what was taken in so far written, and returns the path of the file, empty
// when there is none, and how many bytes of the output, the first ones, it has by now.
func (s *Spill) Sync() (path string, kept int64) {
	if s == nil {
		return "", 0
	}
	if len(s.buf) > 0 && !s.slow {
		s.hand()
	}
	if s.queue != nil {
		s.sync()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.path, s.size
}

// sync waits until the writer has written what it was given, as long as a command waits for
// it at all.
func (s *Spill) sync() {
	begin := time.Now()
	timer := time.NewTimer(min(syncPatience, spillPatience-s.waited))
	defer timer.Stop()
	select {
	case <-s.synced: // of a Sync that did not wait for it
	default:
	}
	select {
	case s.queue <- nil:
		select {
		case <-s.synced:
			return
		case <-timer.C:
		}
	case <-timer.C:
	}
	if s.waited += time.Since(begin); s.waited >= spillPatience {
		s.slow, s.buf = true, nil
		s.close()
	}
}

func (s *Spill) close() {
	close(s.queue)
	s.queue = nil
}

// run is the writer.
func (s *Spill) run(queue <-chan []byte) {
	defer close(s.done)
	for p := range queue {
		if p == nil {
			select {
			case s.synced <- struct{}{}:
			default:
			}
			continue
		}
		s.write(p)
		s.free <- p[:0]
	}
	if s.file == nil {
		return
	}
	s.err = errors.Join(s.err, s.file.Close())
	s.mu.Lock()
	s.ended = !s.late && s.kept > 0
	s.mu.Unlock()
	if !s.ended {
		os.Remove(s.file.Name())
		s.file = nil
	}
}

func (s *Spill) write(p []byte) {
	if s.err != nil {
		return
	}
	grow := len(p)
	if s.file == nil {
		grow += SpillFile
	}
	if !s.Grow(grow) {
		s.err = errors.New("the files with output have as much as they may")
		return
	}
	if s.file == nil {
		if s.file, s.err = s.Create(); s.err != nil {
			s.file = nil
			return
		}
	}
	n, err := s.file.Write(p)
	s.kept += int64(n)
	s.err = err
	s.mu.Lock()
	s.path, s.size = s.file.Name(), s.kept
	s.mu.Unlock()
}

// Keep ends the file. It returns its path, empty when there is none, and how many
// bytes of the output, the first ones, it has. The error says why it has fewer
// than it should, such as a full disk.
func (s *Spill) Keep() (path string, kept int64, err error) {
	if s == nil {
		return "", 0, nil
	}
	if len(s.buf) > 0 && !s.slow {
		s.hand()
	}
	switch {
	case !s.end():
		return "", 0, errSlow
	case s.file == nil:
		return "", 0, s.err
	}
	s.whole = true
	err = s.err
	if s.slow {
		err = errSlow
	}
	return s.file.Name(), s.kept, err
}

// Ended reports whether nothing of the file is under way any more.
func (s *Spill) Ended() bool {
	if s == nil || s.done == nil {
		return true
	}
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Drop ends and removes the file, if there is one. After Keep it does nothing.
func (s *Spill) Drop() {
	if s == nil || s.done == nil || s.whole {
		return
	}
	s.mu.Lock()
	s.late, s.path, s.size = !s.ended, "", 0
	s.mu.Unlock()
	if s.end() && s.file != nil { // it had ended before
		os.Remove(s.file.Name())
		s.file = nil
	}
}

// end waits for the writer, and reports whether it came to its end.
func (s *Spill) end() bool {
	if s.queue != nil {
		s.close()
	}
	if s.Ended() {
		return true
	}
	timer := time.NewTimer(spillPatience - s.waited)
	defer timer.Stop()
	select {
	case <-s.done:
		return true
	case <-timer.C:
	}
	s.waited = spillPatience
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = !s.ended // whenever the writer comes back, the file goes
	if s.ended {
		<-s.done // at once
	}
	return s.ended
}
