package leak

import (
	"runtime"
	"strings"
	"time"
)

// Lingering is a testing.M whose Run waits, for a bounded time, for goroutines that have something left to do
// when the tests are over: those in which Function is on the stack.
type Lingering struct {
	M        interface{ Run() int }
	Function string
}

// Run runs the tests.
func (l Lingering) Run() int {
	code := l.M.Run()
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), l.Function) {
			break
		}
	}
	return code
}
