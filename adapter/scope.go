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
	// askingKey marks the contexts in which the host is asked about a run, which is none of its own.
	askingKey struct{ *Handler }
)

// A scope is one run as a Handler sees it.
type scope struct {
	ctx    context.Context      // that the run began with
	info   *callbacks.RunInfo   // the component that is the run
	o      shelltool.RunOptions // for a Run that takes the place of run
	stream *stream              // of its events; nil for none

	mu     sync.Mutex
	run    *shelltool.Run // to be closed at the end; nil when somebody else will
	turn   int            // of run
	spare  *shelltool.Run // whose place run has taken; likewise
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
	agents int         // how many are around it
	path   []string    // their names, from the last that is a tool
	inTool bool        // there is a tool between it and the agent
	call   *callEvents // of the tool call that the component is
}

// outer reports whether the component of the context is the run itself.
func (p place) outer() bool { return p.at == p.info && !p.inside }

// nested reports whether the agent around the component is not the run itself.
func (p place) nested() bool {
	return p.agents > 1 || p.info == nil || p.info.Component != adk.ComponentOfAgent && p.info.Component != adk.ComponentOfAgenticAgent
}

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
	case ctx.Value(askingKey{h}) != nil:
		return ctx
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
			p.agents++
		case components.ComponentOfChatModel, components.ComponentOfAgenticModel, compose.ComponentOfToolsNode, compose.ComponentOfAgenticToolsNode:
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
	asking := context.WithValue(ctx, askingKey{h}, true)
	if !h.gate.open(asking, h.shell) {
		ctx = h.shell.WithoutShell(ctx)
	}
	if sc.stream, _ = ctx.Value(streamKey{h}).(*stream); sc.stream != nil && !sc.stream.begin() {
		sc.stream = nil
	}
	if h.options != nil {
		sc.o = h.options(asking)
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
	if sc.run != nil {
		sc.turn = sc.run.Turn()
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
	run, _ := p.now()
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

// now returns the Run that is closed at the end, nil when somebody else closes it. mine says that nobody has gone on with it since.
func (sc *scope) now() (run *shelltool.Run, mine bool) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return sc.run, sc.run != nil && sc.run.Turn() == sc.turn
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
		sc.run, sc.turn = now, now.Turn()
		return
	}
	for _, id := range ids {
		if h.shell.Parked(id, sc.o.User) {
			o := sc.o
			o.ID, o.Resumed = id, true
			sc.spare = sc.run // which an agent that is not Eino's may have used
			_, sc.run = h.shell.NewRun(sc.ctx, o)
			sc.turn = sc.run.Turn()
			return
		}
	}
}

// hold parks the Run as soon as an interruption is certain: who hears of it may end the context, and resume, before
// the agent has come to its end.
func (h *Handler) hold(ctx context.Context) {
	if p, ok := ctx.Value(placeKey{h}).(place); ok {
		if run, mine := p.now(); mine && run.Used() {
			run.Park()
		}
	}
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
	switch run, mine := p.now(); {
	case !mine: // that is for whoever has it now
	case interrupted && run.Used():
		run.Park()
	default:
		run.Close()
	}
	p.mu.Lock()
	spare := p.spare
	p.mu.Unlock()
	if spare != nil {
		spare.Close()
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
