package tool

import (
	"context"
	"fmt"
	"math"
	"time"
)

const runCommandName = "run_command"

// runArgs are the arguments of run_command.
type runArgs struct {
	Command        string  `json:"command"`
	TimeoutSeconds float64 `json:"timeout_seconds,omitempty"`
}

// commandProperty describes the command of a tool that runs one.
var commandProperty = property{
	description: "The shell script to run, as one text: quote and chain in it as in a shell.",
	minLength:   1,
}

func newRunCommand(s *Shell) (*shellTool, error) {
	params, err := parameters(&runArgs{}, map[string]property{
		"command": commandProperty,
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
	background := ""
	if s.offers(startCommandName) {
		background = "; what is to go on is for " + startCommandName
	}
	lasts := "in that directory: a cd or a variable does not outlast the call"
	if s.c.PersistDir {
		lasts = "there, or where the last call was at its end if its exit code was 0: a cd outlasts the call then, and a variable never does"
	}
	t := &shellTool{typ: "RunCommand", params: params}
	t.desc = func(dir string) string {
		return fmt.Sprintf("Run a command with %s in the directory %s (or the session's own, which pwd tells) and return what it prints on standard output and "+
			"standard error, and %s. Every call starts a new shell %s. "+
			"Standard input is empty and there is no terminal, so a command that asks a question gets no answer. "+
			"The command ends after %s seconds unless timeout_seconds says otherwise, and processes it leaves in the background end with it%s. "+
			"Of a result longer than %d characters only the end is returned%s. %s that starts with \"Command not run:\" says why "+
			"and what to change.",
			s.shellName(), dir, ending, lasts, seconds(s.c.Timeout), background, s.c.MaxOutputChars, more, refusal)
	}
	t.run = func(ctx context.Context, em *emitter, arguments string) (*reply, error) {
		r, err := s.execute(ctx, s.runCall(em, arguments))
		if err != nil {
			return nil, err
		}
		return &reply{text: r.Text(), result: r}, nil
	}
	return t, nil
}

// runCall reads the arguments of a call of run_command.
func (s *Shell) runCall(em *emitter, arguments string) call {
	c := call{emitter: em}
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
			wrong = s.timeoutRange()
		}
	}
	c.wrong = wrong
	return c
}

// duration returns n seconds, n > 0: at least a millisecond, so that no number
// is rounded to no time at all, and at most what a Duration holds.
func duration(n float64) time.Duration {
	if n >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return max(time.Duration(math.Round(n*float64(time.Second))), time.Millisecond)
}
