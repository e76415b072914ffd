package tool

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/einoshell/einoshell/internal/job"
)

// Of calls at the same time no more start a command than may.
func TestReserveIsExact(t *testing.T) {
	for range 2000 {
		var ps persistents
		r := &Run{}
		var started atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if ps.reserve(r, 1) {
					started.Add(1)
					ps.add(&persistent{run: r, job: &job.Supervised{}})
				}
			})
		}
		wg.Wait()
		if n := started.Load(); n != 1 {
			t.Fatalf("%d have started", n)
		}
	}
}
