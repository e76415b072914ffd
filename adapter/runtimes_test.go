//go:build unix

package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/adk/prebuilt/deep"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	shelltool "github.com/einoshell/einoshell/tool"
)

// A conversation is a chat model that calls tools, a message of calls a turn, then answers, and keeps what it was asked.
type conversation struct {
	turns  [][]schema.ToolCall
	answer []string      // in pieces
	pause  time.Duration // before each

	mu   sync.Mutex
	seen [][]*schema.Message
}

func (m *conversation) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	return m, nil
}

// next is what it says to a conversation: a message, or an answer in pieces.
func (m *conversation) next(in []*schema.Message) (*schema.Message, []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, in)
	turn := 0
	for _, msg := range in {
		if msg.Role == schema.Assistant && len(msg.ToolCalls) > 0 {
			turn++
		}
	}
	if turn < len(m.turns) {
		return schema.AssistantMessage("", m.turns[turn]), nil
	}
	return nil, m.answer
}

func (m *conversation) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	msg, answer := m.next(in)
	if msg == nil {
		time.Sleep(m.pause * time.Duration(len(answer)))
		msg = schema.AssistantMessage(strings.Join(answer, ""), nil)
	}
	return msg, nil
}

func (m *conversation) Stream(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	msg, answer := m.next(in)
	if msg != nil {
		return schema.StreamReaderFromArray([]*schema.Message{msg}), nil
	}
	r, w := schema.Pipe[*schema.Message](1)
	go func() {
		defer w.Close()
		for _, piece := range answer {
			time.Sleep(m.pause)
			w.Send(schema.AssistantMessage(piece, nil), nil)
		}
	}()
	return r, nil
}

// heard are the tool messages it was given so far, in order.
func (m *conversation) heard() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	if len(m.seen) > 0 {
		for _, msg := range m.seen[len(m.seen)-1] {
			if msg.Role == schema.Tool {
				list = append(list, msg.Content)
			}
		}
	}
	return list
}

// A trial is an agent run in one of Eino's runtimes.
type trial struct {
	t      testing.TB
	sh     *shelltool.Shell
	model  *conversation
	h      *adapter.Handler
	ctx    context.Context
	events []shelltool.Event // in the stream of an ADK agent
	late   bool              // there was one behind the last message
	answer string            // of the agent
	// cancelled is closed when the agent is to be cancelled in a mode; nil when that is not to come.
	cancel  <-chan adk.CancelMode
	preempt <-chan struct{}
	bare    []string // what a tool without a runtime returned
}

// An einoRuntime is one of the ways in which a program uses a Shell.
type einoRuntime struct {
	name string
	tool string // what runs commands there
	adk  bool
	run  func(x *trial) error
}

const (
	graphInvoke   = "graph Invoke"
	graphStream   = "graph Stream"
	reactGenerate = "ReAct Generate"
	reactStream   = "ReAct Stream"
	adkRunner     = "ADK runner"
	adkStreaming  = "ADK streaming"
	agentAsTool   = "agent as tool"
	deepAgent     = "DeepAgent"
	bareTool      = "bare tool"
)

