package job

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRegistry(t *testing.T) {
	var r Registry[int]
	add := func(n int) {
		t.Helper()
		if !r.Reserve(3) {
			t.Fatalf("no place for %d", n)
		}
		r.Add(fmt.Sprint(n), n)
	}
	for n := range 3 {
		add(n)
	}
	if r.Reserve(3) {
		t.Error("a place too many")
	}
	r.Ended("1")
	if !r.Reserve(3) {
		t.Error("no place though one has ended")
	}
	if r.Reserve(3) {
		t.Error("a place too many while one is reserved")
	}
	r.Release()
	add(3)
	if diff := cmp.Diff([]int{0, 1, 2, 3}, r.List()); diff != "" {
		t.Error(diff)
	}
	r.Remove("1")
	r.Remove("1")
	if _, ok := r.Get("1"); ok {
		t.Error("1 is still there")
	}
	if n, ok := r.Get("2"); !ok || n != 2 {
		t.Error("2 is gone")
	}
	if _, ok := r.Get(""); ok {
		t.Error("there is one without a name")
	}
}

// H12: of those that have ended the oldest go, and never one that runs.
func TestH12OnlyEndedOnesGo(t *testing.T) {
	var r Registry[int]
	for n := range 3 * kept {
		if !r.Reserve(kept) {
			t.Fatal(n)
		}
		r.Add(fmt.Sprint(n), n)
		if n%4 != 0 {
			r.Ended(fmt.Sprint(n))
		}
	}
	ended := 0
	for n := range 3 * kept {
		_, ok := r.Get(fmt.Sprint(n))
		if n%4 == 0 && !ok {
			t.Errorf("%d runs and is gone", n)
		}
		if n%4 != 0 && ok {
			ended++
		}
	}
	if ended != kept {
		t.Errorf("%d that have ended, want %d", ended, kept)
	}
	if _, ok := r.Get("1"); ok {
		t.Error("the oldest is still there")
	}
}

func TestRegistryIsSafe(t *testing.T) {
	var r Registry[int]
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 100 {
				id := fmt.Sprint(n, i)
				if !r.Reserve(4) {
					continue
				}
				r.Add(id, i)
				r.List()
				r.Ended(id)
				r.Remove(id)
			}
		})
	}
	wg.Wait()
	if len(r.List()) != 0 || !r.Reserve(1) {
		t.Error("something is left")
	}
}
