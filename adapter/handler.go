package adapter

import (
	"context"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/callbacks"
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
// error or by the end of its output stream, and delivers the events of the
// commands in between. Where the context already belongs to a Run, one opened
// by hand with NewRun, commands go there and whoever opened it closes it. One
// Handler may serve any number of runs at a time.
//
// A consumer that abandons an output stream should also cancel the context it
// gave: the Handler has a copy of the stream, and closing one copy stops no
// producer.
type Handler struct {
	shell   *shelltool.Shell
	queue   *queue                                     // nil without a listener
	options func(context.Context) shelltool.RunOptions // nil for none
}

var (
	_ callbacks.Handler       = (*Handler)(nil)
	_ callbacks.TimingChecker = (*Handler)(nil)
)

// An Option changes what NewHandler makes.
type Option func(*Handler)

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
	return func(h *Handler) {
		if listen != nil {
			h.queue = newQueue(listen, h.shell.Logger())
		}
	}
}

// RunOptions has options say what the Runs are like that the Handler opens: the directory,
// the environment and the owner of each. It is called with the context of the agent run
// when that starts.
func RunOptions(options func(context.Context) shelltool.RunOptions) Option {
	return func(h *Handler) { h.options = options }
}

// NewHandler returns a Handler for sh.
func NewHandler(sh *shelltool.Shell, options ...Option) *Handler {
	h := &Handler{shell: sh}
	for _, o := range options {
		o(h)
	}
	return h
}

type (
	// scopeKey finds a Handler's scope in a context.
	scopeKey struct{ *Handler }
	// ownerKey finds the component whose start opened the Run of a Shell.
	ownerKey struct{ *shelltool.Shell }
)

// A scope is where in a run a context stands.
type scope struct {
	run  *shelltool.Run     // to be closed at the end; nil when somebody else will
	info *callbacks.RunInfo // the component that is the run
	at   *callbacks.RunInfo // the component of this context
	// inside: the context is of another component, though both have no
	// RunInfo to tell them apart by.
	inside bool
}

// outer reports whether the component of the context is the run itself.
func (sc scope) outer() bool { return sc.at == sc.info && !sc.inside }

// start opens a Run unless ctx is in one.
func (h *Handler) start(ctx context.Context, info *callbacks.RunInfo) context.Context {
	if sc, ok := ctx.Value(scopeKey{h}).(scope); ok {
		// The same component again when h was given twice; else one inside.
		sc.at = info
		sc.inside = info == nil
		return context.WithValue(ctx, scopeKey{h}, sc)
	}
	sc := scope{info: info, at: info}
	owner, owned := ctx.Value(ownerKey{h.shell}).(*callbacks.RunInfo)
	switch {
	case h.shell.RunOf(ctx) == nil:
		var o shelltool.RunOptions
		if h.options != nil {
			o = h.options(ctx)
		}
		ctx, sc.run = h.shell.NewRun(ctx, o)
		ctx = context.WithValue(ctx, ownerKey{h.shell}, info)
	case owned && owner == info && info != nil:
		// Another Handler opened it for the same component. Either may see the
		// end first, and closing twice is harmless.
		sc.run = h.shell.RunOf(ctx)
	}
	if h.queue != nil {
		ctx = h.shell.WithEventSink(ctx, h.queue.put)
	}
	return context.WithValue(ctx, scopeKey{h}, sc)
}

// ends reports whether the end of the component of ctx is the end of the run.
func (h *Handler) ends(ctx context.Context) bool {
	sc, ok := ctx.Value(scopeKey{h}).(scope)
	return ok && sc.outer()
}

// end closes the Run when the component of ctx is the run.
func (h *Handler) end(ctx context.Context) {
	if !h.ends(ctx) {
		return
	}
	if run := ctx.Value(scopeKey{h}).(scope).run; run != nil {
		run.Close()
	}
	if h.queue != nil {
		ctx, cancel := context.WithTimeout(context.Background(), flushWait)
		defer cancel()
		h.queue.flush(ctx)
	}
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

// Needed tells Eino which calls to make.
func (h *Handler) Needed(context.Context, *callbacks.RunInfo, callbacks.CallbackTiming) bool {
	return true
}

// OnStart is called by Eino.
func (h *Handler) OnStart(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackInput) context.Context {
	return h.start(ctx, info)
}

// OnStartWithStreamInput is called by Eino.
func (h *Handler) OnStartWithStreamInput(ctx context.Context, info *callbacks.RunInfo, in *schema.StreamReader[callbacks.CallbackInput]) context.Context {
	in.Close()
	return h.start(ctx, info)
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
		h.end(ctx)
	}
	return ctx
}

// OnError is called by Eino.
func (h *Handler) OnError(ctx context.Context, _ *callbacks.RunInfo, _ error) context.Context {
	h.end(ctx)
	return ctx
}

// OnEndWithStreamOutput is called by Eino. The Run of a component that streams
// its output ends with that stream, of which out is a copy: when the stream
// does, or at the next chunk once ctx is done.
func (h *Handler) OnEndWithStreamOutput(ctx context.Context, _ *callbacks.RunInfo, out *schema.StreamReader[callbacks.CallbackOutput]) context.Context {
	if !h.ends(ctx) {
		out.Close()
		return ctx
	}
	go func() {
		defer h.end(ctx)
		defer out.Close()
		for ctx.Err() == nil {
			if _, err := out.Recv(); err != nil {
				return
			}
		}
	}()
	return ctx
}

// drain reads the events of an agent to their end, which is the agent's.
func drain[M adk.MessageType](h *Handler, ctx context.Context, events *adk.AsyncIterator[*adk.TypedAgentEvent[M]]) {
	defer h.end(ctx)
	for {
		e, ok := events.Next()
		if !ok {
			return
		}
		if e.Output != nil && e.Output.MessageOutput != nil && e.Output.MessageOutput.MessageStream != nil {
			e.Output.MessageOutput.MessageStream.Close()
		}
	}
}
