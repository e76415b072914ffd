//go:build unix

package adapter_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/internal/leak"
	shelltool "github.com/einoshell/einoshell/tool"
)

// goneSince is what a model is told of the commands of a Run that is gone.
const goneSince = "the session was interrupted, and what ran in the background before that is gone"

// A store keeps checkpoints.
type store struct {
	mu   sync.Mutex
	data map[string][]byte
}

func (s *store) Get(_ context.Context, id string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.data[id]
	return b, ok, nil
}

func (s *store) Set(_ context.Context, id string, b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.data == nil {
		s.data = map[string][]byte{}
	}
	s.data[id] = b
	return nil
}

// person is a tool that interrupts the agent, as one does that asks somebody.
func person() tool.BaseTool {
	t, err := utils.InferTool("ask_person", "asks", func(ctx context.Context, _ struct{}) (string, error) {
		if was, _, _ := tool.GetInterruptState[string](ctx); !was {
			return "", tool.StatefulInterrupt(ctx, "may I?", "asked")
		}
		return "yes", nil
	})
	if err != nil {
		panic(err)
	}
	return t
}

// interruptible is the story of an agent that starts a command, prints a lot, is interrupted, and looks after the command.
func interruptible(beats string) turns {
	last := func(in []*schema.Message) string { return in[len(in)-1].Content }
	return turns{
		calls("start_command", map[string]any{"command": "echo begun; while :; do echo >> " + beats + "; sleep 0.05; done"}),
		calls("run_command", map[string]any{"command": "while ! [ -s " + beats + " ]; do sleep 0.02; done; yes 'a line of output' | head -c 10000000"}),
		calls("ask_person", nil),
		func(in []*schema.Message) (*schema.Message, error) {
			id := ""
			for _, msg := range in {
				if m := regexp.MustCompile(`\nID: (\w+)`).FindStringSubmatch(msg.Content); m != nil {
					id = m[1]
				}
			}
			return calls("check_command", map[string]any{"command_id": id})(in)
		},
		func(in []*schema.Message) (*schema.Message, error) { return says(last(in))(in) },
	}
}

func resumableAgent(sh *shelltool.Shell, m turns) adk.Agent {
	a, err := adk.NewChatModelAgent(context.Background(), &adk.ChatModelAgentConfig{
		Name: "worker", Description: "works", Model: m,
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{person()}}},
		Handlers:    []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(sh)},
	})
	must(err)
	return a
}

// A conclusion is what comes of an agent: what it says last, the events in its stream, and whether it was interrupted.
type conclusion struct {
	answer      string
	events      []shelltool.Event
	interrupted bool
	failed      error
}

func concluded(it *adk.AsyncIterator[*adk.AgentEvent]) (c conclusion) {
	for e, ok := it.Next(); ok; e, ok = it.Next() {
		c.failed = errors.Join(c.failed, e.Err)
		c.interrupted = c.interrupted || e.Action != nil && e.Action.Interrupted != nil
		switch {
		case e.Output == nil:
		case e.Output.CustomizedOutput != nil:
			c.events = append(c.events, e.Output.CustomizedOutput.(shelltool.Event))
		case e.Output.MessageOutput != nil:
			msg, err := e.Output.MessageOutput.GetMessage()
			if err == nil {
				c.answer = msg.Content
			}
			c.failed = errors.Join(c.failed, err)
		}
	}
	return c
}

// conclude is concluded for an agent that does not fail.
func conclude(t testing.TB, it *adk.AsyncIterator[*adk.AgentEvent]) (answer string, interrupted bool) {
	t.Helper()
	c := concluded(it)
	if c.failed != nil {
		t.Error(c.failed)
	}
	return c.answer, c.interrupted
}

// resumes resumes an agent whose story is interruptible: it goes on in the Run that waits, with its command, and that is gone in the end.
func resumes(t testing.TB, sh *shelltool.Shell, runner *adk.Runner, run, beats string, o ...adk.AgentRunOption) {
	t.Helper()
	it, err := runner.Resume(context.Background(), "x", o...)
	if err != nil {
		t.Fatal(err)
	}
	if answer, _ := conclude(t, it); answer != "[stdout]\nbegun\n\n[status: running]" {
		t.Errorf("%q", answer)
	}
	eventually(t, func() bool { return !leak.Beats(beats, time.Second/4) })
	if leak.Beats(beats, time.Second/4) || sh.Parked(run, "") {
		t.Error("the command has outlived the run")
	}
}

