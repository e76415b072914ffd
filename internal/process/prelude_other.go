//go:build !unix

package process

import (
	"errors"
	"os"
	"syscall"
)

// A prelude would be what a shell is told before the text of a command. The shells here know
// nothing like it.
type prelude struct{}

func newPrelude(spec Spec) (*prelude, error) {
	if spec.KeepDir || spec.FileSize > 0 {
		return nil, errors.New("a shell cannot be told here to keep its directory, or to wait for limits")
	}
	return &prelude{}, nil
}

func (p *prelude) arguments(spec Spec, text string, env []string, sys *syscall.SysProcAttr) (args, environ []string) {
	return arguments(spec, text, sys), env
}

// Late would take out of env what is to be set behind a gate.
func Late(env []string) (late string, rest []string) { return "", env }

// Script would be for what outlives this program.
func Script(args []string, text string, _ bool) ([]string, *os.File, error) {
	return append(args, text), nil, nil
}

func (p *prelude) pass(*os.ProcAttr) {}
func (p *prelude) admit(int) error   { return nil }
func (p *prelude) close()            {}
func (p *prelude) closeDir()         {}
func (p *prelude) where() string     { return "" }
