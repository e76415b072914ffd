//go:build unix

package output

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func unwatched(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }

// ways are those in which a file is followed; on some systems they are the same.
var ways = map[string]follower{
	"watched": {newWatch, 20 * time.Millisecond, time.Second},
	"polled":  {unwatched, 20 * time.Millisecond, time.Second},
}

// A following is a file that is followed.
type following struct {
	t    *testing.T
	name string
	w    *os.File // what is appended to it
	stop context.CancelFunc

	mu   sync.Mutex
	got  []byte
	n    int64
	done chan struct{}
}

// begin follows a file that has text.
func (o follower) begin(t *testing.T, text string, most int64) *following {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log")
	w, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &following{t: t, name: name, w: w, stop: stop, done: make(chan struct{})}
	l.append(text)
	go func() {
		defer close(l.done)
		l.n = o.follow(ctx, f, most, func(p []byte) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.got = append(l.got, p...)
			if len(p) == 0 || len(p) > followPiece {
				t.Errorf("a piece of %d bytes", len(p))
			}
		})
	}()
	t.Cleanup(func() {
		stop()
		<-l.done
		if offset, err := f.Seek(0, io.SeekCurrent); offset != 0 || err != nil {
			t.Errorf("the offset is %d, %v", offset, err)
		}
		f.Close()
		w.Close()
	})
	return l
}

func (l *following) append(text string) {
	l.t.Helper()
	if _, err := l.w.WriteString(text); err != nil {
		l.t.Fatal(err)
	}
}

func (l *following) have() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.got)
}

func (l *following) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.got)
}

// await waits until what was passed on is want.
func (l *following) await(want string) {
	l.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); l.have() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			l.t.Fatalf("got %.80q, want %.80q", l.have(), want)
		}
	}
}

// end waits until it has come back, having passed on want.
func (l *following) end(want string) {
	l.t.Helper()
	select {
	case <-l.done:
	case <-time.After(10 * time.Second):
		l.t.Fatal("does not come back")
	}
	if got := l.have(); got != want || l.n != int64(len(want)) {
		l.t.Errorf("%d bytes, %.80q; want %.80q", l.n, got, want)
	}
}

func TestFollow(t *testing.T) {
	long := strings.Repeat("0123456789\n", 2000)
	for _, tt := range []struct {
		name   string
		before string // what the file has
		most   int64
		do     func(l *following)
		want   string
	}{
		{"nothing", "", 100, func(l *following) { l.stop() }, ""},
		{"what is there", long, 1 << 20, func(l *following) { l.stop() }, long},
		{"it grows", "a", 100, func(l *following) {
			for _, want := range []string{"a", "ab", "abc"} {
				l.await(want)
				l.append(string(want[len(want)-1] + 1))
			}
			l.stop()
		}, "abcd"},
		{"written just before the end", "a", 1 << 20, func(l *following) {
			l.await("a")
			l.append(long)
			l.stop()
		}, "a" + long},
		{"most is there", long, 5000, func(*following) {}, long[:5000]},
		{"exactly most", "abc", 3, func(*following) {}, "abc"},
		{"most is reached later", "abc", 5, func(l *following) {
			l.await("abc")
			l.append("defg")
		}, "abcde"},
		{"none wanted", "abc", 0, func(*following) {}, ""},
		{"less than none", "abc", -1, func(*following) {}, ""},
		{"removed", "a", 100, func(l *following) {
			l.await("a")
			if err := os.Remove(l.name); err != nil {
				l.t.Fatal(err)
			}
			l.append("b")
			l.await("ab")
			l.stop()
		}, "ab"},
		{"renamed, and another in its place", "a", 100, func(l *following) {
			l.await("a")
			if err := os.Rename(l.name, l.name+".1"); err != nil {
				l.t.Fatal(err)
			}
			if err := os.WriteFile(l.name, []byte("another"), 0o600); err != nil {
				l.t.Fatal(err)
			}
			l.append("b")
			l.await("ab")
			l.stop()
		}, "ab"},
		{"truncated", "0123456789", 100, func(l *following) {
			l.await("0123456789")
			l.truncate()
			l.append("abcdefghij")
			time.Sleep(100 * time.Millisecond)
			l.append("klm")
			l.await("0123456789klm")
			l.truncate()
			l.stop()
		}, "0123456789klm"},
	} {
		for way, o := range ways {
			t.Run(tt.name+", "+way, func(t *testing.T) {
				l := o.begin(t, tt.before, tt.most)
				tt.do(l)
				l.end(tt.want)
			})
		}
	}
	goleak.VerifyNone(t)
}