// A run that is interrupted and resumed is one Run: its command goes on meanwhile, the model can look after it, and it is
// gone at the end. The checkpoint has none of the output but what is in messages.
func TestResume(t *testing.T) {
	t.Parallel()
	for _, streaming := range []bool{false, true} {
		t.Run(fmt.Sprint(streaming), func(t *testing.T) {
			t.Parallel()
			beats := filepath.Join(t.TempDir(), "beats")
			sh := newShell(t, func(c *shelltool.Config) { c.MaxOutputChars = 2000 })
			a, s := resumableAgent(sh, interruptible(beats)), &store{}
			var rec recorder
			runner := func() *adk.Runner {
				return adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: a, EnableStreaming: streaming, CheckPointStore: s})
			}
			ctx, cancel := context.WithCancel(context.Background())
			h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen))
			_, interrupted := conclude(t, runner().Query(ctx, "go", adk.WithCallbacks(h), adk.WithCheckPointID("x")))
			if !interrupted {
				t.Fatal("it was not interrupted")
			}
			run := rec.run(t)
			eventually(t, func() bool { return sh.Parked(run, "") })
			cancel() // of a request that is answered
			if n := len(s.data["x"]); n == 0 || n > 100_000 {
				t.Errorf("the checkpoint has %d bytes", n)
			}
			// Eino's own part of it has the message with the output several times.
			plain, other := &store{}, newShell(t, func(c *shelltool.Config) { c.MaxOutputChars = 2000 })
			bare := resumableAgent(other, interruptible(filepath.Join(t.TempDir(), "beats")))
			conclude(t, adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: bare, EnableStreaming: streaming, CheckPointStore: plain}).
				Query(context.Background(), "go", adk.WithCheckPointID("x")))
			other.Close()
			if ours, all := len(s.data["x"])-len(plain.data["x"]), len(s.data["x"]); ours > 1000 {
				t.Errorf("%d bytes of the checkpoint's %d are for the Run and the events", ours, all)
			}
			if !leak.Beats(beats, 2*time.Second) {
				t.Error("the command has not gone on")
			}
			// By another Handler, as in another request.
			resumes(t, sh, runner(), run, beats, adk.WithCallbacks(adapter.NewHandler(sh, adapter.OnEvent(rec.listen))))
			for _, e := range rec.all() {
				if e.Head().RunID != run {
					t.Errorf("Run %s, want %s", e.Head().RunID, run)
				}
			}
		})
	}
}

// Another process resumes: its model is told that the command is gone.
func TestResumeElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	beats := filepath.Join(dir, "beats")
	sh := newShell(t, nil)
	s := &store{}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	it := adk.NewRunner(ctx, adk.RunnerConfig{Agent: resumableAgent(sh, interruptible(beats)), CheckPointStore: s}).
		Query(ctx, "go", adk.WithCallbacks(adapter.NewHandler(sh)), adk.WithCheckPointID("x"))
	if _, interrupted := conclude(t, it); !interrupted {
		t.Fatal("it was not interrupted")
	}
	t.Logf("the checkpoint has %d bytes", len(s.data["x"]))
	if err := os.WriteFile(filepath.Join(dir, "checkpoint"), s.data["x"], 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := again("resume", dir).CombinedOutput()
	want := regexp.MustCompile(`^\[Error: unknown command ID '\w+'\]\n\[no command is in the background; ` + goneSince + `\]\n$`)
	if err != nil || !want.Match(out) {
		t.Errorf("%v: %q", err, out)
	}
}

// resume is the other process.
func resume(dir string) {
	sh := anotherShell(dir, nil)
	checkpoint, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	must(err)
	it, err := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: resumableAgent(sh, interruptible("unused")), CheckPointStore: &store{data: map[string][]byte{"x": checkpoint}}}).
		Resume(context.Background(), "x", adk.WithCallbacks(adapter.NewHandler(sh)))
	must(err)
	fmt.Println(concluded(it).answer)
}

