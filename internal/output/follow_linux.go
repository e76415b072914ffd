package output

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// newWatch has inotify tell of what is written to f. There may be none to be had: a user has
// 128 of them, unless the system says otherwise.
func newWatch(f *os.File) (*os.File, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	w := os.NewFile(uintptr(fd), "inotify")
	err = addWatch(fd, f)
	if err == nil {
		err = w.SetReadDeadline(time.Time{}) // which fails where the poller does not have it
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// addWatch names f by its descriptor: its path may be that of another file by now, or of none.
func addWatch(inotify int, f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		path := "/proc/self/fd/" + strconv.FormatUint(uint64(fd), 10)
		_, failed = unix.InotifyAddWatch(inotify, path, unix.IN_MODIFY)
	})
	if err != nil {
		return err
	}
	return os.NewSyscallError("inotify_add_watch", failed)
}
