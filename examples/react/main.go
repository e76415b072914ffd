// React is a ReAct agent that repairs a small Go project with real commands,
// shown live. It needs no key: its model is a script, which chooses each step
// from what the last command printed. With OPENAI_API_KEY set (and, if you like,
// OPENAI_BASE_URL and OPENAI_MODEL) a real model does it, or the task that the
// arguments give it:
//
//	go run -C examples ./react
//	OPENAI_API_KEY=… go run -C examples ./react -dir /path/to/work "Count the lines of Go here."
//
// How the agent is made stands in examples/internal/demo/demo.go.
package main

import (
	"github.com/einoshell/einoshell/examples/internal/demo"
	"github.com/einoshell/einoshell/examples/internal/shop"
)

var example = demo.Example{
	Name:    "react",
	Task:    shop.Task,
	Project: shop.Project,
	Script:  shop.Script,
	Agent:   demo.ReAct,
}

func main() { example.Main() }
