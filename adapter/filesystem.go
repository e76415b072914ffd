package adapter

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/cloudwego/eino/adk/filesystem"
	"github.com/cloudwego/eino/schema"

	shelltool "github.com/einoshell/einoshell/tool"
)

// executeName is Eino's name for the tool that it makes of a filesystem.Shell.
const executeName = "execute"

// The exit codes of what has none of its own: those that shells and timeout(1) use.
const (
	exitTimedOut  = 124
	exitUnknown   = 125
	exitRefused   = 126
	exitCancelled = 130
	exitSignal    = 128 // and its number
)

// NewShell returns sh as what Eino's file system middleware and DeepAgent make their tool execute of. Its
// commands go the way of run_command: policy, limits, Run and events, whose Tool is execute. What is refused, and
// what is ended by its time, a signal or its call, has a text and an exit code that is not zero: the error is for what the
// host must mend. Config.ResultFormat has no meaning for it, and every command has Config.Timeout.
func NewShell(sh *shelltool.Shell) filesystem.Shell { return execute{sh} }

// NewStreamingShell is NewShell with output that comes while the command runs: lines that have ended, up to half of
// Config.MaxOutputChars. What comes behind is held back until the end, when the last characters of it follow, with a marker
// in front when there are more: a model reads what was sent, which nobody can shorten any more.
func NewStreamingShell(sh *shelltool.Shell) filesystem.StreamingShell { return execute{sh} }

type execute struct{ shell *shelltool.Shell }

// Only fields that Eino v0.9 and v0.10 both have are used here.

// Execute runs a command.
func (x execute) Execute(ctx context.Context, in *filesystem.ExecuteRequest) (*filesystem.ExecuteResponse, error) {
	return x.run(ctx, in.Command, nil)
}

// run runs a command and returns what is to be said of it, but for what live was given.
func (x execute) run(ctx context.Context, command string, live func(string)) (*filesystem.ExecuteResponse, error) {
	var told strings.Builder
	request := shelltool.Request{Command: command, Tool: executeName}
	if live != nil {
		request.Live = func(text string) {
			told.WriteString(text)
			live(text)
		}
	}
	r, err := x.shell.Exec(ctx, request)
	var denied *shelltool.DeniedError
	if errors.As(err, &denied) {
		return response(denied.Error(), exitRefused, false), nil
	}
	if err != nil {
		return nil, err
	}
	text, truncated := r.Rest(told.String())
	return response(text, exitCode(r), truncated), nil
}

func response(text string, code int, truncated bool) *filesystem.ExecuteResponse {
	return &filesystem.ExecuteResponse{Output: text, ExitCode: &code, Truncated: truncated}
}

func exitCode(r *shelltool.Result) int {
	switch {
	case r.TimedOut:
		return exitTimedOut
	case r.Cancelled:
		return exitCancelled
	case r.Signal != 0:
		return exitSignal + r.Signal
	case r.ExitCode == nil:
		return exitUnknown
	}
	return *r.ExitCode
}

// ExecuteStreaming runs a command. It ends when ctx is done, and when something is to be sent to a reader that is closed.
func (x execute) ExecuteStreaming(ctx context.Context, in *filesystem.ExecuteRequest) (*schema.StreamReader[*filesystem.ExecuteResponse], error) {
	reader, writer := schema.Pipe[*filesystem.ExecuteResponse](1)
	ctx, cancel := context.WithCancel(ctx)
	live := &relay{news: make(chan struct{}, 1)}
	sent := make(chan struct{})
	go func() { // a reader that takes its time holds up no command
		defer close(sent)
		for text, more := live.take(); more; text, more = live.take() {
			if writer.Send(&filesystem.ExecuteResponse{Output: text}, nil) {
				cancel()
			}
		}
	}()
	go func() {
		defer cancel()
		defer writer.Close()
		r, err := x.run(ctx, in.Command, live.put)
		live.end()
		<-sent
		if r != nil || err != nil {
			writer.Send(r, err)
		}
	}()
	return reader, nil
}

// A relay holds text between a command, which must not wait, and a reader, which may. There is no more of
// it than Request.Live is given.
type relay struct {
	mu   sync.Mutex
	text strings.Builder
	over bool
	news chan struct{}
}

func (r *relay) put(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.WriteString(text)
	r.wake()
}

func (r *relay) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.wake()
}

func (r *relay) wake() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// take waits for text. There is no more when there comes none any more.
func (r *relay) take() (text string, more bool) {
	for {
		r.mu.Lock()
		text, over := r.text.String(), r.over
		r.text.Reset()
		r.mu.Unlock()
		if text != "" || over {
			return text, text != ""
		}
		<-r.news
	}
}
