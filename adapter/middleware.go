package adapter

import (
	"context"
	"slices"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/schema"

	shelltool "github.com/einoshell/einoshell/tool"
)

// A MiddlewareOption changes what NewMiddleware makes.
type MiddlewareOption interface{ middleware(*middlewareSettings) }

type middlewareSettings struct {
	gate    gate
	noTools bool
}

type middlewareOption func(*middlewareSettings)

func (o middlewareOption) middleware(s *middlewareSettings) { o(s) }

// WithoutTools is for agents that run commands with the tool execute that Eino makes of NewShell or
// NewStreamingShell: they get no other tools, and the gate is for that one.
func WithoutTools() MiddlewareOption {
	return middlewareOption(func(s *middlewareSettings) { s.noTools = true })
}

// NewMiddleware returns a middleware for adk.ChatModelAgentConfig.Handlers (and deep.Config.Handlers): it gives the agent the tools
// of sh, and its instruction a few sentences about them. In a run that may not use the shell, since the gate of the middleware or of the Handler,
// or RunOptions, say so, the model does not see the tools, and a call of one is refused.
//
// It opens no Run, and closes none: that is the Handler's. Without one the agent's commands
// belong to the Run of the Shell, which all share.
func NewMiddleware(sh *shelltool.Shell, options ...MiddlewareOption) adk.ChatModelAgentMiddleware {
	return newMiddleware[*schema.Message](sh, options)
}

// NewAgenticMiddleware is NewMiddleware for agents of agentic messages.
func NewAgenticMiddleware(sh *shelltool.Shell, options ...MiddlewareOption) adk.TypedChatModelAgentMiddleware[*schema.AgenticMessage] {
	return newMiddleware[*schema.AgenticMessage](sh, options)
}

type middleware[M adk.MessageType] struct {
	*adk.TypedBaseChatModelAgentMiddleware[M]
	middlewareSettings
	shell *shelltool.Shell
	names []string // of the tools that the gate is for
	other string   // the tool that runs commands where there is none of ours
}

func newMiddleware[M adk.MessageType](sh *shelltool.Shell, options []MiddlewareOption) *middleware[M] {
	m := &middleware[M]{shell: sh, names: sh.Names()}
	for _, o := range options {
		o.middleware(&m.middlewareSettings)
	}
	if m.noTools {
		m.other = executeName
		m.names = append(m.names, m.other)
	}
	return m
}

// BeforeAgent is called by Eino. The tools are there also where they are not allowed: a model that calls one that it does not see is
// told so, where a tool that is not there would be an error that ends the agent.
func (m *middleware[M]) BeforeAgent(ctx context.Context, agent *adk.ChatModelAgentContext) (context.Context, *adk.ChatModelAgentContext, error) {
	if !m.gate.open(ctx, m.shell) {
		ctx = m.shell.WithoutShell(ctx)
	}
	changed := *agent
	changed.Tools = slices.Clone(agent.Tools)
	if !m.noTools {
		for _, t := range m.shell.Tools() {
			if !slices.Contains(changed.Tools, t) {
				changed.Tools = append(changed.Tools, t)
			}
		}
	}
	if text := m.shell.Instruction(ctx, m.other); text != "" {
		if changed.Instruction != "" {
			changed.Instruction += "\n\n"
		}
		changed.Instruction += text
	}
	return ctx, &changed, nil
}

// BeforeModelRewriteState is called by Eino.
func (m *middleware[M]) BeforeModelRewriteState(ctx context.Context, state *adk.TypedChatModelAgentState[M], _ *adk.TypedModelContext[M]) (context.Context, *adk.TypedChatModelAgentState[M], error) {
	if m.shell.Allowed(ctx) {
		return ctx, state, nil
	}
	changed := *state
	hidden := func(t *schema.ToolInfo) bool { return slices.Contains(m.names, t.Name) }
	changed.ToolInfos = slices.DeleteFunc(slices.Clone(state.ToolInfos), hidden)
	changed.DeferredToolInfos = slices.DeleteFunc(slices.Clone(state.DeferredToolInfos), hidden)
	return ctx, &changed, nil
}
