//go:build unix

package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/internal/leak"
	shelltool "github.com/einoshell/einoshell/tool"
)

// An agentic model calls tools, one a turn, and then answers with the last result.
type agenticModel struct {
	calls []*schema.FunctionToolCall
	mu    sync.Mutex
	tools []string
}

func (m *agenticModel) Generate(_ context.Context, in []*schema.AgenticMessage, o ...model.Option) (*schema.AgenticMessage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tools = nil
	for _, t := range model.GetCommonOptions(nil, o...).Tools {
		m.tools = append(m.tools, t.Name)
	}
	turn, last := 0, ""
	for _, msg := range in {
		for _, b := range msg.ContentBlocks {
			if b.FunctionToolCall != nil {
				turn++
			}
			if b.FunctionToolResult != nil {
				last = b.FunctionToolResult.Content[0].Text.Text
			}
		}
	}
	block := schema.NewContentBlock(&schema.AssistantGenText{Text: last})
	if turn < len(m.calls) {
		block = schema.NewContentBlock(m.calls[turn])
	}
	return &schema.AgenticMessage{Role: schema.AgenticRoleTypeAssistant, ContentBlocks: []*schema.ContentBlock{block}}, nil
}

func (m *agenticModel) Stream(ctx context.Context, in []*schema.AgenticMessage, o ...model.Option) (*schema.StreamReader[*schema.AgenticMessage], error) {
	msg, err := m.Generate(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.AgenticMessage{msg}), nil
}

func agenticCall(name, command string) *schema.FunctionToolCall {
	args, _ := json.Marshal(map[string]string{"command": command})
	return &schema.FunctionToolCall{CallID: "call-" + name, Name: name, Arguments: string(args)}
}

