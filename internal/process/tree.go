//go:build linux || darwin

package process

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// A command that starts another process and ends, over and over, can be between
// two of them at any one look. A look during which no process was started
// anywhere settles it; on a machine too busy for that it takes so many looks
// over so long a time in which nothing was found. Where the system does not tell
// what was started last, two looks must do.
const (
	quietLooks = 5
	quietTime  = 100 * time.Millisecond
	maxQuiet   = time.Second
)

// undecided is how long a process may be without arguments and environment before
// it counts as one that has none: it is, too, while it is being replaced by another
// program, which on a busy machine takes as long as it has to wait for its turn.
const undecided = time.Second

// A tree is a command: the process group of its leader, and what else of it
// can be found in the table of processes, the strays: what descends from the leader while that
// lives, what is in its session, what carries its mark, and the descendants of
// those. Not found is what left its parents and its session behind and has no
// environment to read: it cleared or overwrote it, or hides it.
type tree struct {
	*leader
	mark  []byte
	begin time.Time
	since uint64         // the leader's start time, once read: nothing older is of it
	old   map[int]bool   // numbers of older processes: no need to read them again
	first map[int]seen   // those that were not decided on
	known map[int]uint64 // start times of strays seen
	asked map[int]uint64 // start times of those that were sent SIGTERM
	// sessions are those of strays seen, but for the host's own.
	sessions map[int]bool
	other    bool      // during the last look processes were found that we may not signal
	news     int       // how many strays have been found
	still    bool      // during the last look no process was started, and all were decided on
	open     bool      // not all were
	stuck    bool      // and neither were they in an earlier look
	oldAt    time.Time // when old was empty
	hurry    bool      // what carries the mark is killed as soon as it is seen
	blind    bool      // whether one was cannot be told here
}

// seen is when a process was seen first.
type seen struct {
	start uint64
	at    time.Time
}

func newTree(l *leader, mark string) *tree {
	return &tree{leader: l, mark: []byte(mark), begin: time.Now(), old: map[int]bool{}, first: map[int]seen{}, known: map[int]uint64{}, asked: map[int]uint64{}, sessions: map[int]bool{}}
}

// look finds the processes of the command that run and may be signalled, but
// for the leader. Where /proc is missing or another namespace's it finds none.
func (t *tree) look() []stat {
	leader, ours := t.proc.Pid, t.ours()
	if t.since == 0 && ours {
		s, _ := readStat(leader)
		t.since = s.start
	}
	before, ok := lastPID()
	defer func() {
		after, again := lastPID()
		t.still = ok && again && before == after && !t.open
		t.blind = !ok
	}()
	found, members := map[int]stat{}, map[int]bool{}
	t.open, t.stuck, t.other = false, false, false
	all, list := t.candidates()
	read := func(pid int) {
		s, ok := all.stat(pid)
		if ok && s.start < t.since {
			t.old[pid] = true
		}
		if !ok || s.start < t.since || !s.runs() {
			return
		}
		found[pid] = s
		start, known := t.known[pid]
		// The numbers of a session and of a group are the leader's.
		if known && start == s.start || ours && (pid == leader || s.session == leader) {
			members[pid] = true
			return
		}
		is, decided := t.marked(all, s)
		members[pid] = is
		if is && t.hurry {
			s.signal(sigKill)
		}
		if decided {
			return
		}
		if f, ok := t.first[pid]; !ok || f.start != s.start {
			t.first[pid] = seen{s.start, time.Now()}
			t.open = true
		} else if time.Since(f.at) < undecided {
			t.open, t.stuck = true, true
		}
	}
	if time.Since(t.oldAt) > time.Duration(maxPID())*pidTime { // the numbers may have gone round
		clear(t.old)
		t.oldAt = time.Now()
	}
	candidates := slices.DeleteFunc(list, func(pid int) bool { return t.old[pid] })
	slices.SortFunc(candidates, func(a, b int) int { return b - a }) // the youngest have the least time
	for _, pid := range candidates {
		read(pid)
	}
	children := map[int][]int{}
	for pid, s := range found {
		children[s.ppid] = append(children[s.ppid], pid)
	}
	walk := func(from []int) []int { // from, and all that descend from it
		for i := 0; i < len(from); i++ {
			for _, pid := range children[from[i]] {
				if !members[pid] {
					members[pid] = true
					from = append(from, pid)
				}
			}
		}
		return from
	}
	var marked []int
	for pid, is := range members {
		if is {
			marked = append(marked, pid)
		}
	}
	var roots []int
	for _, pid := range walk(marked) {
		if !members[found[pid].ppid] {
			roots = append(roots, pid)
		}
	}
	// Once more from those without a parent among them: parents come first, then,
	// and go on to nothing else when a child of theirs ends. (Start times do not
	// tell who is whose: a shell and its child have the same.)
	clear(members)
	for _, pid := range roots {
		members[pid] = true
	}
	var mine []stat
	for _, pid := range walk(roots) {
		s := found[pid]
		switch {
		case pid == leader && ours:
		case errors.Is(unix.Kill(pid, 0), unix.EPERM):
			t.other = true // another user's: waiting for it would be in vain
		default:
			if !ours || s.pgrp != leader {
				if t.known[pid] != s.start {
					t.news++
				}
				t.known[pid] = s.start
				if own, err := unix.Getsid(0); err == nil && s.session != own {
					t.sessions[s.session] = true
				}
			}
			mine = append(mine, s)
		}
	}
	return mine
}

