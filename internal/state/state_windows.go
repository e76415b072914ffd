package state

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// foreign says why the root or a directory in it cannot be used. Whose it is
// cannot be told from its mode here; a user's folders are the user's alone
// unless somebody has changed that.
func foreign(info fs.FileInfo) string {
	if !info.IsDir() {
		return "is not a directory"
	}
	return ""
}

// tryLock locks the directory at path by a file in it, without waiting.
func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	if err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped)); err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	return f, nil
}

// removeLocked removes a directory that tryLock has locked. An open file cannot
// be removed here, so the lock goes first; its owner does not come back for it.
func removeLocked(path string, lock *os.File) error {
	lock.Close()
	err := os.RemoveAll(path)
	if err == nil {
		return nil
	}
	// Not every file system has what RemoveAll uses, and nothing of ours is
	// deeper than this.
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		os.Remove(filepath.Join(path, e.Name()))
	}
	return os.Remove(path)
}
