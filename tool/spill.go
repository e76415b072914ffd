package tool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/einoshell/einoshell/internal/output"
	"github.com/einoshell/einoshell/internal/state"
)

// spillsKept is how many times SpillBytes the files of a Run may have.
const spillsKept = 8

// removePatience is how long the end of a Run waits for its files to go.
const removePatience = 2 * time.Second

// spills are the files of a Run with the output of its commands.
type spills struct {
	mu    sync.Mutex
	files []spilled // of commands that have ended, the oldest first
	bytes int64     // of these, and of those that are being written

	making sync.Mutex // for what a file system can hold up
	dir    *state.Dir // made for the first file
	closed bool
}

type spilled struct {
	path  string
	bytes int64
}

// A spill is the file of one command.
type spill struct {
	output.Spill
	shell *Shell
	of    *spills
	most  int64 // for all files of the Run
	bytes int64 // of this one, as it counts for that
	over  bool  // it grows no more
}

// newSpill returns what keeps the output of one command, or nil while the
// file system holds up that of another: nobody is to wait for it again and again.
// Of one in the background it is a file that grows by itself, like those that it writes.
func (s *Shell) newSpill(c call) *spill {
	if s.c.SpillBytes == 0 || !s.late.Load().Ended() {
		return nil
	}
	r, limit := c.run, s.c.SpillBytes
	if c.background && s.c.MaxFileBytes > 0 {
		limit = min(limit, s.c.MaxFileBytes)
	}
	sp := &spill{shell: s, of: &r.spills, most: spillsKept * (s.c.SpillBytes + output.SpillFile)}
	sp.Spill = output.Spill{
		Limit:  limit,
		Grow:   sp.grow,
		Create: func() (*os.File, error) { return r.spills.create(s.state) },
	}
	return sp
}

// grow reports whether the file may have n more bytes. The oldest files of the
// Run make room for it.
func (sp *spill) grow(n int) bool {
	s := sp.of
	s.mu.Lock()
	ended := int64(0)
	for _, f := range s.files {
		ended += f.bytes
	}
	var old []spilled
	ok := !sp.over && s.bytes-ended+int64(n) <= sp.most
	if ok {
		for s.bytes+int64(n) > sp.most {
			s.bytes -= s.files[0].bytes
			old, s.files = append(old, s.files[0]), s.files[1:]
		}
		s.bytes += int64(n)
		sp.bytes += int64(n)
	}
	s.mu.Unlock()
	for _, f := range old {
		os.Remove(f.path)
	}
	return ok
}

// keep keeps the file until its Run is closed or others need its room.
func (sp *spill) keep() (path string, bytes int64, err error) {
	if sp == nil {
		return "", 0, nil
	}
	if path, bytes, err = sp.Keep(); path == "" {
		return "", 0, err // drop does the rest
	}
	s := sp.of
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, spilled{path, sp.bytes})
	sp.bytes, sp.over = 0, true
	return path, bytes, err
}

// has reports whether a file that was kept is still there.
func (s *spills) has(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.files, func(f spilled) bool { return f.path == path })
}

// drop removes the file, unless it was kept.
func (sp *spill) drop() {
	if sp == nil {
		return
	}
	if sp.Drop(); !sp.Ended() {
		sp.shell.late.Store(&sp.Spill)
	}
	sp.of.mu.Lock()
	defer sp.of.mu.Unlock()
	sp.of.bytes -= sp.bytes
	sp.bytes, sp.over = 0, true
}

func (s *spills) create(root *state.Root) (*os.File, error) {
	s.making.Lock()
	defer s.making.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if s.dir != nil {
		f, err := s.dir.Create()
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		s.dir.Remove() // a command has removed it
		s.dir = nil
	}
	dir, err := root.NewDir()
	if err != nil {
		return nil, err
	}
	s.dir = dir
	return dir.Create()
}

// remove removes all of them. It waits a bounded time.
func (s *spills) remove() error {
	done := make(chan error, 1)
	go func() {
		s.making.Lock()
		defer s.making.Unlock()
		s.closed = true
		if s.dir == nil {
			done <- nil
			return
		}
		done <- s.dir.Remove()
		s.dir = nil
	}()
	timer := time.NewTimer(removePatience)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return errors.New("the file system takes too long")
	}
}

// openState opens the root at path. It waits for a file system that hangs no
// longer than ctx lasts.
func openState(ctx context.Context, path string) (*state.Root, error) {
	type opened struct {
		root *state.Root
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		root, err := state.Open(path)
		done <- opened{root, err}
	}()
	select {
	case o := <-done:
		return o.root, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
