// Package leak helps tests to see what commands leave behind. Only tests
// import it.
package leak

import (
	"os"
	"time"
)

// Size is the size of a file, and zero when there is none.
func Size(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Beats reports whether a file grows within a time. A process that beats into
// one is gone when it does not, whatever its number says.
func Beats(name string, within time.Duration) bool {
	before := Size(name)
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if Size(name) > before {
			return true
		}
	}
	return false
}
