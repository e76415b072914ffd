//go:build unix

package adapter_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
	"go.uber.org/goleak"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/internal/leak"
	shelltool "github.com/einoshell/einoshell/tool"
)

func TestMain(m *testing.M) {
	// This program is run again for what needs another process.
	if again := map[string]func(dir string){"recipe": recipe, "resume": resume, "global": global}[os.Getenv("EINOSHELL_TEST_HELPER")]; again != nil {
		again(os.Getenv("EINOSHELL_TEST_DIR"))
		return
	}
	// The tests that wait wait at the same time; -parallel says otherwise.
	flag.Set("test.parallel", "8")
	goleak.VerifyTestMain(leak.Lingering{M: m, Function: "(*Supervised).attend"})
}

// again is a command that runs a part of this program in another process.
func again(name, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER="+name, "EINOSHELL_TEST_DIR="+dir)
	return cmd
}

// anotherShell is a Shell there.
func anotherShell(dir string, change func(*shelltool.Config)) *shelltool.Shell {
	c := shelltool.Default(dir)
	c.StateDir = dir
	if change != nil {
		change(&c)
	}
	sh, err := shelltool.New(context.Background(), c)
	must(err)
	return sh
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A script is a chat model that calls run_command with its commands, one a
// turn (those separated by a NUL in one turn), and then answers with the last
// tool message.
type script struct {
	commands []string
	tools    []*schema.ToolInfo
}

func (m *script) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	return &script{m.commands, tools}, nil
}

func (m *script) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	turn := 0
	for _, msg := range in {
		if msg.Role == schema.Assistant {
			turn++
		}
	}
	if turn == len(m.commands) {
		return schema.AssistantMessage(in[len(in)-1].Content, nil), nil
	}
	var calls []schema.ToolCall
	for i, command := range strings.Split(m.commands[turn], "\x00") {
		args, _ := json.Marshal(map[string]string{"command": command})
		calls = append(calls, schema.ToolCall{
			ID:       fmt.Sprintf("call-%d-%d", turn, i),
			Function: schema.FunctionCall{Name: "run_command", Arguments: string(args)},
		})
	}
	return schema.AssistantMessage("", calls), nil
}

func (m *script) Stream(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	msg, err := m.Generate(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{msg}), nil
}

func newShell(t testing.TB, change func(*shelltool.Config)) *shelltool.Shell {
	t.Helper()
	c := shelltool.Default(t.TempDir())
	c.StateDir = t.TempDir()
	if change != nil {
		change(&c)
	}
	sh, err := shelltool.New(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sh.Close() })
	return sh
}

func newAgent(t testing.TB, sh *shelltool.Shell, commands ...string) *react.Agent {
	t.Helper()
	a, err := react.NewAgent(context.Background(), &react.AgentConfig{
		ToolCallingModel: &script{commands: commands},
		ToolsConfig:      compose.ToolsNodeConfig{Tools: sh.Tools()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var ask = []*schema.Message{schema.UserMessage("go")}

func with(h *adapter.Handler) agent.AgentOption {
	return agent.WithComposeOptions(compose.WithCallbacks(h))
}

// A recorder is a listener that keeps events.
type recorder struct {
	mu     sync.Mutex
	events []shelltool.Event
}

func (r *recorder) listen(e shelltool.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) all() []shelltool.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]shelltool.Event(nil), r.events...)
}

// run is the ID of the Run of the first event. It waits for that: the end of an agent's events waits for no listener.
func (r *recorder) run(t testing.TB) string {
	t.Helper()
	eventually(t, func() bool { return len(r.all()) > 0 })
	if len(r.all()) == 0 {
		t.Fatal("nothing was heard")
	}
	return r.all()[0].Head().RunID
}

// story writes events in short, one a line.
func (r *recorder) story() string {
	var b strings.Builder
	for _, e := range r.all() {
		switch e := e.(type) {
		case shelltool.CommandStarted:
			fmt.Fprintf(&b, "start %s\n", e.Command)
		case shelltool.CommandOutput:
			fmt.Fprintf(&b, "%s %q\n", e.Stream, e.Text)
		case shelltool.CommandFinished:
			fmt.Fprintf(&b, "end %d\n", *e.ExitCode)
		case shelltool.CommandDenied:
			fmt.Fprintf(&b, "denied %s\n", e.Kind)
		}
	}
	return b.String()
}

// A ReAct agent, plain and streaming: events in order and complete when it
// returns, one Run, the calls named.
func TestReActAgent(t *testing.T) {
	sh := newShell(t, nil)
	const want = "start echo one\nstdout \"one\\n\"\nend 0\ndenied policy\nstart echo two; exit 3\nstdout \"two\\n\"\nend 3\n"
	run := map[string]func(a *react.Agent, h *adapter.Handler) (*schema.Message, error){
		"Generate": func(a *react.Agent, h *adapter.Handler) (*schema.Message, error) {
			return a.Generate(context.Background(), ask, with(h))
		},
		"Stream": func(a *react.Agent, h *adapter.Handler) (*schema.Message, error) {
			out, err := a.Stream(context.Background(), ask, with(h))
			if err != nil {
				return nil, err
			}
			defer out.Close()
			return schema.ConcatMessageStream(out)
		},
	}
	for name, do := range run {
		t.Run(name, func(t *testing.T) {
			var rec recorder
			h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen))
			msg, err := do(newAgent(t, sh, "echo one", "rm x", "echo two; exit 3"), h)
			if err != nil || msg.Content != "[stdout]\ntwo\n\n[exit code: 3]" {
				t.Fatalf("%v, %v", msg, err)
			}
			eventually(t, func() bool { return rec.story() == want })
			if got := rec.story(); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
			runs := map[string]bool{}
			for _, e := range rec.all() {
				runs[e.Head().RunID] = true
				if e.Head().Tool != "run_command" || !strings.HasPrefix(e.Head().CallID, "call-") {
					t.Errorf("head %+v", e.Head())
				}
			}
			if len(runs) != 1 {
				t.Errorf("%d Runs", len(runs))
			}
		})
	}
}

