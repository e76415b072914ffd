package tool

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/einoshell/einoshell/internal/process"
)

// A Result is how a command went.
type Result struct {
	CommandID string // the one in the command's events
	Command   string
	Dir       string // the directory it ran in, absolute
	PID       int
	Backend   string // what confined it: none

	// ExitCode is nil when there is none: a signal ended the command, it could
	// not be ended, it was ended on Windows, or the host program took its status
	// away (by ignoring SIGCHLD, or by waiting for all its children).
	ExitCode *int
	// Signal is the number of the signal that ended the command, or zero.
	Signal    int
	TimedOut  bool          // its time was up
	Cancelled bool          // its call was cancelled, it was stopped, or its Run or Shell closed
	Timeout   time.Duration // the time it had; zero in the background
	Duration  time.Duration // the time it took, with that of ending it

	// Stdout and Stderr are what a terminal would show of what the command
	// printed, line by line: valid UTF-8 without control characters but tab and
	// newline, of each at most the last Config.MaxOutputChars characters.
	// Control sequences are left out; a carriage return begins its line anew,
	// so that of a progress bar the last state remains; other control
	// characters, NUL among them, and bytes that are not UTF-8 are replaced by
	// characters that show them.
	Stdout string
	Stderr string
	// Output is both, line by line, in the order in which the lines ended: what
	// was written to the two at about the same time may have changed places.
	Output          string
	StdoutBytes     int64 // as printed
	StderrBytes     int64
	StdoutTruncated bool // Stdout is not all of it
	StderrTruncated bool
	OutputTruncated bool
	TotalLines      int64 // of both streams
	// Truncated says that Text does not hold all of the output.
	Truncated bool

	// OutputPath is a file with what the command printed on both streams, line by
	// line and otherwise as printed, when Truncated is set and
	// Config.SpillBytes is not zero. It is removed when the Run is closed, and
	// before that when later commands of the Run need its room. Empty when there is
	// none.
	OutputPath string
	// OutputPathBytes is how many bytes the file has: the first ones of the
	// output.
	OutputPathBytes int64

	// NextDir is where the next command of the Run runs, with Config.PersistDir; absolute.
	// Empty without, and for commands in the background, which move nothing.
	NextDir string

	// Limit names the limit of the Config that has ended the command, MaxFileBytes, as far as that
	// can be told. Empty when none has.
	Limit string

	// StatusPath is the file with the status of a command of the shell tool, a JSON object with pid and
	// exit_code, which is null as long as that is not known. Empty for others.
	StatusPath string

	// Note is what a model should know beside the output, such as that it asked
	// for more time than it may have. Empty when there is nothing.
	Note string

	// Status says how a command in the background stands. StatusFinished for others.
	Status Status

	text     string
	maxChars int // Config.MaxOutputChars
	// Of a command of the shell tool: what else is to be said of it.
	persistent        bool
	howToStop, status string
	omitted           int64 // bytes of its log before Output

	hint     string // what a limit may have to do with how it ended
	checked  bool   // it is what a tool says of a command in the background
	fresh    bool   // of the output it has what was not seen before
	leftover bool   // processes are left that could not be ended
}

// A Status says how a command stands.
type Status string

const (
	// StatusRunning: it runs.
	StatusRunning Status = "running"
	// StatusFinished: its own process has exited. A command in the background may have
	// left processes that go on; the Note says so.
	StatusFinished Status = "finished"
	// StatusStopped: it was stopped by stop_command, or had ended when it was.
	StatusStopped Status = "stopped"
)

// ended says how the command ended.
func (r *Result) ended(st process.Status) {
	r.TimedOut = st.Cause == process.TimedOut
	r.Cancelled = st.Cause == process.Cancelled
	if st.Left {
		r.leftover = true
		r.Note = notes(r.Note, "[a process is left that could not be ended]")
	}
	r.ExitCode, r.Signal = nil, 0
	if st.Known {
		if r.Signal = st.Signal; st.Signal == 0 {
			r.ExitCode = &st.Code
		}
	}
}

// limited says what a limit on the size of files may have to do with how the command ended, in the
// words of pydantic-ai-harness.
func (r *Result) limited(most int64) {
	failed := r.Signal != 0 || r.ExitCode != nil && *r.ExitCode != 0
	if most == 0 || !failed || r.TimedOut || r.Cancelled {
		return
	}
	const byShell = 128 // and the number: how shells report the signal that has ended a program
	if n := process.FileSizeSignal; r.Signal == n || r.ExitCode != nil && *r.ExitCode == byShell+n {
		r.Limit = "MaxFileBytes"
		r.hint = fmt.Sprintf("[File-size limit exceeded: max_file_bytes=%d. Reduce file output before retrying.]", most)
		return
	}
	r.hint = fmt.Sprintf("[Command failed with max_file_bytes=%d; file writes may have reached the per-file limit.]", most)
}

// Text returns what a model gets to see, at most Config.MaxOutputChars
// characters, in the Config's ResultFormat. As text it is the labelled output,
// then how the command ended, which therefore outlasts a cut; output can
// imitate that. As JSON, and in the fields of r, nothing can be imitated.
func (r *Result) Text() string { return r.text }

// compose writes the text before it is cut, in the shapes of
// pydantic-ai-harness.
func (r *Result) compose() string {
	if r.persistent {
		return r.composePersistent()
	}
	var b strings.Builder
	line := func(s string) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s)
	}
	if r.Stdout != "" {
		line("[stdout]\n" + r.Stdout)
	}
	if r.Stderr != "" {
		line("[stderr]\n" + r.Stderr)
	}
	ended := ""
	switch {
	case r.checked:
		if b.Len() == 0 {
			line(r.nothing())
		}
		ended = r.state()
	case r.TimedOut || r.Cancelled:
		ended = r.cutShort()
	default:
		if b.Len() == 0 {
			line("(no output)")
		}
		if r.ExitCode == nil || *r.ExitCode != 0 {
			ended = r.exit()
		}
	}
	if r.Note != "" {
		line(r.Note)
	}
	if ended != "" {
		line(ended)
	}
	if r.hint != "" {
		line(r.hint)
	}
	return b.String()
}

// exit is the line that says how the command ended.
func (r *Result) exit() string {
	switch {
	case r.Signal != 0:
		return fmt.Sprintf("[exit code: -%d]", r.Signal)
	case r.ExitCode == nil:
		return "[exit code: unknown]"
	}
	return fmt.Sprintf("[exit code: %d]", *r.ExitCode)
}

// nothing stands where there is no output of a command in the background.
func (r *Result) nothing() string {
	switch {
	case r.Status == StatusStopped:
		return "(no output)"
	case r.fresh:
		return "(no new output)"
	}
	return "(no output yet)"
}

// state is how a command in the background stands: the last lines.
func (r *Result) state() string {
	switch {
	case r.Status == StatusRunning:
		return "[status: running]"
	case r.Status == StatusFinished:
		return "[status: finished]\n" + r.exit()
	case r.ExitCode == nil && r.Signal == 0: // ended on Windows
		return "[stopped]"
	}
	return "[stopped]\n" + r.exit()
}

// more says where more of the output is than the text has, or nothing.
func (r *Result) more() string {
	switch all := r.StdoutBytes + r.StderrBytes; {
	case r.OutputPath == "":
		return ""
	case r.OutputPathBytes < all:
		return fmt.Sprintf("the first %d of %d bytes are in %s", r.OutputPathBytes, all, r.OutputPath)
	}
	return "all of it is in " + r.OutputPath
}

// seconds writes d as a number of seconds that has a decimal point: 30.0, 0.5.
func seconds(d time.Duration) string {
	s := strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
