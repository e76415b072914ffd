package adapter

import (
	"context"
	"slices"
	"sync"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	shelltool "github.com/einoshell/einoshell/tool"
)

type (
	// placeKey finds where in a Handler's run a context stands.
	placeKey struct{ *Handler }
	// ownerKey finds the component whose start opened the Run of a Shell.
	ownerKey struct{ *shelltool.Shell }
)

// A scope is one run as a Handler sees it.
type scope struct {
	ctx    context.Context      // that the run began with
	info   *callbacks.RunInfo   // the component that is the run
	o      shelltool.RunOptions // for a Run that takes the place of run
	stream *stream              // of its events; nil for none

	mu     sync.Mutex
	run    *shelltool.Run // to be closed at the end; nil when somebody else will
	resume bool           // the run that it resumes has not been looked for yet
}

// A place is where in a run a context stands.
type place struct {
	*scope
	at *callbacks.RunInfo // the component of the context
	// inside: the context is of another component than the run, though both have no
	// RunInfo to tell them apart by.
	inside bool
	agent  adkAgent    // the agent around it
	path   []string    // the names of the agents around it, from the last that is a tool
	inTool bool        // there is a tool between it and the agent
	call   *callEvents // of the tool call that the component is
}

// outer reports whether the component of the context is the run itself.
func (p place) outer() bool { return p.at == p.info && !p.inside }

// An adkAgent is a kind of ADK agent.
type adkAgent int

const (
	noAgent adkAgent = iota
	messageAgent
	agenticAgent
)

// start opens a Run unless ctx is in one, and looks after what is inside of it.
func (h *Handler) start(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
	p, ok := ctx.Value(placeKey{h}).(place)
	switch {
	case !ok:
		ctx, p = h.open(ctx, info, in)
	case p.at == info && info != nil: // h was given twice
		return ctx
	default:
		p.at, p.inside, p.call = info, info == nil, nil
	}
	if info != nil {
		switch info.Component {
		case adk.ComponentOfAgent, adk.ComponentOfAgenticAgent:
			p.agent = messageAgent
			if info.Component == adk.ComponentOfAgenticAgent {
				p.agent = agenticAgent
			}
			if p.inTool {
				p.path = nil
			}
			p.path, p.inTool = append(slices.Clone(p.path), info.Name), false
		case compose.ComponentOfToolsNode, compose.ComponentOfAgenticToolsNode:
			h.note(ctx, p)
		case components.ComponentOfTool:
			if h.agentEvents && p.agent != noAgent {
				p.call = newCallEvents(ctx, p.agent, append(slices.Clone(p.path), info.Name))
				ctx = h.shell.WithCallSink(ctx, p.call.put)
			}
			p.inTool = true
		}
	}
	return context.WithValue(h.current(ctx, p), placeKey{h}, p)
}

// open begins a run.
func (h *Handler) open(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) (context.Context, place) {
	sc := &scope{info: info, resume: resumes(in)}
	if !h.gate.open(ctx, h.shell) {
		ctx = h.shell.WithoutShell(ctx)
	}
	if sc.stream, _ = ctx.Value(streamKey{h}).(*stream); sc.stream != nil && !sc.stream.begin() {
		sc.stream = nil
	}
	if h.options != nil {
		sc.o = h.options(ctx)
	}
	if allow := sc.o.AllowShell; allow != nil && !*allow { // also in a Run that somebody else has opened
		ctx = h.shell.WithoutShell(ctx)
	}
	owner, owned := ctx.Value(ownerKey{h.shell}).(*callbacks.RunInfo)
	switch {
	case h.shell.RunOf(ctx) == nil:
		o := sc.o
		o.Resumed = o.Resumed || sc.resume
		sc.ctx = ctx
		ctx, sc.run = h.shell.NewRun(ctx, o)
		ctx = context.WithValue(ctx, ownerKey{h.shell}, info)
	case owned && owner == info && info != nil:
		// Another Handler opened it for the same component. Either may see the
		// end first, and closing twice is harmless.
		sc.ctx = ctx
		sc.run = h.shell.RunOf(ctx)
	}
	if h.queue != nil {
		ctx = h.shell.WithEventSink(ctx, h.queue.put)
	}
	if sc.stream != nil {
		ctx = h.shell.WithEventSink(ctx, sc.stream.queue.put)
	}
	return ctx, place{scope: sc, at: info}
}

