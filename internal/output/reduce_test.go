package output

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// reduce reduces s given in pieces of a size.
func reduce(s string, size int) string {
	r := Reducer{Tail: NewTail(1 << 20)}
	for len(s) > 0 {
		n := min(size, len(s))
		r.Write([]byte(s[:n]))
		s = s[n:]
	}
	r.Flush()
	return Visible(Text(kept(r.Tail)))
}

func TestReduce(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "a\tb\nc\n", "a\tb\nc\n"},
		{"D12, progress", "10%\r20%\r100%\n", "100%\n"},
		{"progress on the second line", "start\n10%\r100%\nend\n", "start\n100%\nend\n"},
		{"shorter than before", "downloading\rdone\n", "done\n"},
		{"progress at the end", "10%\r50%\r", "50%"},
		{"lines that end in both", "a\r\nb\r\n", "a\nb\n"},
		{"two returns and a newline", "a\r\r\nb", "a\nb"},
		{"a return and a blank line", "a\n\rb", "a\nb"},
		{"the cursor is shown again", "10%\r100% done\r\x1b[?25h", "100% done"},
		{"a colour behind a return", "hello\r\x1b[0m\n", "hello\n"},
		{"a colour, then text", "hello\r\x1b[0mbye\n", "bye\n"},
		{"erased behind a return", "hello\r\x1b[K\nx", "\nx"},
		{"erased before a return", "hello\x1b[2K\rbye", "bye"},
		{"erased to the end, at the end", "hello\x1b[Kbye", "hellobye"},
		{"a backspace behind a return", "hello\r\b\n", "hello\n"},
		{"broken behind a return", "hello\r\x1b[\nx", "␛[\nx"},
		{"D13, colour", "\x1b[31mx\x1b[0m", "x"},
		{"colour and progress", "\x1b[2K\r\x1b[32m10%\x1b[0m\x1b[2K\r\x1b[32m100%\x1b[0m\n", "100%\n"},
		{"title", "\x1b]0;title\x07text", "text"},
		{"title, other end", "\x1b]0;title\x1b\\text", "text"},
		{"link", "\x1b]8;;https://x.y\x1b\\here\x1b]8;;\x1b\\", "here"},
		{"device control", "\x1bPq#0~~\x1b\\text", "text"},
		{"character set", "\x1b(Btext", "text"},
		{"two bytes", "\x1b7a\x1b8b\x1bMc", "abc"},
		{"backspaces", "abc\b\bX\n", "aX\n"},
		{"backspaces of a spinner", "|\b/\b-\b\\\bdone\n", "done\n"},
		{"backspace takes a character", "a你\bb", "ab"},
		{"backspace stops at the line", "a\n\b\bb", "a\nb"},
		{"overstrike", "b\bbo\bol\bld\bd", "bold"},
		{"NUL, D1", "a\x00b", "a␀b"},
		{"others", "\x01\x07\x0b\x0c\x7f", "␁␇␋␌␡"},
		{"second set", "\u009b31mx\u0085", "\uFFFD31mx\uFFFD"},
		{"not UTF-8, D2", "\xed\xa0\x80\xff", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"an ESC at the end", "a\x1b", "a␛"},
		{"an unfinished sequence", "a\x1b[31", "a␛[31"},
		{"a broken sequence", "a\x1b[3\n1mb", "a␛[3\n1mb"},
		{"a broken sequence, non-ASCII", "a\x1b[你b", "a␛[你b"},
		{"an unfinished title swallows nothing", "\x1b]0;title\nimportant\n", "␛]0;title\nimportant\n"},
		{"nor one before a return", "\x1b]0;t\rimportant\n", "important\n"},
		{"a title in letters of others", "\x1b]0;é你\x07text", "text"},
		{"ESC twice", "\x1b\x1b[31mx", "␛x"},
	} {
		for _, size := range []int{1, 2, 3, 1000} {
			if got := reduce(tt.in, size); got != tt.want {
				t.Errorf("%s, pieces of %d: %q, want %q", tt.name, size, got, tt.want)
			}
		}
	}
	long := "\x1b]1337;File=" + strings.Repeat("x", 2*maxSequence)
	if got := reduce(long+"\x07", 1000); !strings.HasPrefix(got, "␛]1337;File=xxx") || len(got) < 2*maxSequence {
		t.Errorf("a sequence without end: %.40q, %d bytes", got, len(got))
	}
}

// A progress bar of many megabytes takes nothing from what came before it.
func TestReduceKeepsWhatCameBefore(t *testing.T) {
	r := Reducer{Tail: NewTail(1000)}
	r.Write([]byte("important\n"))
	for range 10_000 {
		r.Write([]byte(strings.Repeat("#", 90) + "\r"))
	}
	r.Write([]byte("done\n"))
	r.Flush()
	if got := string(kept(r.Tail)); got != "important\ndone\n" || r.Tail.lost {
		t.Errorf("%q, dropped %v", got, r.Tail.lost)
	}
	// A line longer than the tail, then begun anew.
	r = Reducer{Tail: NewTail(1000)}
	r.Write([]byte("lost\n" + strings.Repeat("#", 5000) + "\rdone\n"))
	if got := string(kept(r.Tail)); got != "done\n" || !r.Tail.lost {
		t.Errorf("%q, dropped %v", got, r.Tail.lost)
	}
}

func TestCloneAndDropLine(t *testing.T) {
	r := Reducer{Tail: NewTail(100)}
	r.Write([]byte("one\ntwo\r\x1b[3"))
	c := r.Clone()
	c.DropLine()
	c.Write([]byte("three\n"))
	r.Write([]byte("1mTWO\n"))
	if got, want := string(kept(r.Tail))+"|"+string(kept(c.Tail)), "one\nTWO\n|one\nthree\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzReduce(f *testing.F) {
	for _, s := range []string{"a\r\nb\rc", "\x1b[31mx\x1b]0;t\x07\b\x00", "\x1b]\x1b\x1b\\", "你\b\xff\r\r\n"} {
		f.Add(s, uint8(1))
	}
	f.Fuzz(func(t *testing.T, in string, step uint8) {
		whole := reduce(in, 1<<20)
		if got := reduce(in, int(step)%9+1); got != whole {
			t.Fatalf("%q in pieces of %d: %q, whole %q", in, int(step)%9+1, got, whole)
		}
		if !utf8.ValidString(whole) {
			t.Fatalf("%q: invalid %q", in, whole)
		}
		for _, r := range whole {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f {
				t.Fatalf("%q: control character %U in %q", in, r, whole)
			}
		}
		if again := reduce(whole, 1<<20); again != whole {
			t.Fatalf("%q: %q is reduced to %q", in, whole, again)
		}
		if Visible(in) == in && utf8.ValidString(in) && whole != in {
			t.Fatalf("plain text %q became %q", in, whole)
		}
		if strings.Count(whole, "\n") != strings.Count(in, "\n") && !strings.Contains(in, "\x1b") {
			t.Fatalf("%q: lines lost in %q", in, whole)
		}
	})
}

func BenchmarkReduce(b *testing.B) {
	for name, piece := range map[string]string{
		"plain":    strings.Repeat("some words of output\n", 6000),
		"NUL":      strings.Repeat("\x00", 128<<10),
		"coloured": strings.Repeat("\x1b[32mok\x1b[0m  \tpackage/name\t0.012s\n", 3000),
	} {
		b.Run(name, func(b *testing.B) {
			r := Reducer{Tail: NewTail(200_000)}
			p := []byte(piece)
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				r.Write(p)
			}
		})
	}
}
