//go:build unix

package adapter_test

import (
	"context"
	"fmt"
	"os"

	"github.com/cloudwego/eino/compose"
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
