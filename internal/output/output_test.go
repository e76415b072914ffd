package output

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// The numbers are those of cases 71, 72, 76, 272 and of the list in section 3
// of the behaviour notes.
func TestTruncateMarkerArithmetic(t *testing.T) {
	for _, tt := range []struct {
		name             string
		limit, in        int
		wantLen, wantKey int // wantKey: characters kept, 0 for a bare tail
	}{
		{"case 76, cap 1", 1, 2, 1, 0},
		{"case 272, cap 45", 45, 200_000, 45, 0},
		{"case 272, cap 46", 46, 200_000, 46, 1},
		{"case 71, cap 50", 50, 200, 50, 5},
		{"case 272, cap 55", 55, 200_000, 54, 9},
		{"case 73, cap 80", 80, 300, 80, 34},
		{"case 73, cap 100", 100, 300, 100, 54},
		{"case 272, cap 146", 146, 200_000, 145, 99},
		{"case 72, cap 200", 200, 400, 200, 153},
		{"case 272, cap 1047", 1047, 200_000, 1046, 999},
		{"default cap", 50_000, 200_000, 50_000, 49_951},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.Repeat("x", tt.in)
			got, cut := Truncate(in, tt.limit, "")
			if !cut || len(got) != tt.wantLen {
				t.Errorf("length %d, cut %v; want %d, true", len(got), cut, tt.wantLen)
			}
			want := strings.Repeat("x", tt.limit)
			if tt.wantKey > 0 {
				want = marker(tt.wantKey, "") + strings.Repeat("x", tt.wantKey)
			}
			if got != want {
				t.Errorf("got %.80q, want %.80q", got, want)
			}
		})
	}
}

func TestTruncateLeavesFittingTextAlone(t *testing.T) {
	for _, s := range []string{"", "x", strings.Repeat("x", 50), strings.Repeat("é", 50)} {
		if got, cut := Truncate(s, 50, ""); got != s || cut {
			t.Errorf("Truncate(%.20q, 50) = %.20q, %v", s, got, cut)
		}
	}
}