// A graph finds its Run by the ID that RunOptions give it; that of another user it does not find.
func TestResumeGraph(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"anna", "bert"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			beats := filepath.Join(t.TempDir(), "beats")
			sh := newShell(t, nil)
			a, err := react.NewAgent(context.Background(), &react.AgentConfig{
				ToolCallingModel: interruptible(beats),
				ToolsConfig:      compose.ToolsNodeConfig{Tools: append(sh.Tools(), person())},
			})
			if err != nil {
				t.Fatal(err)
			}
			part, options := a.ExportGraph()
			g := compose.NewGraph[[]*schema.Message, *schema.Message]()
			g.AddGraphNode("agent", part, options...)
			g.AddEdge(compose.START, "agent")
			g.AddEdge("agent", compose.END)
			r, err := g.Compile(context.Background(), compose.WithCheckPointStore(&store{}))
			if err != nil {
				t.Fatal(err)
			}
			handler := func(user string) compose.Option {
				return compose.WithCallbacks(adapter.NewHandler(sh, adapter.RunOptions(func(context.Context) shelltool.RunOptions {
					return shelltool.RunOptions{ID: "session-7", User: user, Resumed: true}
				})))
			}
			ctx, cancel := context.WithCancel(context.Background())
			_, err = r.Invoke(ctx, ask, handler("anna"), compose.WithCheckPointID("x"))
			cancel()
			info, interrupted := compose.ExtractInterruptInfo(err)
			if !interrupted || !sh.Parked("session-7", "anna") {
				t.Fatalf("%v", err)
			}
			resumed := compose.Resume(context.Background(), info.InterruptContexts[0].ID)
			msg, err := r.Invoke(resumed, nil, handler(user), compose.WithCheckPointID("x"))
			if err != nil {
				t.Fatal(err)
			}
			if mine := strings.HasSuffix(msg.Content, "[status: running]"); mine != (user == "anna") {
				t.Errorf("%s sees %q", user, msg.Content)
			}
			if parked := sh.Parked("session-7", "anna"); parked != (user == "bert") {
				t.Errorf("it waits: %v", parked)
			}
			sh.Close()
			if leak.Beats(beats, time.Second/2) {
				t.Error("the command has outlived the Shell")
			}
		})
	}
}

// What was cancelled does not wait, though Eino can resume it; nor does an interrupted run wait for ever.
func TestNotParked(t *testing.T) {
	t.Parallel()
	for _, mode := range []adk.CancelMode{adk.CancelImmediate, adk.CancelAfterChatModel, adk.CancelAfterToolCalls} {
		t.Run(fmt.Sprint("cancelled ", mode), func(t *testing.T) {
			t.Parallel()
			beats := filepath.Join(t.TempDir(), "beats")
			sh := newShell(t, nil)
			var rec recorder
			m := turns{
				calls("start_command", map[string]any{"command": "while :; do echo >> " + beats + "; sleep 0.05; done"}),
				calls("run_command", map[string]any{"command": "while ! [ -s " + beats + " ]; do sleep 0.02; done; echo here; sleep 0.5"}),
				calls("run_command", map[string]any{"command": "true"}),
				says("done"),
			}
			o, cancel := adk.WithCancel()
			h := adapter.NewHandler(sh, adapter.OnEvent(func(e shelltool.Event) {
				rec.listen(e)
				if _, ok := e.(shelltool.CommandOutput); ok {
					cancel(adk.WithAgentCancelMode(mode))
				}
			}))
			it := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: resumableAgent(sh, m), CheckPointStore: &store{}}).
				Query(context.Background(), "go", adk.WithCallbacks(h), adk.WithCheckPointID("x"), o)
			var cancelled *adk.CancelError
			for e, ok := it.Next(); ok; e, ok = it.Next() {
				if e.Err != nil && !errors.As(e.Err, &cancelled) {
					t.Error(e.Err)
				}
			}
			if cancelled == nil {
				t.Fatal("it was not cancelled")
			}
			eventually(t, func() bool { return !leak.Beats(beats, time.Second/2) })
			if leak.Beats(beats, time.Second/2) || sh.Parked(rec.run(t), "") {
				t.Error("it waits")
			}
		})
	}
	t.Run("ParkTTL", func(t *testing.T) {
		t.Parallel()
		beats := filepath.Join(t.TempDir(), "beats")
		sh := newShell(t, func(c *shelltool.Config) { c.ParkTTL = 2 * time.Second })
		it := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: resumableAgent(sh, interruptible(beats)), CheckPointStore: &store{}}).
			Query(context.Background(), "go", adk.WithCallbacks(adapter.NewHandler(sh)), adk.WithCheckPointID("x"))
		if _, interrupted := conclude(t, it); !interrupted {
			t.Fatal("it was not interrupted")
		}
		if !leak.Beats(beats, time.Second) {
			t.Error("the command has not gone on")
		}
		eventually(t, func() bool { return !leak.Beats(beats, time.Second/2) })
		if leak.Beats(beats, time.Second/2) {
			t.Error("it waits for ever")
		}
	})
}

