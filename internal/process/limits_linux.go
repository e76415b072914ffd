package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// LimitsSupported is nil where limits can be set on a process that is another's.
func LimitsSupported() error { return nil }

// FileSizeSignal is the number of the signal that ends what writes more to a file than it may.
const FileSizeSignal = int(unix.SIGXFSZ)

// Set sets the limits on a process, which hands them on to all that it starts. Those that
// this program has itself are never widened.
func (l Limits) Set(pid int) error {
	if !l.any() {
		return nil
	}
	most := func(resource int, n uint64) error {
		var own unix.Rlimit
		if err := unix.Getrlimit(resource, &own); err != nil {
			return os.NewSyscallError("getrlimit", err)
		}
		n = min(n, own.Max)
		return os.NewSyscallError("prlimit", unix.Prlimit(pid, resource, &unix.Rlimit{Cur: n, Max: n}, nil))
	}
	if err := most(unix.RLIMIT_FSIZE, uint64(l.FileSize)); err != nil {
		return err
	}
	// The signal at the limit makes its program dump core, which would be a file, too.
	return most(unix.RLIMIT_CORE, 0)
}
