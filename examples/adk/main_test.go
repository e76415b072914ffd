package main

import (
	"strings"
	"testing"

	"github.com/einoshell/einoshell/examples/internal/demo/demotest"
)

// The whole story, as go run tells it; what the commands do comes in the stream of the agent.
func TestStory(t *testing.T) {
	demotest.Need(t, "go", "find", "grep", "sed", "sort", "cat")
	shown := demotest.Tell(t, example, "")
	for _, part := range []string{"Total(250, 4) = 254, want 1000", "└ exit code 1 in ", "│ ok  \tshop"} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in\n%s", part, shown)
		}
	}
	if !strings.HasSuffix(shown, "\nagent: All tests pass now.\n") {
		t.Errorf("%s", shown)
	}
}

// An interrupt in the middle ends the agent and its command.
func TestInterrupt(t *testing.T) {
	demotest.Need(t, "go", "find", "grep", "sed", "sort", "cat")
	demotest.Interrupt(t, example, "", "$ go test")
}