// Events survive a checkpoint without what commands printed.
func TestEventsInCheckpoints(t *testing.T) {
	zero, three := 0, int64(3)
	head := shelltool.EventHead{Tool: "run_command", CallID: "c", RunID: "r", CommandID: "x", Time: time.Now().Round(0), Seq: 7}
	for _, tt := range []struct{ in, want shelltool.Event }{
		{shelltool.CommandStarted{EventHead: head, Command: "ls", Timeout: time.Second}, nil},
		{shelltool.CommandFinished{EventHead: head, ExitCode: &zero, TotalLines: &three}, nil},
		{shelltool.CommandDenied{EventHead: head, Kind: shelltool.DeniedPolicy, Reason: "no"}, nil},
		{shelltool.CommandOutput{EventHead: head, Stream: "stdout", Text: "secret", Bytes: 6, Dropped: 1}, shelltool.CommandOutput{EventHead: head, Stream: "stdout", Dropped: 7}},
	} {
		if tt.want == nil {
			tt.want = tt.in
		}
		b, out := gobbed(t, tt.in)
		if strings.Contains(string(b), "secret") {
			t.Error("the text is there")
		}
		got, _ := json.Marshal(out)
		want, _ := json.Marshal(tt.want)
		if string(got) != string(want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// gobbed encodes an event as Eino does, behind an interface, and decodes it again.
func gobbed(t *testing.T, e shelltool.Event) ([]byte, any) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&adk.AgentOutput{CustomizedOutput: e}); err != nil {
		t.Fatal(err)
	}
	text := bytes.Clone(b.Bytes())
	var out adk.AgentOutput
	if err := gob.NewDecoder(&b).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return text, out.CustomizedOutput
}

// Who resumes first goes on with the Run; others that resume the same checkpoint at the same time have Runs of their own, and are told so.
func TestResumeTwice(t *testing.T) {
	t.Parallel()
	beats := filepath.Join(t.TempDir(), "beats")
	sh := newShell(t, nil)
	var rec recorder
	s := &store{}
	runner := func() *adk.Runner { // of an agent of its own: Eino v0.9.13 has a data race where one is resumed twice at a time
		return adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: resumableAgent(sh, interruptible(beats)), CheckPointStore: s})
	}
	h := adk.WithCallbacks(adapter.NewHandler(sh, adapter.OnEvent(rec.listen)))
	conclude(t, runner().Query(context.Background(), "go", h, adk.WithCheckPointID("x")))
	run := rec.run(t)
	eventually(t, func() bool { return sh.Parked(run, "") })
	answers := make(chan string, 3)
	for range cap(answers) {
		go func() {
			it, err := runner().Resume(context.Background(), "x", h)
			must(err)
			answers <- concluded(it).answer
		}()
	}
	mine, gone := 0, 0
	for range cap(answers) {
		switch answer := <-answers; {
		case strings.HasSuffix(answer, "[status: running]"):
			mine++
		case strings.Contains(answer, goneSince):
			gone++
		default:
			t.Errorf("%q", answer)
		}
	}
	if mine != 1 || gone != 2 {
		t.Errorf("%d go on with it, %d do not", mine, gone)
	}
	eventually(t, func() bool { return !leak.Beats(beats, time.Second/4) })
	if leak.Beats(beats, time.Second/4) {
		t.Error("the command has outlived the run")
	}
}

// One of two parallel agents is interrupted while the other works: both are in the Run that is resumed.
func TestResumeParallelAgents(t *testing.T) {
	t.Parallel()
	beats := filepath.Join(t.TempDir(), "beats")
	sh := newShell(t, nil)
	agents := map[string]turns{"one": interruptible(beats), "two": {
		calls("run_command", map[string]any{"command": "sleep 0.5; echo two"}), calls("run_command", map[string]any{"command": "echo again"}), says("done"),
	}}
	var list []adk.Agent
	for name, m := range agents {
		a, err := adk.NewChatModelAgent(context.Background(), &adk.ChatModelAgentConfig{Name: name, Description: "works", Model: m,
			ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: append(sh.Tools(), person())}}})
		must(err)
		list = append(list, a)
	}
	all, err := adk.NewParallelAgent(context.Background(), &adk.ParallelAgentConfig{Name: "all", Description: "works", SubAgents: list})
	must(err)
	var rec recorder
	runner := adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: all, CheckPointStore: &store{}})
	h := adk.WithCallbacks(adapter.NewHandler(sh, adapter.OnEvent(rec.listen)))
	if _, interrupted := conclude(t, runner.Query(context.Background(), "go", h, adk.WithCheckPointID("x"))); !interrupted {
		t.Fatal("it was not interrupted")
	}
	run := rec.run(t)
	eventually(t, func() bool { return sh.Parked(run, "") })
	resumes(t, sh, runner, run, beats, h)
	for _, e := range rec.all() {
		if e.Head().RunID != run {
			t.Errorf("Run %s, want %s", e.Head().RunID, run)
		}
	}
}
