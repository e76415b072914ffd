// Package adapter joins a Shell to Eino's runtimes: a callback handler that
// opens a Run for each agent run, closes it at the end, and delivers the events
// of its commands while they run.
//
//	h := adapter.NewHandler(sh, adapter.OnEvent(show))
//	ra.Generate(ctx, msgs, agent.WithComposeOptions(compose.WithCallbacks(h)))
package adapter
