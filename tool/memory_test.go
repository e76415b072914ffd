//go:build unix

package tool_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// However much a command prints, in whatever way it ends, the host's memory
// grows by a fixed amount, and nothing of the command is left. Each runs in a
// process of its own, whose peak counts. (Case 276, C9, D9, D10, W-27.)
func TestMemoryIsBounded(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc to read the resident size from")
	}
	const most = 8 << 10 // KiB
	for _, tt := range []struct {
		command, timeout string
		bytes            int64 // at least so many on standard output
		begins, ends     string
	}{
		{"yes", "2s", 100 << 20, "[... output truncated, showing last 49", "y\n\n[Command timed out after 2.0s]"},
		{"head -c 2G /dev/zero", "60s", 2 << 30, "[... output truncated, showing last 49", "␀"},
		{"yes >&2", "2s", 0, "[... output truncated, showing last 49", "y\n\n[Command timed out after 2.0s]"},
		{"yes & sleep 1; echo done", "60s", 100 << 20, "[... output truncated", ""},
		{"head -c 1M /dev/zero >&2; echo hi", "60s", 3, "[... output truncated", "␀"},
		{"sleep 100 & echo hi", "60s", 3, "[stdout]\nhi\n…", "[stdout]\nhi\n"},
		{"echo partial; sleep 60", "1s", 8, "[stdout]\npartial\n\n[Command timed", "timed out after 1.0s]"},
		{"echo partial; sleep 60 # cancel", "60s", 8, "[stdout]\npartial\n\n[Command canc", "s]"},
	} {
		t.Run(tt.command, func(t *testing.T) {
			if raceEnabled && tt.bytes > 1<<30 {
				t.Skip("the race detector looks at every byte")
			}
			if testing.Short() && tt.command != "yes" && (strings.Contains(tt.command, "yes") || tt.bytes > 1<<30) {
				t.Skip("one of its kind must do")
			}
			if tt.bytes < 1<<20 && !strings.Contains(tt.command, "yes") {
				t.Parallel() // it waits
			}
			cmd := exec.Command(os.Args[0])
			state := t.TempDir()
			cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER=memory", "EINOSHELL_TEST_STATE="+state, "EINOSHELL_TEST_COMMAND="+tt.command, "EINOSHELL_TEST_TIMEOUT="+tt.timeout)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			_, rest, _ := strings.Cut(string(out), "\n") // the result of true
			var kib, ms int
			var bytes int64
			var runs bool
			if _, err := fmt.Sscan(rest, &kib, &ms, &bytes, &runs); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("grew by %d KiB in %d ms for %d MiB", kib, ms, bytes>>20)
			if kib > most && !raceEnabled {
				t.Errorf("grew by %d KiB, at most %d", kib, most)
			}
			if bytes < tt.bytes && !raceEnabled {
				t.Errorf("only %d bytes read", bytes)
			}
			if runs {
				t.Error("something of the group is left")
			}
			if ms > 40_000 {
				t.Errorf("took %d ms", ms)
			}
			_, text, _ := strings.Cut(rest, "\n")
			if left, err := os.ReadDir(state); err != nil || len(left) != 0 {
				t.Errorf("%v, files are left: %v", err, left)
			}
			if !strings.HasPrefix(text, tt.begins) || !strings.HasSuffix(text, tt.ends) {
				t.Errorf("%q", text)
			}
		})
	}
}
