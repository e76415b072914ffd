//go:build unix

package adapter_test

import (
	"context"
	"errors"
	"io"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"go.uber.org/goleak"

	"github.com/einoshell/einoshell/adapter"
	shelltool "github.com/einoshell/einoshell/tool"
)

// A reader has the events of its run alone, also when others of the same Handler run at the same time, and in a Run that was opened by hand.
func TestStreamIsOfOneRun(t *testing.T) {
	sh := newShell(t, nil)
	h := adapter.NewHandler(sh)
	ctx, events := h.Stream(context.Background())
	other := make(chan error)
	go func() {
		_, err := newAgent(t, sh, "echo other").Generate(context.Background(), ask, with(h))
		other <- err
	}()
	if _, err := newAgent(t, sh, "echo mine").Generate(ctx, ask, with(h)); err != nil {
		t.Fatal(err)
	}
	if err := <-other; err != nil {
		t.Fatal(err)
	}
	// A second run with the same context has none.
	if _, err := newAgent(t, sh, "echo second").Generate(ctx, ask, with(h)); err != nil {
		t.Fatal(err)
	}
	list, err := read(events)
	if got := tell(list); err != nil || got != "start echo mine\nstdout \"mine\\n\"\nend 0\n" {
		t.Errorf("%v\n%s", err, got)
	}

	ctx, run := sh.NewRun(context.Background(), shelltool.RunOptions{ID: "by hand"})
	defer run.Close()
	ctx, events = h.Stream(ctx)
	if _, err := newAgent(t, sh, "echo mine").Generate(ctx, ask, with(h)); err != nil {
		t.Fatal(err)
	}
	list, err = read(events)
	if err != nil || len(list) != 3 || list[0].Head().RunID != "by hand" {
		t.Errorf("%v, %v", list, err)
	}
}

// It ends when its context is done and no run has come.
func TestStreamWithoutRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, events := adapter.NewHandler(newShell(t, nil)).Stream(ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	if e, err := events.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("%v, %v", e, err)
	}
	events.Close()
}

// A reader that does not read, that closes, or that is forgotten holds up no command and no agent; what it is owed is bounded, and in the
// end nothing of it is left.
func TestBadReaders(t *testing.T) {
	before := goleak.IgnoreCurrent()
	sh := newShell(t, nil)
	h := adapter.NewHandler(sh)
	const noise = "yes | head -c 20000000"
	run := func(ctx context.Context) {
		msg, err := newAgent(t, sh, noise, "echo hi").Generate(ctx, ask, with(h))
		if err != nil || msg.Content != "[stdout]\nhi\n" {
			t.Fatalf("%v, %v", msg, err)
		}
	}
	heap := func() uint64 {
		goruntime.GC()
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	ctx, late := h.Stream(context.Background())
	held := heap()
	run(ctx)
	if now := heap(); now > held+4<<20 {
		t.Errorf("%d bytes are held for it", now-held)
	}
	list, err := read(late)
	var sent, dropped int64
	ends := 0
	for _, e := range list {
		switch e := e.(type) {
		case shelltool.CommandOutput:
			sent, dropped = sent+int64(e.Bytes), dropped+e.Dropped
		case shelltool.CommandFinished:
			ends++
		}
	}
	if err != nil || sent+dropped != 20_000_003 || sent > 2<<20 || ends != 2 {
		t.Errorf("%v: %d sent, %d dropped, %d ends", err, sent, dropped, ends)
	}

	ctx, closed := h.Stream(context.Background())
	if _, err := newAgent(t, sh, "echo hi").Generate(ctx, ask, with(h)); err != nil {
		t.Fatal(err)
	}
	if _, err := closed.Recv(); err != nil {
		t.Error(err)
	}
	closed.Close()
	run(ctx)

	func() {
		ctx, _ := h.Stream(context.Background())
		run(ctx)
	}()
	sh.Close()
	for range 50 { // it is the garbage collector that closes it
		if goruntime.GC(); goleak.Find(before) == nil {
			break
		}
	}
	goleak.VerifyNone(t, before)
}

// What waits in the stream of an ADK agent that nobody reads is bounded, too.
func TestAgentStreamIsBounded(t *testing.T) {
	sh := newShell(t, nil)
	a := resumableAgent(sh, turns{
		calls("run_command", map[string]any{"command": "yes | head -c 20000000; yes | head -c 20000000 >&2"}),
		calls("run_command", map[string]any{"command": "i=0; while [ $i -lt 3000 ]; do echo $i; echo $i >&2; i=$((i+1)); done"}),
		says("done"),
	})
	it := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: a}).Query(context.Background(), "go", adk.WithCallbacks(adapter.NewHandler(sh)))
	type sum struct {
		text, all int64
		events    int
	}
	calls := map[string]*sum{}
	for e, ok := it.Next(); ok; e, ok = it.Next() {
		if e.Output == nil || e.Output.CustomizedOutput == nil {
			continue
		}
		if len(e.RunPath) != 2 || e.RunPath[0].String() != "worker" || e.RunPath[1].String() != "run_command" || e.AgentName != "worker" {
			t.Errorf("%s: path %v", e.AgentName, e.RunPath)
		}
		ev := e.Output.CustomizedOutput.(shelltool.Event)
		c := calls[ev.Head().CallID]
		if c == nil {
			c = &sum{}
			calls[ev.Head().CallID] = c
		}
		c.events++
		if o, ok := ev.(shelltool.CommandOutput); ok {
			if len(o.Text) > shelltool.MaxEventText || o.Text == "" && o.Dropped == 0 {
				t.Errorf("%+v", o.EventHead)
			}
			c.text, c.all = c.text+int64(len(o.Text)), c.all+int64(o.Bytes)+o.Dropped
		}
	}
	want := []int64{40_000_000, 2 * int64(len(numbers(0, 2999)))}
	if len(calls) != 2 {
		t.Fatalf("%d calls", len(calls))
	}
	for id, c := range calls {
		if c.text > 16_000 || c.all != want[0] && c.all != want[1] || c.events > 100 {
			t.Errorf("call %s: %+v", id, c)
		}
	}
}

