package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/einoshell/einoshell/internal/environ"
	"github.com/einoshell/einoshell/internal/output"
	"github.com/einoshell/einoshell/internal/process"
)

// backendNone is the only backend so far: nothing confines a command.
const backendNone = "none"

// A call is a command on its way.
type call struct {
	command string
	timeout time.Duration // zero for the default
	note    string        // for the result
	wrong   string        // what is wrong with the arguments, if something is
	*emitter
}

// deny refuses the call.
func (c call) deny(kind DenialKind, reason, rule string) *DeniedError {
	c.send(func(h EventHead) Event {
		return CommandDenied{EventHead: h, Command: c.command, Kind: kind, Reason: reason, Rule: rule}
	})
	return &DeniedError{Kind: kind, Reason: reason, Rule: rule}
}

// execute is the one way from a call to a running command and to its result.
func (s *Shell) execute(ctx context.Context, c call) (*Result, error) {
	done, err := c.run.begin()
	if err != nil {
		c.deny(DeniedClosed, "The shell is closed.", "")
		return nil, err
	}
	defer done()

	if !s.c.AllowShell {
		return nil, c.deny(DeniedShellOff, "The shell is switched off in this session.", "AllowShell")
	}
	if c.wrong != "" {
		return nil, c.deny(DeniedArguments, c.wrong, "")
	}
	if reason := s.tooLong(c.command); reason != "" {
		return nil, c.deny(DeniedArguments, reason, "MaxCommandBytes")
	}
	if process.IsCmd(s.shellPath) && strings.ContainsAny(strings.TrimRight(c.command, "\r\n"), "\r\n") {
		return nil, c.deny(DeniedArguments, "The command has more than one line, and cmd.exe would run the first only. "+
			"Join them with &, or write them to a file and run that.", "")
	}
	switch v := s.judge(c.head.Tool, c.command); v.Action {
	case ActionAllow:
	case ActionAsk:
		return nil, c.deny(DeniedPolicy, v.Reason+" (An approval would do, but there is nobody to ask.)", v.Rule)
	default:
		return nil, c.deny(DeniedPolicy, v.Reason, v.Rule)
	}
	timeout, note, wrong := s.timeout(c.timeout)
	if wrong != "" {
		return nil, c.deny(DeniedArguments, wrong, "")
	}
	if ctx.Err() != nil {
		return nil, c.deny(DeniedCancelled, "The call was cancelled before the command started.", "")
	}

	// The command ends with its call and with its Run.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.run.life, cancel)()

	live, both := &allowance{}, &merge{screen: s.newScreen()}
	spill := s.newSpill(c.run)
	if spill != nil {
		defer spill.drop()
		both.spill = &spill.Spill
	}
	stdout := s.newCapture(c.emitter, live, both, Stdout)
	stderr := s.newCapture(c.emitter, live, both, Stderr)
	begin := time.Now()
	p, err := process.Start(ctx, process.Spec{
		Path:   s.shellPath,
		Args:   s.c.Shell,
		Text:   script(c.command),
		Loads:  s.loads,
		Dir:    s.c.Dir,
		Env:    environ.In(s.env, s.c.Dir),
		Stdout: stdout.write,
		Stderr: stderr.write,
		Mark:   c.head.CommandID,
		Grace:  s.c.KillGrace,
	})
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return nil, c.deny(DeniedCancelled, "The call was cancelled before the command started.", "")
		}
		if reason := lostDir(s.c.Dir); reason != "" {
			return nil, c.deny(DeniedDirectory, reason, "")
		}
		c.deny(DeniedHost, "The host could not start the command.", "")
		return nil, fmt.Errorf("einoshell: start a command: %w", err)
	}
	// A sink may end this goroutine (a test's FailNow): not without the command.
	waited := false
	defer func() {
		if !waited {
			cancel()
			p.Wait(ctx, timeout)
		}
	}()
	c.send(func(h EventHead) Event {
		return CommandStarted{EventHead: h, Command: c.command, Dir: s.c.Dir, PID: p.PID(), Timeout: timeout, Backend: backendNone}
	})

	waited = true
	st := p.Wait(ctx, timeout)

	stdout.flush()
	stderr.flush()
	both.finish(stdout, stderr)
	r := &Result{
		CommandID:   c.head.CommandID,
		Command:     c.command,
		Dir:         s.c.Dir,
		PID:         p.PID(),
		Backend:     backendNone,
		TimedOut:    st.Cause == process.TimedOut,
		Cancelled:   st.Cause == process.Cancelled,
		Timeout:     timeout,
		Duration:    time.Since(begin),
		StdoutBytes: stdout.bytes,
		StderrBytes: stderr.bytes,
		TotalLines:  stdout.lines.Lines() + stderr.lines.Lines(),
		Note:        notes(c.note, note),
	}
	r.Stdout, r.StdoutTruncated = shown(&stdout.screen, s.c.MaxOutputChars)
	r.Stderr, r.StderrTruncated = shown(&stderr.screen, s.c.MaxOutputChars)
	r.Output, r.OutputTruncated = shown(&both.screen, s.c.MaxOutputChars)
	if st.Left {
		r.Note = notes(r.Note, "[a process is left that could not be ended]")
	}
	if r.TimedOut && c.timeout == 0 && timeout < s.c.MaxTimeout && c.head.Tool != execName {
		r.Note = notes(r.Note, fmt.Sprintf("[timeout_seconds can give a command more time, up to %ss]", seconds(s.c.MaxTimeout)))
	}
	if st.Known {
		if r.Signal = st.Signal; st.Signal == 0 {
			r.ExitCode = &st.Code
		}
	}
	if s.render(r); r.Truncated && spill != nil {
		var err error
		if r.OutputPath, r.OutputPathBytes, err = spill.keep(); err != nil {
			s.c.Logger.Warn("einoshell: output is not kept in full", "error", err, "command_id", r.CommandID)
		}
		s.render(r)
	}

	c.send(func(h EventHead) Event {
		return CommandFinished{
			EventHead: h, PID: r.PID, ExitCode: r.ExitCode, Signal: r.Signal,
			TimedOut: r.TimedOut, Cancelled: r.Cancelled, Duration: r.Duration,
			StdoutBytes: r.StdoutBytes, StderrBytes: r.StderrBytes,
			Truncated: r.Truncated, TotalLines: &r.TotalLines, OutputPath: r.OutputPath,
		}
	})
	return r, nil
}

