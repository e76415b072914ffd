//go:build unix

package output

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

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
		{"much", 1 << 20, 300_000},
		{"more than the limit, much", 200_001, 300_000},
	} {
		for _, piece := range []int{1 + tt.total/50, 7000, spillBuffer, spillBuffer + 1, 200_000} {
			name, created := filepath.Join(t.TempDir(), "x"), 0
			s := &Spill{Limit: int64(tt.limit), Create: func() (*os.File, error) { created++; return os.Create(name) }}
			text := make([]byte, tt.total)
			for i := range text {
				text[i] = byte(rand.Uint32())
			}
			for p := range chunks(text, piece) {
				s.Write(p)
				if len(s.buf) > spillBuffer {
					t.Fatalf("%s: %d bytes in memory", tt.name, len(s.buf))
				}
				if created > 0 && tt.total < spillBuffer {
					t.Errorf("%s: a file before there was need of one", tt.name)
				}
			}
			path, kept, err := s.Keep()
			want := text[:min(tt.limit, tt.total)]
			if err != nil || path != name || kept != int64(len(want)) || created != 1 {
				t.Fatalf("%s, by %d: %q, %d, %v, created %d times", tt.name, piece, path, kept, err, created)
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

func chunks(p []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(p) > 0 {
			k := min(n, len(p))
			if !yield(p[:k]) {
				return
			}
			p = p[k:]
		}
	}
}

// What fails is told once, at the end, with what was kept; nothing is tried
// again, and nothing fails before.
func TestSpillFails(t *testing.T) {
	tries := 0
	s := &Spill{Limit: 1 << 20, Create: func() (*os.File, error) { tries++; return nil, os.ErrPermission }}
	for range 10 {
		s.Write(make([]byte, 100_000))
	}
	if path, kept, err := s.Keep(); path != "" || kept != 0 || !errors.Is(err, os.ErrPermission) || tries != 1 {
		t.Errorf("%q, %d, %v, %d tries", path, kept, err, tries)
	}
	s.Drop()

	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil { // no space left on device
		s = &Spill{Limit: 1 << 20, Create: func() (*os.File, error) { return full, nil }}
		for range 10 {
			s.Write(make([]byte, 100_000))
		}
		if path, kept, err := s.Keep(); path != "/dev/full" || kept != 0 || err == nil {
			t.Errorf("%q, %d, %v", path, kept, err)
		}
	}

	name := filepath.Join(t.TempDir(), "x")
	s = &Spill{Limit: 1 << 20, Create: func() (*os.File, error) { return os.Create(name) }}
	s.Write(make([]byte, 100_000))
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
