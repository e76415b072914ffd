package output

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// redact redacts text given in pieces of the sizes, in turn; one piece without.
func redact(t *testing.T, s *Secrets, values []string, text string, sizes ...int) string {
	t.Helper()
	r := Redactor{Secrets: s}
	var got []byte
	for i, done := 0, 0; done < len(text); i++ {
		n := len(text) - done
		if len(sizes) > 0 {
			n = min(n, sizes[i%len(sizes)])
		}
		got = append(got, r.Write([]byte(text[done:done+n]))...)
		done += n
		if want := beginning(text[:done], values); r.Held() != want || len(got)+r.Held() != done {
			t.Fatalf("%q of %q after %.200q: %d bytes passed on, %d held, want %d", values, text, text[:done], len(got), r.Held(), want)
		}
	}
	got = append(got, r.Flush()...)
	if rest := r.Flush(); r.Held() != 0 || len(rest) != 0 {
		t.Fatalf("%q is left at the end", rest)
	}
	return string(got)
}

// beginning is how many of the last bytes of text may be the beginning of a
// value.
func beginning(text string, values []string) (n int) {
	for _, v := range values {
		if len(v) < minSecret {
			continue
		}
		for k := min(len(v)-1, len(text)); k > n; k-- {
			if strings.HasSuffix(text, v[:k]) {
				n = k
			}
		}
	}
	return n
}

// naive masks all values in text, of at most maxSecret bytes, the way Redactor's
// comment says it.
func naive(text string, values []string) string {
	longest := make([]int, len(text)) // that begins there
	for _, v := range values {
		for i := range text {
			if len(v) >= minSecret && strings.HasPrefix(text[i:], v) {
				longest[i] = max(longest[i], len(v))
			}
		}
	}
	out := []byte(text)
	for i := 0; i < len(text); i++ {
		if longest[i] == 0 {
			continue
		}
		end := i + longest[i]
		for j := i; j < end; j++ {
			end = max(end, j+longest[j])
			out[j] = '*'
		}
		if longest[i] >= len("[redacted]") {
			copy(out[i:], "[redacted]")
		}
		i = end - 1
	}
	return string(out)
}

