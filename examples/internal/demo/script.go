package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// The tools that start something.
const (
	RunCommand   = "run_command"
	StartCommand = "start_command"
	Execute      = "execute" // Eino's own, of a DeepAgent
)

// A Script is a model without a network: rules that read what the tools returned and
// choose what to do next.
type Script func([]Step) Move

// A Step is a call of a tool and what came of it.
type Step struct {
	Tool   string
	Args   map[string]any
	Result string
}

// Command is the command of a step that has one.
func (s Step) Command() string {
	command, _ := s.Args["command"].(string)
	return command
}

// A Move is what a Script does next: it says something, and calls a tool unless its
// story is at its end.
type Move struct {
	Say  string
	Tool string // none at the end
	Args map[string]any
	Done bool // at the end: the task is done
}

// Run is a Move that runs a command.
func Run(say, command string) Move {
	return Call(say, RunCommand, map[string]any{"command": command, "timeout_seconds": 300})
}

// Call is a Move that calls a tool.
func Call(say, tool string, args map[string]any) Move { return Move{Say: say, Tool: tool, Args: args} }

// Done is the Move at the end of a task that is done.
func Done(say string) Move { return Move{Say: say, Done: true} }

// GiveUp is the Move at the end of one that is not.
func GiveUp(say string) Move { return Move{Say: say} }

// Lost is GiveUp where no rule fits.
func Lost(last Step) Move {
	return GiveUp("I do not know how to go on from here. The last thing I saw was:\n" + last.Result)
}

// ErrStuck is returned when a Script has ended without doing its task.
var ErrStuck = errors.New("the script did not get to the end of its story")

// scripted makes a chat model of a Script.
type scripted struct {
	script Script
	done   bool // the task is
}

var _ model.ToolCallingChatModel = (*scripted)(nil)

func (m *scripted) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

func (m *scripted) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	next := m.script(history(in))
	if next.Tool == "" {
		m.done = next.Done
		return schema.AssistantMessage(next.Say, nil), nil
	}
	args, err := json.Marshal(next.Args)
	if err != nil {
		return nil, err
	}
	return schema.AssistantMessage(next.Say, []schema.ToolCall{{
		ID:       fmt.Sprintf("call_%d", len(in)),
		Function: schema.FunctionCall{Name: next.Tool, Arguments: string(args)},
	}}), nil
}

func (m *scripted) Stream(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	msg, err := m.Generate(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{msg}), nil
}

// history reads the steps so far out of the conversation.
func history(in []*schema.Message) []Step {
	var steps []Step
	for _, msg := range in {
		for _, call := range msg.ToolCalls {
			s := Step{Tool: call.Function.Name}
			json.Unmarshal([]byte(call.Function.Arguments), &s.Args)
			steps = append(steps, s)
		}
		if msg.Role == schema.Tool && len(steps) > 0 {
			steps[len(steps)-1].Result = msg.Content
		}
	}
	return steps
}
