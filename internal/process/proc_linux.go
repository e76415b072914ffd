package process

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A stat is what /proc says of a process.
type stat struct {
	pid, ppid, pgrp, session int
	state                    byte
	threads                  int
	kernel                   bool   // a thread of the kernel
	start                    uint64 // in ticks since boot: with pid it names a process for ever
}

// runs reports whether the process has not ended. A process whose main thread
// has looks like a zombie while other threads go on.
func (s stat) runs() bool { return s.state != 'X' && (s.state != 'Z' || s.threads > 1) }

// signal signals the process s and no other: once a pidfd is open its number
// cannot be given out again, so what has the right start time then is s.
func (s stat) signal(sig syscall.Signal) error {
	fd, err := unix.PidfdOpen(s.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if now, ok := readStat(s.pid); !ok || now.start != s.start {
		return unix.ESRCH
	}
	if err == nil {
		err = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) && unix.Kill(s.pid, 0) == nil {
		// Before Linux 5.3, and where a filter of system calls does not know them.
		// Numbers are given out in turn, so this one was not in this moment.
		return unix.Kill(s.pid, sig)
	}
	return err
}

// pidTime is the least time it takes to give out a process id, on average over
// many: a fork with all that belongs to it takes tens of microseconds, and not
// every processor does nothing else.
const pidTime = 4 * time.Microsecond

// pids returns the ids of all processes.
func pids() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	list := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// maxPID is the number that process ids stay below, now: it can be raised. Zero
// when it cannot be read.
func maxPID() int {
	text, err := os.ReadFile("/proc/sys/kernel/pid_max")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return n
}

// lastPID is the process id that was given out last, unless it cannot be read.
func lastPID() (int, bool) {
	if !procIsOurs() {
		return 0, false
	}
	// Not by package os: this is read for each command, most of which need no more.
	fd, err := unix.Open("/proc/loadavg", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, false
	}
	defer unix.Close(fd)
	// Where it is a file of lxcfs, the number is another namespace's.
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) != nil || fs.Type != unix.PROC_SUPER_MAGIC {
		return 0, false
	}
	var buf [128]byte
	n, err := unix.Read(fd, buf[:])
	if err != nil {
		return 0, false
	}
	text := buf[:n]
	f := strings.Fields(string(text))
	if len(f) != 5 {
		return 0, false
	}
	pid, err := strconv.Atoi(f[4])
	return pid, err == nil && pid > 0
}

// procIsOurs tells whether /proc shows the numbers this process knows.
var procIsOurs = sync.OnceValue(func() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(os.Getpid())
})

// environ returns the environment a process was started with, empty when nobody
// may read it. It is not decided while the process is being replaced by another
// program or is ending: then there are no arguments either.
func (s stat) environ() (env []byte, decided bool) {
	if s.kernel {
		return nil, true
	}
	dir := "/proc/" + strconv.Itoa(s.pid)
	env, err := os.ReadFile(dir + "/environ")
	if err != nil || len(env) > 0 {
		return env, true
	}
	if args, _ := os.ReadFile(dir + "/cmdline"); len(args) == 0 {
		return nil, false
	}
	env, _ = os.ReadFile(dir + "/environ") // it may have come in between
	return env, true
}

func readStat(pid int) (stat, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	// pid (name) state ppid pgrp session …: the name may hold spaces and brackets.
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(f) < 20 {
		return stat{}, false
	}
	s := stat{pid: pid, state: f[0][0]}
	var errs [6]error
	s.ppid, errs[0] = strconv.Atoi(f[1])
	s.pgrp, errs[1] = strconv.Atoi(f[2])
	s.session, errs[2] = strconv.Atoi(f[3])
	s.threads, errs[4] = strconv.Atoi(f[17])
	s.start, errs[3] = strconv.ParseUint(f[19], 10, 64)
	flags, err := strconv.ParseUint(f[6], 10, 64)
	errs[5] = err
	s.kernel = flags&0x200000 != 0 // PF_KTHREAD
	return s, errors.Join(errs[:]...) == nil
}
