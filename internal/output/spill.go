package output

import (
	"errors"
	"os"
)

// A Spill keeps the beginning of what a command prints in a file, for those who
// want more than fits a result. Little is kept in memory: a command that prints
// little costs no file. A nil Spill keeps nothing.
type Spill struct {
	// Limit is how many bytes the file may have.
	Limit int64
	// Create makes the file.
	Create func() (*os.File, error)

	buf  []byte
	file *os.File
	kept int64 // bytes in file
	err  error // of Create, or of writing
}

// spillBuffer is how many bytes are collected before they are written.
const spillBuffer = 64 << 10

// Write takes in p, up to the limit.
func (s *Spill) Write(p []byte) {
	if s == nil || s.err != nil {
		return
	}
	if room := s.Limit - s.kept - int64(len(s.buf)); int64(len(p)) > room {
		p = p[:room]
	}
	if len(s.buf)+len(p) > spillBuffer {
		s.flush()
		if len(p) >= spillBuffer {
			s.write(p)
			return
		}
	}
	s.buf = append(s.buf, p...)
}

func (s *Spill) flush() {
	s.write(s.buf)
	s.buf = s.buf[:0]
}

func (s *Spill) write(p []byte) {
	if s.file == nil && s.err == nil {
		s.file, s.err = s.Create()
	}
	if s.err != nil || len(p) == 0 {
		return
	}
	n, err := s.file.Write(p)
	s.kept += int64(n)
	s.err = err
}

// Keep ends the file. It returns its path, empty when there is none, and how many
// bytes of the output, the first ones, it has. The error says why it has fewer
// than it should, such as a full disk.
func (s *Spill) Keep() (path string, kept int64, err error) {
	if s == nil {
		return "", 0, nil
	}
	s.flush()
	if s.file == nil {
		return "", 0, s.err
	}
	path, err = s.file.Name(), errors.Join(s.err, s.file.Close())
	s.file = nil
	return path, s.kept, err
}

// Drop ends and removes the file, if there is one. After Keep it does nothing.
func (s *Spill) Drop() {
	if s == nil || s.file == nil {
		return
	}
	s.file.Close()
	os.Remove(s.file.Name())
	s.file = nil
}