func newAgenticAgent(t *testing.T, sh *shelltool.Shell, m *agenticModel, o ...adapter.MiddlewareOption) adk.TypedAgent[*schema.AgenticMessage] {
	a, err := adk.NewTypedChatModelAgent(context.Background(), &adk.TypedChatModelAgentConfig[*schema.AgenticMessage]{
		Name: "worker", Description: "works", Model: m,
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{person()}}},
		Handlers:    []adk.TypedChatModelAgentMiddleware[*schema.AgenticMessage]{adapter.NewAgenticMiddleware(sh, o...)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// concludeAgentic reads the events of an agentic agent.
func concludeAgentic(it *adk.AsyncIterator[*adk.TypedAgentEvent[*schema.AgenticMessage]]) (answer string, events []shelltool.Event, interrupted bool, failed error) {
	for e, ok := it.Next(); ok; e, ok = it.Next() {
		if e.Err != nil {
			failed = e.Err
		}
		interrupted = interrupted || e.Action != nil && e.Action.Interrupted != nil
		if e.Output == nil {
			continue
		}
		if e.Output.CustomizedOutput != nil {
			events = append(events, e.Output.CustomizedOutput.(shelltool.Event))
		}
		if e.Output.MessageOutput != nil {
			if msg, err := e.Output.MessageOutput.GetMessage(); err == nil && msg != nil {
				for _, b := range msg.ContentBlocks {
					if b.AssistantGenText != nil {
						answer = b.AssistantGenText.Text
					}
				}
			}
		}
	}
	return answer, events, interrupted, failed
}

// An agent of agentic messages is one like others: tools, instruction, gate, events, interruption and cancellation.
func TestAgenticAgent(t *testing.T) {
	t.Parallel()
	for _, streaming := range []bool{false, true} {
		if testing.Short() && !streaming {
			continue
		}
		query := func(a adk.TypedAgent[*schema.AgenticMessage], s adk.CheckPointStore, o ...adk.AgentRunOption) *adk.AsyncIterator[*adk.TypedAgentEvent[*schema.AgenticMessage]] {
			return adk.NewTypedRunner(adk.TypedRunnerConfig[*schema.AgenticMessage]{Agent: a, EnableStreaming: streaming, CheckPointStore: s}).
				Query(context.Background(), "go", append(o, adk.WithCheckPointID("x"))...)
		}
		t.Run("events", func(t *testing.T) {
			sh := newShell(t, nil)
			m := &agenticModel{calls: []*schema.FunctionToolCall{agenticCall("run_command", "echo out; exit 3")}}
			var rec recorder
			h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen))
			answer, events, _, err := concludeAgentic(query(newAgenticAgent(t, sh, m), nil, adk.WithCallbacks(h)))
			const want = "start echo out; exit 3\nstdout \"out\\n\"\nend 3\n"
			eventually(t, func() bool { return rec.story() == want })
			if err != nil || answer != "[stdout]\nout\n\n[exit code: 3]" || tell(events) != want || rec.story() != want {
				t.Errorf("%v, %q\n%s\n%s", err, answer, tell(events), rec.story())
			}
			if want := []string{"ask_person", "run_command", "start_command", "check_command", "stop_command"}; !slices.Equal(m.tools, want) {
				t.Errorf("the model sees %v", m.tools)
			}
		})
		t.Run("gate", func(t *testing.T) {
			sh := newShell(t, nil)
			m := &agenticModel{calls: []*schema.FunctionToolCall{agenticCall("run_command", "echo out")}}
			answer, _, _, err := concludeAgentic(query(newAgenticAgent(t, sh, m, adapter.Gate(func(context.Context) bool { return false })), nil))
			if err != nil || answer != "Command not run: The shell is switched off in this session." || !slices.Equal(m.tools, []string{"ask_person"}) {
				t.Errorf("%v, %q, %v", err, answer, m.tools)
			}
		})
		t.Run("interruption", func(t *testing.T) {
			sh := newShell(t, nil)
			m := &agenticModel{calls: []*schema.FunctionToolCall{
				agenticCall("start_command", "while :; do echo >> beats; sleep 0.05; done"), agenticCall("ask_person", ""), agenticCall("run_command", "while ! [ -s beats ]; do sleep 0.02; done; echo on"),
			}}
			a, s := newAgenticAgent(t, sh, m), &store{}
			var rec recorder
			h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen))
			_, _, interrupted, err := concludeAgentic(query(a, s, adk.WithCallbacks(h)))
			if err != nil || !interrupted {
				t.Fatalf("%v, interrupted %v", err, interrupted)
			}
			run := rec.run(t)
			eventually(t, func() bool { return sh.Parked(run, "") })
			it, err := adk.NewTypedRunner(adk.TypedRunnerConfig[*schema.AgenticMessage]{Agent: a, CheckPointStore: s}).Resume(context.Background(), "x", adk.WithCallbacks(h))
			if err != nil {
				t.Fatal(err)
			}
			if answer, _, _, err := concludeAgentic(it); err != nil || answer != "[stdout]\non\n" {
				t.Errorf("%v, %q", err, answer)
			}
			beats := sh.Dir() + "/beats"
			eventually(t, func() bool { return !leak.Beats(beats, time.Second/4) })
			for _, e := range rec.all() {
				if e.Head().RunID != run {
					t.Error("it is another Run")
				}
			}
			if leak.Beats(beats, time.Second/4) || sh.Parked(run, "") {
				t.Error("the command has outlived the run")
			}
		})
		t.Run("cancellation", func(t *testing.T) {
			sh := newShell(t, nil)
			m := &agenticModel{calls: []*schema.FunctionToolCall{agenticCall("run_command", "echo partial; while :; do echo >> beats; sleep 0.05; done")}}
			o, cancel := adk.WithCancel()
			var rec recorder
			h := adapter.NewHandler(sh, adapter.OnEvent(func(e shelltool.Event) {
				rec.listen(e)
				if _, ok := e.(shelltool.CommandOutput); ok {
					cancel()
				}
			}))
			_, _, _, err := concludeAgentic(query(newAgenticAgent(t, sh, m), nil, adk.WithCallbacks(h), o))
			var cancelled *adk.CancelError
			if !errors.As(err, &cancelled) {
				t.Errorf("%v", err)
			}
			eventually(t, func() bool { return strings.HasSuffix(tell(rec.all()), "end cancelled\n") })
			if leak.Beats(sh.Dir()+"/beats", time.Second/4) {
				t.Error("the command has outlived the run")
			}
		})
	}
}