var runtimes = []einoRuntime{
	{graphInvoke, "run_command", false, func(x *trial) error {
		msg, err := x.chain().Invoke(x.ctx, ask, compose.WithCallbacks(x.h))
		return x.said(msg, err)
	}},
	{graphStream, "run_command", false, func(x *trial) error {
		out, err := x.chain().Stream(x.ctx, ask, compose.WithCallbacks(x.h))
		return x.streamed(out, err)
	}},
	{reactGenerate, "run_command", false, func(x *trial) error {
		msg, err := x.react().Generate(x.ctx, ask, with(x.h))
		return x.said(msg, err)
	}},
	{reactStream, "run_command", false, func(x *trial) error {
		out, err := x.react().Stream(x.ctx, ask, with(x.h))
		return x.streamed(out, err)
	}},
	{adkRunner, "run_command", true, func(x *trial) error { return x.agent(x.chatModelAgent("worker", x.model), false) }},
	{adkStreaming, "run_command", true, func(x *trial) error { return x.agent(x.chatModelAgent("worker", x.model), true) }},
	{agentAsTool, "run_command", true, func(x *trial) error {
		boss := &conversation{
			turns:  [][]schema.ToolCall{{{ID: "task", Function: schema.FunctionCall{Name: "worker", Arguments: `{"request":"go"}`}}}},
			answer: []string{"the boss says: done"},
		}
		worker := adk.NewAgentTool(x.ctx, x.chatModelAgent("worker", x.model))
		a, err := adk.NewChatModelAgent(x.ctx, &adk.ChatModelAgentConfig{Name: "boss", Description: "delegates", Model: boss,
			ToolsConfig: adk.ToolsConfig{EmitInternalEvents: true, ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{worker}}}})
		if err != nil {
			x.t.Fatal(err)
		}
		err = x.agent(a, true)
		if got, want := strings.Join(boss.heard(), "|"), strings.Join(x.model.answer, ""); err == nil && x.preempt == nil && got != want {
			x.t.Errorf("the answer of the agent that is a tool is %q, want %q", got, want)
		}
		return err
	}},
	{deepAgent, "execute", true, func(x *trial) error {
		a, err := deep.New(x.ctx, &deep.Config{
			Name: "worker", Description: "works", ChatModel: x.model,
			Backend: files{}, StreamingShell: adapter.NewStreamingShell(x.sh),
			Handlers: []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(x.sh, adapter.WithoutTools())},
		})
		if err != nil {
			x.t.Fatal(err)
		}
		return x.agent(a, true)
	}},
	{bareTool, "run_command", false, func(x *trial) error {
		ctx := callbacks.InitCallbacks(x.ctx, &callbacks.RunInfo{Name: "tools", Component: components.ComponentOfTool}, x.h)
		calls := x.model.turns[0]
		x.bare = make([]string, len(calls))
		ctx = x.h.OnStart(ctx, &callbacks.RunInfo{Name: "program"}, nil)
		defer x.h.OnEnd(ctx, nil, nil)
		var wg sync.WaitGroup
		for i, call := range calls {
			for _, t := range x.sh.Tools() {
				if info, _ := t.Info(ctx); info.Name == call.Function.Name {
					wg.Go(func() {
						text, err := t.(tool.InvokableTool).InvokableRun(ctx, call.Function.Arguments)
						if err != nil {
							x.t.Error(err)
						}
						x.bare[i] = text
					})
				}
			}
		}
		wg.Wait()
		return x.ctx.Err()
	}},
}

// chain asks a model, runs its tools, and asks it again.
func (x *trial) chain() compose.Runnable[[]*schema.Message, *schema.Message] {
	node, err := compose.NewToolNode(x.ctx, &compose.ToolsNodeConfig{Tools: x.sh.Tools()})
	if err != nil {
		x.t.Fatal(err)
	}
	c := compose.NewChain[[]*schema.Message, *schema.Message]()
	var history []*schema.Message
	for _, turn := range x.model.turns {
		c.AppendChatModel(x.model).AppendToolsNode(node).AppendLambda(compose.InvokableLambda(func(_ context.Context, in []*schema.Message) ([]*schema.Message, error) {
			history = append(append(history, schema.AssistantMessage("", turn)), in...)
			return history, nil
		}))
	}
	r, err := c.AppendChatModel(x.model).Compile(x.ctx)
	if err != nil {
		x.t.Fatal(err)
	}
	return r
}

func (x *trial) react() *react.Agent {
	a, err := react.NewAgent(x.ctx, &react.AgentConfig{ToolCallingModel: x.model, ToolsConfig: compose.ToolsNodeConfig{Tools: x.sh.Tools()}})
	if err != nil {
		x.t.Fatal(err)
	}
	return a
}

