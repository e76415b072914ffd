//go:build unix

package adapter_test

import (
	"context"
	"fmt"
	"os"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	shelltool "github.com/einoshell/einoshell/tool"
)

// A chain that executes the tool calls of a message, its commands shown as they
// run.
func ExampleNewHandler() {
	ctx := context.Background()
	show := func(e shelltool.Event) {
		switch e := e.(type) {
		case shelltool.CommandStarted:
			fmt.Println("$", e.Command)
		case shelltool.CommandOutput:
			fmt.Print("| ", e.Text)
		}
	}

	sh, err := shelltool.New(ctx, shelltool.Default(os.TempDir()))
	if err != nil {
		panic(err)
	}
	defer sh.Close()
	node, err := compose.NewToolNode(ctx, &compose.ToolsNodeConfig{Tools: sh.Tools()})
	if err != nil {
		panic(err)
	}
	chain, err := compose.NewChain[*schema.Message, []*schema.Message]().AppendToolsNode(node).Compile(ctx)
	if err != nil {
		panic(err)
	}
	out, err := chain.Invoke(ctx, schema.AssistantMessage("", []schema.ToolCall{{
		ID:       "1",
		Function: schema.FunctionCall{Name: "run_command", Arguments: `{"command":"echo hello; exit 2"}`},
	}}), compose.WithCallbacks(adapter.NewHandler(sh, adapter.OnEvent(show))))
	if err != nil {
		panic(err)
	}
	fmt.Println("the model gets:")
	fmt.Println(out[0].Content)
	// Output:
	// $ echo hello; exit 2
	// | hello
	// the model gets:
	// [stdout]
	// hello
	//
	// [exit code: 2]
}

// An ADK agent: the middleware gives it the tools, and what commands do is in its stream of events.
func ExampleNewMiddleware() {
	ctx := context.Background()
	sh, err := shelltool.New(ctx, shelltool.Default(os.TempDir()))
	if err != nil {
		panic(err)
	}
	defer sh.Close()
	a, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name: "worker", Description: "runs commands",
		Model:    turns{calls("run_command", map[string]any{"command": "echo hello"}), says("It says hello.")},
		Handlers: []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(sh)},
	})
	if err != nil {
		panic(err)
	}
	events := adk.NewRunner(ctx, adk.RunnerConfig{Agent: a}).Query(ctx, "What does it say?", adk.WithCallbacks(adapter.NewHandler(sh)))
	for e, ok := events.Next(); ok; e, ok = events.Next() {
		switch {
		case e.Err != nil:
			panic(e.Err)
		case e.Output == nil:
		case e.Output.CustomizedOutput != nil:
			switch e := e.Output.CustomizedOutput.(type) {
			case shelltool.CommandStarted:
				fmt.Println("$", e.Command)
			case shelltool.CommandOutput:
				fmt.Print("| ", e.Text)
			}
		case e.Output.MessageOutput.Role == schema.Assistant && e.Output.MessageOutput.Message.Content != "":
			fmt.Println("agent:", e.Output.MessageOutput.Message.Content)
		}
	}
	// Output:
	// $ echo hello
	// | hello
	// agent: It says hello.
}

// A reader of the events of one run.
func ExampleHandler_Stream() {
	sh, err := shelltool.New(context.Background(), shelltool.Default(os.TempDir()))
	if err != nil {
		panic(err)
	}
	defer sh.Close()
	h := adapter.NewHandler(sh)
	ctx, events := h.Stream(context.Background())
	go func() {
		a, err := reactAgent(turns{calls("run_command", map[string]any{"command": "echo hello"}), says("done")}, sh)
		if err != nil {
			panic(err)
		}
		a.Generate(ctx, []*schema.Message{schema.UserMessage("go")}, agent.WithComposeOptions(compose.WithCallbacks(h)))
	}()
	defer events.Close()
	for e, err := events.Recv(); err == nil; e, err = events.Recv() { // io.EOF at the end of the run
		fmt.Printf("%T\n", e)
	}
	// Output:
	// tool.CommandStarted
	// tool.CommandOutput
	// tool.CommandFinished
}