// eventually waits for done: the end of a stream is delivered by nobody.
func eventually(t testing.TB, done func() bool) {
	t.Helper()
	for range 500 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Live in a real agent: the command waits for its listener.
func TestListenerHearsWhileTheCommandRuns(t *testing.T) {
	sh := newShell(t, nil)
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	h := adapter.NewHandler(sh, adapter.OnEvent(func(e shelltool.Event) {
		if o, ok := e.(shelltool.CommandOutput); ok && strings.Contains(o.Text, "ready") {
			os.WriteFile(fifo, []byte("go\n"), 0o600)
		}
	}))
	msg, err := newAgent(t, sh, "printf ready; read x < "+fifo+"; echo $x").Generate(context.Background(), ask, with(h))
	if err != nil || msg.Content != "[stdout]\nreadygo\n" {
		t.Errorf("%v, %v", msg, err)
	}
}

// Calls of one message run in parallel and share the Run; two agent runs do
// not.
func TestParallelCallsAndRuns(t *testing.T) {
	sh := newShell(t, nil)
	var rec recorder
	h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen))
	a := newAgent(t, sh, strings.Repeat("echo x\x00", 7)+"echo x")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := a.Generate(context.Background(), ask, with(h)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	runs, last := map[string]map[string]int{}, map[string]int64{}
	for _, e := range rec.all() {
		head := e.Head()
		if head.Seq <= last[head.RunID] {
			t.Errorf("Run %s: event %d after %d", head.RunID, head.Seq, last[head.RunID])
		}
		last[head.RunID] = head.Seq
		if runs[head.RunID] == nil {
			runs[head.RunID] = map[string]int{}
		}
		runs[head.RunID][head.CommandID]++
	}
	if len(runs) != 4 {
		t.Fatalf("%d Runs", len(runs))
	}
	for id, commands := range runs {
		if len(commands) != 8 {
			t.Errorf("Run %s has %d commands", id, len(commands))
		}
		for c, n := range commands {
			if n != 3 {
				t.Errorf("command %s has %d events", c, n)
			}
		}
	}
}

