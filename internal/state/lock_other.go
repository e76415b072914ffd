//go:build aix || solaris || (!unix && !windows)

package state

import (
	"errors"
	"os"
	"runtime"
)

func lockFile(*os.File) error {
	return errors.New("files for commands cannot be kept on " + runtime.GOOS)
}
