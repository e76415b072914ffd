//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	einotool "github.com/cloudwego/eino/components/tool"
	"go.uber.org/goleak"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/tool"
)

// TestMain runs a helper in a child process when a test asks for one, and
// otherwise the tests, none of which may leave a goroutine behind.
func TestMain(m *testing.M) {
	if name := os.Getenv("EINOSHELL_TEST_HELPER"); name != "" {
		helpers[name]()
		os.Exit(0)
	}
	// The tests that wait wait at the same time, also on a machine with few
	// processors; -parallel says otherwise.
	parallel := "16"
	if raceEnabled { // everything takes longer
		parallel = "8"
	}
	flag.Set("test.parallel", parallel)
	// What Default keeps is not for the user's own folder.
	state, err := os.MkdirTemp("", "einoshell-test")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_STATE_HOME", state)
	goleak.VerifyTestMain(leak.Lingering{M: m, Function: "(*Supervised).attend"}, goleak.Cleanup(func(code int) { os.RemoveAll(state); os.Exit(code) }))
}

// newShell makes a Shell in a directory of its own, with no name filter and no
// files for output: what the case lists call a permissive configuration.
func newShell(t testing.TB, change func(*tool.Config)) *tool.Shell {
	t.Helper()
	c := tool.Default(t.TempDir())
	c.DeniedCommands = []string{}
	c.SpillBytes = 0
	c.Timeout = 10 * time.Second
	if change != nil {
		change(&c)
	}
	s, err := tool.New(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// runTool returns the run_command tool of s.
func runTool(t testing.TB, s *tool.Shell) einotool.InvokableTool {
	t.Helper()
	return named(t, s, "run_command")
}

// named returns a tool of s.
func named(t testing.TB, s *tool.Shell, name string) einotool.InvokableTool {
	t.Helper()
	for _, each := range s.Tools() {
		info, err := each.Info(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if info.Name == name {
			return each.(einotool.InvokableTool)
		}
	}
	t.Fatalf("no tool %s", name)
	return nil
}

// use calls a tool by name. args are its arguments as name, value, name, value.
func use(t testing.TB, ctx context.Context, s *tool.Shell, name string, args ...any) string {
	t.Helper()
	object := map[string]any{}
	for i := 0; i < len(args); i += 2 {
		object[args[i].(string)] = args[i+1]
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	got, err := named(t, s, name).InvokableRun(ctx, string(text))
	if err != nil {
		t.Fatalf("%s %s: a Go error: %v", name, text, err)
	}
	return got
}

// call calls run_command the way Eino does. extra are further arguments as
// name, value, name, value.
func call(t testing.TB, s *tool.Shell, command string, extra ...any) string {
	t.Helper()
	return callCtx(t, context.Background(), s, command, extra...)
}

func callCtx(t testing.TB, ctx context.Context, s *tool.Shell, command string, extra ...any) string {
	t.Helper()
	return use(t, ctx, s, "run_command", append([]any{"command", command}, extra...)...)
}

func callRaw(t testing.TB, ctx context.Context, s *tool.Shell, arguments string) string {
	t.Helper()
	got, err := runTool(t, s).InvokableRun(ctx, arguments)
	if err != nil {
		t.Fatalf("%s: a Go error: %v", arguments, err)
	}
	return got
}

// A recorder is a sink that keeps events.
type recorder struct {
	mu     sync.Mutex
	events []tool.Event
}

func (r *recorder) sink(e tool.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) all() []tool.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]tool.Event(nil), r.events...)
}

// text joins the output of one stream.
func (r *recorder) text(stream string) string {
	var b strings.Builder
	for _, e := range r.all() {
		if o, ok := e.(tool.CommandOutput); ok && o.Stream == stream {
			b.WriteString(o.Text)
		}
	}
	return b.String()
}

// denied returns the only event, which must be a refusal.
func (r *recorder) denied(t testing.TB) tool.CommandDenied {
	t.Helper()
	all := r.all()
	if len(all) != 1 {
		t.Fatalf("%d events, want one: %+v", len(all), all)
	}
	d, ok := all[0].(tool.CommandDenied)
	if !ok {
		t.Fatalf("%T, want a refusal", all[0])
	}
	return d
}

func asDenied(t testing.TB, err error) *tool.DeniedError {
	t.Helper()
	var d *tool.DeniedError
	if !errors.As(err, &d) {
		t.Fatalf("%v, want a DeniedError", err)
	}
	return d
}