// A listener that panics, or hangs for ever, harms neither the command nor the
// agent nor what comes later.
func TestBadListeners(t *testing.T) {
	t.Parallel()
	t.Run("panic", func(t *testing.T) {
		var log bytes.Buffer
		sh := newShell(t, func(c *shelltool.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		var rec recorder
		h := adapter.NewHandler(sh, adapter.OnEvent(func(e shelltool.Event) {
			rec.listen(e)
			panic("listener broke")
		}))
		msg, err := newAgent(t, sh, "echo hi").Generate(context.Background(), ask, with(h))
		if err != nil || msg.Content != "[stdout]\nhi\n" {
			t.Errorf("%v, %v", msg, err)
		}
		if len(rec.all()) != 3 || strings.Count(log.String(), "listener broke") != 3 {
			t.Errorf("%d events, log %s", len(rec.all()), log.String())
		}
	})
	t.Run("hang", func(t *testing.T) {
		sh := newShell(t, nil)
		hang := make(chan struct{})
		var rec recorder
		h := adapter.NewHandler(sh, adapter.OnEvent(func(e shelltool.Event) {
			<-hang
			rec.listen(e)
		}))
		begin := time.Now()
		msg, err := newAgent(t, sh, "yes | head -c 5000000", "echo hi").Generate(context.Background(), ask, with(h))
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		if err := h.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Flush: %v", err)
		}
		if err != nil || msg.Content != "[stdout]\nhi\n" || time.Since(begin) > 20*time.Second {
			t.Errorf("%v, %v after %v", msg, err, time.Since(begin))
		}
		close(hang)
		if err := h.Flush(context.Background()); err != nil {
			t.Errorf("Flush: %v", err)
		}
		var ends int
		var sent, dropped int64
		for _, e := range rec.all() {
			switch e := e.(type) {
			case shelltool.CommandOutput:
				sent += int64(len(e.Text))
				dropped += e.Dropped
			case shelltool.CommandFinished:
				ends++
			}
		}
		if ends != 2 || sent+dropped != 5_000_003 || sent > 2<<20 {
			t.Errorf("%d ends, %d bytes sent, %d dropped", ends, sent, dropped)
		}
	})
	// C27: 50 ms an event. The command is not held up; neither is anything lost
	// silently.
	t.Run("C27, slow", func(t *testing.T) {
		sh := newShell(t, nil)
		var out strings.Builder
		var dropped int64
		h := adapter.NewHandler(sh, adapter.OnEvent(func(e shelltool.Event) {
			if o, ok := e.(shelltool.CommandOutput); ok {
				out.WriteString(o.Text)
				dropped += o.Dropped
			}
			time.Sleep(50 * time.Millisecond)
		}))
		begin := time.Now()
		if _, err := newAgent(t, sh, "i=0; while [ $i -lt 2000 ]; do echo line; i=$((i+1)); done").Generate(context.Background(), ask, with(h)); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("took %v", took)
		}
		if out.String() != strings.Repeat("line\n", 2000) || dropped != 0 {
			t.Errorf("%d bytes heard, %d dropped", out.Len(), dropped)
		}
	})
}

// The Run is closed when the agent ends, however it ends: a context kept from
// inside it runs nothing any more.
func TestRunEndsWithTheAgent(t *testing.T) {
	t.Parallel()
	sh := newShell(t, nil)
	for name, run := range map[string]func(context.Context, agent.AgentOption) error{
		"success": func(ctx context.Context, o agent.AgentOption) error {
			_, err := newAgent(t, sh, "true").Generate(ctx, ask, o)
			return err
		},
		"error": func(ctx context.Context, o agent.AgentOption) error {
			a, err := react.NewAgent(ctx, &react.AgentConfig{
				ToolCallingModel: &script{commands: []string{"true", "true", "true"}},
				ToolsConfig:      compose.ToolsNodeConfig{Tools: sh.Tools()},
				MaxStep:          4,
			})
			if err != nil {
				return err
			}
			if _, err = a.Generate(ctx, ask, o); err == nil {
				return errors.New("the agent did not fail")
			}
			return nil
		},
		"stream": func(ctx context.Context, o agent.AgentOption) error {
			out, err := newAgent(t, sh, "true").Stream(ctx, ask, o)
			if err != nil {
				return err
			}
			defer out.Close()
			_, err = schema.ConcatMessageStream(out)
			return err
		},
		"cancelled": func(ctx context.Context, o agent.AgentOption) error {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(300*time.Millisecond, cancel)
			if _, err := newAgent(t, sh, "sleep 100").Generate(ctx, ask, o); err == nil {
				return errors.New("the agent did not notice")
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var inside context.Context
			h := adapter.NewHandler(sh) // no listener is needed for that
			begin := time.Now()
			err := run(context.Background(), agent.WithComposeOptions(compose.WithCallbacks(h, spy(&inside))))
			if err != nil || time.Since(begin) > 20*time.Second {
				t.Fatalf("%v after %v", err, time.Since(begin))
			}
			assertClosed(t, sh, inside)
		})
	}
}

