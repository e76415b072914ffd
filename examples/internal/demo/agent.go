package demo

import (
	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/schema"

	shelltool "github.com/einoshell/einoshell/tool"
)

// Show shows the events of an ADK agent to their end: what it says and calls, and between that what its commands do.
func Show(events *adk.AsyncIterator[*adk.AgentEvent], d *Display) (failed error) {
	for e, ok := events.Next(); ok; e, ok = events.Next() {
		switch {
		case e.Err != nil:
			failed = e.Err
		case e.Output == nil: // an action
		case e.Output.CustomizedOutput != nil:
			if ev, ok := e.Output.CustomizedOutput.(shelltool.Event); ok {
				d.Event(ev)
			}
		case e.Output.MessageOutput != nil:
			msg, err := e.Output.MessageOutput.GetMessage()
			if err != nil {
				return err
			}
			if msg.Role != schema.Assistant {
				continue // what a tool returned
			}
			if msg.Content != "" {
				d.Message("agent", msg.Content)
			}
			for _, call := range msg.ToolCalls {
				if !startsCommand(call.Function.Name) {
					d.Call(call.Function.Name, call.Function.Arguments)
				}
			}
		}
	}
	return failed
}

// startsCommand tells tools of whose calls there are events.
func startsCommand(tool string) bool {
	return tool == RunCommand || tool == StartCommand || tool == Execute
}
