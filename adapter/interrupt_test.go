//go:build unix

package adapter_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/internal/leak"
	shelltool "github.com/einoshell/einoshell/tool"
)

// One call of a message interrupts the agent while others run: they end as if nothing were, run once, and the Run waits with what they have started.
func TestInterruptBesideCommands(t *testing.T) {
	t.Parallel()
	sh := newShell(t, nil)
	message := func(in []*schema.Message) (*schema.Message, error) {
		var list []schema.ToolCall
		for i, c := range []turn{
			calls("run_command", map[string]any{"command": "echo a; sleep 0.4; echo b; echo >> count"}),
			calls("ask_person", nil),
			calls("start_command", map[string]any{"command": "while :; do echo >> beats; sleep 0.05; done"}),
		} {
			msg, _ := c(in)
			msg.ToolCalls[0].ID = string(rune('1' + i))
			list = append(list, msg.ToolCalls...)
		}
		return schema.AssistantMessage("", list), nil
	}
	m := turns{message, calls("run_command", map[string]any{"command": "wc -l <count"}), answers}
	var rec recorder
	runner := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: resumableAgent(sh, m), CheckPointStore: &store{}})
	h := adk.WithCallbacks(adapter.NewHandler(sh, adapter.OnEvent(rec.listen)))
	c := concluded(runner.Query(context.Background(), "go", h, adk.WithCheckPointID("x")))
	const want = "start echo a; sleep 0.4; echo b; echo >> count\nstdout \"a\\nb\\n\"\nend 0\nstart while :; do echo >> beats; sleep 0.05; done\n"
	if !c.interrupted || c.failed != nil || tell(c.events) != want {
		t.Fatalf("interrupted %v, %v\n%s", c.interrupted, c.failed, tell(c.events))
	}
	run := rec.run(t)
	eventually(t, func() bool { return sh.Parked(run, "") })
	it, err := runner.Resume(context.Background(), "x", h)
	must(err)
	if answer, _ := conclude(t, it); strings.TrimSpace(answer) != "[stdout]\n1" {
		t.Errorf("%q", answer)
	}
	beats := filepath.Join(sh.Dir(), "beats")
	eventually(t, func() bool { return !leak.Beats(beats, time.Second/4) })
	if leak.Size(beats) == 0 || leak.Beats(beats, time.Second/4) || sh.Parked(run, "") {
		t.Error("the command has outlived the run")
	}
}

// A graph that is interrupted between its nodes, and resumed, plain and as a stream.
func TestInterruptBeforeNode(t *testing.T) {
	t.Parallel()
	sh := newShell(t, nil)
	node, err := compose.NewToolNode(context.Background(), &compose.ToolsNodeConfig{Tools: sh.Tools()})
	must(err)
	g := compose.NewGraph[*schema.Message, []*schema.Message]()
	must(errors.Join(
		g.AddToolsNode("first", node),
		g.AddLambdaNode("between", compose.InvokableLambda(func(_ context.Context, in []*schema.Message) (*schema.Message, error) {
			_, id, _ := strings.Cut(in[0].Content, "\nID: ")
			return calls("check_command", map[string]any{"command_id": id, "wait_seconds": 5})(nil)
		})),
		g.AddToolsNode("second", node),
		g.AddEdge(compose.START, "first"), g.AddEdge("first", "between"), g.AddEdge("between", "second"), g.AddEdge("second", compose.END)))
	r, err := g.Compile(context.Background(), compose.WithCheckPointStore(&store{}), compose.WithInterruptBeforeNodes([]string{"second"}))
	must(err)
	in, _ := calls("start_command", map[string]any{"command": "echo up; sleep 60"})(nil)
	invoke := func(o ...compose.Option) ([]*schema.Message, error) { return r.Invoke(context.Background(), in, o...) }
	stream := func(o ...compose.Option) ([]*schema.Message, error) {
		out, err := r.Stream(context.Background(), in, o...)
		if err != nil {
			return nil, err
		}
		list, err := read(out)
		return slices.Concat(list...), err
	}
	for name, do := range map[string]func(...compose.Option) ([]*schema.Message, error){"invoke": invoke, "stream": stream} {
		h := compose.WithCallbacks(adapter.NewHandler(sh, adapter.RunOptions(func(context.Context) shelltool.RunOptions { return shelltool.RunOptions{ID: name} })))
		_, err := do(h, compose.WithCheckPointID(name))
		if _, interrupted := compose.ExtractInterruptInfo(err); !interrupted || !sh.Parked(name, "") {
			t.Fatalf("%s: %v, waits %v", name, err, sh.Parked(name, ""))
		}
		out, err := do(h, compose.WithCheckPointID(name))
		if err != nil || out[0].Content != "[stdout]\nup\n\n[status: running]" || sh.Parked(name, "") {
			t.Errorf("%s: %v, %v, waits %v", name, err, out, sh.Parked(name, ""))
		}
	}
}
