// Package job keeps the background commands of a Run.
package job

import (
	"slices"
	"sync"
)

// A Registry holds a bounded number of jobs by id: those that run, of which there are
// at most so many as Reserve is told, and the last that have ended. The zero Registry is
// empty and ready to use. It is safe for concurrent use.
type Registry[T any] struct {
	mu       sync.Mutex
	reserved int
	entries  []entry[T] // in the order in which they were started
}

type entry[T any] struct {
	id    string
	job   T
	ended bool
}

// kept is how many jobs that have ended can still be found: more than anybody looks at
// again, and what they hold of their output stays small.
const kept = 64

// Reserve takes a place among the running jobs unless most are taken. A place that was
// taken is used by Add or given back by Release.
func (r *Registry[T]) Reserve(most int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	running := r.reserved
	for _, e := range r.entries {
		if !e.ended {
			running++
		}
	}
	if running >= most {
		return false
	}
	r.reserved++
	return true
}

// Release gives a place back.
func (r *Registry[T]) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reserved--
}

// Add puts a running job in a place that was reserved.
func (r *Registry[T]) Add(id string, job T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reserved--
	r.entries = append(r.entries, entry[T]{id: id, job: job})
}

// Ended says that a job has ended: its place is free, and it can still be found until
// many others have ended, too.
func (r *Registry[T]) Ended(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ended := 0
	for i := range r.entries {
		if r.entries[i].id == id {
			r.entries[i].ended = true
		}
		if r.entries[i].ended {
			ended++
		}
	}
	r.entries = slices.DeleteFunc(r.entries, func(e entry[T]) bool {
		if !e.ended || ended <= kept {
			return false
		}
		ended--
		return true
	})
}

// Get returns a job.
func (r *Registry[T]) Get(id string) (job T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e.id == id {
			return e.job, true
		}
	}
	return job, false
}

// Remove forgets a job. It is fine when it was forgotten before.
func (r *Registry[T]) Remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = slices.DeleteFunc(r.entries, func(e entry[T]) bool { return e.id == id })
}

// List returns all jobs in the order in which they were started.
func (r *Registry[T]) List() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]T, len(r.entries))
	for i, e := range r.entries {
		list[i] = e.job
	}
	return list
}