func TestRedact(t *testing.T) {
	var long string // without a part that comes again
	for i := range maxSecret / 8 {
		long += fmt.Sprintf("%08d", i)
	}
	for _, tt := range []struct {
		name     string
		values   []string
		in, want string
	}{
		{"nothing to hide", nil, "hunter2 hunter2", "hunter2 hunter2"},
		{"empty and short values", []string{"", "hunter2"}, "hunter2", "hunter2"},
		{"nothing in it", []string{"swordfish"}, "sword fish", "sword fish"},
		{"shorter than the mask", []string{"swordfish"}, "a swordfish.", "a *********."},
		{"as long as it", []string{"swordfish1"}, "a swordfish1.", "a [redacted]."},
		{"longer", []string{"swordfish123"}, "a swordfish123.", "a [redacted]**."},
		{"the whole text", []string{"swordfish"}, "swordfish", "*********"},
		{"twice", []string{"swordfish"}, "swordfishswordfish", "******************"},
		{"twice, longer", []string{"swordfish123"}, "swordfish123swordfish123", "[redacted]**[redacted]**"},
		{"all but the last byte", []string{"swordfish123"}, "swordfish12", "swordfish12"},
		{"the beginning of a longer one, at the end", []string{"swordfish", "swordfish-and-more"}, "swordfish-and-mor", "*********-and-mor"},
		{"the longer one", []string{"swordfish", "swordfish-and-more"}, "swordfish-and-more", "[redacted]********"},
		{"the end of another", []string{"swordfish-and-more", "-and-more"}, "swordfish-and-more x-and-more", "[redacted]******** x*********"},
		{"in the middle of another", []string{"swordfish", "a swordfish is sharp"}, "a swordfish is sharp", "[redacted]**********"},
		{"in the middle of one that does not come", []string{"swordfish", "a swordfish is sharp"}, "a swordfish is shar", "a ********* is shar"},
		{"overlapping", []string{"swordfish123", "fish123456"}, "<swordfish123456>", "<[redacted]*****>"},
		{"overlapping, short first", []string{"swordfis", "fish123456"}, "<swordfish123456>", "<***************>"},
		{"in a chain", []string{"aaaabbbb", "bbbbcccc", "ccccdddd"}, "-aaaabbbbccccdddd-", "-****************-"},
		{"over two before", []string{"aaaaaaab", "cccccccc", "abccccccccd"}, "aaaaaaabccccccccd-", "*****************-"},
		{"itself", []string{"abababab"}, "xabababababax", "x**********ax"},
		{"a run without end", []string{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"}, strings.Repeat("\x00", 50), "[redacted]" + strings.Repeat("*", 40)},
		{"begun anew in itself", []string{"ababababX"}, "abababababX", "ab*********"},
		{"behind a false beginning", []string{"swordfish", "swordfinder"}, "swordfiswordfish", "swordfi*********"},
		{"UTF-8", []string{"clé secrète"}, "la clé secrète é", "la [redacted]*** é"},
		{"bytes", []string{"\xff\xfe\x00\x01\x80\x81\x82\x83"}, "é\xff\xfe\x00\x01\x80\x81\x82\x83é", "é********é"},
		{"lines", []string{"-----BEGIN\nabc\n"}, "-----BEGIN\nabc\n\n", "[redacted]*****\n"},
		{"the mask", []string{"[redacted]", "swordfish123"}, "[redacted] swordfish123", "[redacted] [redacted]**"},
		{"the longest", []string{long}, long[1:] + long + long[:4095], long[1:] + "[redacted]" + strings.Repeat("*", 4086) + long[:4095]},
		{"longer than that", []string{long + "abcdefgh"}, long + "abcdefgh", "[redacted]" + strings.Repeat("*", 4086) + "********"},
		{"little longer than that", []string{long + "abcdefg"}, long + "abcdefg", "[redacted]" + strings.Repeat("*", 4086+7)},
		{"a piece of it", []string{long + "abcdefgh"}, "xabcdefghx", "x********x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSecrets(tt.values)
			if got := s.Hide(tt.in); got != tt.want {
				t.Errorf("Hide: %.200q, want %.200q", got, tt.want)
			}
			for _, size := range []int{1, 2, 3, 7, 8, 9, 16, 1 << 20} {
				r := Redactor{Secrets: s}
				var got []byte
				for p := range slices.Chunk([]byte(tt.in), size) {
					got = append(got, r.Write(p)...)
				}
				if got = append(got, r.Flush()...); string(got) != tt.want {
					t.Errorf("pieces of %d: %.200q, want %.200q", size, got, tt.want)
				}
			}
		})
	}
}

func TestRedactorAtNoCost(t *testing.T) {
	if NewSecrets(nil) != nil || NewSecrets([]string{"", "1234567"}) != nil {
		t.Error("secrets of nothing")
	}
	var none Redactor
	some := Redactor{Secrets: NewSecrets([]string{"swordfish"})}
	p := []byte("some text")
	for name, r := range map[string]*Redactor{"no secrets": &none, "nothing held": &some} {
		if got := r.Write(p); len(got) != len(p) || &got[0] != &p[0] || len(r.Flush()) != 0 {
			t.Errorf("%s: copied", name)
		}
	}
	text := strings.Repeat("swordfis is none ", 50_000/17)
	if got := some.Secrets.Hide(text); unsafe.StringData(got) != unsafe.StringData(text) {
		t.Error("Hide: copied")
	}
	if n := testing.AllocsPerRun(10, func() { some.Secrets.Hide(text) }); n != 0 {
		t.Errorf("Hide: %v allocations", n)
	}
	if n := testing.AllocsPerRun(10, func() { some.Write(p) }); n != 0 {
		t.Errorf("Write: %v allocations", n)
	}
}

// A stream that has ended leaves nothing to the next one.
func TestRedactorsShareSecrets(t *testing.T) {
	s := NewSecrets([]string{"swordfish123", "123swordfish"})
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			r := Redactor{Secrets: s}
			for range 100 {
				var got []byte
				for p := range slices.Chunk([]byte("a swordfish123swordfish"), i+1) {
					got = append(got, r.Write(p)...)
				}
				if got = append(got, r.Flush()...); string(got) != "a [redacted]***********" || s.Hide("swordfish12") != "swordfish12" {
					t.Errorf("%q", got)
				}
			}
		})
	}
	wait.Wait()
}

// Runs that are over are forgotten, though something always may still begin.
func TestRedactorForgets(t *testing.T) {
	r := Redactor{Secrets: NewSecrets([]string{"12345678", "1234567812345678x"})}
	in := []byte(strings.Repeat("12345678", 100_000))
	if got := append(bytes.Clone(r.Write(in)), r.Flush()...); len(got) != len(in) || len(bytes.Trim(got, "*")) > 0 {
		t.Errorf("%d bytes, %.100q", len(got), bytes.Trim(got, "*"))
	}
	if cap(r.runs) > 16 {
		t.Errorf("%d runs", cap(r.runs))
	}
}

// check checks what Redactor promises for text in pieces of the sizes.
func check(t *testing.T, values []string, text string, sizes ...int) {
	t.Helper()
	s := NewSecrets(values)
	want := naive(text, values)
	if got := s.Hide(text); got != want {
		t.Fatalf("%q in %q: Hide %q, want %q", values, text, got, want)
	}
	got := redact(t, s, values, text, sizes...)
	if got != want {
		t.Fatalf("%q in %q, pieces of %v: %q, want %q", values, text, sizes, got, want)
	}
	if len(got) != len(text) {
		t.Fatalf("%d bytes, want %d", len(got), len(text))
	}
	for _, v := range values {
		if len(v) >= minSecret && !strings.ContainsAny(v, "[*]") && v != "redacted" && strings.Contains(got, v) {
			t.Fatalf("%q is in %q", v, got)
		}
	}
}

