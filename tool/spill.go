package tool

import (
	"os"
	"sync"

	"github.com/einoshell/einoshell/internal/output"
	"github.com/einoshell/einoshell/internal/state"
)

const (
	// spillsKept is how many times SpillBytes the files of a Run may have.
	spillsKept = 8
	// spillBlock is what the smallest file takes of a disk.
	spillBlock = 4096
)

// spills are the files of a Run with the output of its commands.
type spills struct {
	mu    sync.Mutex
	dir   *state.Dir // made for the first of them
	files []spilled  // the oldest first
	bytes int64      // of all of them
}

type spilled struct {
	path  string
	bytes int64
}

// newSpill returns what keeps the output of one command of r, or nil when none
// is to be kept.
func (s *Shell) newSpill(r *Run) *output.Spill {
	if s.c.SpillBytes == 0 {
		return nil
	}
	return &output.Spill{Limit: s.c.SpillBytes, Create: func() (*os.File, error) { return r.spills.create(s.state) }}
}

func (s *spills) create(root *state.Root) (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == nil {
		dir, err := root.NewDir()
		if err != nil {
			return nil, err
		}
		s.dir = dir
	}
	return s.dir.Create()
}

// keep keeps the file of a command that has ended, and removes the oldest when
// there is too much. limit is what one may have.
func (s *spills) keep(spill *output.Spill, limit int64) (path string, bytes int64, err error) {
	path, bytes, err = spill.Keep()
	if path == "" {
		return path, bytes, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	size := (bytes + spillBlock - 1) / spillBlock * spillBlock
	s.files = append(s.files, spilled{path, size})
	s.bytes += size
	for len(s.files) > 1 && s.bytes/spillsKept > limit {
		os.Remove(s.files[0].path)
		s.bytes -= s.files[0].bytes
		s.files = s.files[1:]
	}
	return path, bytes, err
}

// remove removes all of them.
func (s *spills) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != nil {
		s.dir.Remove()
	}
	s.dir, s.files, s.bytes = nil, nil, 0
}
