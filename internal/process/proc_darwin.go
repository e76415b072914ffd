package process

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A stat is what the kernel says of a process.
type stat struct {
	pid, ppid, pgrp, session int
	uid                      uint32
	zombie                   bool
	start                    uint64 // in microseconds: with pid it names a process for ever
}

// runs reports whether the process has not ended.
func (s stat) runs() bool { return !s.zombie }

// signal signals the process s, unless another has its number. There is no
// handle of a process to hold on to here; numbers are given out in turn, so the
// moment between the two is not one in which all others are.
func (s stat) signal(sig syscall.Signal) error {
	if now, ok := readStat(s.pid); !ok || now.start != s.start {
		return unix.ESRCH
	}
	return unix.Kill(s.pid, sig)
}

// pidTime is the least time it takes to give out a process id, on average.
const pidTime = 4 * time.Microsecond

// maxPID is the number that process ids stay below (PID_MAX in XNU).
func maxPID() int { return 99999 }

// lastPID would be the process id that was given out last: nobody tells here.
func lastPID() (int, bool) { return 0, false }

// procIsOurs tells whether the table of processes shows the numbers this process
// knows: always.
func procIsOurs() bool { return true }

func statOf(k *unix.KinfoProc) stat {
	const zombie = 5 // SZOMB
	s := stat{
		pid: int(k.Proc.P_pid), ppid: int(k.Eproc.Ppid), pgrp: int(k.Eproc.Pgid),
		uid: k.Eproc.Ucred.Uid, zombie: k.Proc.P_stat == zombie,
		start: uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec),
	}
	s.session, _ = unix.Getsid(s.pid)
	return s
}

func readStat(pid int) (stat, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return stat{}, false
	}
	return statOf(k), true
}

// environ returns the environment a process was started with, empty when nobody
// may read it: that of other users, and of the programs that come with the system.
// It is not decided while the process is being replaced by another program.
func (s stat) environ() (env []byte, decided bool) {
	raw, err := unix.SysctlRaw("kern.procargs2", s.pid)
	if err != nil {
		readable := os.Geteuid() == 0 || uint32(os.Geteuid()) == s.uid
		return nil, !readable || !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EIO)
	}
	env, _ = parseArgs(raw)
	return env, true
}

// parseArgs returns the environment in what kern.procargs2 tells: the number of
// arguments, the path of the program, NULs, the arguments, the environment, each
// with a NUL behind it.
func parseArgs(raw []byte) ([]byte, error) {
	if len(raw) < 4 {
		return nil, errors.New("too short")
	}
	n := int(binary.NativeEndian.Uint32(raw))
	_, rest, ok := bytes.Cut(raw[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for ; n > 0 && ok; n-- {
		_, rest, ok = bytes.Cut(rest, []byte{0})
	}
	if !ok {
		return nil, errors.New("no environment")
	}
	return rest, nil
}
