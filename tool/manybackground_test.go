//go:build linux

package tool_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/tool"
)

// readSoFar is how many bytes this process has read from files and pipes.
func readSoFar(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip(err)
	}
	var n int
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Case 284: 200 commands in the background, one of which has printed a GiB: a check
// costs what is new and a fixed amount, and all end within one grace.
func TestCase284ManyInTheBackground(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	ctx := context.Background()
	size, n := 1<<30, 200
	if raceEnabled {
		size, n = 1<<26, 50
	}
	s := newShell(t, func(c *tool.Config) {
		c.MaxBackground = n
		c.KillGrace = 2 * time.Second
		c.SpillBytes, c.StateDir = tool.DefaultSpillBytes, t.TempDir()
	})
	before := leak.Descriptors(t)
	ids := []string{begin(t, ctx, s, fmt.Sprintf(`yes 0123456789abcde | head -c %d; echo; echo DONE; trap "" TERM; while :; do sleep 1; done`, size))}
	for len(ids) < n {
		ids = append(ids, begin(t, ctx, s, `trap "" TERM; echo on; while :; do sleep 10; done`))
	}
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(look(t, ctx, s, ids[0]), "\nDONE\n"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the output has no end")
		}
	}
	for _, id := range ids[1:] {
		until(t, "output", func() bool { return strings.Contains(look(t, ctx, s, id), "on\n") })
	}
	// By itself it costs nothing to look at /proc/self/io but that.
	first := readSoFar(t)
	own := readSoFar(t) - first
	for _, tt := range []struct {
		extra []any
		want  string
		most  int
	}{
		{nil, "\nDONE\n", 64 << 10},
		{[]any{"new_output_only", true}, "(no new output)\n[status: running]", 64 << 10},
	} {
		var mem, after runtime.MemStats
		runtime.ReadMemStats(&mem)
		read := readSoFar(t)
		text := look(t, ctx, s, ids[0], tt.extra...)
		read = readSoFar(t) - read - own
		runtime.ReadMemStats(&after)
		if !strings.Contains(text, tt.want) {
			t.Errorf("%v: %.100q", tt.extra, text)
		}
		allocated := after.TotalAlloc - mem.TotalAlloc
		t.Logf("%v: %d bytes read, %d allocated", tt.extra, read, allocated)
		if read > tt.most || allocated > 1<<20 {
			t.Errorf("%v: %d bytes read, %d allocated", tt.extra, read, allocated)
		}
	}
	since := time.Now()
	s.Close()
	if took := time.Since(since); took > 2*time.Second+time.Second && !raceEnabled {
		t.Logf("took %v", took) // a busy machine takes its time; bench it
		if took > 10*time.Second {
			t.Errorf("took %v", took)
		}
	}
	if after := leak.Descriptors(t); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
