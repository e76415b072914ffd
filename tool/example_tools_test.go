//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	einotool "github.com/cloudwego/eino/components/tool"

	shelltool "github.com/einoshell/einoshell/tool"
)

// newExampleShell makes a Shell with all tools. A program would look at the error.
func newExampleShell(ctx context.Context) *shelltool.Shell {
	c := shelltool.Default(os.TempDir())
	c.Tools = []string{"run_command", "start_command", "check_command", "stop_command", "list_commands", "send_input"}
	sh, err := shelltool.New(ctx, c)
	if err != nil {
		panic(err)
	}
	return sh
}

// model calls a tool as Eino does for a model.
func model(ctx context.Context, sh *shelltool.Shell, name, arguments string) string {
	for _, t := range sh.Tools() {
		if info, _ := t.Info(ctx); info.Name == name {
			text, err := t.(einotool.InvokableTool).InvokableRun(ctx, arguments)
			if err != nil {
				panic(err)
			}
			return text
		}
	}
	panic("no tool " + name)
}

// startExample starts a command and returns its ID, which a model reads from the text.
func startExample(ctx context.Context, sh *shelltool.Shell, arguments string) string {
	_, id, _ := strings.Cut(model(ctx, sh, "start_command", arguments), "\nID: ")
	return id
}

// finishedExample asks about a command until it has ended.
func finishedExample(ctx context.Context, sh *shelltool.Shell, id string) string {
	for {
		text := model(ctx, sh, "check_command", `{"command_id":"`+id+`","wait_seconds":10}`)
		if strings.Contains(text, "[status: finished]") {
			return text
		}
	}
}

// run_command runs a command and returns what it printed, and its exit code unless that is 0.
func Example_runCommand() {
	ctx := context.Background()
	sh := newExampleShell(ctx)
	defer sh.Close()

	fmt.Println(model(ctx, sh, "run_command", `{"command":"echo hello; echo oh >&2; exit 2"}`))
	fmt.Println(model(ctx, sh, "run_command", `{"command":"echo started; sleep 60","timeout_seconds":0.2}`))
	// Output:
	// [stdout]
	// hello
	//
	// [stderr]
	// oh
	//
	// [exit code: 2]
	// [stdout]
	// started
	//
	// [Command timed out after 0.2s]
}

// start_command starts a command in the background and returns its ID at once.
func Example_startCommand() {
	ctx := context.Background()
	sh := newExampleShell(ctx)
	defer sh.Close() // ends it

	text := model(ctx, sh, "start_command", `{"command":"sleep 60"}`)
	first, id, _ := strings.Cut(text, "\nID: ")
	fmt.Println(first)
	fmt.Println(len(id))
	// Output:
	// Started background command: 'sleep 60'
	// 12
}

// check_command returns what a command has printed, and whether it still runs. It can wait for
// that, and return only what is new.
func Example_checkCommand() {
	ctx := context.Background()
	sh := newExampleShell(ctx)
	defer sh.Close()

	id := startExample(ctx, sh, `{"command":"echo listening; read x; echo bye; exit 3","stdin":true}`)
	fmt.Println(model(ctx, sh, "check_command", `{"command_id":"`+id+`","wait_seconds":10}`))
	model(ctx, sh, "send_input", `{"command_id":"`+id+`","end_input":true}`)
	fmt.Println(finishedExample(ctx, sh, id))
	fmt.Println(model(ctx, sh, "check_command", `{"command_id":"`+id+`","new_output_only":true}`))
	// Output:
	// [stdout]
	// listening
	//
	// [status: running]
	// [stdout]
	// listening
	// bye
	//
	// [status: finished]
	// [exit code: 3]
	// (no new output)
	// [status: finished]
	// [exit code: 3]
}

// stop_command ends a command and returns what it has printed. Its ID is of no use then.
func Example_stopCommand() {
	ctx := context.Background()
	sh := newExampleShell(ctx)
	defer sh.Close()

	id := startExample(ctx, sh, `{"command":"echo listening; sleep 60"}`)
	model(ctx, sh, "check_command", `{"command_id":"`+id+`","wait_seconds":10}`)
	fmt.Println(model(ctx, sh, "stop_command", `{"command_id":"`+id+`"}`))
	text := model(ctx, sh, "check_command", `{"command_id":"`+id+`"}`)
	fmt.Println(strings.ReplaceAll(text, id, "…"))
	// Output:
	// [stdout]
	// listening
	//
	// [stopped]
	// [exit code: -15]
	// [Error: unknown command ID '…']
	// [no command is in the background]
}

// list_commands lists what was started, for a model that has lost an ID.
func Example_listCommands() {
	ctx := context.Background()
	sh := newExampleShell(ctx)
	defer sh.Close()

	startExample(ctx, sh, `{"command":"sleep 60"}`)
	line := model(ctx, sh, "list_commands", `{}`)
	fmt.Println(line[strings.Index(line, " "):strings.LastIndex(line, " running")+8], line[strings.LastIndex(line, ": ")+2:])
	// Output:
	// running 'sleep 60'
}

// send_input gives a command that was started with stdin something to read.
func Example_sendInput() {
	ctx := context.Background()
	sh := newExampleShell(ctx)
	defer sh.Close()

	id := startExample(ctx, sh, `{"command":"sort","stdin":true}`)
	input, _ := json.Marshal(map[string]any{"command_id": id, "input": "pear\napple\n", "end_input": true})
	fmt.Println(strings.ReplaceAll(model(ctx, sh, "send_input", string(input)), id, "…"))
	fmt.Println(finishedExample(ctx, sh, id))
	// Output:
	// Sent 11 bytes to …, and ended its input
	// [stdout]
	// apple
	// pear
	//
	// [status: finished]
	// [exit code: 0]
}

// Runs of one Shell have directories, variables and commands of their own.
func ExampleShell_NewRun() {
	ctx := context.Background()
	sh := newExampleShell(ctx)
	defer sh.Close()

	ctx, run := sh.NewRun(ctx, shelltool.RunOptions{Dir: "/", Env: map[string]string{"WHO": "alice"}, User: "alice"})
	defer run.Close() // ends its commands in the background
	fmt.Println(model(ctx, sh, "run_command", `{"command":"pwd; echo $WHO"}`))
	// Output:
	// [stdout]
	// /
	// alice
}
