package process

import (
	"bytes"
	"errors"
	"os"
	"slices"
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
	start                    uint64 // in ticks since boot: with pid it names a process for ever
}

// runs reports whether the process has not ended. A process whose main thread
// has looks like a zombie while other threads go on.
func (s stat) runs() bool { return s.state != 'X' && (s.state != 'Z' || s.threads > 1) }

// signal signals the process s and no other: once a pidfd is open its number
// cannot be given out again, so what has the right start time then is s.
func (s stat) signal(sig syscall.Signal) {
	fd, err := unix.PidfdOpen(s.pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if now, ok := readStat(s.pid); ok && now.start == s.start {
		unix.PidfdSendSignal(fd, sig, nil, 0)
	}
}

// A tree is a command: the process group of its leader, and what else of it
// can be found in /proc, the strays: what descends from the leader while that
// lives, what is in its session, what carries its mark, and the descendants of
// those. A process that left its parents, its session and its environment
// behind is not found.
type tree struct {
	*leader
	mark  []byte
	begin time.Time
	since uint64         // the leader's start time, once read: nothing older is of it
	known map[int]uint64 // start times of strays seen
}

func newTree(l *leader, mark string) *tree {
	return &tree{leader: l, mark: []byte(mark), begin: time.Now(), known: map[int]uint64{}}
}

// look finds the strays that run, and whether any other process of the group
// does. Where /proc is missing or another namespace's it finds nothing.
func (t *tree) look() (strays []stat, group bool) {
	if t.since == 0 {
		s, _ := readStat(t.proc.Pid)
		t.since = s.start
	}
	found := map[int]stat{}
	for _, pid := range t.candidates() {
		if s, ok := readStat(pid); ok && s.runs() && s.start >= t.since {
			found[pid] = s
		}
	}
	leader, lost := t.proc.Pid, t.lost.Load()
	ours := map[int]bool{}
	for pid, s := range found {
		start, known := t.known[pid]
		// The numbers of a session and of a group are the leader's, which
		// nobody else has until it is reaped.
		if known && start == s.start || !lost && (pid == leader || s.session == leader) || t.marked(pid) {
			ours[pid] = true
		}
	}
	for changed := true; changed; { // and their children
		changed = false
		for pid, s := range found {
			if !ours[pid] && ours[s.ppid] {
				ours[pid], changed = true, true
			}
		}
	}
	for pid := range ours {
		switch s := found[pid]; {
		case pid == leader && !lost:
		case s.pgrp == leader && !lost:
			group = true
		default:
			t.known[pid] = s.start
			strays = append(strays, s)
		}
	}
	return strays, group
}

// signal signals the group and the strays and reports whether there was
// nobody but the leader.
func (t *tree) signal(sig syscall.Signal) (alone bool) {
	strays, group := t.look()
	t.leader.signal(sig)
	for _, s := range strays {
		s.signal(sig)
	}
	return !group && len(strays) == 0
}

// end ends what is left once the leader has exited: it asks, and at the
// deadline ends it. How long it goes on is bounded.
func (t *tree) end(deadline time.Time) {
	// The last word, to whom look does not see. It hits nobody else: see leader.
	defer t.leader.signal(sigKill)

	if last, ok := lastPID(); ok && last == t.proc.Pid {
		return // nothing was started since
	}
	if t.clear(sigTerm) {
		return
	}
	t.signal(sigCont)
	poll(deadline, func() bool {
		strays, group := t.look()
		return !group && len(strays) == 0
	})
	poll(time.Now().Add(killWait), func() bool { return t.clear(sigKill) })
}

// clear signals what is left and reports whether that was nothing, twice: a
// process can start another and end between the two halves of a look.
func (t *tree) clear(sig syscall.Signal) bool {
	for range 2 {
		if !t.signal(sig) {
			return false
		}
	}
	return true
}

// candidates returns process ids among which all members are. Ids are given
// out in cyclic order, so a member's lies between the leader's and the one
// given out last: where nothing was started since, that is the leader alone,
// and an ordinary command costs one small read. That holds as long as the ids
// cannot have gone round, which takes at least a microsecond each.
func (t *tree) candidates() []int {
	last, ok := lastPID()
	top := maxPID()
	if !ok {
		return nil
	}
	if time.Since(t.begin) > time.Duration(top)*time.Microsecond {
		return pids()
	}
	span := last - t.proc.Pid
	if span < 0 {
		span += top
	}
	if span <= 64 { // cheaper than to list all there are
		list := make([]int, 0, span+1)
		for i := 0; i <= span; i++ {
			list = append(list, (t.proc.Pid+i-1)%top+1)
		}
		return list
	}
	return slices.DeleteFunc(pids(), func(pid int) bool {
		d := pid - t.proc.Pid
		if d < 0 {
			d += top
		}
		return d > span
	})
}

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

// maxPID is the number that process ids stay below.
var maxPID = sync.OnceValue(func() int {
	text, err := os.ReadFile("/proc/sys/kernel/pid_max")
	if err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && n > 0 {
			return n
		}
	}
	return 32768 // the kernel's default on small machines: the sooner the ids go round
})

// lastPID is the process id that was given out last. It is not known where
// /proc is missing or another namespace's.
func lastPID() (int, bool) {
	if !procIsOurs() {
		return 0, false
	}
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, false
	}
	f := strings.Fields(string(text))
	if len(f) != 5 {
		return 0, false
	}
	n, err := strconv.Atoi(f[4])
	return n, err == nil && n > 0
}

// procIsOurs tells whether /proc shows the numbers this process knows.
var procIsOurs = sync.OnceValue(func() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(os.Getpid())
})

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
	var errs [5]error
	s.ppid, errs[0] = strconv.Atoi(f[1])
	s.pgrp, errs[1] = strconv.Atoi(f[2])
	s.session, errs[2] = strconv.Atoi(f[3])
	s.threads, errs[4] = strconv.Atoi(f[17])
	s.start, errs[3] = strconv.ParseUint(f[19], 10, 64)
	return s, errors.Join(errs[:]...) == nil
}

// marked reports whether the environment of a process carries the mark.
func (t *tree) marked(pid int) bool {
	if len(t.mark) == 0 {
		return false
	}
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	name := []byte(MarkName + "=")
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, name); ok {
			for mark := range bytes.SplitSeq(value, []byte{':'}) {
				if bytes.Equal(mark, t.mark) {
					return true
				}
			}
		}
	}
	return false
}