// resumes reports whether an agent goes on with a run that was interrupted.
func resumes(in callbacks.CallbackInput) bool {
	switch in := in.(type) {
	case *adk.AgentCallbackInput:
		return in.ResumeInfo != nil
	case *adk.TypedAgentCallbackInput[*schema.AgenticMessage]:
		return in.ResumeInfo != nil
	}
	return false
}

// runsValue is the name under which the checkpoint of an ADK agent has the IDs of its Runs: of several Shells,
// one each.
const runsValue = "einoshell.runs"

// note has the checkpoints of the agent around ctx name the Run, if it is an ADK agent.
func (h *Handler) note(ctx context.Context, p place) {
	if p.agent == noAgent {
		return
	}
	h.current(ctx, p)
	run := p.now()
	if run == nil {
		return
	}
	id := run.ID()
	v, _, err := adk.GetRunLocalValue(ctx, runsValue)
	if ids, _ := v.([]string); err == nil && !slices.Contains(ids, id) {
		// It fails where there is no agent's state, which is no harm: then nothing is resumed, either.
		_ = adk.SetRunLocalValue(ctx, runsValue, append(slices.Clone(ids), id))
	}
}

// now returns the Run that is closed at the end.
func (sc *scope) now() *shelltool.Run {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return sc.run
}

// current returns ctx in the Run of p. When p resumes a run whose Run is named in the checkpoint, it is
// that from now on.
func (h *Handler) current(ctx context.Context, p place) context.Context {
	sc := p.scope
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.run == nil {
		return ctx
	}
	if sc.resume {
		if v, ok, err := adk.GetRunLocalValue(ctx, runsValue); err == nil && ok {
			sc.resume = false
			ids, _ := v.([]string)
			h.goOn(ctx, sc, ids)
		}
	}
	if h.shell.RunOf(ctx) != sc.run {
		ctx = h.shell.WithRun(ctx, sc.run)
	}
	return ctx
}

// goOn has sc go on with that Run of ids which waits for it, or is there already, for another Handler.
func (h *Handler) goOn(ctx context.Context, sc *scope, ids []string) {
	if now := h.shell.RunOf(ctx); now != nil && slices.Contains(ids, now.ID()) {
		sc.run = now
		return
	}
	for _, id := range ids {
		if h.shell.Parked(id, sc.o.User) {
			o := sc.o
			o.ID, o.Resumed = id, true
			fresh := sc.run
			_, sc.run = h.shell.NewRun(sc.ctx, o)
			fresh.Close() // nothing has run in it
			return
		}
	}
}

// ends reports whether the end of the component of ctx is the end of the run.
func (h *Handler) ends(ctx context.Context) bool {
	p, ok := ctx.Value(placeKey{h}).(place)
	return ok && p.outer()
}

// end ends what the component of ctx is: a tool call, a run. The Run of that which was interrupted waits.
func (h *Handler) end(ctx context.Context, interrupted bool) {
	p, ok := ctx.Value(placeKey{h}).(place)
	if !ok {
		return
	}
	if p.call != nil {
		p.call.end()
	}
	if !p.outer() {
		return
	}
	switch run := p.now(); {
	case run == nil:
	case interrupted:
		run.Park()
	default:
		run.Close()
	}
	if p.stream != nil {
		p.stream.end()
	}
	if h.queue != nil {
		ctx, cancel := context.WithTimeout(context.Background(), flushWait)
		defer cancel()
		h.queue.flush(ctx)
	}
}
