package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/einoshell/einoshell/internal/environ"
	"github.com/einoshell/einoshell/internal/job"
	"github.com/einoshell/einoshell/internal/output"
	"github.com/einoshell/einoshell/internal/process"
)

// The numbers of pydantic-ai-harness's shell tool.
const (
	maxPersistentTimeout = 270 * time.Second
	shownOfLog           = 16_000  // bytes of a log that a result has of its end, and events of its beginning
	countedOfLog         = 1 << 20 // bytes that a log may have for its lines to be counted
)

// A persistent is a command that outlives its call, its Run and the program, once its handles were given out.
type persistent struct {
	job     *job.Supervised
	folder  string
	run     *Run
	id      string
	command string
	dir     string
	begin   time.Time
}

// checkPersistent looks whether c can have the shell tool.
func checkPersistent(c Config, fault func(field, format string, args ...any)) job.Tools {
	tools, err := job.FindTools()
	if err != nil {
		fault("Tools", "%s: %v", persistentName, err)
	}
	if c.Timeout > maxPersistentTimeout {
		fault("Timeout", "%v is more than the tool %s can wait: timeout must be at most %s seconds", c.Timeout, persistentName, seconds(maxPersistentTimeout))
	}
	return tools
}

// persist starts a command that outlives the program, and waits for it, c.timeout at most; a command in the
// background is not waited for.
func (s *Shell) persist(ctx context.Context, c call) (*Result, error) {
	c.dir = c.run.base
	done, err := s.admit(ctx, &c)
	if err != nil {
		return nil, err
	}
	defer done()
	if !s.persisted.reserve(c.run, s.c.MaxBackground) {
		return nil, c.deny(DeniedLimit, fmt.Sprintf("%d commands of %s run, and no more may at a time: %s. Stop one of them.",
			s.c.MaxBackground, persistentName, s.persisted.running(c.run)), "MaxBackground")
	}
	// Until its handles are given out it ends with its call and with its Run.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.run.life, cancel)()
	p, err := s.startPersistent(ctx, c)
	if err != nil {
		s.persisted.release(c.run)
		return nil, err
	}
	kept := false
	defer func() {
		if kept {
			return
		}
		p.job.Kill()
		p.job.Log.Close()
		os.RemoveAll(p.folder)
		s.persisted.release(c.run)
	}()

	c.send(func(h EventHead) Event {
		return CommandStarted{EventHead: h, Command: c.command, Dir: c.dir, PID: p.job.PID(), Timeout: c.timeout, Background: c.background, Backend: backendNone}
	})
	shown := int64(0)
	if !c.background {
		shown = s.follow(ctx, c, p)
	}
	r, err := s.summary(p)
	if err != nil {
		return nil, err
	}
	r.Note, r.Timeout = notes(c.note, r.Note), c.timeout
	lines, counted := output.LogLines(p.job.Log, countedOfLog)
	finished := CommandFinished{PID: r.PID, ExitCode: r.ExitCode, Duration: r.Duration, Background: c.background, Limit: r.Limit,
		Truncated: r.OutputPathBytes > shown, OutputPath: r.OutputPath, StatusPath: r.StatusPath}
	if counted {
		r.TotalLines, finished.TotalLines = lines, &lines
	}
	if ctx.Err() != nil {
		finished.Cancelled, finished.OutputPath, finished.StatusPath = true, "", ""
		r.Cancelled, r.Status, r.OutputPath, r.StatusPath, r.status, r.howToStop = true, StatusFinished, "", "", "", ""
	} else {
		s.persisted.add(p)
		kept = true
	}
	c.send(func(h EventHead) Event {
		finished.EventHead = h
		return finished
	})
	s.compose(r)
	return r, nil
}

