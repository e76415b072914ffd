//go:build unix

package adapter_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/adk/prebuilt/deep"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/internal/leak"
	shelltool "github.com/einoshell/einoshell/tool"
)

// A handler that is global needs no option in any call. (Another process, since nothing takes it back.)
func TestGlobalHandler(t *testing.T) {
	t.Parallel()
	out, err := again("global", t.TempDir()).CombinedOutput()
	const story = "start echo hi\nstdout \"hi\\n\"\nend 0\n"
	want := "react [stdout]\nhi\n\n" + story + "adk [stdout]\nhi\n\n" + story + "in the agent's stream\n" + story + "2 Runs\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}

func global(dir string) {
	sh := anotherShell(dir, nil)
	var rec recorder
	h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen))
	callbacks.AppendGlobalHandlers(h)
	m := turns{calls("run_command", map[string]any{"command": "echo hi"}), answers}
	a, err := reactAgent(m, sh)
	must(err)
	msg, err := a.Generate(context.Background(), ask)
	must(err)
	must(h.Flush(context.Background()))
	fmt.Printf("react %s\n%s", msg.Content, rec.story())
	first := rec.all()
	rec.events = nil
	c := concluded(adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: resumableAgent(sh, m)}).Query(context.Background(), "go"))
	must(c.failed)
	must(h.Flush(context.Background()))
	fmt.Printf("adk %s\n%sin the agent's stream\n%s", c.answer, rec.story(), tell(c.events))
	runs := map[string]bool{}
	for _, e := range append(first, rec.all()...) {
		runs[e.Head().RunID] = true
	}
	fmt.Printf("%d Runs\n", len(runs))
}

// Two handlers of one Shell: each listener hears everything once, the agent's stream has it once, and a run that is
// resumed is the same for both.
func TestTwoHandlersOfAnAgent(t *testing.T) {
	t.Parallel()
	beats := filepath.Join(t.TempDir(), "beats")
	sh := newShell(t, nil)
	var recs [2]recorder
	handlers := adk.WithCallbacks(adapter.NewHandler(sh, adapter.OnEvent(recs[0].listen)), adapter.NewHandler(sh, adapter.OnEvent(recs[1].listen)))
	s := &store{}
	runner := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: resumableAgent(sh, interruptible(beats)), CheckPointStore: s})
	started := 0
	for _, e := range concluded(runner.Query(context.Background(), "go", handlers, adk.WithCheckPointID("x"))).events {
		if _, ok := e.(shelltool.CommandStarted); ok {
			started++
		}
	}
	if started != 2 {
		t.Errorf("%d starts in the agent's stream, want 2", started)
	}
	run := recs[0].run(t)
	eventually(t, func() bool { return sh.Parked(run, "") })
	resumes(t, sh, runner, run, beats, handlers)
	for i := range recs {
		starts := 0
		for _, e := range recs[i].all() {
			if e.Head().RunID != run {
				t.Errorf("Run %s, want %s", e.Head().RunID, run)
			}
			if _, ok := e.(shelltool.CommandStarted); ok {
				starts++
			}
		}
		if starts != 2 {
			t.Errorf("listener %d hears %d starts", i, starts)
		}
	}
}

// An agent that is a tool is interrupted and resumed within its own: one Run.
func TestResumeOfAnAgentThatIsATool(t *testing.T) {
	t.Parallel()
	beats := filepath.Join(t.TempDir(), "beats")
	sh := newShell(t, nil)
	boss, err := adk.NewChatModelAgent(context.Background(), &adk.ChatModelAgentConfig{Name: "boss", Description: "delegates",
		Model: turns{calls("worker", map[string]any{"request": "go"}), answers},
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{
			adk.NewAgentTool(context.Background(), resumableAgent(sh, interruptible(beats))),
		}}}})
	if err != nil {
		t.Fatal(err)
	}
	var rec recorder
	h := adk.WithCallbacks(adapter.NewHandler(sh, adapter.OnEvent(rec.listen)))
	runner := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: boss, CheckPointStore: &store{}})
	if _, interrupted := conclude(t, runner.Query(context.Background(), "go", h, adk.WithCheckPointID("x"))); !interrupted {
		t.Fatal("it was not interrupted")
	}
	run := rec.run(t)
	eventually(t, func() bool { return sh.Parked(run, "") })
	resumes(t, sh, runner, run, beats, h)
}

