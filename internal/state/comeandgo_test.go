package state

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// What has an owner stays, and what has none goes, also while many come and go.
func TestComeAndGo(t *testing.T) {
	// Not t.TempDir: Wine lacks what that is removed with.
	root, err := os.MkdirTemp("", "einoshell-test")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(root)
	r, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	mine, err := r.NewDir()
	if err != nil {
		t.Fatal(err)
	}
	f, err := mine.Create()
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				r, err := Open(root)
				if err != nil {
					t.Error(err)
					return
				}
				d, err := r.NewDir()
				if err != nil {
					t.Error(err)
					return
				}
				f, err := d.Create()
				if err != nil {
					t.Error(err)
					return
				}
				f.Close()
				if err := d.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if _, err := os.Stat(f.Name()); err != nil {
		t.Errorf("the owner's file: %v", err)
	}
	if err := mine.Remove(); err != nil {
		t.Error(err)
	}
	left := filepath.Join(root, "run-0123456789abcdef")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("it was not swept")
	}
	if left, _ := os.ReadDir(root); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
