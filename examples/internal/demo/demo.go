// Package demo is what the examples share: an agent with a project to work on and a
// model, scripted or real, shown live.
package demo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	shelltool "github.com/einoshell/einoshell/tool"
)

// An Example is an agent with something to do.
type Example struct {
	Name    string // of the program
	Task    string // what the arguments may replace when there is a real model
	Project Project
	Script  Script // does the task without a real model
	Agent   Agent
}

// An Agent works.
type Agent func(context.Context, Work) error

// Work is what an Agent is to do, and with what.
type Work struct {
	Model model.ToolCallingChatModel
	Dir   string
	Task  string
	*Display
}

// System is the instruction of all agents.
const System = "You are a careful engineer. Work in small steps: look, act, check. Answer when you have seen the result yourself."

// A Project is a directory with files: what is in each, by its name.
type Project map[string]string

// Write makes the project in dir.
func (p Project) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range p {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Main is the whole program.
func (e Example) Main() {
	// Commands end with ctx, and go on when the program just dies: also by SIGPIPE, when nobody reads any more.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	err := e.Run(ctx, os.Args[1:], os.Getenv, NewDisplay(os.Stdout, colours(os.Stdout, os.Getenv)))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, e.Name+":", err)
		os.Exit(1)
	}
}

// Run is Main without the process around it.
func (e Example) Run(ctx context.Context, args []string, env func(string) string, d *Display) error {
	flags := flag.NewFlagSet(e.Name, flag.ContinueOnError)
	dir := flags.String("dir", "", "absolute directory to work in; a new one with a small project when empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	task := strings.Join(flags.Args(), " ")

	script := &scripted{script: e.Script}
	var m model.ToolCallingChatModel = script
	if env("OPENAI_API_KEY") != "" {
		var err error
		if m, err = openAI(ctx, env); err != nil {
			return err
		}
	} else if task != "" {
		return errors.New("a task of your own needs a real model: set OPENAI_API_KEY")
	}
	if task == "" {
		task = e.Task
	}
	if *dir == "" {
		temp, err := os.MkdirTemp("", "einoshell-"+e.Name+"-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		*dir = filepath.Join(temp, "project")
		if err := e.Project.Write(*dir); err != nil {
			return err
		}
	}
	d.Message("task", task)
	if err := e.Agent(ctx, Work{m, *dir, task, d}); err != nil {
		return err
	}
	if m == script && !script.done {
		return ErrStuck
	}
	return nil
}

// ReAct is a ReAct agent.
func ReAct(ctx context.Context, w Work) error {
	sh, err := shelltool.New(ctx, shelltool.Default(w.Dir))
	if err != nil {
		return err
	}
	defer sh.Close()
	h := adapter.NewHandler(sh, adapter.OnEvent(w.Event))
	a, err := react.NewAgent(ctx, &react.AgentConfig{
		ToolCallingModel: w.Model,
		ToolsConfig:      compose.ToolsNodeConfig{Tools: sh.Tools()},
		MaxStep:          100,
	})
	if err != nil {
		return err
	}
	_, err = a.Generate(ctx, []*schema.Message{schema.SystemMessage(System), schema.UserMessage(w.Task)},
		agent.WithComposeOptions(compose.WithCallbacks(h, between(h, w.Display))))
	return err
}

// between shows what has no events: what the model says, and its calls of tools that
// start nothing. Each has its place among the events.
func between(h *adapter.Handler, d *Display) callbacks.Handler {
	return callbacks.NewHandlerBuilder().OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
		if info.Component == components.ComponentOfChatModel {
			if o := model.ConvCallbackOutput(out); o != nil && o.Message != nil && o.Message.Content != "" {
				h.Flush(ctx)
				d.Message("agent", o.Message.Content)
			}
		}
		return ctx
	}).OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
		if info.Component == components.ComponentOfTool && !startsCommand(info.Name) {
			if i := tool.ConvCallbackInput(in); i != nil {
				h.Flush(ctx)
				d.Call(info.Name, i.ArgumentsInJSON)
			}
		}
		return ctx
	}).Build()
}
