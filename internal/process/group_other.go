//go:build !unix

package process

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"
)

// Supported says why this package cannot run commands here: without a way to
// end a whole process tree a command could not be trusted to end.
func Supported() error {
	return errors.New("running commands on " + runtime.GOOS + " is not supported yet")
}

const (
	term = syscall.SIGTERM
	kill = syscall.SIGKILL
	cont = syscall.SIGKILL // there is nothing to continue
)

type group struct{ proc *os.Process }

func newGroup() *group                      { return &group{} }
func (g *group) attr() *syscall.SysProcAttr { return nil }
func (g *group) started(p *os.Process)      { g.proc = p }

func (g *group) wait(p *os.Process) exit {
	st, err := p.Wait()
	if err != nil {
		return exit{code: -1}
	}
	return exit{code: st.ExitCode()}
}

func (g *group) signal(syscall.Signal) bool { return g.proc.Kill() != nil }
func (g *group) gone(time.Time) bool        { return true }
func (g *group) release()                   {}
