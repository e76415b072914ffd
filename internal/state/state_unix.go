//go:build unix

package state

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// removesOpen says that what is open can be removed.
const removesOpen = true

// foreign says why the root or a directory in it is not this user's alone to
// change, or nothing.
func foreign(info fs.FileInfo) string {
	switch owner := owner(info); {
	case !info.IsDir():
		return "is not a directory"
	case owner != os.Geteuid():
		return fmt.Sprintf("belongs to another user, %d", owner)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Sprintf("may be written by others (mode %04o)", info.Mode().Perm())
	}
	return ""
}

// foreignAbove says why somebody else can put something in the place of what is
// in a directory, or nothing. Who has its group is trusted: where each user has a
// group of his own, home directories are written by it.
func foreignAbove(info fs.FileInfo) string {
	switch owner := owner(info); {
	case owner != 0 && owner != os.Geteuid():
		return fmt.Sprintf("belongs to another user, %d", owner)
	case info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0:
		return fmt.Sprintf("may be written by everybody (mode %04o)", info.Mode().Perm())
	}
	return ""
}

func owner(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

func openLock(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
}
