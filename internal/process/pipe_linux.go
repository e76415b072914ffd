package process

import (
	"os"

	"golang.org/x/sys/unix"
)

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
