//go:build !unix && !windows

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
	return errors.New("running commands on " + runtime.GOOS + " is not supported")
}

type leader struct{ proc *os.Process }

func newLeader() *leader                      { return &leader{} }
func (l *leader) attr() *syscall.SysProcAttr  { return nil }
func (l *leader) started(p *os.Process) error { return Supported() }

type tree struct{ *leader }

func newTree(l *leader, _ string) *tree { return &tree{l} }
func (t *tree) wait()                   {}
func (t *tree) terminate()              {}
func (t *tree) kill() bool              { return true }
func (t *tree) beyond() bool            { return false }
func (t *tree) end(time.Time) bool      { return false }
func (t *tree) occupied() bool          { return false }
func (t *tree) ended() (exit, bool)     { return exit{}, false }
func (t *tree) reap() (exit, bool)      { return exit{}, false }
