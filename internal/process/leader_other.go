//go:build !unix

package process

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// Supported says why this package cannot run commands here: without a way to
// end a whole process tree a command could not be trusted to end.
func Supported() error {
	return errors.New("running commands on " + runtime.GOOS + " is not supported yet")
}

const (
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
	sigCont = syscall.Signal(0)
)

type leader struct {
	proc  *os.Process
	state *os.ProcessState
	err   error
}

func newLeader() *leader                     { return &leader{} }
func (l *leader) attr() *syscall.SysProcAttr { return nil }
func (l *leader) started(p *os.Process)      { l.proc = p }
func (l *leader) wait()                      { l.state, l.err = l.proc.Wait() }

func (l *leader) signal(sig syscall.Signal) {
	if sig == sigKill {
		l.proc.Kill()
	}
}

func (l *leader) reap() (exit, bool) {
	if l.err != nil {
		return exit{}, false
	}
	return exit{code: l.state.ExitCode()}, true
}
