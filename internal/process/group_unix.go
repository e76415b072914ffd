//go:build unix && !linux

package process

import (
	"os"
	"syscall"
	"time"
)

const (
	term = syscall.SIGTERM
	kill = syscall.SIGKILL
	cont = syscall.SIGCONT
)

// A group is the process group of a command.
type group struct{ pid int }

func newGroup() *group                      { return &group{} }
func (g *group) attr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
func (g *group) started(p *os.Process)      { g.pid = p.Pid }
func (g *group) wait(p *os.Process) exit    { return reap(p) }
func (g *group) signal(s syscall.Signal) bool {
	return none(syscall.Kill(-g.pid, s))
}
func (g *group) gone(deadline time.Time) bool {
	return poll(deadline, func() bool { return g.signal(0) })
}
func (g *group) release() {}
