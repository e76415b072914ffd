package output

import (
	"bytes"
	"errors"
	"io"
	"os"
	"unicode/utf8"
)

// LogEnd returns the end of f, at most most bytes, and how many bytes there are before it.
// Where there are any, it begins at the start of a line, unless there is only one line to
// begin in: then it has all most bytes, but for those of a character that would be cut. It
// costs what it returns, not what f has.
func LogEnd(f *os.File, most int) (end []byte, omitted int64, err error) {
	var buf []byte
	var from, cut int64
	for range 3 { // one that got shorter before it was read is looked at again
		info, err := f.Stat()
		if err != nil {
			return nil, 0, err
		}
		cut = max(0, info.Size()-int64(max(most, 0)))
		from = max(0, cut-(utf8.UTFMax-1)) // what is cut shows in what is before
		buf = make([]byte, info.Size()-from)
		n, err := f.ReadAt(buf, from)
		if n == len(buf) {
			break
		}
		if !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		buf = buf[:n]
	}
	end = endFrom(buf, int(min(cut-from, int64(len(buf)))))
	return end, from + int64(len(buf)-len(end)), nil
}

// endFrom returns the end of b, from cut or soon behind it, where the first line begins or,
// where none does, a character.
func endFrom(b []byte, cut int) []byte {
	end := b[cut:]
	if cut == 0 || b[cut-1] == '\n' {
		return end
	}
	if i := bytes.IndexByte(end, '\n'); i >= 0 && i < len(end)-1 {
		return end[i+1:]
	}
	for before := 1; before <= min(cut, utf8.UTFMax-1); before++ {
		if _, size := utf8.DecodeRune(b[cut-before:]); size > before {
			return end[size-before:]
		}
	}
	return end
}

// LogLines counts the lines of f, also a last one that has not ended. It does not, and reads
// nothing, where f has more than most bytes. What is written meanwhile does not count.
func LogLines(f *os.File, most int64) (lines int64, ok bool) {
	info, err := f.Stat()
	if err != nil || info.Size() > most {
		return 0, false
	}
	var c LineCounter
	r, buf := io.NewSectionReader(f, 0, info.Size()), make([]byte, min(info.Size(), 64<<10))
	for {
		n, err := r.Read(buf)
		c.Add(buf[:n])
		if errors.Is(err, io.EOF) {
			return c.Lines(), true
		}
		if err != nil {
			return 0, false
		}
	}
}
