//go:build unix

package output

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// logFile is a file that has text.
func logFile(t testing.TB, text string) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestLogEnd(t *testing.T) {
	var seq strings.Builder
	for i := range 10_000 {
		fmt.Fprintln(&seq, i+1)
	}
	for _, tt := range []struct {
		name, in string
		most     int
		want     string
	}{
		{"nothing", "", 10, ""},
		{"it fits", "a\nb\n", 10, "a\nb\n"},
		{"it just fits", "a\nb\n", 4, "a\nb\n"},
		{"the cut is in a line", "abc\ndef\nghi\n", 10, "def\nghi\n"},
		{"the cut is before a line", "abc\ndef\nghi\n", 8, "def\nghi\n"},
		{"the cut is before the end of a line", "abc\ndef\n", 5, "def\n"},
		{"the last line has not ended", "abc\ndef\nghi", 5, "ghi"},
		{"a single line", "abc\ndefghi", 4, "fghi"},
		{"a single line that has ended", "abc\ndefghi\n", 4, "ghi\n"},
		{"a single line, whole", "abc\ndef\n", 4, "def\n"},
		{"an end of a line", "abc\n", 1, "\n"},
		{"blank lines", "abc\n\n\n", 2, "\n\n"},
		{"in a character of two bytes", "éé", 3, "é"},
		{"in one of three", "你你", 4, "你"},
		{"in one of four, first byte gone", "a😀b", 4, "b"},
		{"in one of four, three bytes gone", "a😀b", 2, "b"},
		{"before a character", "a😀b", 5, "😀b"},
		{"only a part of a character", "a😀", 2, ""},
		{"in a character of a line", "é\né\n", 4, "é\n"},
		{"not a character", "a\x80\x80\x80\x80", 2, "\x80\x80"},
		{"a character that does not end", "a\xf0\x9f\x98", 2, "\x9f\x98"},
		{"none wanted", "abc", 0, ""},
		{"less than none", "abc", -1, ""},
		{"many lines", seq.String(), 16_000, ""},
		{"one long line", strings.Repeat("x", 20_000), 16_000, strings.Repeat("x", 16_000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, omitted, err := LogEnd(logFile(t, tt.in), tt.most)
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "many lines" {
				if tt.want = string(got); len(got) < 15_990 || len(got) > 16_000 || !strings.HasSuffix(tt.in, "\n"+tt.want) {
					t.Errorf("%d bytes, %.20q", len(got), got)
				}
			}
			if string(got) != tt.want || omitted != int64(len(tt.in)-len(tt.want)) {
				t.Errorf("%.80q, %d omitted; want %.80q", got, omitted, tt.want)
			}
		})
	}
}

// Whatever is in a file, what LogEnd returns is its end, and no more is left out than has to be.
func FuzzLogEnd(f *testing.F) {
	f.Add([]byte("aé\n你😀\n\xff"), 5)
	name := filepath.Join(f.TempDir(), "log")
	f.Fuzz(func(t *testing.T, in []byte, most int) {
		if most < 0 || most > 1<<20 {
			t.Skip()
		}
		if err := os.WriteFile(name, in, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		end, omitted, err := LogEnd(file, most)
		if err != nil || len(end) > most || !bytes.HasSuffix(in, end) || omitted != int64(len(in)-len(end)) {
			t.Fatalf("%q, %d, %v", end, omitted, err)
		}
		last := in[len(in)-min(most, len(in)):]
		switch i := bytes.IndexByte(last, '\n'); {
		case omitted == 0 || in[omitted-1] == '\n':
		case i >= 0 && i < len(last)-1:
			t.Fatalf("%q begins in a line of %q", end, last)
		case utf8.Valid(in) && (!utf8.Valid(end) || len(last)-len(end) >= utf8.UTFMax):
			t.Fatalf("%q of %q", end, last)
		}
	})
}

// The size of a file does not matter to its end.
func TestLogEndOfMuch(t *testing.T) {
	f := logFile(t, "")
	if err := f.Truncate(4 << 30); err != nil {
		t.Skip(err)
	}
	if _, err := f.WriteAt([]byte("\nthe end\n"), 4<<30); err != nil {
		t.Skip(err)
	}
	begin := time.Now()
	end, omitted, err := LogEnd(f, 16_000)
	if string(end) != "the end\n" || omitted != 4<<30+1 || err != nil {
		t.Errorf("%d bytes, %d, %v", len(end), omitted, err)
	}
	if lines, ok := LogLines(f, 64<<20); ok || lines != 0 {
		t.Errorf("%d lines, %v", lines, ok)
	}
	if took := time.Since(begin); took > 500*time.Millisecond {
		t.Errorf("took %v", took)
	}
}

func TestLogLines(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		most     int64
		want     int64
		ok       bool
	}{
		{"nothing", "", 10, 0, true},
		{"nothing, none wanted", "", 0, 0, true},
		{"one", "a\n", 10, 1, true},
		{"one that has not ended", "a", 10, 1, true},
		{"a blank one", "\n", 10, 1, true},
		{"the last has not ended", "a\nb\nc", 10, 3, true},
		{"just not too long", "a\nb\n", 4, 2, true},
		{"too long", "a\nb\n", 3, 0, false},
		{"many", strings.Repeat("line\n", 100_000), 1 << 20, 100_000, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := LogLines(logFile(t, tt.in), tt.most); got != tt.want || ok != tt.ok {
				t.Errorf("%d, %v; want %d, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestLogOfWhatIsClosed(t *testing.T) {
	f := logFile(t, "abc\n")
	f.Close()
	if end, omitted, err := LogEnd(f, 10); end != nil || omitted != 0 || err == nil {
		t.Errorf("%q, %d, %v", end, omitted, err)
	}
	if lines, ok := LogLines(f, 10); lines != 0 || ok {
		t.Errorf("%d lines, %v", lines, ok)
	}
}

// A file may change its size at any moment.
func TestLogChanges(t *testing.T) {
	f := logFile(t, "")
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		text := bytes.Repeat([]byte("line\n"), 10_000)
		for {
			select {
			case <-stop:
				return
			default:
			}
			f.WriteAt(text[:rand.IntN(len(text))], 0)
			f.Truncate(rand.Int64N(int64(len(text))))
		}
	})
	for begin := time.Now(); time.Since(begin) < 200*time.Millisecond; {
		end, omitted, err := LogEnd(f, 1000)
		if len(end) > 1000 || omitted < 0 || omitted+int64(len(end)) > 50_000 || err != nil {
			t.Errorf("%d bytes, %d omitted, %v", len(end), omitted, err)
		}
		if lines, ok := LogLines(f, 50_000); !ok || lines < 0 || lines > 10_001 {
			t.Errorf("%d lines, %v", lines, ok)
		}
	}
	close(stop)
	writer.Wait()
}
