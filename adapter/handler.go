package adapter

import (
	"context"
	"slices"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	shelltool "github.com/einoshell/einoshell/tool"
)

// flushWait is how long the end of a Run waits for a listener that still has
// events of it to take. A listener that keeps up needs none of it, and one
// that hangs cannot hold up the agent for longer.
const flushWait = time.Second

// A Handler is an Eino callback handler for one Shell. The outermost component
// it is called for (a graph, a chain, an agent) is a Run: it opens the Run when
// the component starts, closes it when the component ends, by success, by
// error, by cancellation or by the end of its output stream, and delivers the events of the
// commands in between. Where the context already belongs to a Run, one opened
// by hand with NewRun, commands go there and whoever opened it closes it. One
// Handler may serve any number of runs at a time.
//
// Events of commands that an ADK agent calls for are in the agent's own stream, too: e.Output.CustomizedOutput is a shelltool.Event and
// e.Output.MessageOutput nil, which who reads the stream has to expect. They come only while the call lasts, with 16,000 bytes of its output at
// most; the rest is counted in CommandOutput.Dropped. WithoutAgentEvents keeps them out.
//
// The Run of an agent run that is interrupted, to be resumed later, is parked (see Run.Park). The run that resumes it
// goes on with it: in ADK by itself, in a graph when RunOptions gives both the same ID.
// A run that was cancelled is not interrupted in this sense, though Eino can resume it.
//
// For Eino's callbacks an ADK agent that another hands over to (transfer_to_agent) is not inside of that: it has a Run of its own. To share
// one, open it by hand.
//
// A consumer that abandons an output stream should also cancel the context it
// gave: the Handler has a copy of the stream, and closing one copy stops no
// producer.
type Handler struct {
	shell       *shelltool.Shell
	queue       *queue                                     // nil without a listener
	options     func(context.Context) shelltool.RunOptions // nil for none
	gate        gate
	agentEvents bool
}

var (
	_ callbacks.Handler       = (*Handler)(nil)
	_ callbacks.TimingChecker = (*Handler)(nil)
)

// An Option changes what NewHandler makes.
type Option interface{ handler(*Handler) }

type option func(*Handler)

func (o option) handler(h *Handler) { o(h) }

// OnEvent gives events to listen, in order and one at a time, also when several
// runs have some. It is called beside the commands: a listener that is slow, or
// that panics, holds up no command. The listener of a command that prints
// faster than it listens gets the output in larger pieces, then with gaps that
// CommandOutput.Dropped counts; the other events are never dropped.
//
// When a component that is a Run ends, its events have been given to listen,
// unless that takes listen more than a second. That does not hold for output
// streams and the events of an ADK agent, whose end nobody waits for.
func OnEvent(listen func(shelltool.Event)) Option {
	return option(func(h *Handler) {
		if listen != nil {
			h.queue = newQueue(listen, h.shell.Logger())
		}
	})
}

// RunOptions has options say what the Runs are like that the Handler opens: the directory,
// the environment and the owner of each, and whether it may use the shell. It is called with the context of the agent run
// when that starts.
func RunOptions(options func(context.Context) shelltool.RunOptions) Option {
	return option(func(h *Handler) { h.options = options })
}

// WithoutAgentEvents keeps the events of commands out of the event streams of ADK agents.
func WithoutAgentEvents() Option {
	return option(func(h *Handler) { h.agentEvents = false })
}

// NewHandler returns a Handler for sh.
func NewHandler(sh *shelltool.Shell, options ...Option) *Handler {
	h := &Handler{shell: sh, agentEvents: true}
	for _, o := range options {
		o.handler(h)
	}
	return h
}

// Flush waits until the listener has had every event so far, or ctx is done,
// whose error it then returns. A display that shows events between a model's
// messages calls it before it shows a message. It must not be called by the
// listener itself.
func (h *Handler) Flush(ctx context.Context) error {
	if h.queue == nil {
		return nil
	}
	return h.queue.flush(ctx)
}

