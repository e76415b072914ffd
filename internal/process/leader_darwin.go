package process

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
	sigCont = syscall.SIGCONT
)

// A leader is the process a command was started as: the leader of a session
// and of a process group. It is reaped last. Until then its number cannot be
// given out again, so a signal to the group hits the group and nobody else.
type leader struct {
	proc *os.Process
	lost atomic.Bool // somebody else reaped it: its number may be another's
}

func newLeader() *leader                      { return &leader{} }
func (l *leader) attr() *syscall.SysProcAttr  { return &syscall.SysProcAttr{Setsid: true} }
func (l *leader) started(p *os.Process) error { l.proc = p; return nil }

// wait returns when the leader has exited, and does not reap it.
func (l *leader) wait() {
	for {
		code, _, err := l.waitid(0)
		if err != nil {
			l.lost.Store(true)
			return
		}
		if code >= exited && code <= dumped {
			return
		}
		time.Sleep(10 * time.Millisecond) // stopped: that is reported, too, though nobody asked
	}
}

// The values of si_code of a child that has ended (CLD_EXITED, CLD_KILLED and
// CLD_DUMPED).
const (
	exited = 1
	dumped = 3
)

// ours reports whether the leader's number is still the leader's. It is until
// the leader is reaped, which only a host program does before its turn that
// waits for all its children or ignores SIGCHLD.
func (l *leader) ours() bool {
	if l.lost.Load() {
		return false
	}
	if _, _, err := l.waitid(syscall.WNOHANG); errors.Is(err, syscall.ECHILD) {
		l.lost.Store(true)
	}
	return !l.lost.Load()
}

// ended returns how the leader ended, when wait has returned, and does not reap it.
func (l *leader) ended() (exit, bool) {
	code, status, err := l.waitid(syscall.WNOHANG)
	switch {
	case err != nil || code < exited || code > dumped:
		return exit{}, false
	case code == exited:
		return exit{code: int(status)}, true
	}
	return exit{signal: int(status)}, true
}

// waitid is waitid(2). It returns si_code and si_status.
func (l *leader) waitid(flags uintptr) (code, status int32, err error) {
	const byPID = 1    // P_PID
	var info [32]int32 // siginfo_t has 104 bytes; these are the third and the sixth int of it
	for {
		_, _, e := syscall.Syscall6(syscall.SYS_WAITID, byPID, uintptr(l.proc.Pid), uintptr(unsafe.Pointer(&info)),
			syscall.WEXITED|syscall.WNOWAIT|flags, 0, 0)
		if e == 0 {
			return info[2], info[5], nil
		}
		if e != syscall.EINTR {
			return 0, 0, e
		}
	}
}

// signal signals the group.
func (l *leader) signal(sig syscall.Signal) {
	if l.ours() {
		syscall.Kill(-l.proc.Pid, sig)
	}
}

// reap takes the exit status, when wait has returned.
func (l *leader) reap() (exit, bool) { return status(l.proc.Wait()) }

// beyond reports whether the leader has become another user's, whom nobody here
// may end.
func (l *leader) beyond() bool { return errors.Is(syscall.Kill(l.proc.Pid, 0), syscall.EPERM) }