func (x *trial) chatModelAgent(name string, m *conversation) adk.Agent {
	a, err := adk.NewChatModelAgent(x.ctx, &adk.ChatModelAgentConfig{
		Name: name, Description: "works", Instruction: "Work.", Model: m,
		Handlers: []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(x.sh)},
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return a
}

func (x *trial) said(msg *schema.Message, err error) error {
	if err == nil {
		x.answer = msg.Content
	}
	return err
}

func (x *trial) streamed(out *schema.StreamReader[*schema.Message], err error) error {
	if err != nil {
		return err
	}
	defer out.Close()
	return x.said(schema.ConcatMessageStream(out))
}

// agent runs an ADK agent, in a turn loop when it is to be preempted.
func (x *trial) agent(a adk.Agent, streaming bool) error {
	if x.preempt != nil {
		return x.turnLoop(a, streaming)
	}
	options := []adk.AgentRunOption{adk.WithCallbacks(x.h)}
	over := make(chan struct{})
	defer close(over)
	if x.cancel != nil {
		o, cancel := adk.WithCancel()
		options = append(options, o)
		go func() {
			select {
			case mode := <-x.cancel:
				cancel(adk.WithAgentCancelMode(mode))
			case <-over:
			}
		}()
	}
	return x.drain(adk.NewRunner(x.ctx, adk.RunnerConfig{Agent: a, EnableStreaming: streaming}).Query(x.ctx, "go", options...))
}

// drain reads the events of an agent.
func (x *trial) drain(it *adk.AsyncIterator[*adk.AgentEvent]) (failed error) {
	answered := false
	for {
		e, ok := it.Next()
		if !ok {
			return failed
		}
		switch {
		case e.Err != nil:
			failed = e.Err
		case e.Output == nil:
		case e.Output.CustomizedOutput != nil:
			x.events = append(x.events, e.Output.CustomizedOutput.(shelltool.Event))
			x.late = x.late || answered
		case e.Output.MessageOutput != nil:
			msg, err := e.Output.MessageOutput.GetMessage()
			if err != nil {
				continue // it was cancelled; the next event says so
			}
			if msg.Role == schema.Assistant && len(msg.ToolCalls) == 0 {
				x.answer = msg.Content
				answered = true
			}
		}
	}
}

// turnLoop runs the agent in a turn that another preempts, which only answers.
func (x *trial) turnLoop(a adk.Agent, streaming bool) error {
	loop := adk.NewTurnLoop(adk.TurnLoopConfig[string, *schema.Message]{
		GenInput: func(_ context.Context, loop *adk.TurnLoop[string, *schema.Message], items []string) (*adk.GenInputResult[string, *schema.Message], error) {
			return &adk.GenInputResult[string, *schema.Message]{
				Input:    &adk.AgentInput{Messages: []*schema.Message{schema.UserMessage(items[0])}, EnableStreaming: streaming},
				RunOpts:  []adk.AgentRunOption{adk.WithCallbacks(x.h)},
				Consumed: items[:1], Remaining: items[1:],
			}, nil
		},
		PrepareAgent: func(ctx context.Context, _ *adk.TurnLoop[string, *schema.Message], items []string) (adk.Agent, error) {
			if items[0] == "first" {
				return a, nil
			}
			return x.chatModelAgent("second", &conversation{answer: []string{"the second turn"}}), nil
		},
		OnAgentEvents: func(_ context.Context, c *adk.TurnContext[string, *schema.Message], events *adk.AsyncIterator[*adk.AgentEvent]) error {
			err := x.drain(events)
			if c.Consumed[0] == "second" {
				c.Loop.Stop()
				return err
			}
			var cancelled *adk.CancelError
			if !errors.As(err, &cancelled) {
				x.t.Errorf("the first turn ends with %v", err)
			}
			return nil
		},
	})
	loop.Push("first")
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-x.preempt:
			loop.Push("second", adk.WithPreemptTimeout[string, *schema.Message](adk.AfterToolCalls, 100*time.Millisecond))
		case <-over:
		}
	}()
	loop.Run(x.ctx)
	return loop.Wait().ExitReason
}

// read reads a stream to its end.
func read[T any](r *schema.StreamReader[T]) ([]T, error) {
	defer r.Close()
	var list []T
	for {
		v, err := r.Recv()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, v)
	}
}

// ending says how a run ended.
func ending(err error) string {
	var cancelled *adk.CancelError
	switch {
	case err == nil:
		return "answer"
	case errors.As(err, &cancelled):
		return fmt.Sprintf("cancel mode %d", cancelled.Info.Mode)
	case errors.Is(err, context.Canceled):
		return "context cancelled"
	}
	return err.Error()
}
