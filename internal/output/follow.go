package output

import (
	"context"
	"os"
	"time"
)

// followPiece is how many bytes of a file are read at once.
const followPiece = 4 << 10

// Follow passes what is in f, from its beginning and as it grows, to sink, at most most bytes
// in all. It comes back when these have come, or when ctx is done and all that was in f at
// that moment has come, and returns how many bytes it passed on. A file that gets shorter than
// that has nothing more until it is longer again. What sink is given is its own only until it
// returns. The offset of f is neither used nor moved.
func Follow(ctx context.Context, f *os.File, most int64, sink func(p []byte)) (n int64) {
	return follower{watch: newWatch, least: 20 * time.Millisecond, most: time.Second}.follow(ctx, f, most, sink)
}

// A follower is how a file is followed.
type follower struct {
	// watch returns a file of which something can be read whenever a file has changed,
	// until a deadline. Where it cannot, the file is looked at again and again.
	watch func(f *os.File) (*os.File, error)
	// least is the time between two looks, twice as much each time that nothing came, up
	// to most.
	least, most time.Duration
}

func (o follower) follow(ctx context.Context, f *os.File, most int64, sink func(p []byte)) (n int64) {
	if most <= 0 {
		return 0
	}
	buf := make([]byte, followPiece)
	pass := func(end int64) bool { // a piece of what is before end; that none can be read is as if there were none
		p := buf[:max(0, min(int64(len(buf)), end-n))]
		got, _ := f.ReadAt(p, n)
		if got == 0 {
			return false
		}
		n += int64(got)
		sink(p[:got])
		return true
	}

	var changes *os.File
	watched := false
	if ctx.Err() == nil {
		var err error
		changes, err = o.watch(f) // before the first look, so that nothing is missed between them
		watched = err == nil
	}
	if watched {
		defer changes.Close()
		interrupted := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			changes.SetReadDeadline(time.Unix(1, 0))
			close(interrupted)
		})
		defer func() {
			if !stop() {
				<-interrupted
			}
		}()
	}
	told, wait := false, o.least
	for n < most && ctx.Err() == nil {
		switch {
		case pass(most):
			told, wait = false, o.least
		case watched && !told:
			_, err := changes.Read(buf)
			told, watched = true, err == nil
		default:
			// Told of a change that brought nothing, such as a write that was seen before, or
			// one over what is there: of those there may be any number.
			sleep(ctx, wait)
			told, wait = false, min(2*wait, o.most)
		}
	}
	if n < most {
		// Up to where it ends now: a writer that goes on cannot keep this busy.
		if info, err := f.Stat(); err == nil {
			for end := min(most, info.Size()); pass(end); {
			}
		}
	}
	return n
}

// sleep waits for d, or until ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
