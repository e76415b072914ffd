package output

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// needWatch skips a test where the user has all the watches there are for one.
func needWatch(t *testing.T) {
	t.Helper()
	w, err := newWatch(logFile(t, ""))
	if err != nil {
		t.Skip(err)
	}
	w.Close()
}

// What is written after a silence comes by itself: nobody looks for an hour.
func TestFollowIsPushed(t *testing.T) {
	needWatch(t)
	silence := 3 * time.Second
	if testing.Short() {
		silence = 200 * time.Millisecond
	}
	for _, removed := range []string{"never", "before it is watched", "while it is watched"} {
		t.Run("removed "+removed, func(t *testing.T) {
			t.Parallel()
			o := follower{least: time.Hour, most: time.Hour, watch: func(f *os.File) (*os.File, error) {
				if removed == "before it is watched" {
					if err := os.Remove(f.Name()); err != nil {
						t.Error(err)
					}
				}
				return newWatch(f)
			}}
			l := o.begin(t, "a", 100)
			l.await("a")
			if removed == "while it is watched" {
				if err := os.Remove(l.name); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(silence)
			begin := time.Now()
			l.append("b")
			l.await("ab")
			t.Logf("came after %v", time.Since(begin))
			begin = time.Now()
			l.stop() // and so does the end
			l.end("ab")
			t.Logf("ended after %v", time.Since(begin))
		})
	}
}

// What is written just before the watch or just behind it is not missed.
func TestFollowWatchesFirst(t *testing.T) {
	needWatch(t)
	for _, before := range []bool{true, false} {
		ready, written := make(chan struct{}), make(chan struct{})
		o := follower{least: time.Hour, most: time.Hour, watch: func(f *os.File) (*os.File, error) {
			if before {
				close(ready)
				<-written
			}
			w, err := newWatch(f)
			if !before {
				close(ready)
				<-written
			}
			return w, err
		}}
		l := o.begin(t, "a", 100)
		<-ready
		l.append("b")
		close(written)
		l.await("ab")
	}
}

// Nothing is left open, and no command gets what was.
func TestFollowLeavesNothingOpen(t *testing.T) {
	count := func() int {
		d, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(d)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("abc")
	w, err := newWatch(f) // the poller has descriptors of its own by then
	if err != nil {
		t.Skip(err)
	}
	conn, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	conn.Control(func(fd uintptr) {
		if flags, err := unix.FcntlInt(fd, unix.F_GETFD, 0); flags&unix.FD_CLOEXEC == 0 || err != nil {
			t.Errorf("inherited: %#x, %v", flags, err)
		}
	})
	w.Close()
	before := count()
	for range 10 {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		if n := Follow(ctx, f, 100, func([]byte) {}); n != 3 {
			t.Errorf("%d bytes", n)
		}
		cancel()
	}
	r, p, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	p.Close()
	if w, err := newWatch(r); err == nil {
		w.Close()
		t.Error("what is closed is watched")
	}
	if after := count(); after != before {
		t.Errorf("%d descriptors before, %d behind", before, after)
	}
}
