package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
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
	command    string
	dir        string        // it runs in
	timeout    time.Duration // zero for the default; in the background for none
	background bool
	input      bool   // it is given something on standard input
	note       string // for the result
	wrong      string // what is wrong with the arguments, if something is
	keepDir    bool   // where it is at its end is to be told; set by admit
	dirApart   bool   // by a process of its own; likewise
	model      bool   // a model calls for it: by a tool that is not ours where head.Tool names none
	live       func(string)
	*emitter
}

// deny refuses the call.
func (c call) deny(kind DenialKind, reason, rule string) *DeniedError {
	c.send(func(h EventHead) Event {
		return CommandDenied{EventHead: h, Command: c.command, Kind: kind, Reason: reason, Rule: rule}
	})
	return &DeniedError{Kind: kind, Reason: reason, Rule: rule, command: c.command}
}

// admit looks whether a call may be run, where the Run is unless c says where. done must be called when it, or what it
// started, has ended. The error is a *DeniedError or what the host must mend.
func (s *Shell) admit(ctx context.Context, c *call) (done func(), err error) {
	if c.dir == "" {
		c.dir = c.run.Dir()
	}
	done, err = c.run.begin()
	if err != nil {
		c.deny(DeniedClosed, "The shell is closed.", "")
		return nil, err
	}
	if err := s.refusal(ctx, c); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

func (s *Shell) refusal(ctx context.Context, c *call) error {
	if !c.allowed {
		return c.deny(DeniedShellOff, shellOff, "AllowShell")
	}
	if c.run.fault != nil {
		c.deny(DeniedHost, "The host has set this session up in a way that cannot be used.", "")
		return c.run.fault
	}
	if c.wrong != "" {
		return c.deny(DeniedArguments, c.wrong, "")
	}
	if reason := s.tooLong(c.command); reason != "" {
		return c.deny(DeniedArguments, reason, "MaxCommandBytes")
	}
	if process.IsCmd(s.shellPath) && strings.ContainsAny(strings.TrimRight(c.command, "\r\n"), "\r\n") {
		return c.deny(DeniedArguments, "The command has more than one line, and cmd.exe would run the first only. "+
			"Join them with &, or write them to a file and run that.", "")
	}
	if reason := c.run.lost(c.dir); reason != "" {
		return c.deny(DeniedDirectory, reason, "")
	}
	v := s.judge(*c)
	switch v.Action {
	case ActionAllow:
	case ActionAsk:
		return c.deny(DeniedPolicy, v.Reason+nobodyToAsk, v.Rule)
	default:
		return c.deny(DeniedPolicy, v.Reason, v.Rule)
	}
	if ctx.Err() != nil {
		return c.deny(DeniedCancelled, cancelledBefore, "")
	}
	if s.c.PersistDir && !c.background && c.head.Tool != persistentName {
		// It is told by a trap, which a command that sets, lists or echoes traps must not meet.
		has := func(name string) bool { return slices.Contains(v.Commands, name) }
		why := ""
		switch {
		case has("trap"):
			why = "trap"
		case (has("set") || has("shopt")) && echoes.MatchString(c.command):
			why = "set -v"
		}
		c.keepDir = why == ""
		c.dirApart = slices.ContainsFunc([]string{"readonly", "declare", "typeset", "source", ".", "eval", "?"}, has)
		if !c.keepDir && (has("cd") || has("pushd") || has("popd")) {
			c.note = notes(c.note, "[the directory is not kept after a command with "+why+"]")
		}
	}
	return nil
}

// echoes is how a shell is told to echo what it reads, or may be told.
var echoes = regexp.MustCompile(`set(?:[ \t]+[^\s;&|]+)*?[ \t]+[-+][A-Za-z]*v|o[ \t]+verbose|shopt[^\n;]*verbose|set[ \t]+(?:[-+][^\s;&|]*)?["']?\$`)

const (
	shellOff        = "The shell is switched off in this session."
	nobodyToAsk     = " (An approval would do, but there is nobody to ask.)"
	cancelledBefore = "The call was cancelled before the command started."
)

// execute is the way from a call to a command that has ended, and its result.
func (s *Shell) execute(ctx context.Context, c call) (*Result, error) {
	asked := c.timeout
	timeout, note, wrong := s.timeout(asked)
	if c.wrong == "" {
		c.wrong = wrong
	}
	done, err := s.admit(ctx, &c)
	if err != nil {
		return nil, err
	}
	defer done()

	// The command ends with its call and with its Run.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.run.life, cancel)()

	c.timeout, c.note = timeout, notes(c.note, note)
	k, err := s.launch(ctx, c)
	if err != nil {
		return nil, err
	}
	defer k.spill.drop()
	// A sink may end this goroutine (a test's FailNow): not without the command.
	waited := false
	defer func() {
		if !waited {
			cancel()
			k.process.Wait(ctx, timeout)
		}
	}()
	k.announce()

	waited = true
	st := k.process.Wait(ctx, timeout)
	k.flush()
	r := k.result(st)
	if s.c.PersistDir {
		if r.ExitCode != nil && *r.ExitCode == 0 && !r.TimedOut && !r.Cancelled {
			c.run.move(c.dir, k.process.Dir())
		}
		r.NextDir = c.run.Dir()
	}
	if r.TimedOut && asked == 0 && timeout < s.c.MaxTimeout && c.head.Tool == runCommandName {
		r.Note = notes(r.Note, fmt.Sprintf("[timeout_seconds can give a command more time, up to %ss]", seconds(s.c.MaxTimeout)))
	}
	k.keep(r)
	k.finished(r, false)
	return r, nil
}

// A running is a command that was started.
type running struct {
	call
	begin          time.Time
	process        *process.Process
	both           *merge
	stdout, stderr *capture
	spill          *spill // nil when none of the output is kept in a file
}

// launch starts the command of a call that was admitted. Until it is waited for it
// prints nothing. ctx is for the time until it is started.
func (s *Shell) launch(ctx context.Context, c call) (*running, error) {
	live, both := &allowance{}, &merge{screen: s.newScreen()}
	if c.live != nil {
		both.head = s.newHead(c.live)
	}
	k := &running{call: c, both: both, spill: s.newSpill(c)}
	if k.spill != nil {
		both.spill = &k.spill.Spill
	}
	k.stdout = s.newCapture(c.emitter, live, both, Stdout)
	k.stderr = s.newCapture(c.emitter, live, both, Stderr)
	k.begin = time.Now()
	var err error
	k.process, err = process.Start(ctx, process.Spec{
		Path:   s.shellPath,
		Args:   s.c.Shell,
		Text:   script(c.command),
		Loads:  s.loads,
		Dir:    c.dir,
		Env:    environ.In(c.run.env, c.dir),
		Stdout: k.stdout.write,
		Stderr: k.stderr.write,
		Input:  c.input,
		Mark:   c.head.CommandID,
		Grace:  s.c.KillGrace,

		KeepDir:  c.keepDir,
		DirApart: c.dirApart,
		FileSize: s.c.MaxFileBytes,
	})
	if err == nil {
		return k, nil
	}
	k.spill.drop()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil, c.deny(DeniedCancelled, cancelledBefore, "")
	}
	reason := c.run.lost(c.dir)
	if reason == "" {
		reason = lostDir(c.dir)
	}
	if reason != "" {
		return nil, c.deny(DeniedDirectory, reason, "")
	}
	c.deny(DeniedHost, "The host could not start the command.", "")
	return nil, fmt.Errorf("einoshell: start a command: %w", err)
}

