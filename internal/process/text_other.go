//go:build !unix

package process

import (
	"errors"
	"os"
)

const (
	MaxArg = 8191 // what cmd.exe takes
	loader = ""
)

func textFile(string) (*os.File, error) {
	return nil, errors.New("a command that long cannot be passed to a shell here")
}
