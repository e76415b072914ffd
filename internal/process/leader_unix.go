//go:build unix && !linux && !darwin

package process

import (
	"errors"
	"os"
	"syscall"
)

const (
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
	sigCont = syscall.SIGCONT
)

// A leader is the process a command was started as: the leader of a session
// and of a process group. There is no way here to wait for it without reaping
// it, so what is left of its group is signalled right after.
type leader struct {
	proc  *os.Process
	state *os.ProcessState
	err   error
}

func newLeader() *leader                      { return &leader{} }
func (l *leader) attr() *syscall.SysProcAttr  { return &syscall.SysProcAttr{Setsid: true} }
func (l *leader) started(p *os.Process) error { l.proc = p; return nil }
func (l *leader) wait()                       { l.state, l.err = l.proc.Wait() }
func (l *leader) signal(sig syscall.Signal)   { syscall.Kill(-l.proc.Pid, sig) }
func (l *leader) beyond() bool                { return errors.Is(syscall.Kill(l.proc.Pid, 0), syscall.EPERM) }
func (l *leader) ended() (exit, bool)         { return status(l.state, l.err) }
func (l *leader) reap() (exit, bool)          { return status(l.state, l.err) }