// An agent that hands over to another: each has a Run, and both end.
func TestTransfer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sh := newShell(t, nil)
	beat := func(name string) turn {
		return calls("start_command", map[string]any{"command": "while :; do echo >> " + filepath.Join(dir, name) + "; sleep 0.05; done"})
	}
	newAgent := func(name string, m turns) adk.Agent {
		a, err := adk.NewChatModelAgent(context.Background(), &adk.ChatModelAgentConfig{Name: name, Description: "works", Model: m,
			Handlers: []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(sh)}})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	wait := calls("run_command", map[string]any{"command": "while ! [ -s " + dir + "/first -a -s " + dir + "/second ]; do sleep 0.02; done; echo both"})
	first := newAgent("first", turns{beat("first"), calls("transfer_to_agent", map[string]any{"agent_name": "second"})})
	story := []turn{beat("second"), wait, answers}
	said := 0 // the second agent is told of what the first has said, too
	second := newAgent("second", turns{func(in []*schema.Message) (*schema.Message, error) { said++; return story[said-1](in) }})
	both, err := adk.SetSubAgents(context.Background(), first, []adk.Agent{second})
	if err != nil {
		t.Fatal(err)
	}
	var rec recorder
	it := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: both}).Query(context.Background(), "go", adk.WithCallbacks(adapter.NewHandler(sh, adapter.OnEvent(rec.listen))))
	if answer, _ := conclude(t, it); answer != "[stdout]\nboth\n" {
		t.Errorf("%q", answer)
	}
	for _, name := range []string{"first", "second"} {
		beats := filepath.Join(dir, name)
		eventually(t, func() bool { return !leak.Beats(beats, time.Second/4) })
		if leak.Size(beats) == 0 || leak.Beats(beats, time.Second/4) {
			t.Errorf("the command of %s has not ended with it", name)
		}
	}
}

// A workflow is a graph.
func TestWorkflow(t *testing.T) {
	sh := newShell(t, nil)
	node, err := compose.NewToolNode(context.Background(), &compose.ToolsNodeConfig{Tools: sh.Tools()})
	if err != nil {
		t.Fatal(err)
	}
	w := compose.NewWorkflow[*schema.Message, []*schema.Message]()
	w.AddToolsNode("tools", node).AddInput(compose.START)
	w.End().AddInput("tools")
	r, err := w.Compile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	msg, _ := calls("run_command", map[string]any{"command": "echo hi"})(nil)
	for _, stream := range []bool{false, true} {
		var rec recorder
		h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen))
		var out []*schema.Message
		if stream {
			s, err := r.Stream(context.Background(), msg, compose.WithCallbacks(h))
			if err != nil {
				t.Fatal(err)
			}
			list, err := read(s)
			if err != nil {
				t.Fatal(err)
			}
			out = slices.Concat(list...)
		} else if out, err = r.Invoke(context.Background(), msg, compose.WithCallbacks(h)); err != nil {
			t.Fatal(err)
		}
		const want = "start echo hi\nstdout \"hi\\n\"\nend 0\n"
		eventually(t, func() bool { return rec.story() == want })
		if out[0].Content != "[stdout]\nhi\n" || rec.story() != want {
			t.Errorf("%v\n%s", out, rec.story())
		}
	}
}

// A DeepAgent that does not stream, with either of Eino's interfaces, and one of whose tasks goes to an agent of its own.
func TestDeepAgent(t *testing.T) {
	for _, streaming := range []bool{false, true} {
		t.Run(fmt.Sprint(streaming), func(t *testing.T) {
			sh := newShell(t, nil)
			task := calls("task", map[string]any{"subagent_type": "general-purpose", "description": "go"})
			m := turns{func(in []*schema.Message) (*schema.Message, error) {
				// The agent of the task is given the description.
				if in[len(in)-1].Content == "go" {
					return calls("execute", map[string]any{"command": "echo hi; exit 3"})(in)
				}
				return task(in)
			}, answers}
			c := &deep.Config{Name: "a", Description: "b", ChatModel: m, Backend: files{},
				Handlers: []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(sh, adapter.WithoutTools())}}
			if streaming {
				c.StreamingShell = adapter.NewStreamingShell(sh)
			} else {
				c.Shell = adapter.NewShell(sh)
			}
			a, err := deep.New(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			var rec recorder
			it := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: a}).
				Query(context.Background(), "begin", adk.WithCallbacks(adapter.NewHandler(sh, adapter.OnEvent(rec.listen))))
			answer, _ := conclude(t, it)
			const want = "start echo hi; exit 3\nstdout \"hi\\n\"\nend 3\n"
			eventually(t, func() bool { return rec.story() == want })
			if !strings.Contains(answer, "hi\n\n[Command failed with exit code 3]") || rec.story() != want {
				t.Errorf("%q\n%s", answer, rec.story())
			}
		})
	}
}

