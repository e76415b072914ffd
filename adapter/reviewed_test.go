//go:build unix

package adapter_test

import (
	"context"
	"io"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/internal/leak"
	shelltool "github.com/einoshell/einoshell/tool"
)

// streaming is a tool as Eino makes it of a StreamingShell.
func streaming(sh *shelltool.Shell) tool.BaseTool {
	t, err := utils.InferStreamTool("execute", "runs", func(ctx context.Context, in struct {
		Command string `json:"command"`
	}) (*schema.StreamReader[string], error) {
		out, err := adapter.NewStreamingShell(sh).ExecuteStreaming(ctx, command(in.Command))
		if err != nil {
			return nil, err
		}
		r, w := schema.Pipe[string](10)
		go func() {
			defer w.Close()
			defer out.Close()
			for {
				part, err := out.Recv()
				if err == io.EOF {
					return
				}
				w.Send(part.Output, err)
			}
		}()
		return r, nil
	})
	must(err)
	return t
}

// What a streaming tool returns directly is the last that its agent says, for the agent of which that is a tool, too.
func TestStreamReturnedDirectly(t *testing.T) {
	sh := newShell(t, nil)
	newAgent := func(name string, m turns, c adk.ToolsConfig) adk.Agent {
		a, err := adk.NewChatModelAgent(context.Background(), &adk.ChatModelAgentConfig{Name: name, Description: "works", Model: m, ToolsConfig: c})
		must(err)
		return a
	}
	worker := newAgent("worker", turns{calls("execute", map[string]any{"command": "echo one; sleep 0.3; echo two"}), answers},
		adk.ToolsConfig{ReturnDirectly: map[string]bool{"execute": true}, ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{streaming(sh)}}})
	boss := newAgent("boss", turns{calls("worker", map[string]any{"request": "go"}), answers},
		adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{adk.NewAgentTool(context.Background(), worker)}}})
	var rec recorder
	h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen))
	it := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: boss, EnableStreaming: true}).Query(context.Background(), "go", adk.WithCallbacks(h))
	if answer, _ := conclude(t, it); answer != "one\ntwo\n" {
		t.Errorf("%q", answer)
	}
	const want = "start echo one; sleep 0.3; echo two\nstdout \"one\\ntwo\\n\"\nend 0\n"
	eventually(t, func() bool { return tell(rec.all()) == want })
	if got := tell(rec.all()); got != want {
		t.Errorf("%s", got)
	}
}

// Who hears of an interruption may end the context of the run at once: the Run waits, and its command goes on.
func TestContextEndsWithTheInterruption(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1)) // the handler hears of the end late
	sh := newShell(t, nil)
	for i := range 20 {
		a := resumableAgent(sh, turns{calls("start_command", map[string]any{"command": "sleep 60"}), calls("ask_person", nil), says("done")})
		ctx, cancel := context.WithCancel(context.Background())
		h := adapter.NewHandler(sh, adapter.RunOptions(func(context.Context) shelltool.RunOptions { return shelltool.RunOptions{ID: "x"} }))
		s := &store{}
		runner := adk.NewRunner(ctx, adk.RunnerConfig{Agent: a, CheckPointStore: s})
		it := runner.Query(ctx, "go", adk.WithCallbacks(h), adk.WithCheckPointID("x"))
		for e, ok := it.Next(); ok; e, ok = it.Next() {
			if e.Action != nil && e.Action.Interrupted != nil {
				break
			}
		}
		cancel()
		if !sh.Parked("x", "") {
			t.Fatalf("round %d: it does not wait", i)
		}
		time.Sleep(10 * time.Millisecond)
		if !sh.Parked("x", "") {
			t.Fatalf("round %d: it waits no more", i)
		}
	}
}

// A Run that was resumed is nobody's any more who had it before, however late that hears of its end.
func TestResumedRunIsNotParkedAgain(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	sh := newShell(t, func(c *shelltool.Config) { c.ParkTTL = 300 * time.Millisecond })
	for i := range 10 {
		a := resumableAgent(sh, turns{
			calls("start_command", map[string]any{"command": "sleep 60"}), calls("ask_person", nil),
			calls("run_command", map[string]any{"command": "sleep 0.5; echo on"}), answers,
		})
		h := adapter.NewHandler(sh)
		both := adk.WithCallbacks(h, h, adapter.NewHandler(sh))
		runner := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: a, CheckPointStore: &store{}})
		it := runner.Query(context.Background(), "go", both, adk.WithCheckPointID("x"))
		for e, ok := it.Next(); ok; e, ok = it.Next() {
			if e.Action != nil && e.Action.Interrupted != nil {
				break
			}
		}
		for _, ok := it.Next(); ok; _, ok = it.Next() {
		}
		it, err := runner.Resume(context.Background(), "x", both)
		must(err)
		if c := concluded(it); c.failed != nil || c.answer != "[stdout]\non\n" {
			t.Fatalf("round %d: %v, %q", i, c.failed, c.answer)
		}
		if testing.Short() && i == 2 {
			break
		}
	}
}

