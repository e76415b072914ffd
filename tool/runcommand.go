package tool

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/internal/output"
)

// Keys of tool.CallbackOutput.Extra, for callback handlers that want more than
// the text a model gets.
const (
	// ExtraResult holds the *Result of a command that ran.
	ExtraResult = "einoshell.result"
	// ExtraDenied holds the *DeniedError of one that was refused.
	ExtraDenied = "einoshell.denied"
)

const runCommandName = "run_command"

// runArgs are the arguments of run_command.
type runArgs struct {
	Command        string  `json:"command"`
	TimeoutSeconds float64 `json:"timeout_seconds,omitempty"`
}

// runCommand is the tool run_command.
type runCommand struct {
	shell *Shell
	info  schema.ToolInfo
}

var (
	_ tool.InvokableTool = (*runCommand)(nil)
	_ components.Checker = (*runCommand)(nil)
	_ components.Typer   = (*runCommand)(nil)
)

func newRunCommand(s *Shell) (*runCommand, error) {
	params, err := parameters(&runArgs{}, map[string]property{
		"command": {
			description: "The shell script to run, as one text: quote and chain in it as in a shell.",
			minLength:   1,
		},
		"timeout_seconds": {
			description: fmt.Sprintf("How many seconds the command may take; %s when left out, at most %s. "+
				"A command that takes longer is ended, and what it has printed is returned.",
				seconds(s.c.Timeout), seconds(s.c.MaxTimeout)),
			above: new(float64),
			most:  s.c.MaxTimeout.Seconds(),
		},
	})
	if err != nil {
		return nil, err
	}
	ending, refusal := "its exit code unless that is 0", "A result"
	if s.c.ResultFormat == formatJSON {
		ending, refusal = "how it ended, as one JSON object", "An error"
	}
	more := ""
	if s.c.SpillBytes > 0 {
		more = ", and where it has room it names a file with the output from its beginning"
	}
	return &runCommand{shell: s, info: schema.ToolInfo{
		Name: runCommandName,
		Desc: fmt.Sprintf("Run a command with %s in the directory %s and return what it prints on standard output and "+
			"standard error, and %s. Every call starts a new shell in that directory: a cd or a variable "+
			"does not outlast the call. Standard input is empty and there is no terminal, so a command that asks a question gets no answer. "+
			"The command ends after %s seconds unless timeout_seconds says otherwise, and processes it leaves in the background end with it. "+
			"Of a result longer than %d characters only the end is returned%s. %s that starts with \"Command not run:\" says why "+
			"and what to change.",
			s.shellName(), s.c.Dir, ending, seconds(s.c.Timeout), s.c.MaxOutputChars, more, refusal),
		ParamsOneOf: params,
	}}, nil
}

// Info describes the tool. It was made once: asking often costs nothing.
func (t *runCommand) Info(context.Context) (*schema.ToolInfo, error) {
	info := t.info
	return &info, nil
}

// GetType names the tool in Eino's callbacks.
func (t *runCommand) GetType() string { return "RunCommand" }

// IsCallbacksEnabled tells Eino that the tool calls callbacks by itself: only
// so does the structured result reach them.
func (t *runCommand) IsCallbacksEnabled() bool { return true }

// InvokableRun runs the command that a model asks for. The error is one that
// the host must deal with; everything else is text for the model.
func (t *runCommand) InvokableRun(ctx context.Context, arguments string, _ ...tool.Option) (string, error) {
	ctx = callbacks.EnsureRunInfo(ctx, t.GetType(), components.ComponentOfTool)
	ctx = callbacks.OnStart(ctx, &tool.CallbackInput{ArgumentsInJSON: arguments})
	text, extra, err := t.run(ctx, arguments)
	if err != nil {
		callbacks.OnError(ctx, err)
		return "", err
	}
	callbacks.OnEnd(ctx, &tool.CallbackOutput{Response: text, Extra: extra})
	return text, nil
}

func (t *runCommand) run(ctx context.Context, arguments string) (string, map[string]any, error) {
	s := t.shell
	c := call{emitter: s.emitter(ctx, runCommandName, compose.GetToolCallID(ctx))}
	t.decode(&c, arguments)
	r, err := s.execute(ctx, c)
	var denied *DeniedError
	if errors.As(err, &denied) {
		if s.c.ResultFormat == formatJSON {
			return denied.object(c.command, s.c.Dir, s.c.MaxOutputChars), map[string]any{ExtraDenied: denied}, nil
		}
		// The beginning says what it is.
		return output.First(denied.Error(), s.c.MaxOutputChars), map[string]any{ExtraDenied: denied}, nil
	}
	if err != nil {
		return "", nil, err
	}
	return r.Text(), map[string]any{ExtraResult: r}, nil
}

// decode reads the arguments into c.
func (t *runCommand) decode(c *call, arguments string) {
	args, note, wrong := readArguments(arguments, "command", "timeout_seconds")
	if wrong == "" {
		c.command, wrong = args.script("command")
	}
	c.note = note
	if wrong == "" && args.has("timeout_seconds") {
		n, ok := args.number("timeout_seconds")
		if ok && n > 0 {
			c.timeout = duration(n)
		} else {
			wrong = t.shell.timeoutRange()
		}
	}
	c.wrong = wrong
}

// duration returns n seconds, n > 0: at least a millisecond, so that no number
// is rounded to no time at all, and at most what a Duration holds.
func duration(n float64) time.Duration {
	if n >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return max(time.Duration(math.Round(n*float64(time.Second))), time.Millisecond)
}
