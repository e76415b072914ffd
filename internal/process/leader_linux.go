package process

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	sigTerm = unix.SIGTERM
	sigKill = unix.SIGKILL
	sigCont = unix.SIGCONT
)

// A leader is the process a command was started as: the leader of a session
// and of a process group. It is reaped last. Until then its number cannot be
// given out again, so a signal to the group hits the group and nobody else.
type leader struct {
	proc  *os.Process
	pidfd int         // -1 where the kernel gives none
	file  *os.File    // pidfd in the network poller
	lost  atomic.Bool // somebody else reaped it: its number may be another's
}

func newLeader() *leader { return &leader{pidfd: -1} }

func (l *leader) attr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, PidFD: &l.pidfd}
}

func (l *leader) started(p *os.Process) error {
	l.proc = p
	if l.pidfd >= 0 && unix.SetNonblock(l.pidfd, true) == nil {
		l.file = os.NewFile(uintptr(l.pidfd), "pidfd")
	}
	return nil
}

// wait returns when the leader has exited, and does not reap it. With a pidfd
// it waits in the network poller: a blocked wait costs an OS thread.
func (l *leader) wait() {
	var err error
	look := func(kind, id, flags int) bool {
		var info unix.Siginfo
		err = unix.Waitid(kind, id, &info, unix.WEXITED|unix.WNOWAIT|flags, nil)
		again := errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR)
		return !again && (err != nil || info.Signo != 0)
	}
	if l.file != nil {
		if conn, failed := l.file.SyscallConn(); failed == nil {
			failed = conn.Read(func(fd uintptr) bool { return look(unix.P_PIDFD, int(fd), unix.WNOHANG) })
			if failed == nil && (err == nil || errors.Is(err, unix.ECHILD)) {
				l.lost.Store(err != nil)
				return
			}
		}
	}
	// No pidfd, or a kernel that cannot wait for one (Linux 5.2 and 5.3).
	for !look(unix.P_PID, l.proc.Pid, 0) {
	}
	l.lost.Store(err != nil)
}

// ours reports whether the leader's number is still the leader's. It is until
// the leader is reaped, which only a host program does before its turn that
// waits for all its children or ignores SIGCHLD.
func (l *leader) ours() bool {
	if l.lost.Load() {
		return false
	}
	const flags = unix.WEXITED | unix.WNOWAIT | unix.WNOHANG
	err := unix.Waitid(unix.P_PIDFD, l.pidfd, nil, flags, nil)
	if l.pidfd < 0 || errors.Is(err, unix.EINVAL) {
		err = unix.Waitid(unix.P_PID, l.proc.Pid, nil, flags, nil)
	}
	if errors.Is(err, unix.ECHILD) {
		l.lost.Store(true)
		return false
	}
	return true
}

// signal signals the group.
func (l *leader) signal(sig syscall.Signal) {
	if l.ours() {
		unix.Kill(-l.proc.Pid, sig)
	} else if l.pidfd >= 0 {
		unix.PidfdSendSignal(l.pidfd, sig, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP) // Linux 6.9
	}
}

// ended returns how the leader ended, when wait has returned, and does not reap it.
func (l *leader) ended() (exit, bool) {
	// siginfo_t as waitid(2) fills it in; what follows its three first numbers is
	// aligned like a pointer.
	var info unix.Siginfo
	if l.lost.Load() || unix.Waitid(unix.P_PID, l.proc.Pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil) != nil || info.Signo == 0 {
		return exit{}, false
	}
	child := (*struct {
		_      [3]int32
		_      [0]uintptr
		_      int32 // pid
		_      uint32
		status int32
	})(unsafe.Pointer(&info))
	const exited = 1 // CLD_EXITED
	if info.Code == exited {
		return exit{code: int(child.status)}, true
	}
	return exit{signal: int(child.status)}, true
}

// reap takes the exit status, when wait has returned, and closes the pidfd.
func (l *leader) reap() (exit, bool) {
	if l.file != nil {
		defer l.file.Close()
	} else if l.pidfd >= 0 {
		defer unix.Close(l.pidfd)
	}
	return status(l.proc.Wait())
}

// beyond reports whether the leader has become another user's, whom nobody here
// may end.
func (l *leader) beyond() bool { return errors.Is(unix.Kill(l.proc.Pid, 0), unix.EPERM) }
