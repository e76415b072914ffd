//go:build unix

package adapter_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/adk/prebuilt/deep"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	shelltool "github.com/einoshell/einoshell/tool"
)

// A noting model keeps what tools and what instruction it was given.
type noting struct {
	turns
	mu          *sync.Mutex
	tools       *[]string
	instruction *string
}

func newNoting(m turns) noting { return noting{m, new(sync.Mutex), new([]string), new(string)} }

func (m noting) Generate(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.Message, error) {
	m.mu.Lock()
	*m.tools = nil
	for _, t := range model.GetCommonOptions(nil, o...).Tools {
		*m.tools = append(*m.tools, t.Name)
	}
	if in[0].Role == schema.System {
		*m.instruction = in[0].Content
	}
	m.mu.Unlock()
	return m.turns.Generate(ctx, in, o...)
}

func (m noting) Stream(ctx context.Context, in []*schema.Message, o ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	msg, err := m.Generate(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{msg}), nil
}

// answers is the end of a story: the last message of a tool.
func answers(in []*schema.Message) (*schema.Message, error) {
	return says(in[len(in)-1].Content)(in)
}

func off() *bool { return new(bool) }

// Where the shell is off, in whatever way that is said, every call is refused in every runtime; where there is a
// middleware the model does not see the tools, and may call them all the same.
func TestGate(t *testing.T) {
	const refused = "Command not run: The shell is switched off in this session."
	no := func(context.Context) bool { return false }
	run := func(name string) turns { return turns{calls(name, map[string]any{"command": "touch ran"}), answers} }
	handlers := map[string]func(*shelltool.Shell) *adapter.Handler{
		"Gate": func(sh *shelltool.Shell) *adapter.Handler { return adapter.NewHandler(sh, adapter.Gate(no)) },
		"Gate that panics": func(sh *shelltool.Shell) *adapter.Handler {
			return adapter.NewHandler(sh, adapter.Gate(func(context.Context) bool { panic("gate") }))
		},
		"RunOptions": func(sh *shelltool.Shell) *adapter.Handler {
			return adapter.NewHandler(sh, adapter.RunOptions(func(context.Context) shelltool.RunOptions { return shelltool.RunOptions{AllowShell: off()} }))
		},
		"Gate of the middleware": func(sh *shelltool.Shell) *adapter.Handler { return adapter.NewHandler(sh) },
	}
	for name, handler := range handlers {
		inMiddleware := name == "Gate of the middleware"
		var gates []adapter.MiddlewareOption
		if inMiddleware {
			gates = []adapter.MiddlewareOption{adapter.Gate(no)}
		}
		agents := map[string]struct {
			tool string
			run  func(*testing.T, *shelltool.Shell, *adapter.Handler) (answer string, tools []string)
		}{
			"ReAct": {"run_command", func(t *testing.T, sh *shelltool.Shell, h *adapter.Handler) (string, []string) {
				a, err := reactAgent(run("run_command"), sh)
				if err != nil {
					t.Fatal(err)
				}
				msg, err := a.Generate(context.Background(), ask, with(h))
				if err != nil {
					t.Fatal(err)
				}
				return msg.Content, nil
			}},
			"ADK": {"run_command", func(t *testing.T, sh *shelltool.Shell, h *adapter.Handler) (string, []string) {
				m := newNoting(run("run_command"))
				a, err := adk.NewChatModelAgent(context.Background(), &adk.ChatModelAgentConfig{Name: "a", Description: "b", Model: m,
					ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{person()}}},
					Handlers:    []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(sh, gates...)}})
				if err != nil {
					t.Fatal(err)
				}
				answer, _ := conclude(t, adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: a}).Query(context.Background(), "go", adk.WithCallbacks(h)))
				if strings.Contains(*m.instruction, "run_command") {
					t.Errorf("the instruction: %s", *m.instruction)
				}
				return answer, *m.tools
			}},
			"DeepAgent": {"execute", func(t *testing.T, sh *shelltool.Shell, h *adapter.Handler) (string, []string) {
				m := newNoting(run("execute"))
				a, err := deep.New(context.Background(), &deep.Config{Name: "a", Description: "b", ChatModel: m, Backend: files{}, Shell: adapter.NewShell(sh),
					Handlers: []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(sh, append(gates, adapter.WithoutTools())...)}})
				if err != nil {
					t.Fatal(err)
				}
				answer, _ := conclude(t, adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: a}).Query(context.Background(), "go", adk.WithCallbacks(h)))
				return answer, *m.tools
			}},
		}
		for kind, agent := range agents {
			if inMiddleware && kind == "ReAct" {
				continue // it has none
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				sh := newShell(t, func(c *shelltool.Config) { c.Logger = slog.New(slog.DiscardHandler) })
				answer, tools := agent.run(t, sh, handler(sh))
				want := refused
				if agent.tool == "execute" {
					want += "\n[Command failed with exit code 126]"
				}
				if answer != want {
					t.Errorf("%q", answer)
				}
				if slices.Contains(tools, agent.tool) || slices.Contains(tools, "stop_command") || kind != "ReAct" && len(tools) == 0 {
					t.Errorf("the model sees %v", tools)
				}
				if _, err := os.Stat(filepath.Join(sh.Dir(), "ran")); err == nil {
					t.Error("it ran")
				}
			})
		}
	}
}

