// Deepagent is one of Eino's DeepAgents that repairs a small Go project: it runs commands with Eino's own tool execute, on our engine, and
// reads and changes files with Eino's file tools, on the same directory. It needs no key; with OPENAI_API_KEY set a real
// model does it:
//
//	go run -C examples ./deepagent
package main

import (
	"context"
	"os"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/adk/prebuilt/deep"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/examples/internal/demo"
	"github.com/einoshell/einoshell/examples/internal/shop"
	shelltool "github.com/einoshell/einoshell/tool"
)

var example = demo.Example{
	Name:    "deepagent",
	Task:    shop.Task,
	Project: shop.Project,
	Script:  script,
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
	root, err := os.OpenRoot(w.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	a, err := deep.New(ctx, &deep.Config{
		Name: "engineer", Description: "repairs programs", ChatModel: w.Model, MaxIteration: 100,
		Backend: files{w.Dir, root}, StreamingShell: adapter.NewStreamingShell(sh),
		// Eino describes execute as a sandbox: this says what it is, and hides it where there is no shell.
		Handlers: []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(sh, adapter.WithoutTools())},
	})
	if err != nil {
		return err
	}
	runner := adk.NewRunner(ctx, adk.RunnerConfig{Agent: a, EnableStreaming: true})
	return demo.Show(runner.Query(ctx, w.Task, adk.WithCallbacks(adapter.NewHandler(sh))), w.Display)
}