// startPersistent starts the command of a call that was admitted.
func (s *Shell) startPersistent(ctx context.Context, c call) (*persistent, error) {
	folder, err := s.state.NewFolder("shell-")
	if err != nil {
		return nil, c.deny(DeniedHost, "The folder for its output cannot be made: "+err.Error()+".", "")
	}
	args, script, err := process.Script(append([]string{s.shellPath}, s.c.Shell[1:]...), script(c.command), s.loads)
	if err != nil {
		os.Remove(folder)
		return nil, fmt.Errorf("einoshell: start a command: %w", err)
	}
	var files []*os.File
	if script != nil {
		defer script.Close()
		files = append(files, script)
	}
	late, env := process.Late(environ.In(c.run.env, c.dir))
	p := &persistent{folder: folder, run: c.run, id: c.head.CommandID, command: c.command, dir: c.dir, begin: time.Now()}
	p.job, err = job.Supervise(ctx, job.SupervisedSpec{
		Tools: s.supervisor, Folder: folder, Args: args, Files: files, Dir: c.dir, Env: env, Mark: c.head.CommandID,
		Before: late, Gate: process.Limits{FileSize: s.c.MaxFileBytes}.Set,
	})
	var supervisor *job.SupervisorError
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &supervisor):
		return nil, c.deny(DeniedHost, supervisor.Error(), "") // the folder stays
	}
	os.RemoveAll(folder)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil, c.deny(DeniedCancelled, cancelledBefore, "")
	}
	if reason := lostDir(c.dir); reason != "" {
		return nil, c.deny(DeniedDirectory, reason, "")
	}
	if errors.Is(err, job.ErrFolder) {
		return nil, c.deny(DeniedHost, "Its output cannot be kept: "+err.Error()+".", "")
	}
	c.deny(DeniedHost, "The host could not start the command.", "")
	return nil, fmt.Errorf("einoshell: start a command: %w", err)
}

// follow waits for the command until its time is up, and has events show what it prints. It returns how
// many bytes they have shown.
func (s *Shell) follow(ctx context.Context, c call, p *persistent) (shown int64) {
	if c.listened() {
		following, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		live := &live{emitter: c.emitter, redact: output.Redactor{Secrets: s.secrets}}
		go func() {
			defer close(done)
			shown = output.Follow(following, p.job.Log, shownOfLog, live.write)
			live.flush()
		}()
		defer func() {
			stop()
			<-done
		}()
	}
	p.await(ctx, c.timeout)
	return shown
}

// await waits until how the command has ended is known, until ctx is done, d at most.
func (p *persistent) await(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.job.Done():
	case <-timer.C:
	case <-ctx.Done():
	}
}

// A live makes events of the beginning of a log.
type live struct {
	*emitter
	redact output.Redactor
	decode output.Decoder
}

func (l *live) write(p []byte) { l.take(l.redact.Write(p)) }

func (l *live) take(p []byte) {
	held := l.decode.Held()
	l.show(l.decode.Decode(p), held+len(p)-l.decode.Held())
}

func (l *live) flush() {
	l.take(l.redact.Flush())
	held := l.decode.Held()
	l.show(l.decode.Flush(), held)
}

// show sends the events for text, which stands for n bytes.
func (l *live) show(text string, n int) {
	var events []func(EventHead) Event
	output.Chunks(text, MaxEventText, func(piece string) {
		e := CommandOutput{Stream: Combined, Text: piece, Bytes: n}
		n = 0
		events = append(events, func(h EventHead) Event {
			e.EventHead = h
			return e
		})
	})
	l.send(events...)
}

// facts are how the command stands, but for what it has printed.
func (p *persistent) facts() *Result {
	r := &Result{
		CommandID: p.id, Command: p.command, Dir: p.dir, PID: p.job.PID(), Backend: backendNone, Status: StatusRunning,
		Duration: time.Since(p.begin), OutputPath: filepath.Join(p.folder, job.LogName), StatusPath: filepath.Join(p.folder, job.StatusName),
		persistent: true,
	}
	if over := p.job.Over(); !over.IsZero() {
		r.Duration = over.Sub(p.begin)
	}
	switch code, known := p.job.Exit(); {
	case known:
		r.ExitCode, r.Status = &code, StatusFinished
	case closed(p.job.Done()) && !p.job.Alive():
		r.Status = StatusFinished
		r.Note = "[how it ended is not known: its supervisor was ended]"
	}
	return r
}

