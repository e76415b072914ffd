//go:build unix

package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
	shelltool "github.com/einoshell/einoshell/tool"
)

// A turn is what a model says to the conversation so far.
type turn func(in []*schema.Message) (*schema.Message, error)

// turns is a chat model that says one after another, the last again and again.
type turns []turn

func (m turns) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

func (m turns) Generate(_ context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	n := 0
	for _, msg := range in {
		if msg.Role == schema.Assistant {
			n++
		}
	}
	return m[min(n, len(m)-1)](in)
}

func (m turns) Stream(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	msg, err := m.Generate(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{msg}), nil
}

// calls is a turn that calls a tool.
func calls(tool string, args map[string]any) turn {
	return func(in []*schema.Message) (*schema.Message, error) {
		text, _ := json.Marshal(args)
		return schema.AssistantMessage("", []schema.ToolCall{{ID: fmt.Sprint(len(in)), Function: schema.FunctionCall{Name: tool, Arguments: string(text)}}}), nil
	}
}

func says(text string) turn {
	return func([]*schema.Message) (*schema.Message, error) { return schema.AssistantMessage(text, nil), nil }
}

var errModel = errors.New("the model is out of order")

const beating = `while :; do echo >> "$HB"; sleep 0.05; done`

// forgotten are commands in the background that beat into the file HB.
var forgotten = map[string]string{
	"plain":      beating,
	"daemonised": `(setsid sh -c 'trap "" TERM HUP; ` + beating + `' >/dev/null 2>&1 </dev/null &)`,
}

// forget is the beginning of a conversation in which a command is started and forgotten.
func forget(hb, command string) turns {
	return turns{
		calls("start_command", map[string]any{"command": "export HB=" + hb + "; " + command}),
		calls("run_command", map[string]any{"command": "while ! [ -s " + hb + " ]; do sleep 0.02; done"}),
		func(in []*schema.Message) (*schema.Message, error) {
			for _, msg := range in {
				if msg.Role == schema.Tool && strings.HasPrefix(msg.Content, "Command not run") {
					return nil, errors.New(msg.Content)
				}
			}
			return calls("run_command", map[string]any{"command": "true"})(in)
		},
	}
}

func reactAgent(m model.ToolCallingChatModel, sh *shelltool.Shell) (*react.Agent, error) {
	return react.NewAgent(context.Background(), &react.AgentConfig{
		ToolCallingModel: m, ToolsConfig: compose.ToolsNodeConfig{Tools: sh.Tools()},
	})
}

// A command that was started in the background and forgotten, also one that has gone on
// behind its shell, is gone when the agent is, however that ends.
func TestForgottenBackgroundCommand(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	sh := newShell(t, func(c *shelltool.Config) { c.KillGrace = time.Second / 2 })
	generate := func(want error) func(*testing.T, context.Context, turns, *adapter.Handler) {
		return func(t *testing.T, ctx context.Context, m turns, h *adapter.Handler) {
			a, err := reactAgent(m, sh)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = a.Generate(ctx, ask, with(h)); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
	}
	for _, tt := range []struct {
		name string
		last []turn
		// soon says that the caller does not hear of the end.
		soon bool
		run  func(*testing.T, context.Context, turns, *adapter.Handler)
	}{
		{"success", []turn{says("done")}, false, generate(nil)},
		{"error", []turn{func([]*schema.Message) (*schema.Message, error) { return nil, errModel }}, false, generate(errModel)},
		{"panic of the model", []turn{func([]*schema.Message) (*schema.Message, error) { panic(errModel) }}, false,
			func(t *testing.T, ctx context.Context, m turns, h *adapter.Handler) {
				defer func() { recover() }()
				a, err := reactAgent(m, sh)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := a.Generate(ctx, ask, with(h)); err == nil || !strings.Contains(err.Error(), errModel.Error()) {
					t.Error(err)
				}
			}},
		{"cancellation in a command", []turn{calls("run_command", map[string]any{"command": "sleep 60"}), says("")}, false,
			func(t *testing.T, ctx context.Context, m turns, h *adapter.Handler) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(3*time.Second, cancel)
				generate(context.Canceled)(t, ctx, m, h)
			}},
		{"cancellation in the model", []turn{func([]*schema.Message) (*schema.Message, error) {
			time.Sleep(4 * time.Second)
			return nil, context.Canceled
		}}, true,
			func(t *testing.T, ctx context.Context, m turns, h *adapter.Handler) {
				ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
				defer cancel()
				a, err := reactAgent(m, sh)
				if err != nil {
					t.Fatal(err)
				}
				a.Generate(ctx, ask, with(h))
			}},
		{"the end of a stream", []turn{says("done")}, true,
			func(t *testing.T, ctx context.Context, m turns, h *adapter.Handler) {
				a, err := reactAgent(m, sh)
				if err != nil {
					t.Fatal(err)
				}
				out, err := a.Stream(ctx, ask, with(h))
				if err != nil {
					t.Fatal(err)
				}
				defer out.Close()
				if _, err := schema.ConcatMessageStream(out); err != nil {
					t.Error(err)
				}
			}},
		{"panic of the caller, who reads a stream", []turn{says("done")}, true,
			func(t *testing.T, ctx context.Context, m turns, h *adapter.Handler) {
				defer func() { recover() }()
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				a, err := reactAgent(m, sh)
				if err != nil {
					t.Fatal(err)
				}
				if _, err = a.Stream(ctx, ask, with(h)); err != nil {
					t.Fatal(err)
				}
				panic("of the caller")
			}},
		{"panic of the caller, who has opened the Run", []turn{says("done")}, false,
			func(t *testing.T, ctx context.Context, m turns, h *adapter.Handler) {
				defer func() { recover() }()
				ctx, run := sh.NewRun(ctx, shelltool.RunOptions{})
				defer run.Close()
				generate(nil)(t, ctx, m, h)
				panic("of the caller")
			}},
		{"an ADK agent", []turn{says("done")}, true,
			func(t *testing.T, ctx context.Context, m turns, h *adapter.Handler) {
				a, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{Name: "a", Description: "b", Model: m,
					ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: sh.Tools()}}})
				if err != nil {
					t.Fatal(err)
				}
				events := adk.NewRunner(ctx, adk.RunnerConfig{Agent: a}).Query(ctx, "go", adk.WithCallbacks(h))
				for {
					e, ok := events.Next()
					if !ok {
						break
					}
					if e.Err != nil {
						t.Error(e.Err)
					}
				}
			}},
	} {
		for kind, command := range forgotten {
			if testing.Short() && kind == "plain" {
				continue // the other is the harder one
			}
			t.Run(tt.name+", "+kind, func(t *testing.T) {
				t.Parallel()
				hb := filepath.Join(t.TempDir(), "beats")
				var rec recorder
				tt.run(t, context.Background(), append(forget(hb, command), tt.last...), adapter.NewHandler(sh, adapter.OnEvent(rec.listen)))
				if leak.Size(hb) == 0 {
					t.Fatal("it has not begun")
				}
				gone := func() bool { return !leak.Beats(hb, time.Second/2) }
				if tt.soon {
					eventually(t, gone)
				}
				if !gone() {
					t.Error("it is still there")
				}
			})
		}
	}
}