// An ADK agent tells its end when it begins; its Run ends with its events.
func TestADKAgent(t *testing.T) {
	sh := newShell(t, nil)
	for _, streaming := range []bool{false, true} {
		var rec recorder
		var inside context.Context
		h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen))
		ctx := context.Background()
		a, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
			Name: "worker", Description: "works", Model: &script{commands: []string{"echo one", "echo two"}},
			ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: sh.Tools()}},
		})
		if err != nil {
			t.Fatal(err)
		}
		it := adk.NewRunner(ctx, adk.RunnerConfig{Agent: a, EnableStreaming: streaming}).Query(ctx, "go", adk.WithCallbacks(h, spy(&inside)))
		last := ""
		for {
			e, ok := it.Next()
			if !ok {
				break
			}
			if e.Err != nil {
				t.Fatal(e.Err)
			}
			if e.Output.MessageOutput == nil {
				continue
			}
			msg, err := e.Output.MessageOutput.GetMessage()
			if err != nil {
				t.Fatal(err)
			}
			last = msg.Content
		}
		const want = "start echo one\nstdout \"one\\n\"\nend 0\nstart echo two\nstdout \"two\\n\"\nend 0\n"
		eventually(t, func() bool { return rec.story() == want })
		if last != "[stdout]\ntwo\n" || rec.story() != want {
			t.Errorf("streaming %v: the agent says %q\n%s", streaming, last, rec.story())
		}
		assertClosed(t, sh, inside)
	}
}

// spy keeps a context from inside the Run.
func spy(inside *context.Context) callbacks.Handler {
	return callbacks.NewHandlerBuilder().OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackOutput) context.Context {
		if info.Component == components.ComponentOfTool {
			*inside = ctx
		}
		return ctx
	}).Build()
}

// assertClosed fails when commands can still be run in the Run of a context.
func assertClosed(t *testing.T, sh *shelltool.Shell, inside context.Context) {
	t.Helper()
	if inside == nil || sh.RunOf(inside) == nil {
		t.Fatal("the tool was in no Run")
	}
	var err error
	eventually(t, func() bool {
		_, err = sh.Exec(inside, shelltool.Request{Command: "true"})
		return errors.Is(err, shelltool.ErrClosed)
	})
	if !errors.Is(err, shelltool.ErrClosed) {
		t.Errorf("the Run is still open: %v", err)
	}
}

// A Run opened by hand is used and left open.
func TestRunOpenedByHand(t *testing.T) {
	sh := newShell(t, nil)
	var rec recorder
	ctx, run := sh.NewRun(context.Background(), shelltool.RunOptions{ID: "mine"})
	defer run.Close()
	h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen))
	for range 2 {
		if _, err := newAgent(t, sh, "true").Generate(ctx, ask, with(h)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(rec.all()); n != 4 || rec.all()[0].Head().RunID != "mine" {
		t.Errorf("%d events", n)
	}
	if _, err := sh.Exec(ctx, shelltool.Request{Command: "true"}); err != nil {
		t.Errorf("the Run was closed: %v", err)
	}
}

// Two handlers hear the same events, each once, also from a nested graph.
func TestTwoHandlersAndANestedGraph(t *testing.T) {
	sh := newShell(t, nil)
	ctx := context.Background()
	inner, opts := newAgent(t, sh, "echo hi").ExportGraph()
	outer := compose.NewGraph[[]*schema.Message, *schema.Message]()
	if err := errors.Join(
		outer.AddGraphNode("agent", inner, opts...),
		outer.AddEdge(compose.START, "agent"),
		outer.AddEdge("agent", compose.END)); err != nil {
		t.Fatal(err)
	}
	g, err := outer.Compile(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var a, b recorder
	_, err = g.Invoke(ctx, ask, compose.WithCallbacks(
		adapter.NewHandler(sh, adapter.OnEvent(a.listen)), adapter.NewHandler(sh, adapter.OnEvent(b.listen))))
	if err != nil {
		t.Fatal(err)
	}
	const want = "start echo hi\nstdout \"hi\\n\"\nend 0\n"
	if a.story() != want || b.story() != want {
		t.Errorf("a heard\n%sb heard\n%s", a.story(), b.story())
	}
}

// A handler given twice hears everything once, and closes the Run.
func TestHandlerGivenTwice(t *testing.T) {
	sh := newShell(t, nil)
	var rec recorder
	var inside context.Context
	h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen))
	_, err := newAgent(t, sh, "echo hi").Generate(context.Background(), ask, agent.WithComposeOptions(compose.WithCallbacks(h, h, spy(&inside))))
	if err != nil {
		t.Fatal(err)
	}
	if want := "start echo hi\nstdout \"hi\\n\"\nend 0\n"; rec.story() != want {
		t.Errorf("%s", rec.story())
	}
	assertClosed(t, sh, inside)
}

