// Graph is a compose graph that repairs a small Go project: a chat model, a node that runs its tool calls, and a branch back. What its
// commands do is read from a stream of events. It needs no key; with OPENAI_API_KEY set a real model does it:
//
//	go run -C examples ./graph
package main

import (
	"context"
	"errors"
	"io"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/examples/internal/demo"
	"github.com/einoshell/einoshell/examples/internal/shop"
	shelltool "github.com/einoshell/einoshell/tool"
)

var example = demo.Example{
	Name:    "graph",
	Task:    shop.Task,
	Project: shop.Project,
	Script:  shop.Script,
	Agent:   run,
}

func main() { example.Main() }

// run does what there is to do.
func run(ctx context.Context, w demo.Work) error {
	sh, err := shelltool.New(ctx, shelltool.Default(w.Dir))
	if err != nil {
		return err
	}
	defer sh.Close()
	g, err := newGraph(ctx, w, sh)
	if err != nil {
		return err
	}
	h := adapter.NewHandler(sh)
	ctx, events := h.Stream(ctx)
	shown := make(chan error)
	go func() { shown <- show(events, w.Display) }()
	answer, err := g.Invoke(ctx, []*schema.Message{schema.SystemMessage(demo.System), schema.UserMessage(w.Task)}, compose.WithCallbacks(h))
	if err := errors.Join(err, <-shown); err != nil {
		return err
	}
	w.Message("agent", answer.Content)
	return nil
}

// show shows events until their run has ended.
func show(events *schema.StreamReader[shelltool.Event], d *demo.Display) error {
	defer events.Close()
	for {
		e, err := events.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		d.Event(e)
	}
}

// The conversation is the state of the graph.
type conversation struct{ messages []*schema.Message }

// newGraph asks the model, runs the tools that it calls, and asks it again, until it calls none.
func newGraph(ctx context.Context, w demo.Work, sh *shelltool.Shell) (compose.Runnable[[]*schema.Message, *schema.Message], error) {
	var infos []*schema.ToolInfo
	for _, t := range sh.Tools() {
		info, err := t.Info(ctx)
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	model, err := w.Model.WithTools(infos)
	if err != nil {
		return nil, err
	}
	tools, err := compose.NewToolNode(ctx, &compose.ToolsNodeConfig{Tools: sh.Tools()})
	if err != nil {
		return nil, err
	}
	remember := func(_ context.Context, in []*schema.Message, c *conversation) ([]*schema.Message, error) {
		c.messages = append(c.messages, in...)
		return c.messages, nil
	}
	answer := func(_ context.Context, out *schema.Message, c *conversation) (*schema.Message, error) {
		c.messages = append(c.messages, out)
		return out, nil
	}
	g := compose.NewGraph[[]*schema.Message, *schema.Message](compose.WithGenLocalState(func(context.Context) *conversation { return &conversation{} }))
	err = errors.Join(
		g.AddChatModelNode("model", model, compose.WithStatePreHandler(remember), compose.WithStatePostHandler(answer)),
		g.AddToolsNode("tools", tools),
		g.AddEdge(compose.START, "model"),
		g.AddEdge("tools", "model"),
		g.AddBranch("model", compose.NewGraphBranch(func(_ context.Context, out *schema.Message) (string, error) {
			if len(out.ToolCalls) > 0 {
				return "tools", nil
			}
			return compose.END, nil
		}, map[string]bool{"tools": true, compose.END: true})),
	)
	if err != nil {
		return nil, err
	}
	return g.Compile(ctx, compose.WithMaxRunSteps(100))
}
