//go:build unix

package output

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

func always(int) bool { return true }

// What a spill has is the beginning of what was written, whatever the pieces,
// and little of it is in memory.
func TestSpill(t *testing.T) {
	for _, tt := range []struct {
		name         string
		limit, total int
	}{
		{"nothing", 1000, 0},
		{"little", 1000, 10},
		{"the limit", 1000, 1000},
		{"more than the limit, little", 1000, 5000},
		{"one buffer", 1 << 20, spillBuffer},
		{"much", 1 << 20, 300_000},
		{"more than the limit, much", 200_001, 300_000},
		{"more than the queue", 1 << 24, 3 << 20},
	} {
		for _, piece := range []int{1 + tt.total/50, 7000, spillBuffer, spillBuffer + 1, 200_000} {
			name, created, grown := filepath.Join(t.TempDir(), "x"), 0, 0
			s := &Spill{
				Limit:  int64(tt.limit),
				Create: func() (*os.File, error) { created++; return os.Create(name) },
				Grow:   func(n int) bool { grown += n; return true },
			}
			text := make([]byte, tt.total)
			for i := range text {
				text[i] = byte(rand.Uint32())
			}
			for p := range slices.Chunk(text, piece) {
				s.Write(p)
				if cap(s.buf) > 2*spillBuffer {
					t.Fatalf("%s: %d bytes in memory", tt.name, cap(s.buf))
				}
			}
			if tt.total <= spillBuffer && s.queue != nil {
				t.Errorf("%s: a file before there was need of one", tt.name)
			}
			path, kept, err := s.Keep()
			want := text[:min(tt.limit, tt.total)]
			if tt.total == 0 {
				if path != "" || kept != 0 || err != nil || created != 0 {
					t.Errorf("%s: %q, %d, %v", tt.name, path, kept, err)
				}
				continue
			}
			if err != nil || path != name || kept != int64(len(want)) || created != 1 || grown != len(want)+SpillFile {
				t.Fatalf("%s, by %d: %q, %d, %v, created %d times, grown by %d", tt.name, piece, path, kept, err, created, grown)
			}
			if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, by %d: %d bytes, %v", tt.name, piece, len(got), err)
			}
			s.Drop()
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s: Drop after Keep: %v", tt.name, err)
			}
		}
	}
}

// Sync has what there is written, again and again, before the end and behind it; what was
// dropped has no path.
func TestSpillSync(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	s := &Spill{Limit: 200_000, Grow: always, Create: func() (*os.File, error) { return os.Create(name) }}
	if path, kept := s.Sync(); path != "" || kept != 0 {
		t.Errorf("nothing: %q, %d", path, kept)
	}
	for total := 0; total < 300_000; {
		s.Write(make([]byte, 7000))
		total += 7000
		path, kept := s.Sync()
		info, err := os.Stat(name)
		if want := int64(min(total, 200_000)); path != name || kept != want || err != nil || info.Size() != want {
			t.Fatalf("%q, %d, want %d, %v", path, kept, want, err)
		}
	}
	if path, kept, err := s.Keep(); path != name || kept != 200_000 || err != nil {
		t.Errorf("Keep: %q, %d, %v", path, kept, err)
	}
	if path, kept := s.Sync(); path != name || kept != 200_000 {
		t.Errorf("behind the end: %q, %d", path, kept)
	}
	s = &Spill{Limit: 200_000, Grow: always, Create: func() (*os.File, error) { return os.Create(name) }}
	fill(s, 1)
	s.Sync()
	s.Drop()
	if path, kept := s.Sync(); path != "" || kept != 0 {
		t.Errorf("dropped: %q, %d", path, kept)
	}
}

func fill(s *Spill, n int) {
	for range n {
		s.Write(make([]byte, 100_000))
	}
}