// Secrets that share parts, in a text made of such parts.
func TestRedactRandom(t *testing.T) {
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		some := func(n, letters int) string {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte('a' + r.IntN(letters))
			}
			return string(b)
		}
		letters := 1 + r.IntN(4)
		var values, parts []string
		for range 1 + r.IntN(6) {
			v := some(r.IntN(20), letters)
			if len(parts) > 0 && r.IntN(2) == 0 {
				v += parts[r.IntN(len(parts))]
			}
			cut := r.IntN(len(v) + 1)
			values, parts = append(values, v), append(parts, v, v[:cut], v[cut:])
		}
		var text strings.Builder
		for range r.IntN(30) {
			text.WriteString(parts[r.IntN(len(parts))])
			if r.IntN(3) == 0 {
				text.WriteString(some(r.IntN(60), letters+r.IntN(2)))
			}
		}
		check(t, values, text.String(), 1+r.IntN(40), 1+r.IntN(10), r.IntN(3))
	}
}

func FuzzRedactor(f *testing.F) {
	f.Add("a swordfish123456", "swordfish123\nfish123456", uint8(3), uint8(1), uint8(0))
	f.Add("abababababababab", "abababab\nabababababb", uint8(1), uint8(9), uint8(2))
	f.Add("\xff\x00é", "12345678", uint8(200), uint8(0), uint8(3))
	f.Fuzz(func(t *testing.T, text, values string, one, two, letters uint8) {
		if len(text) > 500 || len(values) > 200 {
			t.Skip()
		}
		if n := letters % 5; n > 0 { // few, for more to be found
			few := func(s string) string {
				b := []byte(s)
				for i := range b {
					if b[i] != '\n' {
						b[i] = 'a' + b[i]%n
					}
				}
				return string(b)
			}
			text, values = few(text), few(values)
		}
		check(t, strings.Split(values, "\n"), text, int(one)%64, int(two)%16+1)
	})
}

// BenchmarkRedactor is 8 MiB in pieces against a search in them for a byte that
// is not there. Where the text has secrets in it, both put it there first.
func BenchmarkRedactor(b *testing.B) {
	const total, full = 8 << 20, 128 << 10
	rnd := rand.New(rand.NewPCG(1, 2))
	coded := func(n int) string {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(rnd.Uint32())
		}
		return base64.RawStdEncoding.EncodeToString(p)[:n]
	}
	var values []string
	for range 200 {
		values = append(values, coded(20+rnd.IntN(31)))
	}
	fill := func(with string) string { return strings.Repeat(with, full/len(with)+1)[:full] }
	zeros, words := fill("\x00"), fill("ok  \tsome words of output, 123 of 4567\n")
	for _, bb := range []struct {
		name    string
		secrets int
		text    string
		piece   int
	}{
		{"zeros, 0 secrets", 0, zeros, full},
		{"zeros, 20 secrets", 20, zeros, full},
		{"zeros, 200 secrets", 200, zeros, full},
		{"words, 20 secrets", 20, words, full},
		{"words, 200 secrets", 200, words, full},
		{"base64, 20 secrets", 20, coded(full), full},
		{"base64, 200 secrets", 200, coded(full), full},
		{"zeros by 16, 20 secrets", 20, zeros, 16},
		{"words by 16, 0 secrets", 0, words, 16},
		{"words by 16, 20 secrets", 20, words, 16},
		{"words by 16, 200 secrets", 200, words, 16},
		{"base64 by 16, 200 secrets", 200, coded(full), 16},
		{"a secret a KiB", 20, fill(coded(1000) + values[0]), full},
		{"only secrets", 20, fill(strings.Join(values[:20], "")), full},
	} {
		b.Run(bb.name, func(b *testing.B) {
			r := Redactor{Secrets: NewSecrets(values[:bb.secrets])}
			p := []byte(bb.text)
			renew := func() {}
			if strings.Contains(bb.text, values[0]) {
				renew = func() { copy(p, bb.text) }
			}
			pass := func(f func(p []byte)) time.Duration {
				begin := time.Now()
				for range total / full {
					renew()
					for i := 0; i < full; i += bb.piece {
						f(p[i : i+bb.piece])
					}
				}
				return time.Since(begin)
			}
			var floor, ours []time.Duration
			for b.Loop() {
				floor = append(floor, pass(func(p []byte) {
					if bytes.IndexByte(p, 0xff) >= 0 {
						b.Fatal("it is there")
					}
				}))
				ours = append(ours, pass(func(p []byte) { r.Write(p) }))
			}
			slices.Sort(floor)
			slices.Sort(ours)
			f, o := float64(floor[len(floor)/4]), float64(ours[len(ours)/4])
			b.ReportMetric(o/f, "x-floor")
			b.ReportMetric(total/f, "floor-GB/s")
			b.ReportMetric(total/o, "ours-GB/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
