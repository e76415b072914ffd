package tool

import (
	"runtime"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// language is what a shell called name reads. ok is false when the policy does not know it.
func language(name string) (_ command.Shell, ok bool) {
	switch name {
	case "sh", "dash", "ash":
		return command.Sh, true
	case "bash":
		return command.Bash, true
	}
	if runtime.GOOS != "windows" {
		return command.Sh, false
	}
	switch strings.ToLower(name) {
	case "cmd":
		return command.Cmd, true
	case "powershell", "pwsh":
		return command.PowerShell, true
	}
	return command.Sh, false
}
