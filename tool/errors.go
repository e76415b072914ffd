package tool

import "errors"

// ErrClosed is returned for commands of a Shell or Run that was closed.
var ErrClosed = errors.New("einoshell: closed")

// A DenialKind says what kind of refusal a DeniedError is.
type DenialKind string

const (
	// DeniedShellOff: AllowShell is false.
	DeniedShellOff DenialKind = "shell_off"
	// DeniedPolicy: the policy refused the command.
	DeniedPolicy DenialKind = "policy"
	// DeniedArguments: the arguments are not what the tool takes.
	DeniedArguments DenialKind = "arguments"
	// DeniedLimit: as many commands run in the background as may.
	DeniedLimit DenialKind = "limit"
	// DeniedDirectory: the directory to run in is not there any more.
	DeniedDirectory DenialKind = "directory"
	// DeniedCancelled: the call was cancelled before the command started.
	DeniedCancelled DenialKind = "cancelled"
	// DeniedClosed: the Run or the Shell is closed. Only events have this kind;
	// the caller gets ErrClosed.
	DeniedClosed DenialKind = "closed"
	// DeniedHost: the host could not start the command. The caller gets the error of the system, but for
	// the shell tool where its folder or its supervisor fails: that is a refusal.
	DeniedHost DenialKind = "host"
)

// A DeniedError says why a command was not run, or why a tool did not do what it
// was called for. Nothing was started. The tools
// return its text to the model as a normal result, so that it can try again;
// Exec returns it as an error.
type DeniedError struct {
	Kind   DenialKind
	Reason string // says what to change; fit for a model, names no host path
	Rule   string // the configuration that decided, if one did

	command string
	nothing bool // there was no command to run
}

// Error is the text a model sees.
func (e *DeniedError) Error() string {
	if e.nothing {
		return "[Error: " + e.Reason + "]"
	}
	return "Command not run: " + e.Reason
}