// Case 273: the cap counts characters, not bytes, and splits none.
func TestCase273TruncateCountsCharacters(t *testing.T) {
	got, cut := Truncate(strings.Repeat("你", 300), 100, "")
	if !cut || utf8.RuneCountInString(got) != 100 || !utf8.ValidString(got) {
		t.Errorf("%d characters, valid %v, cut %v: %q", utf8.RuneCountInString(got), utf8.ValidString(got), cut, got)
	}
	if want := marker(54, "") + strings.Repeat("你", 54); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Where the rest is, is told in the marker, which still counts; where there is
// no room for it and the last line, the marker is the short one.
func TestTruncateTellsOfMore(t *testing.T) {
	const more = "all of it is in /é/x.txt"
	long, short := marker(1000, more), marker(1000, "")
	if n := utf8.RuneCountInString(long) - len(short); n != len("; ")+utf8.RuneCountInString(more) {
		t.Errorf("the marker is %d characters longer: %q", n, long)
	}
	in := strings.Repeat("x", 5000)
	least := utf8.RuneCountInString(marker(minKeep, more)) + minKeep
	for limit, want := range map[int]string{
		1000:      marker(927, more) + strings.Repeat("x", 927),
		least:     marker(minKeep, more) + strings.Repeat("x", minKeep),
		least - 2: marker(least-2-46, "") + strings.Repeat("x", least-2-46),
		30:        strings.Repeat("x", 30),
	} {
		got, cut := Truncate(in, limit, more)
		if n := utf8.RuneCountInString(got); got != want || !cut || n > limit {
			t.Errorf("limit %d: %d characters: %.120q; want %.120q", limit, n, got, want)
		}
	}
	if got, cut := Truncate("short", 100, more); got != "short" || cut {
		t.Errorf("%q, %v", got, cut)
	}
}

// D17: a second cut with the same limit takes nothing, and leaves the marker.
func TestD17TruncateTwice(t *testing.T) {
	for limit := 1; limit < 400; limit++ {
		once, _ := Truncate(strings.Repeat("é", 1000), limit, "all of it is in /é/x.txt")
		if twice, cut := Truncate(once, limit, "elsewhere"); twice != once || cut {
			t.Fatalf("%d: %q, then %q", limit, once, twice)
		}
	}
}

func FuzzTruncate(f *testing.F) {
	f.Add("hello", 3, "")
	f.Add(strings.Repeat("é\n", 100), 60, "")
	f.Add(strings.Repeat("é\n", 100), 150, "all of it is in /é")
	f.Add("\xff\xfe", 1, "")
	f.Fuzz(func(t *testing.T, s string, limit int, more string) {
		if limit < 1 || limit > 1<<20 || strings.Contains(more, "]") {
			t.Skip()
		}
		got, cut := Truncate(s, limit, more)
		n := utf8.RuneCountInString(got)
		if n > limit {
			t.Fatalf("%d characters, limit %d", n, limit)
		}
		if cut != (got != s) {
			t.Fatalf("cut %v but equal %v", cut, got == s)
		}
		head, kept, marked := strings.Cut(got, "]\n")
		if marked = marked && cut && strings.HasPrefix(head, "[... output truncated, showing last "); !marked {
			kept = got
		}
		if cut && !strings.HasSuffix(s, kept) {
			t.Fatalf("kept %q is not the end of %q", kept, s)
		}
		if k := utf8.RuneCountInString(kept); marked && !strings.HasPrefix(head, fmt.Sprintf("[... output truncated, showing last %d chars", k)) {
			t.Fatalf("%d characters behind %q", k, head)
		}
		if cut && n < limit-1 {
			t.Fatalf("%d characters kept, %d would fit", n, limit)
		}
		if utf8.ValidString(s) && utf8.ValidString(more) && !utf8.ValidString(got) {
			t.Fatal("invalid UTF-8 from valid UTF-8")
		}
	})
}

func TestTextReplacesMaximalParts(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "abc", "abc"},
		{"multibyte", "aé你😀", "aé你😀"},
		{"case 65, two stray bytes", "ok \xff\xfe end", "ok \uFFFD\uFFFD end"},
		{"case 211, two of three bytes", "\xe4\xbd", "\uFFFD"},
		{"two of three, then text", "\xe4\xbdx", "\uFFFDx"},
		{"three of four", "\xf0\x9f\x98!", "\uFFFD!"},
		{"surrogate, D2", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"overlong", "\xc0\xaf", "\uFFFD\uFFFD"},
		{"overlong three", "\xe0\x80\xaf", "\uFFFD\uFFFD\uFFFD"},
		{"above the last plane", "\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"a real replacement character", "\uFFFD", "\uFFFD"},
		{"partial then whole", "\xe4\xe4\xbd\xa0", "\uFFFD你"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text([]byte(tt.in)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			// D3: the same text whatever way it is cut into pieces.
			var d Decoder
			var got string
			for _, c := range []byte(tt.in) {
				got += d.Decode([]byte{c})
			}
			if got += d.Flush(); got != tt.want {
				t.Errorf("byte by byte: got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("aé你😀\xe4\xbd\xff"), uint8(2))
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		size := int(step)%7 + 1
		var d Decoder
		var got strings.Builder
		for p := in; len(p) > 0; {
			n := min(size, len(p))
			got.WriteString(d.Decode(p[:n]))
			p = p[n:]
		}
		got.WriteString(d.Flush())
		if !utf8.ValidString(got.String()) {
			t.Fatalf("invalid text %q from %q", got.String(), in)
		}
		if whole := Text(in); got.String() != whole {
			t.Fatalf("pieces of %d: %q, whole %q", size, got.String(), whole)
		}
		if utf8.Valid(in) && got.String() != string(in) {
			t.Fatalf("valid input changed: %q to %q", in, got.String())
		}
	})
}

func TestTailKeepsTheEnd(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, limit := range []int{0, 1, 2, 7, 100, 5000, 20_000} {
		tail := NewTail(limit)
		var all []byte
		for range 400 {
			p := make([]byte, rnd.IntN(300))
			for i := range p {
				p[i] = byte('a' + rnd.IntN(26))
			}
			all = append(all, p...)
			if rnd.IntN(8) == 0 { // what was taken back is as if never written
				n := min(rnd.IntN(400), len(all), tail.n)
				if n, err := tail.Write(p); n != len(p) || err != nil {
					t.Fatalf("Write = %d, %v", n, err)
				}
				n = min(n, tail.n)
				tail.Rewind(n)
				all = all[:len(all)-n]
				have := kept(tail)
				if !bytes.HasSuffix(all, have) {
					t.Fatalf("limit %d: wrong tail after taking back %d", limit, n)
				}
				all = append([]byte(nil), have...) // what was lost before stays lost
				tail.lost = false
				continue
			}
			if n, err := tail.Write(p); n != len(p) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
			if want := all[max(0, len(all)-limit):]; !bytes.Equal(kept(tail), want) {
				t.Fatalf("limit %d after %d bytes: wrong tail", limit, len(all))
			}
		}
		if tail.lost != (len(all) > limit) {
			t.Errorf("limit %d of %d: dropped %v", limit, len(all), tail.lost)
		}
		if cap(tail.buf) > limit {
			t.Errorf("limit %d: %d bytes held", limit, cap(tail.buf))
		}
	}
}

// kept is all that t has.
func kept(t *Tail) []byte {
	end, _ := t.End(math.MaxInt, false)
	return end
}

// What End returns is the end of what was written, by characters, and what is fresh of it each
// time what was not seen before: whole characters, and none twice or never.
func TestTailEnd(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	text := []byte(strings.Repeat("aé你😀", 200))
	for range 300 {
		tail := NewTail(1 + rnd.IntN(60))
		var all, seen []byte
		lost := false
		for range 60 {
			p := text[len(all):][:1+rnd.IntN(20)] // its characters may be in two pieces
			tail.Write(p)
			all = append(all, p...)
			lost = lost || len(all)-len(seen) > tail.limit // more than there is room for, unseen
			chars := rnd.IntN(30)
			end, more := tail.End(chars, false)
			if !bytes.HasSuffix(all[:len(all)-tail.partial()], end) || more != (tail.lost || len(end) < tail.n-tail.partial()) {
				t.Fatalf("%q is not the end of %q, more: %v", end, all, more)
			}
			if n := utf8.RuneCount(end); utf8.Valid(end) && n > chars {
				t.Fatalf("%d characters, not %d", n, chars)
			}
			if rnd.IntN(3) == 0 {
				fresh, more := tail.End(math.MaxInt, true)
				if more != (tail.Fresh() > int64(len(fresh))) || !lost && more {
					t.Fatalf("more: %v", more)
				}
				tail.Seen()
				if tail.Fresh() != 0 {
					t.Fatalf("%d are fresh", tail.Fresh())
				}
				if !lost && !bytes.Equal(append(seen, fresh...), all[:len(all)-tail.partial()]) {
					t.Fatalf("%q and %q are not %q", seen, fresh, all)
				}
				seen, lost = append([]byte(nil), all[:len(all)-tail.partial()]...), false
			}
		}
		tail.Finish()
		if end, _ := tail.End(math.MaxInt, true); !lost && len(seen)+len(end) != len(all) {
			t.Fatalf("%d and %d are not %d", len(seen), len(end), len(all))
		}
	}
}

// What is taken back is not fresh, and what comes in its place is.
func TestFreshIsWhatIsThere(t *testing.T) {
	r := Reducer{Tail: NewTail(100)}
	for _, tt := range []struct{ write, fresh string }{
		{"one\n10%", "one\n10%"}, {"\r", ""}, {"20%", "20%"}, {"\r30%", "30%"}, {"\b\b", ""}, {"5%\n", "5%\n"}, {"\x1b[31", ""}, {"mred", "red"}, {"", ""},
	} {
		r.Write([]byte(tt.write))
		if got, _ := r.Tail.End(100, true); string(got) != tt.fresh {
			t.Errorf("%q: %q, want %q", tt.write, got, tt.fresh)
		}
		r.Tail.Seen()
	}
}

func TestTailStartsAtACharacter(t *testing.T) {
	for limit := 1; limit < 20; limit++ {
		tail := NewTail(limit)
		tail.Write([]byte(strings.Repeat("你", 50)))
		if got := kept(tail); limit >= 3 && !utf8.Valid(got) {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
}

func TestChunksSplitNoCharacter(t *testing.T) {
	in := strings.Repeat("aé你😀", 1000)
	var got strings.Builder
	Chunks(in, 4096, func(p string) {
		if len(p) > 4096 || p == "" || !utf8.ValidString(p) {
			t.Fatalf("piece of %d bytes, valid %v", len(p), utf8.ValidString(p))
		}
		got.WriteString(p)
	})
	if got.String() != in {
		t.Error("pieces do not join to the input")
	}
}

func TestLineCounter(t *testing.T) {
	for in, want := range map[string]int64{"": 0, "a": 1, "a\n": 1, "a\nb": 2, "\n\n": 2} {
		var c LineCounter
		for _, b := range []byte(in) {
			c.Add([]byte{b})
		}
		if c.Lines() != want {
			t.Errorf("%q: %d lines, want %d", in, c.Lines(), want)
		}
	}
}

func TestFirstAndLast(t *testing.T) {
	for n, want := range map[int][2]string{0: {"", ""}, 1: {"你", "é"}, 3: {"你aé", "你aé"}, 9: {"你aé", "你aé"}} {
		if first, last := First("你aé", n), Last("你aé", n); first != want[0] || last != want[1] {
			t.Errorf("%d: %q, %q", n, first, last)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"ls -la":         `'ls -la'`,
		"it's":           `"it's"`,
		`it's "x"`:       `'it\'s "x"'`,
		"a\nb\tc\r\x00d": `'a\nb\tc\r\x00d'`,
		"\x1b[31m":       `'\x1b[31m'`,
		"\xff你":          `'\xff你'`,
		"\u202e\uFFFD":   "'\\u202e\uFFFD'",
		`a\b`:            `'a\\b'`,
		"0123456789abc":  `'0123456789…'`,
	} {
		if got := Quote(in, 10); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}
