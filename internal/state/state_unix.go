//go:build unix

package state

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
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

// own reports whether a directory is this user's, whoever may write to it.
func own(info fs.FileInfo) bool { return info.IsDir() && owner(info) == os.Geteuid() }

// foreignAbove says why somebody else can put something in the place of what is
// in a directory, or nothing. Who has its group is trusted: where each user has a
// group of his own, home directories are written by it.
func foreignAbove(info fs.FileInfo) string {
	switch owner := owner(info); {
	case owner != 0 && owner != os.Geteuid() && !unmapped(owner):
		return fmt.Sprintf("belongs to another user, %d", owner)
	case info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0:
		return fmt.Sprintf("may be written by everybody (mode %04o)", info.Mode().Perm())
	}
	return ""
}

// unmapped reports whether an owner stands for all who have no number in this
// user namespace, root among them: in a sandbox nobody can tell whose / is.
func unmapped(owner int) bool {
	text, err := os.ReadFile("/proc/sys/kernel/overflowuid")
	if err != nil || strings.TrimSpace(string(text)) != strconv.Itoa(owner) {
		return false
	}
	text, err = os.ReadFile("/proc/self/uid_map")
	f := strings.Fields(string(text))
	return err == nil && len(f) >= 3 && f[0] != "0"
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