// ask sends SIGTERM, once, to each process that was not sent one before, and
// reports whether there was no process at all.
func (t *tree) ask() (alone bool) { return t.askThese(t.look()) }

func (t *tree) askThese(list []stat) (alone bool) {
	for _, s := range list {
		if start, done := t.asked[s.pid]; !done || start != s.start {
			t.asked[s.pid] = s.start
			s.signal(sigTerm)
			s.signal(sigCont) // who is stopped can act on the first one, too
		}
	}
	return len(list) == 0
}

// terminate asks the leader and all that can be found to end. The group is asked
// as a whole, in one moment, and first: the parents of the others are in it.
func (t *tree) terminate() {
	list := t.look()
	t.leader.signal(sigTerm)
	t.leader.signal(sigCont)
	// Who joined the group between the two may be asked twice. Who did so after the
	// second, such as what a trap starts to clean up, must not count as asked.
	for _, s := range list {
		t.asked[s.pid] = s.start
		if s.pgrp != t.proc.Pid {
			s.signal(sigTerm)
			s.signal(sigCont)
		}
	}
}

// kill ends the group and all that can be found, and reports whether there was
// no process but the leader.
func (t *tree) kill() (alone bool) {
	list := t.look()
	t.leader.signal(sigKill)
	for _, s := range list {
		s.signal(sigKill)
	}
	// What is still there now is not what it was: by the end of a long look, on a
	// busy machine, it will have been replaced.
	t.hurry = true
	return len(list) == 0
}

// end ends what is left once the leader has exited: it asks, and at the
// deadline ends it. How long it goes on is bounded. It reports whether something
// is left: processes of another user, which it may not signal, or such as are
// started faster than they can be ended.
func (t *tree) end(deadline time.Time) (left bool) {
	// The last word, to whom look does not see. It hits nobody else: see leader.
	defer t.leader.signal(sigKill)
	defer t.adopted()

	if last, ok := lastPID(); ok && last == t.proc.Pid || !procIsOurs() {
		return false // nothing was started since, or nothing can be seen
	}
	if t.over(deadline, t.ask, 50*time.Millisecond) {
		return t.other
	}
	before := t.news
	if !t.over(time.Now().Add(killWait), t.kill, time.Millisecond) {
		return true
	}
	// Where new ones kept coming, not to have seen one is not to know.
	return t.other || !t.still && t.news-before > maxNews
}

// occupied reports whether anything of the command runs once the leader has exited.
func (t *tree) occupied() bool {
	if last, ok := lastPID(); ok && last == t.proc.Pid || !procIsOurs() {
		return false
	}
	return !t.over(time.Now(), func() bool { return len(t.look()) == 0 }, 0)
}

// maxNews is how many strays may come up while they are being killed without that
// being taken for a process that starts others faster than it can be ended.
const maxNews = 64

// over calls pass until it has found nothing for certain, at most until
// deadline, with pauses of at most pause while it finds something. It reports
// whether it came to that.
func (t *tree) over(deadline time.Time, pass func() (alone bool), pause time.Duration) bool {
	var since time.Time // nothing was found since then
	looks := 0
	for wait := time.Millisecond; ; {
		begin := time.Now()
		if !pass() {
			looks = 0
			if time.Now().After(deadline) {
				return false
			}
			time.Sleep(min(wait, time.Until(deadline)))
			wait = min(2*wait, pause)
			continue
		}
		if looks++; looks == 1 {
			since = begin
		}
		// The slower the looks, the more they miss.
		need := min(max(quietTime, 10*time.Since(begin)), maxQuiet)
		if t.open {
			need *= 2
		}
		quiet := time.Since(since)
		if t.still || t.blind && !t.open && looks >= 2 || !t.stuck && looks >= quietLooks && quiet >= need || quiet >= 2*undecided {
			return true
		}
		time.Sleep(time.Duration(min(looks, 20)) * time.Millisecond)
	}
}

// marked reports whether the environment of a process carries the mark. That is
// not decided while the process is being replaced by another program.
func (t *tree) marked(all *table, s stat) (is, decided bool) {
	if len(t.mark) == 0 {
		return false, true
	}
	marks, decided := all.marks(s)
	if slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.Equal(mark, t.mark) }) {
		return true, true
	}
	return false, decided
}

// marksOf are the marks that a process carries, see (stat).environ.
func marksOf(s stat) (marks [][]byte, decided bool) {
	env, decided := s.environ()
	name := []byte(MarkName + "=")
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, name); ok {
			marks = append(marks, bytes.Split(bytes.Clone(value), []byte{':'})...)
		}
	}
	return marks, decided
}
