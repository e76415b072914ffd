// Package adapter joins a Shell to Eino's runtimes.
//
// A Handler is a callback handler: it opens a Run for each agent run, closes it at the end, parks it when the run is
// interrupted, and delivers the events of its commands while they run.
//
//	h := adapter.NewHandler(sh, adapter.OnEvent(show))
//	ra.Generate(ctx, msgs, agent.WithComposeOptions(compose.WithCallbacks(h)))
//	runner.Query(ctx, "…", adk.WithCallbacks(h))
//
// NewMiddleware gives an ADK agent the tools and a few sentences about them, NewShell and NewStreamingShell are what Eino makes its
// own tool execute of, and Gate takes the shell away from single runs.
package adapter
