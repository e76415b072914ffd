// React is a ReAct agent that repairs a small Go project with real commands,
// shown live. It needs no key: its model is a script, which chooses each step
// from what the last command printed. With OPENAI_API_KEY set (and, if you like,
// OPENAI_BASE_URL and OPENAI_MODEL) a real model does it, or the task that the
// arguments give it:
//
//	go run -C examples ./react
//	OPENAI_API_KEY=… go run -C examples ./react -dir /path/to/work "Count the lines of Go here."
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	shelltool "github.com/einoshell/einoshell/tool"
)

const defaultTask = "The tests of the Go project in your working directory fail. Find out why, mend the code, and show that they pass."

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, newDisplay(os.Stdout, colours(os.Stdout, os.Getenv))); err != nil {
		fmt.Fprintln(os.Stderr, "react:", err)
		os.Exit(1)
	}
}

// run is main without the process around it.
func run(ctx context.Context, args []string, env func(string) string, d *display) error {
	flags := flag.NewFlagSet("react", flag.ContinueOnError)
	dir := flags.String("dir", "", "absolute directory to work in; a new project with a mistake when empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	task := strings.Join(flags.Args(), " ")

	var m model.ToolCallingChatModel = &scripted{}
	if env("OPENAI_API_KEY") != "" {
		var err error
		if m, err = openAI(ctx, env); err != nil {
			return err
		}
	} else if task != "" {
		return errors.New("a task of your own needs a real model: set OPENAI_API_KEY")
	}
	if task == "" {
		task = defaultTask
	}
	if *dir == "" {
		temp, err := os.MkdirTemp("", "einoshell-react-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		*dir = filepath.Join(temp, "shop")
		if err := writeProject(*dir); err != nil {
			return err
		}
	}
	return work(ctx, m, *dir, task, d)
}

// work lets an agent with model m do task in dir.
func work(ctx context.Context, m model.ToolCallingChatModel, dir, task string, d *display) error {
	sh, err := shelltool.New(ctx, shelltool.Default(dir))
	if err != nil {
		return err
	}
	defer sh.Close()
	h := adapter.NewHandler(sh, adapter.OnEvent(d.event))
	a, err := react.NewAgent(ctx, &react.AgentConfig{
		ToolCallingModel: m,
		ToolsConfig:      compose.ToolsNodeConfig{Tools: sh.Tools()},
		MaxStep:          100,
	})
	if err != nil {
		return err
	}
	d.message("task", task)
	// What the model says between its commands, in its place between the events.
	says := callbacks.NewHandlerBuilder().OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
		if info.Component == components.ComponentOfChatModel {
			if o := model.ConvCallbackOutput(out); o != nil && o.Message != nil && o.Message.Content != "" {
				h.Flush(ctx)
				d.message("agent", o.Message.Content)
			}
		}
		return ctx
	}).Build()
	msg, err := a.Generate(ctx, []*schema.Message{
		schema.SystemMessage("You are a careful engineer. Work in small steps: look, act, check. Answer when you have seen the result yourself."),
		schema.UserMessage(task),
	}, agent.WithComposeOptions(compose.WithCallbacks(h, says)))
	if _, ok := m.(*scripted); ok && err == nil && msg.Content != finished {
		return errStuck
	}
	return err
}

// colours reports whether w is a terminal whose user wants colours.
func colours(w io.Writer, env func(string) string) bool {
	f, ok := w.(*os.File)
	if !ok || env("NO_COLOR") != "" || env("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