// Of two handlers either may see the end first: both listeners have had
// everything when the graph returns, also when it fails beside a command.
func TestTwoHandlersFlush(t *testing.T) {
	sh := newShell(t, nil)
	ctx := context.Background()
	started := make(chan struct{}, 1)
	run := sh.Tools()[0].(interface {
		InvokableRun(context.Context, string, ...tool.Option) (string, error)
	})
	g := compose.NewGraph[string, map[string]any]()
	err := errors.Join(
		g.AddLambdaNode("command", compose.InvokableLambda(func(ctx context.Context, in string) (string, error) {
			return run.InvokableRun(ctx, `{"command":"echo up; sleep 5"}`)
		}), compose.WithOutputKey("a")),
		g.AddLambdaNode("fail", compose.InvokableLambda(func(ctx context.Context, in string) (string, error) {
			<-started
			return "", errors.New("the other branch broke")
		}), compose.WithOutputKey("b")),
		g.AddEdge(compose.START, "command"), g.AddEdge(compose.START, "fail"),
		g.AddEdge("command", compose.END), g.AddEdge("fail", compose.END))
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Compile(ctx, compose.WithNodeTriggerMode(compose.AllPredecessor))
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		var a, b recorder
		ha := adapter.NewHandler(sh, adapter.OnEvent(a.listen))
		hb := adapter.NewHandler(sh, adapter.OnEvent(func(e shelltool.Event) {
			b.listen(e)
			if _, ok := e.(shelltool.CommandOutput); ok {
				started <- struct{}{}
			}
		}))
		if _, err := r.Invoke(ctx, "go", compose.WithCallbacks(ha, hb)); err == nil {
			t.Fatal("no error")
		}
		for name, rec := range map[string]*recorder{"a": &a, "b": &b} {
			all := rec.all()
			if f, ok := all[len(all)-1].(shelltool.CommandFinished); len(all) != 3 || !ok || !f.Cancelled {
				t.Errorf("%s heard %d events: %+v", name, len(all), all)
			}
		}
	}
}

// A listener that ends its goroutine, as a test's FailNow does, loses nothing
// but the event it had.
func TestListenerThatExits(t *testing.T) {
	sh := newShell(t, nil)
	var rec recorder
	h := adapter.NewHandler(sh, adapter.OnEvent(func(e shelltool.Event) {
		rec.listen(e)
		runtime.Goexit()
	}))
	if _, err := newAgent(t, sh, "echo hi").Generate(context.Background(), ask, with(h)); err != nil {
		t.Fatal(err)
	}
	if want := "start echo hi\nstdout \"hi\\n\"\nend 0\n"; rec.story() != want {
		t.Errorf("%s", rec.story())
	}
}

// What a stuck listener misses is counted in bytes of the stream, also where
// the text is longer.
func TestStuckListenerIsCountedExactly(t *testing.T) {
	t.Parallel()
	sh := newShell(t, nil)
	hang := make(chan struct{})
	var rec recorder
	h := adapter.NewHandler(sh, adapter.OnEvent(func(e shelltool.Event) {
		<-hang
		rec.listen(e)
	}))
	a := newAgent(t, sh, "head -c 900000 /dev/zero | tr '\\0' '\\377'")
	if _, err := a.Generate(context.Background(), ask, with(h)); err != nil {
		t.Fatal(err)
	}
	close(hang)
	h.Flush(context.Background())
	var sent, dropped int64
	for _, e := range rec.all() {
		if o, ok := e.(shelltool.CommandOutput); ok {
			sent += int64(o.Bytes)
			dropped += o.Dropped
		}
	}
	if sent+dropped != 900_000 || dropped == 0 {
		t.Errorf("%d bytes sent and %d dropped", sent, dropped)
	}
}

// C28: a listener that reads no more and a run that is cancelled leave no
// goroutine behind once the listener lets go.
func TestC28ListenerStopsAndRunIsCancelled(t *testing.T) {
	sh := newShell(t, nil)
	before := runtime.NumGoroutine()
	hang := make(chan struct{})
	h := adapter.NewHandler(sh, adapter.OnEvent(func(shelltool.Event) { <-hang }))
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	begin := time.Now()
	newAgent(t, sh, "yes").Generate(ctx, ask, with(h)) // cancelled: with an error or not
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	close(hang)
	cancel()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