// Agents that work one after another, or in parallel, are one run, and Handlers of several Shells do not come into each other's way.
func TestWorkflowAgents(t *testing.T) {
	one, two := newShell(t, nil), newShell(t, func(c *shelltool.Config) { c.Tools = []string{"run_command"} })
	var recs [2]recorder
	agents := func(sh *shelltool.Shell) []adk.Agent {
		var list []adk.Agent
		for _, name := range []string{"first", "second"} {
			a, err := adk.NewChatModelAgent(context.Background(), &adk.ChatModelAgentConfig{Name: name, Description: "works",
				Model:       turns{calls("run_command", map[string]any{"command": "echo " + name}), answers},
				ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: append([]tool.BaseTool{}, sh.Tools()...)}}})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, a)
		}
		return list
	}
	sequential, err := adk.NewSequentialAgent(context.Background(), &adk.SequentialAgentConfig{Name: "all", Description: "works", SubAgents: agents(one)})
	if err != nil {
		t.Fatal(err)
	}
	parallel, err := adk.NewParallelAgent(context.Background(), &adk.ParallelAgentConfig{Name: "all", Description: "works", SubAgents: agents(one)})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []adk.Agent{sequential, parallel} {
		recs = [2]recorder{}
		for i := range recs {
			recs[i].events = nil
		}
		it := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: a}).Query(context.Background(), "go",
			adk.WithCallbacks(adapter.NewHandler(one, adapter.OnEvent(recs[0].listen)), adapter.NewHandler(two, adapter.OnEvent(recs[1].listen))))
		var paths []string
		for e, ok := it.Next(); ok; e, ok = it.Next() {
			if e.Err != nil {
				t.Fatal(e.Err)
			}
			if e.Output != nil && e.Output.CustomizedOutput != nil {
				var path []string
				for _, s := range e.RunPath {
					path = append(path, s.String())
				}
				paths = append(paths, strings.Join(path, "/"))
			}
		}
		eventually(t, func() bool { return len(recs[0].all()) == 6 })
		runs := map[string]bool{}
		for _, e := range recs[0].all() {
			runs[e.Head().RunID] = true
		}
		if len(runs) != 1 || len(recs[0].all()) != 6 || len(recs[1].all()) != 0 {
			t.Errorf("%d Runs, %d and %d events", len(runs), len(recs[0].all()), len(recs[1].all()))
		}
		count := map[string]int{}
		for _, p := range paths {
			count[p]++
		}
		// (Of parallel agents and of those in a sequence, Eino's own paths are like these.)
		if count["all/first/run_command"] != 3 || count["all/second/run_command"] != 3 {
			t.Errorf("paths %v", count)
		}
	}
}
