//go:build unix

package process

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// drain passes on what the pipe holds at this moment: all that the command
// wrote before it exited is among it. The count is taken once, so a writer
// that goes on writing cannot keep it busy.
func drain(pipe *os.File, buf []byte, sink Sink) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	// Control, not Read: Read would see the deadline that brought us here.
	conn.Control(func(fd uintptr) {
		left, err := unix.IoctlGetInt(int(fd), fionread)
		if err != nil {
			return
		}
		for left > 0 {
			n, err := unix.Read(int(fd), buf[:min(left, len(buf))])
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err != nil || n <= 0 {
				return
			}
			sink(buf[:n])
			left -= n
		}
	})
}
