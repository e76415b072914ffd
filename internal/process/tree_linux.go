package process

import (
	"maps"
	"os"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// candidates returns process ids among which all members are, and what to read them from. Ids are given
// out in cyclic order, so a member's lies between the leader's and the one
// given out last: where nothing was started since, that is the leader alone,
// and an ordinary command costs one small read. That holds as long as the ids
// cannot have gone round, see pidTime.
func (t *tree) candidates() (*table, []int) {
	if !procIsOurs() {
		return nil, nil
	}
	top := maxPID()
	last, ok := lastPID()
	if span := t.span(last, top); ok && span >= 0 && span <= 64 { // cheaper than to list all there are
		list := make([]int, 0, span+16)
		for i := range span + 16 { // and what is started meanwhile
			list = append(list, (t.proc.Pid+i-1)%top+1)
		}
		return nil, list
	}
	all := sharedTable()
	list := slices.Clone(all.pids)
	last, ok = lastPID() // again: nothing in the list is younger
	span := t.span(last, top)
	if !ok || span < 0 {
		return all, list
	}
	return all, slices.DeleteFunc(list, func(pid int) bool { return t.span(pid, top) > span })
}

// span is how far pid is from the leader's in the order in which they are given
// out below top, or negative when that cannot be told.
func (t *tree) span(pid, top int) int {
	if time.Since(t.begin) > time.Duration(top)*pidTime {
		return -1
	}
	d := pid - t.proc.Pid
	if d < 0 {
		d += top
	}
	return d
}

// adopted reaps those of the command that this process was given when their
// parents died: it is the first of its PID namespace, as in a container without
// an init, or has asked for them. They would stay zombies until it ends. One in a
// session of its own is known only if it, or another in that session, was seen
// alive.
func (t *tree) adopted() {
	self := os.Getpid()
	if self != 1 {
		var subreaper int32
		if unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&subreaper)), 0, 0, 0) != nil || subreaper == 0 {
			return
		}
	}
	leader, ours := t.proc.Pid, t.ours()
	var zombies []stat
	sessions := maps.Clone(t.sessions)
	sessions[leader] = ours
	all, list := t.candidates()
	for _, pid := range list {
		s, ok := all.stat(pid)
		if !ok || s.ppid != self || s.runs() || pid == leader {
			continue
		}
		zombies = append(zombies, s)
		known, k := t.known[pid]
		asked, a := t.asked[pid]
		if k && known == s.start || a && asked == s.start {
			sessions[s.session] = true
		}
	}
	for _, s := range zombies {
		if sessions[s.session] {
			unix.Wait4(s.pid, nil, unix.WNOHANG, nil)
		}
	}
}