// summary says how the command stands, without a text. The error is that of reading its log.
func (s *Shell) summary(p *persistent) (*Result, error) {
	r := p.facts() // before the log, which may have more when it has ended meanwhile
	end, omitted, err := output.LogEnd(p.job.Log, shownOfLog)
	if err != nil {
		return nil, fmt.Errorf("einoshell: read the output of a command: %w", err)
	}
	// What reaches into the end may be a secret with what is before it.
	before := make([]byte, min(omitted, hideBefore))
	n, _ := p.job.Log.ReadAt(before, omitted-int64(len(before)))
	before = before[:n]
	text := s.secrets.Hide(string(before) + string(end))
	screen := output.Reducer{Tail: output.NewTail(4 * shownOfLog)}
	screen.Write([]byte(text[min(len(before), len(text)):]))
	screen.Flush()
	shown, _ := screen.Tail.End(shownOfLog, false)
	r.Output, r.omitted, r.OutputTruncated = s.secrets.Hide(output.Visible(output.Text(shown))), omitted, omitted > 0
	r.OutputPathBytes = omitted + int64(len(end))
	r.Truncated = r.OutputTruncated
	r.limited(s.c.MaxFileBytes)
	if _, err := os.Lstat(r.StatusPath); err == nil {
		r.status = p.job.Status()
	}
	r.howToStop = fmt.Sprintf("use `%s` to stop the whole process tree", killLine(r.PID))
	if !s.mayKill(p.run, r.PID) {
		r.howToStop = fmt.Sprintf("use %s with command_id %d to stop the whole process tree", stopCommandName, r.PID)
	}
	return r, nil
}

// composePersistent writes the text, in the shape of pydantic-ai-harness: what outlasts a cut is at the end.
func (r *Result) composePersistent() string {
	text := r.Output
	if r.omitted > 0 {
		text = fmt.Sprintf("[... output truncated, %d earlier bytes omitted]\n", r.omitted) + text
	}
	if text != "" && text[len(text)-1] != '\n' {
		text += "\n"
	}
	for _, line := range []string{r.Note, r.hint} {
		if line != "" {
			text += line + "\n"
		}
	}
	switch {
	case r.Cancelled:
		return text + fmt.Sprintf("[Command cancelled after %ss]", seconds(r.Duration.Round(100*time.Millisecond)))
	case r.Status == StatusStopped:
		return text + r.state()
	}
	return text + fmt.Sprintf("PID: %d (%s)\nOutput: %s\nStatus: %s\n%s", r.PID, r.howToStop, r.OutputPath, r.StatusPath, r.status)
}

// killLine is the command that ends a process group.
func killLine(pid int) string { return fmt.Sprintf("kill -- -%d", pid) }

// mayKill reports whether a model has a tool that runs the killLine of a number.
func (s *Shell) mayKill(r *Run, pid int) bool {
	for _, name := range []string{runCommandName, persistentName} {
		c := call{command: killLine(pid), dir: r.base, emitter: &emitter{run: r, head: EventHead{Tool: name}}}
		if s.offers(name) && s.judge(c).Action == ActionAllow {
			return true
		}
	}
	return false
}

// ensureStop has stop_command among the tools where a model could not end a command of the shell tool without.
func (s *Shell) ensureStop() error {
	const somePID = 4194304 // above those of any system
	if !s.offers(persistentName) || s.offers(stopCommandName) || s.mayKill(s.outside, somePID) {
		return nil
	}
	if s.c.ToolPolicy[stopCommandName] == ActionDeny {
		return &FieldError{"ToolPolicy", fmt.Sprintf("%s is denied, and so is kill: what %s starts could not be stopped", stopCommandName, persistentName)}
	}
	s.c.Tools = append(s.c.Tools, stopCommandName)
	return nil
}

// report says how a command stands whose handles were given out.
func (s *Shell) report(p *persistent, as Status, note string) (*reply, error) {
	r, err := s.summary(p)
	if err != nil {
		return nil, err
	}
	r.Note = notes(note, r.Note)
	if as == StatusStopped {
		r.Status, r.hint, r.Limit = as, "", ""
	}
	s.compose(r)
	return &reply{text: r.Text(), result: r}, nil
}

func (s *Shell) stopPersistent(p *persistent, note string) (*reply, error) {
	if p.job.Stop(s.c.KillGrace) {
		return s.report(p, StatusRunning, notes(note, "[a process is left that could not be ended]"))
	}
	return s.report(p, StatusStopped, note)
}

// allOutput is a note for who has asked for what is new.
func (p *persistent) allOutput(fresh bool) string {
	if !fresh {
		return ""
	}
	return "[new_output_only has no effect for a command of " + persistentName + "]"
}