// What fails is told once, at the end, with what was kept; nothing is tried
// again, and nothing fails before. A file that has nothing is not kept.
func TestSpillFails(t *testing.T) {
	tries := 0
	s := &Spill{Limit: 1 << 20, Grow: always, Create: func() (*os.File, error) { tries++; return nil, os.ErrPermission }}
	fill(s, 10)
	if path, kept, err := s.Keep(); path != "" || kept != 0 || !errors.Is(err, os.ErrPermission) || tries != 1 {
		t.Errorf("%q, %d, %v, %d tries", path, kept, err, tries)
	}
	s.Drop()

	name := filepath.Join(t.TempDir(), "x")
	create := func() (*os.File, error) { return os.Create(name) }
	for _, most := range []int{0, 2} { // buffers
		n := 0
		s = &Spill{Limit: 1 << 20, Create: create, Grow: func(int) bool { n++; return n <= most }}
		fill(s, 10)
		path, kept, err := s.Keep()
		if err == nil || kept != int64(most)*spillBuffer || (path != "") != (most > 0) {
			t.Errorf("no more room: %q, %d, %v", path, kept, err)
		}
	}

	if _, err := os.Stat("/dev/full"); err == nil { // no space left on device
		link := filepath.Join(t.TempDir(), "full")
		if err := os.Symlink("/dev/full", link); err != nil {
			t.Fatal(err)
		}
		s = &Spill{Limit: 1 << 20, Grow: always, Create: func() (*os.File, error) { return os.OpenFile(link, os.O_WRONLY, 0) }}
		fill(s, 10)
		if path, kept, err := s.Keep(); path != "" || kept != 0 || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%q, %d, %v", path, kept, err)
		}
		if _, err := os.Lstat(link); err == nil {
			t.Error("an empty file is left")
		}
	}

	s = &Spill{Limit: 1 << 20, Grow: always, Create: create}
	fill(s, 1)
	s.Drop()
	s.Drop()
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("dropped: %v", err)
	}
	var none *Spill
	none.Write([]byte("x"))
	none.Drop()
	if path, _, err := none.Keep(); path != "" || err != nil {
		t.Errorf("%q, %v", path, err)
	}
}

// A file system that is slow costs no more than one that hangs, and the file has
// what was written when it recovers.
func TestSpillIsSlow(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	defer func(d time.Duration) { spillPatience = d }(spillPatience)
	spillPatience = 300 * time.Millisecond
	for _, tt := range []struct {
		name  string
		pause time.Duration // for each buffer
		wait  time.Duration // before the end
		kept  bool
	}{
		{"always", 200 * time.Millisecond, 0, false},
		{"in the beginning", 100 * time.Millisecond, 2 * time.Second, true},
	} {
		name, reads := filepath.Join(t.TempDir(), "x"), 0
		s := &Spill{Limit: 1 << 30, Create: func() (*os.File, error) { return os.Create(name) }, Grow: func(int) bool {
			reads++
			time.Sleep(tt.pause)
			return true
		}}
		begin := time.Now()
		fill(s, 100)
		time.Sleep(tt.wait)
		path, kept, err := s.Keep()
		if took := time.Since(begin) - tt.wait; took > 4*spillPatience {
			t.Errorf("%s: took %v", tt.name, took)
		}
		if !errors.Is(err, errSlow) || (path != "") != tt.kept || tt.kept && kept < 5*spillBuffer {
			t.Errorf("%s: %q, %d, %v", tt.name, path, kept, err)
		}
		<-s.done
		if info, err := os.Stat(name); tt.kept != (err == nil) || err == nil && info.Size() != kept {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A file system that hangs, in any of what it is asked for, costs a bounded time,
// once, and when it comes back nothing is left.
func TestSpillHangs(t *testing.T) {
	defer func(d time.Duration) { spillPatience = d }(spillPatience)
	spillPatience = 200 * time.Millisecond
	for _, tt := range []struct {
		name string
		n    int // of 100 000 bytes
		drop bool
	}{
		{"Create, little", 1, false}, {"Create, much", 100, false}, {"Create, dropped", 100, true}, {"Create, little, dropped", 1, true},
	} {
		name, come := filepath.Join(t.TempDir(), "x"), make(chan struct{})
		s := &Spill{Limit: 1 << 30, Grow: always, Create: func() (*os.File, error) { <-come; return os.Create(name) }}
		begin := time.Now()
		fill(s, tt.n)
		if tt.drop {
			s.Drop()
		} else if path, kept, err := s.Keep(); path != "" || kept != 0 || !errors.Is(err, errSlow) {
			t.Errorf("%s: %q, %d, %v", tt.name, path, kept, err)
		}
		if took := time.Since(begin); took > 10*spillPatience {
			t.Errorf("%s: took %v", tt.name, took)
		}
		close(come)
		<-s.done
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s: the file is left", tt.name)
		}
	}
}