// The gate decides for each run, and so do RunOptions; neither gives what the Config does not allow.
func TestGateIsForOneRun(t *testing.T) {
	type key struct{}
	sh := newShell(t, nil)
	h := adapter.NewHandler(sh, adapter.Gate(func(ctx context.Context) bool { return ctx.Value(key{}) == nil }),
		adapter.RunOptions(func(context.Context) shelltool.RunOptions { on := true; return shelltool.RunOptions{AllowShell: &on} }))
	a := newAgent(t, sh, "echo hi")
	for i, want := range []string{"[stdout]\nhi\n", "Command not run: The shell is switched off in this session.", "[stdout]\nhi\n"} {
		ctx := context.Background()
		if i == 1 {
			ctx = context.WithValue(ctx, key{}, "off")
		}
		if msg, err := a.Generate(ctx, ask, with(h)); err != nil || msg.Content != want {
			t.Errorf("%v, %v", msg, err)
		}
	}
	byHand, own := sh.NewRun(context.Background(), shelltool.RunOptions{})
	defer own.Close()
	narrow := adapter.NewHandler(sh, adapter.RunOptions(func(context.Context) shelltool.RunOptions { return shelltool.RunOptions{AllowShell: off()} }))
	if msg, err := a.Generate(byHand, ask, with(narrow)); err != nil || msg.Content != "Command not run: The shell is switched off in this session." {
		t.Errorf("in a Run opened by hand: %v, %v", msg, err)
	}
	never := newShell(t, func(c *shelltool.Config) { c.AllowShell = false })
	on := true
	ctx, run := never.NewRun(context.Background(), shelltool.RunOptions{AllowShell: &on})
	defer run.Close()
	if never.Allowed(ctx) {
		t.Error("AllowShell of RunOptions has given what the Config does not")
	}
	if r, err := adapter.NewShell(never).Execute(ctx, command("true")); err != nil || *r.ExitCode != 126 {
		t.Errorf("%+v, %v", r, err)
	}
	if text := never.Instruction(ctx, ""); text != "" {
		t.Errorf("instruction %q", text)
	}
}

// Tools that start nothing are refused, too.
func TestGateRefusesEveryTool(t *testing.T) {
	sh := newShell(t, func(c *shelltool.Config) {
		c.Tools = []string{"run_command", "start_command", "check_command", "stop_command", "list_commands", "send_input"}
	})
	for _, ctx := range []context.Context{
		sh.WithoutShell(context.Background()),
		func() context.Context {
			ctx, run := sh.NewRun(context.Background(), shelltool.RunOptions{AllowShell: off()})
			t.Cleanup(func() { run.Close() })
			return ctx
		}(),
	} {
		for _, each := range sh.Tools() {
			info, err := each.Info(ctx)
			if err != nil {
				t.Fatal(err)
			}
			text, err := each.(tool.InvokableTool).InvokableRun(ctx, `{"command":"true","command_id":"x","input":"y"}`)
			if err != nil || !strings.Contains(text, "The shell is switched off in this session.") {
				t.Errorf("%s: %q, %v", info.Name, text, err)
			}
		}
	}
}

// The instruction says where commands run, has no braces, and so does not break a run that has session values.
func TestInstruction(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "a {odd} name")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", odd} {
		for _, format := range []string{"text", "json"} {
			for _, other := range []bool{false, true} {
				t.Run(fmt.Sprintf("%q %s %v", filepath.Base(dir), format, other), func(t *testing.T) {
					sh := newShell(t, func(c *shelltool.Config) {
						c.ResultFormat = format
						if dir != "" {
							c.Dir = dir
						}
					})
					var o []adapter.MiddlewareOption
					if other {
						o = append(o, adapter.WithoutTools())
					}
					m := newNoting(turns{says("done")})
					a, err := adk.NewChatModelAgent(context.Background(), &adk.ChatModelAgentConfig{Name: "a", Description: "b", Model: m, Instruction: "Serve {user}.",
						Handlers: []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(sh, o...)}})
					if err != nil {
						t.Fatal(err)
					}
					answer, _ := conclude(t, adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: a}).
						Query(context.Background(), "go", adk.WithSessionValues(map[string]any{"user": "Anna"}), adk.WithCallbacks(adapter.NewHandler(sh))))
					if answer != "done" {
						t.Errorf("%q", answer)
					}
					text := *m.instruction
					name, where := "run_command", "in "+sh.Dir()
					if other {
						name = "execute"
					}
					if dir != "" {
						where = "in a directory that pwd tells"
					}
					if !strings.HasPrefix(text, "Serve Anna.\n\n"+name+" runs commands with ") || !strings.Contains(text, where) || strings.ContainsAny(text, "{}") {
						t.Errorf("%s", text)
					}
					if other != (len(*m.tools) == 0) {
						t.Errorf("tools %v", *m.tools)
					}
				})
			}
		}
	}
}

// Tools that the agent has already are not given twice.
func TestMiddlewareBesideTools(t *testing.T) {
	sh := newShell(t, nil)
	m := newNoting(turns{calls("run_command", map[string]any{"command": "echo hi"}), answers})
	a, err := adk.NewChatModelAgent(context.Background(), &adk.ChatModelAgentConfig{Name: "a", Description: "b", Model: m,
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: sh.Tools()}},
		Handlers:    []adk.ChatModelAgentMiddleware{adapter.NewMiddleware(sh), adapter.NewMiddleware(sh)}})
	if err != nil {
		t.Fatal(err)
	}
	answer, _ := conclude(t, adk.NewRunner(context.Background(), adk.RunnerConfig{Agent: a}).Query(context.Background(), "go"))
	if want := []string{"run_command", "start_command", "check_command", "stop_command"}; answer != "[stdout]\nhi\n" || !slices.Equal(*m.tools, want) {
		t.Errorf("%q, %v", answer, *m.tools)
	}
}
