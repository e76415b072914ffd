//go:build unix

package process

import (
	"io"
	"os"
	"slices"
	"syscall"
)

// MaxArg is the longest text in bytes that fits an argument. Linux passes none of more than 32
// pages, its final NUL included; 4 KiB is the smallest page.
const MaxArg = 32*4096 - 1

// loader makes a shell read its script from descriptor 3, which the script
// closes before it does anything else.
const (
	loader     = ". /dev/fd/3"
	loaderHead = "exec 3<&-; "
	loaderFD   = 3
)

// Script returns the arguments of a shell, whose first ones are args, that reads text, and the file, if any, that is
// to be its descriptor 3: for a text too long for an argument.
func Script(args []string, text string, loads bool) ([]string, *os.File, error) {
	args = slices.Clip(args)
	if len(text) <= MaxArg/2 || !loads { // the environment needs some room, too
		return append(args, text), nil, nil
	}
	f, err := textFile(text)
	return append(args, loader), f, err
}

// textFile returns a file without a name that holds a script for loader.
func textFile(text string) (*os.File, error) {
	f, err := anonymous()
	if err != nil {
		return nil, err
	}
	if _, err = io.WriteString(f, loaderHead+text); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// arguments returns the arguments that pass text to the shell.
func arguments(spec Spec, text string, _ *syscall.SysProcAttr) []string {
	return append(spec.Args[:len(spec.Args):len(spec.Args)], text)
}

// IsCmd tells whether a shell is cmd.exe.
func IsCmd(string) bool { return false }
