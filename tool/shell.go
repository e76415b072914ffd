package tool

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"

	"github.com/einoshell/einoshell/internal/environ"
	"github.com/einoshell/einoshell/internal/job"
	"github.com/einoshell/einoshell/internal/output"
	"github.com/einoshell/einoshell/internal/policy"
	"github.com/einoshell/einoshell/internal/state"
)

// A Shell runs commands under one Config. It is made once, by New, and shared
// by all runs of all agents: it is safe for concurrent use.
type Shell struct {
	c         Config // with nothing left at zero
	shellPath string // absolute path of c.Shell[0]
	loads     bool   // the shell can read a script from a descriptor
	plan      environ.Plan
	env       []string        // what plan comes to
	secrets   *output.Secrets // what output must not show
	policy    *policy.Policy
	state     *state.Root                  // nil when no files are kept
	late      atomic.Pointer[output.Spill] // a file that the file system holds up
	tools     []tool.BaseTool

	supervisor job.Tools   // what supervises commands that outlive the program
	persisted  persistents // those that were started

	outside *Run // the Run of commands outside of any

	mu     sync.Mutex
	closed bool
	runs   map[*Run]struct{}
	parked parked
}

// New makes a Shell. The error joins a *FieldError for each fault of c.
func New(ctx context.Context, c Config) (*Shell, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := prepare(ctx, c)
	if err != nil {
		return nil, err
	}
	s.outside = s.newRun(RunOptions{})
	s.runs = map[*Run]struct{}{s.outside: {}}
	if err := s.ensureStop(); err != nil {
		return nil, err
	}
	s.tools, err = s.newTools()
	return s, err
}

// Tools returns the tools of s, for compose.ToolsNodeConfig. There are none
// when Config.AllowShell is false, and those that ToolPolicy denies are missing.
func (s *Shell) Tools() []tool.BaseTool {
	return append([]tool.BaseTool(nil), s.tools...)
}

// Dir returns the directory that commands run in, unless their Run has another.
func (s *Shell) Dir() string { return s.c.Dir }

// Logger returns the Logger of the Config.
func (s *Shell) Logger() *slog.Logger { return s.c.Logger }

// Close closes all Runs of s, all at once, which ends their commands, but for those of the shell tool. Commands
// are refused with ErrClosed from then on. Closing twice is harmless, and so is
// closing the nil *Shell that New returns with an error. The error is always
// nil.
func (s *Shell) Close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	s.closed = true
	runs := make([]*Run, 0, len(s.runs))
	for r := range s.runs {
		runs = append(runs, r)
	}
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, r := range runs {
		wg.Go(func() { r.Close() })
	}
	wg.Wait()
	s.persisted.close()
	return nil
}

// execName stands for Exec where events name a tool.
const execName = "exec"

// A Request is a command for Exec.
type Request struct {
	// Command is a script for the Config's Shell. It may hold any bytes but NUL.
	Command string
	// Timeout is the time the command has. Zero means the Config's Timeout;
	// more than its MaxTimeout means that.
	Timeout time.Duration
	// Tool names, in events, the tool through which a model calls for the command, when it is not one of the
	// Shell. Config.ToolPolicy judges it as run_command. Empty means that no model does.
	Tool string
	// Live, when it is not nil, is given the beginning of Result.Output while the command runs: lines that have
	// ended, half of Config.MaxOutputChars at most. It is called while the command waits, and must return at once.
	Live func(text string)
}

// Exec runs a command for Go code the way the run_command tool runs one for a
// model: under the same policy, in the Run that ctx belongs to; its events go to
// the sinks of ctx, see WithEventSink. A command that fails, that runs out of
// time, or whose ctx is done while it runs is a Result, not an error. The error
// is a *DeniedError when the command was refused or ctx was done before,
// ErrClosed, or what keeps the host from starting it.
func (s *Shell) Exec(ctx context.Context, r Request) (*Result, error) {
	name := r.Tool
	if name == "" {
		name = execName
	}
	return s.execute(ctx, call{
		command: r.Command,
		timeout: r.Timeout,
		model:   r.Tool != "",
		live:    r.Live,
		emitter: s.emitter(ctx, name, compose.GetToolCallID(ctx)),
	})
}

// shellName is the shell as a model should know it: /bin/sh (dash).
func (s *Shell) shellName() string {
	name := s.c.Shell[0]
	real, err := filepath.EvalSymlinks(s.shellPath)
	if err != nil || filepath.Base(real) == filepath.Base(name) {
		return name
	}
	return name + " (" + filepath.Base(real) + ")"
}
