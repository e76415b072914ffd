// Adk is an agent of Eino's Agent Development Kit that repairs a small Go project. A middleware gives it the tools; what their
// commands do comes in the agent's own stream of events. It needs no key; with OPENAI_API_KEY set a real model does it:
//
//	go run -C examples ./adk
//
// How such a stream is read stands in examples/internal/demo/agent.go.
package main

import (
	"context"

	"github.com/cloudwego/eino/adk"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/examples/internal/demo"
	"github.com/einoshell/einoshell/examples/internal/shop"
	shelltool "github.com/einoshell/einoshell/tool"
)

var example = demo.Example{
	Name:    "adk",
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
	a, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name: "engineer", Description: "repairs programs", Instruction: demo.System, Model: w.Model, MaxIterations: 100,
		Handlers: []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(sh)},
	})
	if err != nil {
		return err
	}
	runner := adk.NewRunner(ctx, adk.RunnerConfig{Agent: a, EnableStreaming: true})
	return demo.Show(runner.Query(ctx, w.Task, adk.WithCallbacks(adapter.NewHandler(sh))), w.Display)
}
