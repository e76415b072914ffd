//go:build unix

package process

import (
	"os"
	"syscall"
)

// Supported is nil where this package can run commands.
func Supported() error { return nil }

// status reads how a process ended. It is not known when the host program
// reaped the child itself, with a Wait4(-1) loop or by ignoring SIGCHLD.
func status(st *os.ProcessState, err error) (exit, bool) {
	if err != nil {
		return exit{}, false
	}
	if ws := st.Sys().(syscall.WaitStatus); ws.Signaled() {
		return exit{signal: int(ws.Signal())}, true
	}
	return exit{code: st.ExitCode()}, true
}