// Who is asked about a run may ask a model, or an agent: that is no run to be asked about.
func TestGateThatRunsAnAgent(t *testing.T) {
	sh := newShell(t, nil)
	judge := resumableAgent(sh, turns{says("yes")})
	asked := 0
	var h *adapter.Handler
	says := func(ctx context.Context) bool {
		if asked++; asked > 10 {
			return false
		}
		return concluded(adk.NewRunner(ctx, adk.RunnerConfig{Agent: judge}).Query(ctx, "may it?", adk.WithCallbacks(h))).answer == "yes"
	}
	h = adapter.NewHandler(sh, adapter.Gate(says), adapter.RunOptions(func(ctx context.Context) shelltool.RunOptions {
		allow := says(ctx)
		return shelltool.RunOptions{AllowShell: &allow}
	}))
	msg, err := newAgent(t, sh, "echo hi").Generate(context.Background(), ask, with(h))
	if err != nil || msg.Content != "[stdout]\nhi\n" || asked != 2 {
		t.Errorf("%v, %v, asked %d times", msg, err, asked)
	}
}

// An asking model interrupts its agent before it says anything.
type asking struct{ turns }

func (m asking) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

func (m asking) Generate(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.Message, error) {
	if was, _, _ := compose.GetInterruptState[string](ctx); !was && in[len(in)-1].Role != schema.Tool {
		return nil, compose.StatefulInterrupt(ctx, "may I ask the model?", "asked")
	}
	return m.turns.Generate(ctx, in, o...)
}

// An agent that is interrupted before it has called a tool, behind one that has: the resumed run is in the Run of both.
func TestInterruptOfAnAgentWithoutCalls(t *testing.T) {
	t.Parallel()
	beats := filepath.Join(t.TempDir(), "beats")
	sh := newShell(t, nil)
	story := []turn{calls("run_command", map[string]any{"command": "echo on"}), answers}
	said := 0
	first := resumableAgent(sh, turns{
		calls("start_command", map[string]any{"command": "while :; do echo >> " + beats + "; sleep 0.05; done"}),
		calls("run_command", map[string]any{"command": "while ! [ -s " + beats + " ]; do sleep 0.02; done"}), says("over to you"),
	})
	second, err := adk.NewChatModelAgent(context.Background(), &adk.ChatModelAgentConfig{Name: "second", Description: "works",
		Model:       asking{turns{func(in []*schema.Message) (*schema.Message, error) { said++; return story[said-1](in) }}},
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: sh.Tools()}}})
	must(err)
	both, err := adk.NewSequentialAgent(context.Background(), &adk.SequentialAgentConfig{Name: "both", Description: "work", SubAgents: []adk.Agent{first, second}})
	must(err)
	var rec recorder
	h := adk.WithCallbacks(adapter.NewHandler(sh, adapter.OnEvent(rec.listen)))
	runner := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: both, CheckPointStore: &store{}})
	if _, interrupted := conclude(t, runner.Query(context.Background(), "go", h, adk.WithCheckPointID("x"))); !interrupted {
		t.Fatal("it was not interrupted")
	}
	run := rec.run(t)
	it, err := runner.Resume(context.Background(), "x", h)
	must(err)
	if answer, _ := conclude(t, it); answer != "[stdout]\non\n" {
		t.Errorf("%q", answer)
	}
	eventually(t, func() bool { return !leak.Beats(beats, time.Second/4) })
	if leak.Beats(beats, time.Second/4) || sh.Parked(run, "") {
		t.Error("the command has outlived the run")
	}
	if i := slices.IndexFunc(rec.all(), func(e shelltool.Event) bool { return e.Head().RunID != run }); i >= 0 {
		t.Errorf("event %d is of another Run: %s", i, strings.TrimSpace(tell(rec.all())))
	}
}
