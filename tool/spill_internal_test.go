//go:build unix

package tool

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// The room for the files of a Run: what is dropped is given back, what is over
// grows no more, and nobody's file goes for one that does not fit all the same.
func TestSpillAccounting(t *testing.T) {
	s, err := New(context.Background(), Config{AllowShell: true, Dir: t.TempDir(), SpillBytes: 100_000, StateDir: filepath.Join(t.TempDir(), "state"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := s.newRun(RunOptions{})
	defer run.Close()
	spill := func(n int) *spill {
		sp := s.newSpill(call{emitter: &emitter{run: run}})
		sp.Write(make([]byte, n))
		return sp
	}
	for range 100 {
		spill(90_000).drop()
	}
	if run.spills.bytes != 0 {
		t.Fatalf("%d bytes of what was dropped", run.spills.bytes)
	}
	kept := spill(90_000)
	path, n, err := kept.keep()
	if err != nil || n != 90_000 {
		t.Fatal(err)
	}
	kept.drop()
	if _, err := os.Stat(path); err != nil || run.spills.bytes != 90_000+4096 {
		t.Errorf("%v, %d bytes", err, run.spills.bytes)
	}
	over := spill(10)
	over.drop()
	if over.grow(1) {
		t.Error("what is over grows")
	}
	big := spill(10)
	if big.grow(int(big.most) + 1) {
		t.Error("more than there is room for")
	}
	big.drop()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("it was removed for one that does not fit: %v", err)
	}

	// While one is held up no other is tried.
	come := make(chan struct{})
	held := s.newSpill(call{emitter: &emitter{run: run}})
	held.Create = func() (*os.File, error) { <-come; return nil, errors.New("gone") }
	s.late.Store(&held.Spill)
	held.Write(make([]byte, 90_000))
	if s.newSpill(call{emitter: &emitter{run: run}}) != nil {
		t.Error("another was tried")
	}
	close(come)
	held.drop()
	if s.newSpill(call{emitter: &emitter{run: run}}) == nil {
		t.Error("none is tried any more")
	}

	run.Close()
	if _, err := run.spills.create(s.state); !errors.Is(err, ErrClosed) {
		t.Errorf("a file after the end of the Run: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(filepath.Dir(path))); err != nil || len(left) != 0 {
		t.Errorf("%v, left: %v", err, left)
	}
}