// render makes the text of r.
func (s *Shell) render(r *Result) {
	lost := r.StdoutTruncated || r.StderrTruncated
	if s.c.ResultFormat == formatJSON {
		r.text, r.Truncated = r.object(s.c.MaxOutputChars)
	} else if r.text, r.Truncated = output.Truncate(r.compose(), s.c.MaxOutputChars, r.more()); lost && !r.Truncated && r.OutputPath != "" {
		// What is left of the output fits, and no marker says that there was more.
		r.Note = notes(r.Note, "[not all of the output is shown; "+r.more()+"]")
		r.text, r.Truncated = output.Truncate(r.compose(), s.c.MaxOutputChars, r.more())
	}
	r.Truncated = r.Truncated || lost
}

// notes joins what is to be noted.
func notes(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "\n")
}

// maxCommand is how long a command may be in bytes.
func (s *Shell) maxCommand() int {
	if s.loads {
		return s.c.MaxCommandBytes
	}
	return min(s.c.MaxCommandBytes, process.MaxArg-1) // a space may have to go before it
}

// timeout returns the time a command has that asked for want, and a note when
// that is less than it asked for. wrong is a refusal.
func (s *Shell) timeout(want time.Duration) (d time.Duration, note, wrong string) {
	switch {
	case want == 0:
		return s.c.Timeout, "", ""
	case want < 0:
		return 0, "", s.timeoutRange()
	case want > s.c.MaxTimeout:
		return s.c.MaxTimeout, fmt.Sprintf("[timeout_seconds was above the limit: %ss used]", seconds(s.c.MaxTimeout)), ""
	}
	return want, "", ""
}

func (s *Shell) timeoutRange() string {
	return fmt.Sprintf("timeout_seconds must be a number greater than 0 and at most %s.", seconds(s.c.MaxTimeout))
}

// lostDir says what is wrong with the directory a command could not be started
// in, without naming it: the name is the host's.
func lostDir(dir string) string {
	info, err := os.Stat(dir)
	if err == nil && info.IsDir() {
		_, err = os.Stat(dir + string(os.PathSeparator) + ".") // may it be entered?
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "The working directory no longer exists."
	case errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir():
		return "The working directory is no longer a directory."
	case errors.Is(err, fs.ErrPermission):
		return "The working directory can no longer be entered: permission denied."
	case err != nil:
		return "The working directory can no longer be used."
	}
	return ""
}

// script is command as a shell's -c takes it: what begins with a dash or a plus
// would be read as an option.
func script(command string) string {
	if strings.HasPrefix(command, "-") || strings.HasPrefix(command, "+") {
		return " " + command
	}
	return command
}
