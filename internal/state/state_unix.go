//go:build unix

package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// foreign says why the root or a directory in it is not this user's alone to
// change, or nothing.
func foreign(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return "is not a directory"
	case ok && int(st.Uid) != os.Geteuid():
		return fmt.Sprintf("belongs to another user, %d", st.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Sprintf("may be written by others (mode %04o)", info.Mode().Perm())
	}
	return ""
}

// tryLock locks the directory at path, without waiting.
func tryLock(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	// It may have been removed between the two.
	locked, err := f.Stat()
	named, err2 := os.Lstat(path)
	if err := errors.Join(err, err2); err != nil || !os.SameFile(locked, named) {
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: fs.ErrNotExist}
	}
	return f, nil
}

// removeLocked removes a directory that tryLock has locked.
func removeLocked(path string, lock *os.File) error {
	defer lock.Close() // after: nobody else is to begin with it
	return os.RemoveAll(path)
}
