//go:build unix

package process

import (
	"errors"
	"os"
	"syscall"
)

// Supported is nil where this package can run commands.
func Supported() error { return nil }

// reap waits for p. It fails only when the host program reaped the child
// itself (a Wait4(-1) loop); how it ended is then lost.
func reap(p *os.Process) exit {
	st, err := p.Wait()
	if err != nil {
		return exit{code: -1}
	}
	if ws := st.Sys().(syscall.WaitStatus); ws.Signaled() {
		return exit{signal: int(ws.Signal())}
	}
	return exit{code: st.ExitCode()}
}

// none reads the answer of a signal to a group: nobody is there, or nobody
// whom we may signal (all that is left belongs to another user) and for whom
// waiting would therefore be in vain.
func none(err error) bool {
	return errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM)
}
