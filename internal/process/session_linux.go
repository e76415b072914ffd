package process

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// SessionsSupported is nil where StartSession works.
func SessionsSupported() error { return nil }

// A Session is a process that leads a session and a process group of its own, and all that
// it starts. It goes on when this program ends: nothing ends it that is not asked to. It must
// be reaped. It is safe for concurrent use.
type Session struct {
	pid    int
	exited chan struct{}

	mu     sync.Mutex // for tree
	tree   *tree
	reaped bool
}

// StartSession starts one. The errors are those of Start.
func StartSession(ctx context.Context, spec SessionSpec) (*Session, error) {
	select {
	case starting <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-starting }()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	l := newLeader()
	t := newTree(l, spec.Mark)
	proc, err := os.StartProcess(spec.Path, spec.Args, &os.ProcAttr{
		Dir:   spec.Dir,
		Env:   marked(spec.Env, spec.Mark),
		Files: append([]*os.File{null, null, null}, spec.Files...),
		Sys:   l.attr(),
	})
	if err != nil {
		return nil, err
	}
	if err := l.started(proc); err != nil {
		return nil, err
	}
	s := &Session{pid: proc.Pid, tree: t, exited: make(chan struct{})}
	go func() {
		l.wait()
		close(s.exited)
	}()
	return s, nil
}

// PID is the id of the process, of its group and of its session.
func (s *Session) PID() int { return s.pid }

// Exited is closed when the process has exited.
func (s *Session) Exited() <-chan struct{} { return s.exited }

// Exit returns the exit code, when the process has exited and was not reaped. It is not known when a signal
// has ended it.
func (s *Session) Exit() (code int, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reaped {
		return 0, false
	}
	end, known := s.tree.ended()
	return end.code, known && end.signal == 0
}

// others are what it has started that has left its process group.
func (s *Session) others() []stat {
	return slices.DeleteFunc(s.tree.look(), func(o stat) bool { return o.pgrp == s.pid })
}

// Occupied reports whether any of those runs.
func (s *Session) Occupied() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reaped {
		return false
	}
	return !s.tree.over(time.Now(), func() bool { return len(s.others()) == 0 }, 0)
}

// EndOthers ends what the process has started that has left its process group, and not the
// process: SIGTERM, up to grace to go, SIGKILL. It reports whether something is left.
func (s *Session) EndOthers(grace time.Duration) (left bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reaped {
		return false
	}
	s.tree.leader.signal(sigCont) // it may have been stopped, and is to go on
	ask := func() bool { return s.tree.askThese(s.others()) }
	if s.tree.over(time.Now().Add(grace), ask, 50*time.Millisecond) {
		return s.tree.other
	}
	kill := func() bool {
		list := s.others()
		for _, o := range list {
			o.signal(sigKill)
		}
		return len(list) == 0
	}
	return !s.tree.over(time.Now().Add(killWait), kill, time.Millisecond) || s.tree.other
}

// Kill ends the process and all that it has started, at once. It reports whether something is
// left.
func (s *Session) Kill() (left bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reaped {
		return false
	}
	s.tree.kill()
	if !within(s.exited, time.Now().Add(killWait)) {
		return true
	}
	return s.tree.end(time.Now())
}

// Reap takes the exit status, so that the process goes. It must have exited; nothing can be
// ended any more then.
func (s *Session) Reap() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.reaped {
		s.tree.adopted()
		s.tree.reap()
		s.reaped = true
	}
}

// Begun is when a process was started, in some unit: with its number it names the process for ever.
// running is false when there is none of that number that runs.
func Begun(pid int) (begun uint64, running bool) {
	s, ok := readStat(pid)
	return s.start, ok && s.runs()
}

// EndOne ends a process that Begun has named, with its process group if it leads one: SIGTERM, up to grace to go, SIGKILL. It
// reports whether it still runs.
func EndOne(pid int, begun uint64, grace time.Duration) (left bool) {
	find := func() (stat, bool) {
		s, ok := readStat(pid)
		return s, ok && s.runs() && s.start == begun
	}
	for _, step := range []struct {
		sig  unix.Signal
		wait time.Duration
	}{{sigTerm, grace}, {sigKill, killWait}} {
		s, there := find()
		if there && s.pgrp == pid {
			unix.Kill(-pid, step.sig) // the group has this number as long as it is there
		}
		if there {
			s.signal(step.sig)
		}
		for end := time.Now().Add(step.wait); there && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			_, there = find()
		}
		if !there {
			return false
		}
	}
	_, left = find()
	return left
}

// Leads reports whether a process leads a session.
func Leads(pid int) bool {
	sid, err := unix.Getsid(pid)
	return err == nil && sid == pid
}
