package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// newPipe returns a pipe that no command inherits but by its second end.
//
// Package os would have the poller watch that end as well, which it does not need, and
// then undo it.
func newPipe() (r, w *os.File, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	if _, err := unix.FcntlInt(uintptr(p[0]), unix.F_SETFL, unix.O_NONBLOCK); err != nil {
		unix.Close(p[0])
		unix.Close(p[1])
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(p[0]), "|0"), os.NewFile(uintptr(p[1]), "|1"), nil
}

// openNull opens the null device, which the poller would refuse.
func openNull() (*os.File, error) {
	fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: os.DevNull, Err: err}
	}
	return os.NewFile(uintptr(fd), os.DevNull), nil
}

const fionread = unix.TIOCINQ // the name Linux gives FIONREAD

// pipeSize is what the pipe of a chatty command is grown to: with 128 KiB
// reads it moves about twice as much as the default 64 KiB. Not from the
// start, and not larger: the pipes of one user share a budget.
const pipeSize = 256 << 10

// growPipe enlarges the pipe if the system lets it; if not, it stays as it is.
func growPipe(pipe *os.File) {
	if conn, err := pipe.SyscallConn(); err == nil {
		conn.Control(func(fd uintptr) {
			unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
		})
	}
}