func (l *following) truncate() {
	l.t.Helper()
	if err := l.w.Truncate(0); err != nil {
		l.t.Fatal(err)
	}
}

// Whatever the moment in which it begins and ends, all that was written before the end comes.
func TestFollowMissesNothing(t *testing.T) {
	for way, o := range ways {
		t.Run(way, func(t *testing.T) {
			for i := range 20 {
				l := o.begin(t, "", 1<<20)
				var want strings.Builder
				for j := range i * 8 {
					line := strings.Repeat("x", j) + "\n"
					want.WriteString(line)
					l.append(line)
				}
				l.stop()
				l.end(want.String())
			}
		})
	}
	goleak.VerifyNone(t)
}

func TestFollowEndsBeforeItBegins(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("abc")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var got bytes.Buffer
	if n := Follow(ctx, f, 100, func(p []byte) { got.Write(p) }); n != 3 || got.String() != "abc" {
		t.Errorf("%d, %q", n, got.String())
	}
	f.Close()
	if n := Follow(ctx, f, 100, func(p []byte) { got.Write(p) }); n != 0 {
		t.Errorf("closed: %d", n)
	}
	goleak.VerifyNone(t)
}

// A command that writes as fast as it can keeps nobody longer than it takes to read what is
// wanted, or what was there at the end.
func TestFollowFlood(t *testing.T) {
	for way, o := range ways {
		for _, tt := range []struct {
			name string
			most int64
			want int64 // at least
		}{{"all that is wanted", 1 << 20, 1 << 20}, {"until the end", 1 << 40, 1}} {
			t.Run(tt.name+", "+way, func(t *testing.T) {
				l := o.begin(t, "", tt.most)
				cmd := exec.Command("sh", "-c", "ulimit -f 65536; exec yes") // at most 64 MiB
				cmd.Stdout = l.w
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				defer func() {
					cmd.Process.Kill()
					cmd.Wait()
				}()
				if tt.most > 1<<20 {
					for begin := time.Now(); l.size() == 0 && time.Since(begin) < 5*time.Second; {
						time.Sleep(time.Millisecond)
					}
					l.stop()
				}
				select {
				case <-l.done:
				case <-time.After(10 * time.Second):
					t.Fatal("does not come back")
				}
				if l.n < tt.want || l.n > tt.most || int64(len(l.have())) != l.n {
					t.Errorf("%d bytes, %d passed on", l.n, len(l.have()))
				}
				if s := l.have(); strings.Trim(s, "y\n") != "" {
					t.Error("not what was written")
				}
			})
		}
	}
	goleak.VerifyNone(t)
}

// Any number of changes that bring nothing cost little.
func TestFollowIsToldOfNothing(t *testing.T) {
	var told atomic.Int64
	var writer sync.WaitGroup
	defer writer.Wait()
	o := follower{least: 20 * time.Millisecond, most: time.Second, watch: func(*os.File) (*os.File, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		writer.Go(func() {
			defer w.Close()
			for {
				if _, err := w.Write(make([]byte, followPiece)); err != nil {
					return
				}
				told.Add(1)
			}
		})
		return r, nil
	}}
	l := o.begin(t, "a", 100)
	l.await("a")
	time.Sleep(200 * time.Millisecond)
	if n := told.Load(); n > 100 {
		t.Errorf("read what it was told %d times", n)
	}
	l.append("b")
	l.await("ab")
	l.stop()
	l.end("ab")
}

// What tells of changes may stop to do so.
func TestFollowIsToldNoMore(t *testing.T) {
	o := follower{least: 20 * time.Millisecond, most: time.Second, watch: func(*os.File) (*os.File, error) {
		r, w, err := os.Pipe()
		if err == nil {
			w.Close()
		}
		return r, err
	}}
	l := o.begin(t, "a", 100)
	l.await("a")
	l.append("b")
	l.await("ab")
	l.stop()
	l.end("ab")
}
