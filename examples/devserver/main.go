// Devserver is a ReAct agent that starts a web server in the background, waits until it
// listens, asks it for a page, looks into its log and stops it, shown live. It needs no
// key: its model is a script, which chooses each step from what came of the last one.
// With OPENAI_API_KEY set (and, if you like, OPENAI_BASE_URL and OPENAI_MODEL) a real
// model does it, or the task that the arguments give it:
//
//	go run -C examples ./devserver
//	OPENAI_API_KEY=… go run -C examples ./devserver -dir /path/to/work "Start the server here and tell me which of its pages are slow."
//
// How the agent is made stands in examples/internal/demo/demo.go.
package main

import "github.com/einoshell/einoshell/examples/internal/demo"

var example = demo.Example{
	Name: "devserver",
	Task: "Start the web server in your working directory in the background, ask it for its page, and see in its log that it was asked. " +
		"Then stop it, and show that nobody answers any more.",
	Project: project,
	Script:  next,
	Agent:   demo.ReAct,
}

func main() { example.Main() }
