package process

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// MaxArg is the longest text in bytes that can be passed: cmd.exe takes a line
// of 8191 characters, its own name and options among them.
const MaxArg = 7900

const (
	loader   = ""
	loaderFD = 3
)

func textFile(string) (*os.File, error) {
	return nil, errors.New("a command that long cannot be passed to a shell here")
}

// arguments returns the arguments that pass text to the shell. cmd.exe knows no
// quoting of arguments: it is given the line as it is, in quotes which /s makes
// it take off.
func arguments(spec Spec, text string, attr *syscall.SysProcAttr) []string {
	args := append(spec.Args[:len(spec.Args):len(spec.Args)], text)
	if n := len(spec.Args); IsCmd(spec.Path) && n > 1 && strings.EqualFold(spec.Args[n-1], "/c") {
		line := syscall.EscapeArg(spec.Args[0])
		for _, a := range spec.Args[1 : n-1] {
			line += " " + syscall.EscapeArg(a)
		}
		attr.CmdLine = line + ` /s /c "` + text + `"`
	}
	return args
}

// IsCmd tells whether a shell is cmd.exe.
func IsCmd(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return name == "cmd.exe" || name == "cmd"
}
