//go:build unix && !aix && !solaris

package state

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks a file, without waiting.
func lockFile(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