// Needed tells Eino which calls to make. Of streams only that of the run itself is looked at: each look
// costs a copy of the stream, and Eino v0.9.13 has a data race where it cancels a tool whose stream was copied.
func (h *Handler) Needed(ctx context.Context, _ *callbacks.RunInfo, timing callbacks.CallbackTiming) bool {
	if timing != callbacks.TimingOnEndWithStreamOutput {
		return true
	}
	p, ok := ctx.Value(placeKey{h}).(place)
	if ok && p.call != nil && p.nested() {
		// A tool has returned its stream, which may be the last that its agent says: for the agent or the workflow around
		// that, whatever came behind it would be.
		p.call.end()
	}
	return ok && p.outer()
}

// OnStart is called by Eino.
func (h *Handler) OnStart(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
	return h.start(ctx, info, in)
}

// OnStartWithStreamInput is called by Eino.
func (h *Handler) OnStartWithStreamInput(ctx context.Context, info *callbacks.RunInfo, in *schema.StreamReader[callbacks.CallbackInput]) context.Context {
	in.Close()
	return h.start(ctx, info, nil)
}

// OnEnd is called by Eino. An ADK agent calls it when it begins: its end is the
// end of the events that come with the call.
func (h *Handler) OnEnd(ctx context.Context, _ *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
	switch out := out.(type) {
	case *adk.AgentCallbackOutput:
		go drain(h, ctx, out.Events)
	case *adk.TypedAgentCallbackOutput[*schema.AgenticMessage]:
		go drain(h, ctx, out.Events)
	default:
		h.end(ctx, false)
	}
	return ctx
}

// OnError is called by Eino.
func (h *Handler) OnError(ctx context.Context, _ *callbacks.RunInfo, err error) context.Context {
	info, interrupted := compose.ExtractInterruptInfo(err)
	if interrupted && asks(info.InterruptContexts) {
		h.hold(ctx)
	}
	h.end(ctx, interrupted)
	return ctx
}

// OnEndWithStreamOutput is called by Eino. The Run of a component that streams
// its output ends with that stream, of which out is a copy: when the stream
// does, or at the next chunk once ctx is done.
func (h *Handler) OnEndWithStreamOutput(ctx context.Context, _ *callbacks.RunInfo, out *schema.StreamReader[callbacks.CallbackOutput]) context.Context {
	go func() {
		interrupted := false
		defer func() { h.end(ctx, interrupted) }()
		defer out.Close()
		for ctx.Err() == nil {
			if _, err := out.Recv(); err != nil {
				_, interrupted = compose.ExtractInterruptInfo(err)
				return
			}
		}
	}()
	return ctx
}

// drain reads the events of an agent to their end, which is the agent's.
func drain[M adk.MessageType](h *Handler, ctx context.Context, events *adk.AsyncIterator[*adk.TypedAgentEvent[M]]) {
	interrupted := false
	defer func() { h.end(ctx, interrupted) }()
	for {
		e, ok := events.Next()
		if !ok {
			return
		}
		if e.Output != nil && e.Output.MessageOutput != nil && e.Output.MessageOutput.MessageStream != nil {
			e.Output.MessageOutput.MessageStream.Close()
		}
		interrupted = interrupted || e.Action != nil && e.Action.Interrupted != nil && resumable(e.Action.Interrupted)
	}
}

// cancelled tells what adk.WithCancel says of itself where it interrupts an agent.
func cancelled(info any) bool {
	return info == nil || info == "CancelAfterChatModel" || info == "CancelAfterToolCalls"
}

// asks reports whether an interruption is certain to be no cancellation: a tool asks, or somebody else says something.
func asks(contexts []*adk.InterruptCtx) bool {
	return slices.ContainsFunc(contexts, func(c *adk.InterruptCtx) bool {
		n := len(c.Address)
		return n > 0 && c.Address[n-1].Type == adk.AddressSegmentTool || !cancelled(c.Info)
	})
}

// resumable tells an interruption that waits for somebody's answer from what adk.WithCancel makes of a run: Eino interrupts
// the agent itself then, without a question or with one of its own.
func resumable(info *adk.InterruptInfo) bool {
	for _, c := range info.InterruptContexts {
		n := len(c.Address)
		if n == 0 || c.Address[n-1].Type != adk.AddressSegmentAgent {
			return true
		}
		if !cancelled(c.Info) {
			return true
		}
	}
	return false
}