// announce says that the command runs.
func (k *running) announce() {
	k.send(func(h EventHead) Event {
		return CommandStarted{
			EventHead: h, Command: k.command, Dir: k.dir, PID: k.process.PID(),
			Timeout: k.timeout, Background: k.background, Backend: backendNone,
		}
	})
}

// flush takes in the last of the output.
func (k *running) flush() {
	k.stdout.flush()
	k.stderr.flush()
	k.both.finish(k.stdout, k.stderr)
}

// facts are what is known of the command but for its output and its end.
func (k *running) facts() *Result {
	return &Result{
		CommandID: k.head.CommandID,
		Command:   k.command,
		Dir:       k.dir,
		PID:       k.process.PID(),
		Backend:   backendNone,
		Timeout:   k.timeout,
		Duration:  time.Since(k.begin),
		Note:      k.note,
		Status:    StatusFinished,
	}
}

// result is how the command has gone. Its output does not count as seen.
func (k *running) result(st process.Status) *Result {
	r := k.facts()
	k.both.show(r, k.stdout, k.stderr, k.run.shell.c.MaxOutputChars, false)
	r.ended(st)
	r.limited(k.run.shell.c.MaxFileBytes)
	return r
}

// keep renders r of a command that has ended. The file with its output is kept when r
// does not hold all of it.
func (k *running) keep(r *Result) { k.run.shell.render(r, k.kept) }

// kept keeps the file with the output, and returns it.
func (k *running) kept() (path string, bytes int64) {
	path, bytes, err := k.spill.keep()
	if err != nil {
		k.logger.Warn("einoshell: output is not kept in full", "error", err, "command_id", k.head.CommandID)
	}
	return path, bytes
}

// finished says that the command has ended as r says.
func (k *running) finished(r *Result, stopped bool) {
	k.send(func(h EventHead) Event {
		return CommandFinished{
			EventHead: h, PID: r.PID, ExitCode: r.ExitCode, Signal: r.Signal,
			TimedOut: r.TimedOut, Cancelled: r.Cancelled, Stopped: stopped, Duration: r.Duration, Background: k.background,
			StdoutBytes: r.StdoutBytes, StderrBytes: r.StderrBytes,
			Truncated: r.Truncated, TotalLines: &r.TotalLines, OutputPath: r.OutputPath,
			NextDir: r.NextDir, Limit: r.Limit,
		}
	})
}

// render makes the text of r. file returns the file that has what r does not hold of the
// output, if there is one.
func (s *Shell) render(r *Result, file func() (path string, bytes int64)) {
	if s.compose(r); !r.Truncated {
		return
	}
	if r.OutputPath, r.OutputPathBytes = file(); r.OutputPath != "" {
		s.compose(r)
	}
}

func (s *Shell) compose(r *Result) {
	r.maxChars = s.c.MaxOutputChars
	lost := r.StdoutTruncated || r.StderrTruncated || r.persistent && r.OutputTruncated
	if s.c.ResultFormat == formatJSON {
		r.text, r.Truncated = r.object(s.c.MaxOutputChars)
	} else if r.text, r.Truncated = output.Truncate(r.compose(), s.c.MaxOutputChars, r.more()); lost && !r.Truncated && r.OutputPath != "" && !r.persistent {
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
