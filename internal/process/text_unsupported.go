//go:build !unix && !windows

package process

import (
	"errors"
	"os"
	"syscall"
)

const (
	MaxArg   = 0
	loader   = ""
	loaderFD = 3
)

func textFile(string) (*os.File, error) {
	return nil, errors.New("a command cannot be passed to a shell here")
}

func arguments(spec Spec, text string, _ *syscall.SysProcAttr) []string {
	return append(spec.Args[:len(spec.Args):len(spec.Args)], text)
}

// IsCmd tells whether a shell is cmd.exe.
func IsCmd(string) bool { return false }
