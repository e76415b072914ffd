package tool

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/einoshell/einoshell/internal/output"
)

// persistents are the commands of a Shell whose handles were given out. The zero value has none.
type persistents struct {
	mu       sync.Mutex
	starting map[*Run]int
	list     []*persistent // the oldest first
}

// endedKept is how many commands that are gone can still be asked about.
const endedKept = 64

func (ps *persistents) reserve(r *Run, most int) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	n := ps.starting[r]
	for _, p := range ps.list {
		if p.run == r && !closed(p.job.Gone()) {
			n++
		}
	}
	if n >= most {
		return false
	}
	if ps.starting == nil {
		ps.starting = map[*Run]int{}
	}
	ps.starting[r]++
	return true
}

func (ps *persistents) release(r *Run) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.free(r)
}

func (ps *persistents) free(r *Run) {
	if ps.starting[r]--; ps.starting[r] == 0 {
		delete(ps.starting, r)
	}
}

// add puts a command in a place that was reserved.
func (ps *persistents) add(p *persistent) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.free(p.run)
	gone := 0
	for _, old := range ps.list {
		if closed(old.job.Gone()) {
			gone++
		}
	}
	ps.list = slices.DeleteFunc(ps.list, func(old *persistent) bool {
		if gone <= endedKept || !closed(old.job.Gone()) {
			return false
		}
		gone--
		old.job.Log.Close()
		return true
	})
	ps.list = append(ps.list, p)
}

// get returns the last command with a PID, when it is of the same user as r.
func (ps *persistents) get(r *Run, id string) *persistent {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, p := range slices.Backward(ps.list) {
		if strconv.Itoa(p.job.PID()) == id && p.run.user == r.user {
			return p
		}
	}
	return nil
}

// summaries says how the commands of the user of r stand, without output.
func (ps *persistents) summaries(r *Run) []*Result {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	var list []*Result
	for _, p := range ps.list {
		if p.run.user == r.user {
			sum := p.facts()
			sum.CommandID = strconv.Itoa(sum.PID)
			if info, err := p.job.Log.Stat(); err == nil {
				sum.StdoutBytes = info.Size()
			}
			list = append(list, sum)
		}
	}
	return list
}

// running names the commands of a Run that run.
func (ps *persistents) running(r *Run) string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	text := ""
	n := 0
	for _, p := range ps.list {
		if p.run != r || closed(p.job.Gone()) {
			continue
		}
		if n++; n > maxListed {
			return text + ", …"
		}
		if n > 1 {
			text += ", "
		}
		text += fmt.Sprintf("PID %d (%s)", p.job.PID(), output.Quote(p.command, 40))
	}
	return text
}

// close closes what is open for them, and ends none.
func (ps *persistents) close() {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, p := range ps.list {
		p.job.Log.Close()
	}
	ps.list = nil
}