// The turns of a loop share a Run that was opened around it, and so do its commands.
func TestTurnsInARunOpenedByHand(t *testing.T) {
	t.Parallel()
	sh := newShell(t, nil)
	ctx, run := sh.NewRun(context.Background(), shelltool.RunOptions{})
	defer run.Close()
	h := adapter.NewHandler(sh)
	id := ""
	agents := map[string]turns{
		"first": {calls("start_command", map[string]any{"command": "echo begun; sleep 60"}), func(in []*schema.Message) (*schema.Message, error) {
			_, id, _ = strings.Cut(in[len(in)-1].Content, "\nID: ")
			return says("done")(in)
		}},
		"second": {func(in []*schema.Message) (*schema.Message, error) {
			return calls("check_command", map[string]any{"command_id": id, "wait_seconds": 5})(in)
		}, answers},
	}
	answer := ""
	loop := adk.NewTurnLoop(adk.TurnLoopConfig[string, *schema.Message]{
		GenInput: func(_ context.Context, _ *adk.TurnLoop[string, *schema.Message], items []string) (*adk.GenInputResult[string, *schema.Message], error) {
			return &adk.GenInputResult[string, *schema.Message]{
				Input:   &adk.AgentInput{Messages: []*schema.Message{schema.UserMessage(items[0])}},
				RunOpts: []adk.AgentRunOption{adk.WithCallbacks(h)}, Consumed: items[:1], Remaining: items[1:],
			}, nil
		},
		PrepareAgent: func(_ context.Context, _ *adk.TurnLoop[string, *schema.Message], items []string) (adk.Agent, error) {
			return resumableAgent(sh, agents[items[0]]), nil
		},
		OnAgentEvents: func(_ context.Context, c *adk.TurnContext[string, *schema.Message], events *adk.AsyncIterator[*adk.AgentEvent]) error {
			if answer, _ = conclude(t, events); c.Consumed[0] == "second" {
				c.Loop.Stop()
			}
			return nil
		},
	})
	loop.Push("first")
	loop.Push("second")
	loop.Run(ctx)
	if err := loop.Wait().ExitReason; err != nil || answer != "[stdout]\nbegun\n\n[status: running]" {
		t.Errorf("%v, %q", err, answer)
	}
}

// A Lambda that runs an agent by itself: that is in the Run of the graph, as its tools would be.
func TestAgentInALambda(t *testing.T) {
	sh := newShell(t, nil)
	a := resumableAgent(sh, turns{calls("run_command", map[string]any{"command": "echo inner"}), answers})
	c := compose.NewChain[string, string]()
	c.AppendLambda(compose.InvokableLambda(func(ctx context.Context, in string) (string, error) {
		r := concluded(adk.NewRunner(ctx, adk.RunnerConfig{Agent: a}).Query(ctx, in))
		return r.answer + tell(r.events), r.failed
	}))
	r, err := c.Compile(context.Background())
	must(err)
	var rec recorder
	out, err := r.Invoke(context.Background(), "go", compose.WithCallbacks(adapter.NewHandler(sh, adapter.OnEvent(rec.listen))))
	const story = "start echo inner\nstdout \"inner\\n\"\nend 0\n"
	if err != nil || out != "[stdout]\ninner\n"+story || rec.story() != story {
		t.Errorf("%v, %q\n%s", err, out, rec.story())
	}
}

// Who does not read to the end, and cancels nothing, leaves nothing running all the same: the agent goes on to its end, and so does the Run.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	for name, abandon := range map[string]func(*testing.T, *shelltool.Shell, *adapter.Handler, *conversation){
		"stream of a ReAct agent": func(t *testing.T, sh *shelltool.Shell, h *adapter.Handler, m *conversation) {
			a, err := reactAgent(m, sh)
			must(err)
			out, err := a.Stream(context.Background(), ask, with(h))
			must(err)
			if _, err := out.Recv(); err != nil {
				t.Error(err)
			}
			out.Close()
		},
		"events of an ADK agent": func(t *testing.T, sh *shelltool.Shell, h *adapter.Handler, m *conversation) {
			a, err := adk.NewChatModelAgent(context.Background(), &adk.ChatModelAgentConfig{Name: "a", Description: "b", Model: m,
				Handlers: []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(sh)}})
			must(err)
			it := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: a, EnableStreaming: true}).Query(context.Background(), "go", adk.WithCallbacks(h))
			it.Next()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sh := newShell(t, nil)
			beats := filepath.Join(sh.Dir(), "beats")
			start, _ := calls("start_command", map[string]any{"command": "while :; do echo >> beats; sleep 0.05; done"})(nil)
			m := &conversation{turns: [][]schema.ToolCall{start.ToolCalls}, answer: []string{"a", "b", "c"}, pause: 200 * time.Millisecond}
			var rec recorder
			abandon(t, sh, adapter.NewHandler(sh, adapter.OnEvent(rec.listen)), m)
			eventually(t, func() bool { return strings.HasSuffix(tell(rec.all()), "end cancelled\n") })
			if leak.Size(beats) == 0 || leak.Beats(beats, time.Second/4) {
				t.Errorf("%s", tell(rec.all()))
			}
		})
	}
}
