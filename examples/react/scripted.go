package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// scripted is a chat model without a network: a few rules that read what the
// commands printed and choose the next one. It knows neither the project nor
// the mistake; it repairs functions of the form "return a + b" whose tests say
// which numbers they want.
type scripted struct{}

// errStuck is returned when the script ended without mending the project.
var errStuck = errors.New("the script did not get to the end of its story")

// finished is what the script says at the end of its story.
const finished = "All tests pass now."

var _ model.ToolCallingChatModel = (*scripted)(nil)

func (m *scripted) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

func (m *scripted) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	say, command := next(history(in))
	if command == "" {
		return schema.AssistantMessage(say, nil), nil
	}
	args, err := json.Marshal(map[string]any{"command": command, "timeout_seconds": 300})
	if err != nil {
		return nil, err
	}
	return schema.AssistantMessage(say, []schema.ToolCall{{
		ID:       fmt.Sprintf("call_%d", len(in)),
		Function: schema.FunctionCall{Name: "run_command", Arguments: string(args)},
	}}), nil
}

func (m *scripted) Stream(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	msg, err := m.Generate(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{msg}), nil
}

// A step is a command and what came of it.
type step struct{ command, result string }

// history reads the steps so far out of the conversation.
func history(in []*schema.Message) []step {
	var steps []step
	for _, msg := range in {
		for _, call := range msg.ToolCalls {
			var args struct{ Command string }
			json.Unmarshal([]byte(call.Function.Arguments), &args)
			steps = append(steps, step{command: args.Command})
		}
		if msg.Role == schema.Tool && len(steps) > 0 {
			steps[len(steps)-1].result = msg.Content
		}
	}
	return steps
}

const (
	list = "find . -type f | sort"
	test = "go test ./..."
)

var (
	failure  = regexp.MustCompile(`(?m)\b(\w+)\((-?\d+), (-?\d+)\) = -?\d+, want (-?\d+)$`)
	document = regexp.MustCompile(`(?m)^\./(\S+\.md)$`)
	// A line of grep -n, and in it what the rules can repair.
	found      = regexp.MustCompile(`(?m)^\./(\S+\.go):(\d+):func (\w+)\((\w+), (\w+) int\) int`)
	expression = regexp.MustCompile(`(?m)^\s*(\d+)\s+return (\w+) (\S+) (\w+)$`)
)

// next chooses what to say and which command to run; none at the end.
func next(steps []step) (say, command string) {
	if len(steps) == 0 {
		return "Let me see what is here.", list
	}
	last := steps[len(steps)-1]
	switch {
	case last.command == list:
		if doc := document.FindStringSubmatch(last.result); doc != nil {
			return "There is a document. I read it first.", "cat " + doc[1]
		}
		return "Now the tests.", test
	case strings.HasPrefix(last.command, "cat ") && document.MatchString("./"+last.command[4:]):
		return "Now the tests.", test
	case last.command == test:
		return afterTest(last.result)
	case strings.HasPrefix(last.command, "grep "):
		if f := found.FindStringSubmatch(last.result); f != nil {
			return "It is in " + f[1] + ". I read it.", "cat -n " + f[1]
		}
	case strings.HasPrefix(last.command, "cat -n "):
		return repair(steps)
	case strings.HasPrefix(last.command, "sed "):
		if !strings.Contains(last.result, "[exit code:") {
			return "Did that do it? The tests again.", test
		}
	}
	return "I do not know how to go on from here. The last thing I saw was:\n" + last.result, ""
}

// afterTest reads what go test printed.
func afterTest(result string) (say, command string) {
	fails := failure.FindStringSubmatch(result)
	switch {
	case fails != nil:
		return fmt.Sprintf("%s(%s, %s) should be %s and is not. Where is %[1]s?", fails[1], fails[2], fails[3], fails[4]),
			fmt.Sprintf("grep -rn --include='*.go' 'func %s(' .", fails[1])
	case !strings.Contains(result, "[exit code:") && strings.Contains(result, "ok"):
		return finished, ""
	}
	return "The tests fail in a way that I cannot read:\n" + result, ""
}

// repair finds the operator with which the function that was read last gives
// what its tests want.
func repair(steps []step) (say, command string) {
	source := steps[len(steps)-1]
	f := found.FindStringSubmatch(steps[len(steps)-2].result) // the grep that led here
	file, name, first, second := f[1], f[3], f[4], f[5]
	start, _ := strconv.Atoi(f[2])
	for _, e := range expression.FindAllStringSubmatch(source.result, -1) {
		line, _ := strconv.Atoi(e[1])
		left, op, right := e[2], e[3], e[4]
		if line < start || left != first || right != second {
			continue
		}
		for _, try := range []string{"+", "-", "*", "/", "%"} {
			if try == op || !fits(try, name, steps) {
				continue
			}
			// Not sed -i: its flags differ between systems.
			command := fmt.Sprintf("sed '%ds|%s . %s|%s %s %s|' %s > new && mv new %s", line, left, right, left, try, right, file, file)
			if slices.ContainsFunc(steps, func(s step) bool { return s.command == command }) {
				return "I have tried that already, and it did not help.", ""
			}
			return fmt.Sprintf("Line %d says %s %s %s. With %s the tests would get what they want.", line, left, op, right, try), command
		}
		return "No single operator in " + name + " gives what its tests want. That is for a person.", ""
	}
	return "I cannot read " + name + ".", ""
}

// fits tells whether op gives every number that the last test run wanted from
// the function name.
func fits(op, name string, steps []step) bool {
	seen := false
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].command != test {
			continue
		}
		for _, f := range failure.FindAllStringSubmatch(steps[i].result, -1) {
			if f[1] != name {
				continue
			}
			a, _ := strconv.Atoi(f[2])
			b, _ := strconv.Atoi(f[3])
			want, _ := strconv.Atoi(f[4])
			if got, ok := apply(op, a, b); !ok || got != want {
				return false
			}
			seen = true
		}
		break
	}
	return seen
}

func apply(op string, a, b int) (int, bool) {
	switch op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "/":
		if b != 0 {
			return a / b, true
		}
	case "%":
		if b != 0 {
			return a % b, true
		}
	}
	return 0, false
}
