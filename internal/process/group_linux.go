package process

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	term = unix.SIGTERM
	kill = unix.SIGKILL
	cont = unix.SIGCONT
)

// A group is the process group of a command. Where the kernel can (6.9), it is
// signalled through the pidfd of its leader, which cannot hit another group
// whose number was given out again.
type group struct {
	pid   int
	pidfd int // -1 where the kernel gives none
	file  *os.File
}

func newGroup() *group { return &group{pidfd: -1} }

func (g *group) attr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, PidFD: &g.pidfd}
}

func (g *group) started(p *os.Process) {
	g.pid = p.Pid
	if g.pidfd >= 0 && unix.SetNonblock(g.pidfd, true) == nil {
		g.file = os.NewFile(uintptr(g.pidfd), "pidfd")
	}
}

// wait waits for the leader and reaps it. With a pidfd it waits in the network
// poller: a blocked wait would cost an OS thread per command.
func (g *group) wait(p *os.Process) exit {
	if g.file != nil {
		if conn, err := g.file.SyscallConn(); err == nil {
			conn.Read(func(fd uintptr) bool {
				var info unix.Siginfo
				err := unix.Waitid(unix.P_PIDFD, int(fd), &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
				if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
					return false
				}
				return err != nil || info.Signo != 0
			})
		}
	}
	return reap(p)
}

// signal signals every process of the group and reports whether there is none
// left to signal.
func (g *group) signal(sig syscall.Signal) (empty bool) {
	err := error(unix.EINVAL)
	if g.pidfd >= 0 {
		err = unix.PidfdSendSignal(g.pidfd, sig, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP)
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		// An older kernel; or a seccomp profile that knows no pidfds.
		err = unix.Kill(-g.pid, sig)
	}
	return none(err)
}

// gone waits until no process of the group runs, at most until deadline.
func (g *group) gone(deadline time.Time) bool {
	return poll(deadline, func() bool { return g.signal(0) || !g.running() })
}

// running looks for a member that is not a zombie: where nobody reaps orphans
// (a container without an init) the dead stay in their group for ever.
func (g *group) running() bool {
	proc, err := os.Open("/proc")
	if err != nil {
		return true // cannot look: believe the signal
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return true
	}
	seen := false
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		seen = true
		// pid (name) state ppid pgrp …: the name may hold spaces and brackets.
		_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), " ")
		f := strings.Fields(rest)
		if len(f) > 2 && f[2] == strconv.Itoa(g.pid) && f[0] != "Z" && f[0] != "X" {
			return true
		}
	}
	return !seen
}

func (g *group) release() {
	if g.file != nil {
		g.file.Close()
	} else if g.pidfd >= 0 {
		unix.Close(g.pidfd)
	}
	g.pidfd = -1
}
