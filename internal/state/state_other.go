//go:build !unix && !windows

package state

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

func foreign(fs.FileInfo) string { return "" }

func tryLock(string) (*os.File, error) {
	return nil, errors.New("files for commands cannot be kept on " + runtime.GOOS)
}

func removeLocked(string, *os.File) error { return nil }