// Runs have directories, environments and owners of their own, and nothing in common.
func TestRunOptions(t *testing.T) {
	sh := newShell(t, func(c *shelltool.Config) { c.Env.Set = map[string]string{"WHO": "nobody", "ALL": "everybody"} })
	type who struct{}
	var rec recorder
	h := adapter.NewHandler(sh, adapter.OnEvent(rec.listen), adapter.RunOptions(func(ctx context.Context) shelltool.RunOptions {
		name := ctx.Value(who{}).(string)
		return shelltool.RunOptions{ID: "run-" + name, Dir: name, Env: map[string]string{"WHO": name}, User: "user-" + name, Session: "session-" + name}
	}))
	m := turns{
		calls("start_command", map[string]any{"command": "echo $WHO >> started; pwd; sleep 60"}),
		calls("run_command", map[string]any{"command": "while ! [ -s started ]; do sleep 0.02; done; cat started; echo $WHO $ALL; pwd"}),
		func(in []*schema.Message) (*schema.Message, error) {
			return schema.AssistantMessage(in[len(in)-1].Content, nil), nil
		},
	}
	a, err := reactAgent(m, sh)
	if err != nil {
		t.Fatal(err)
	}
	dir := sh.Dir()
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			msg, err := a.Generate(context.WithValue(context.Background(), who{}, name), ask, with(h))
			if want := "[stdout]\n" + name + "\n" + name + " everybody\n" + filepath.Join(dir, name) + "\n"; err != nil || msg.Content != want {
				t.Errorf("%s: %v, %v", name, msg, err)
			}
		})
	}
	wg.Wait()
	seen := map[string]int{}
	for _, e := range rec.all() {
		head := e.Head()
		name := strings.TrimPrefix(head.RunID, "run-")
		if head.User != "user-"+name || head.Session != "session-"+name {
			t.Errorf("%+v", head)
		}
		if s, ok := e.(shelltool.CommandStarted); ok {
			seen[name]++
			if s.Dir != filepath.Join(dir, name) {
				t.Errorf("%+v", s)
			}
		}
	}
	if seen["a"] != 2 || seen["b"] != 2 || seen["c"] != 2 || len(seen) != 3 {
		t.Errorf("%v", seen)
	}
}

// The README's recipe: a program that ends the context of its agent when it is told to
// end leaves nothing behind, also when it closes nothing by itself.
func TestSignalRecipe(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	for kind, command := range forgotten {
		if testing.Short() && kind == "plain" {
			continue
		}
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
			t.Run(fmt.Sprint(kind, " ", sig), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				hb := filepath.Join(dir, "beats")
				cmd := again("recipe", dir)
				cmd.Env = append(cmd.Env, "EINOSHELL_TEST_COMMAND="+command)
				cmd.Stderr = os.Stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				eventually(t, func() bool { return leak.Size(hb) > 3 })
				cmd.Process.Signal(sig)
				if err := cmd.Wait(); err != nil {
					t.Error(err)
				}
				if leak.Size(hb) == 0 || leak.Beats(hb, time.Second/2) {
					t.Errorf("%d beats, and more", leak.Size(hb))
				}
			})
		}
	}
}

// recipe is a program with an agent that starts a command and goes on.
func recipe(dir string) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	sh := anotherShell(dir, func(c *shelltool.Config) { c.KillGrace = time.Second / 2 })
	m := append(forget(filepath.Join(dir, "beats"), os.Getenv("EINOSHELL_TEST_COMMAND")), calls("run_command", map[string]any{"command": "sleep 60"}))
	a, err := reactAgent(m, sh)
	must(err)
	if _, err := a.Generate(ctx, ask, with(adapter.NewHandler(sh))); !errors.Is(err, context.Canceled) {
		panic(err)
	}
}
