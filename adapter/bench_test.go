//go:build unix

package adapter_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cloudwego/eino/adk"

	"github.com/einoshell/einoshell/adapter"
	shelltool "github.com/einoshell/einoshell/tool"
)

// BenchmarkFirstByte is the time from when a command writes its first byte until the consumer of an agent run has it, in each way in
// which events are delivered, in milliseconds; the writer tells when in what it writes.
func BenchmarkFirstByte(b *testing.B) {
	for name, run := range map[string]func(*shelltool.Shell, adk.Agent, func(shelltool.Event)){
		"OnEvent": func(sh *shelltool.Shell, a adk.Agent, hear func(shelltool.Event)) {
			drainAgent(a, adapter.NewHandler(sh, adapter.OnEvent(hear), adapter.WithoutAgentEvents()), context.Background(), nil)
		},
		"Stream": func(sh *shelltool.Shell, a adk.Agent, hear func(shelltool.Event)) {
			h := adapter.NewHandler(sh, adapter.WithoutAgentEvents())
			ctx, events := h.Stream(context.Background())
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer events.Close()
				for e, err := events.Recv(); err == nil; e, err = events.Recv() {
					hear(e)
				}
			}()
			drainAgent(a, h, ctx, nil)
			<-done
		},
		"agent": func(sh *shelltool.Shell, a adk.Agent, hear func(shelltool.Event)) {
			drainAgent(a, adapter.NewHandler(sh), context.Background(), hear)
		},
	} {
		b.Run(name, func(b *testing.B) {
			sh := newShell(b, nil)
			a := resumableAgent(sh, turns{calls("run_command", map[string]any{"command": "date +%s.%N; sleep 0.05"}), says("done")})
			var took []time.Duration
			for b.Loop() {
				run(sh, a, func(e shelltool.Event) {
					if out, ok := e.(shelltool.CommandOutput); ok {
						var sec, nano int64
						if _, err := fmt.Sscanf(out.Text, "%d.%d", &sec, &nano); err != nil {
							b.Error(err)
						}
						took = append(took, time.Since(time.Unix(sec, nano)))
					}
				})
			}
			if len(took) == 0 {
				b.Fatal("nothing was heard")
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

func drainAgent(a adk.Agent, h *adapter.Handler, ctx context.Context, hear func(shelltool.Event)) {
	it := adk.NewRunner(ctx, adk.RunnerConfig{Agent: a}).Query(ctx, "go", adk.WithCallbacks(h))
	for e, ok := it.Next(); ok; e, ok = it.Next() {
		if hear != nil && e.Output != nil && e.Output.CustomizedOutput != nil {
			hear(e.Output.CustomizedOutput.(shelltool.Event))
		}
	}
}
