package tool

import (
	"slices"
	"time"
)

// maxParked is how many Runs of a Shell wait at a time. They may hold commands and files, and most
// that are interrupted are resumed soon or never.
const maxParked = 64

// goneSince is what a model is told of the commands of a Run that goes on with one that is gone.
const goneSince = "the session was interrupted, and what ran in the background before that is gone"

// parked are the Runs of a Shell that wait to be gone on with, the longest waiting first. Shell.mu guards it.
type parked []waiting

type waiting struct {
	*Run
	timer *time.Timer
}

// Park sets the Run aside, for an agent run that is interrupted and may be resumed: its commands in the
// background go on, and it outlives the context that it was made with, until NewRun is called with its ID and User. When
// that does not come within Config.ParkTTL, or too many others wait (64), or another of the same ID and User does, it is closed. A Run that is closed
// stays closed, and the time of one that waits already begins anew. Package adapter parks the Runs that it opens.
func (r *Run) Park() {
	r.mu.Lock()
	closed, forget := r.closed, r.forget
	r.mu.Unlock()
	s := r.shell
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.parked, func(w waiting) bool { return w.Run == r }); i >= 0 {
		if timer := s.parked[i].timer; timer.Stop() {
			timer.Reset(s.c.ParkTTL)
		}
		return
	}
	if closed || s.closed || forget == nil || !forget() { // closed, being closed with the others, or as its context is done
		return
	}
	evict := func(i int) {
		old := s.parked[i]
		s.parked = slices.Delete(s.parked, i, i+1)
		old.timer.Stop()
		go old.Close()
	}
	if i := s.parked.index(r.id, r.user); i >= 0 {
		evict(i)
	}
	if len(s.parked) == maxParked {
		evict(0)
	}
	s.parked = append(s.parked, waiting{r, time.AfterFunc(s.c.ParkTTL, func() { r.Close() })})
}

func (p parked) index(id, user string) int {
	return slices.IndexFunc(p, func(w waiting) bool { return w.id == id && w.user == user })
}

func (p *parked) remove(r *Run) {
	*p = slices.DeleteFunc(*p, func(w waiting) bool {
		if w.Run == r {
			w.timer.Stop()
		}
		return w.Run == r
	})
}

// unpark returns the Run that waits for o, if one does.
func (s *Shell) unpark(o RunOptions) *Run {
	if o.ID == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.parked.index(o.ID, o.User)
	if i < 0 || !s.parked[i].timer.Stop() { // its time is up
		return nil
	}
	r := s.parked[i].Run
	s.parked = slices.Delete(s.parked, i, i+1)
	r.off.Store(o.AllowShell != nil && !*o.AllowShell)
	return r
}

// Parked reports whether a Run with this ID and User waits after Park.
func (s *Shell) Parked(id, user string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parked.index(id, user) >= 0
}
