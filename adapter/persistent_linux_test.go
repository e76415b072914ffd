package adapter_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
	shelltool "github.com/einoshell/einoshell/tool"
)

// A ReAct agent starts a command that outlives it, goes through its directories, and meets the limit on
// files (cases 215 and 256): the command goes on when the agent and the Shell are gone, the next agent stops it
// by the line of the result, and the listener has had the events in their order.
func TestAgentWithShellTool(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	dir, state := t.TempDir(), t.TempDir()
	newShell := func() *shelltool.Shell {
		return newShell(t, func(c *shelltool.Config) {
			c.Dir, c.StateDir = dir, state
			c.Tools = []string{"run_command", "shell"}
			c.PersistDir, c.MaxFileBytes = true, 1024
		})
	}
	last := func(in []*schema.Message) string { return in[len(in)-1].Content }
	var handles string
	rec := &recorder{}
	sh := newShell()
	a, err := reactAgent(turns{
		calls("run_command", map[string]any{"command": "mkdir sub && cd sub"}),
		calls("shell", map[string]any{"command": "pwd; sleep 60", "timeout": 0.5}),
		func(in []*schema.Message) (*schema.Message, error) {
			handles = last(in)
			return calls("run_command", map[string]any{"command": "pwd; exec head -c 8192 /dev/zero >large"})(in)
		},
		func(in []*schema.Message) (*schema.Message, error) { return says(last(in))(in) },
	}, sh)
	if err != nil {
		t.Fatal(err)
	}
	msg, err := a.Generate(context.Background(), []*schema.Message{schema.UserMessage("go")}, with(adapter.NewHandler(sh, adapter.OnEvent(rec.listen))))
	if err != nil {
		t.Fatal(err)
	}
	sh.Close()
	if want := "[stdout]\n" + dir + "/sub\n\n[exit code: -25]\n[File-size limit exceeded: max_file_bytes=1024. Reduce file output before retrying.]"; msg.Content != want {
		t.Errorf("case 256: %q", msg.Content)
	}
	if !strings.HasPrefix(handles, dir+"\nPID: ") {
		t.Fatalf("%q", handles)
	}
	var pid int
	var story string
	for _, e := range rec.all() {
		if e.Head().Tool != "shell" {
			continue
		}
		switch e := e.(type) {
		case shelltool.CommandStarted:
			pid = e.PID
			story += "started "
		case shelltool.CommandOutput:
			story += e.Text
		case shelltool.CommandFinished:
			if e.ExitCode == nil {
				story += "goes on"
			}
		}
	}
	if want := "started " + dir + "\ngoes on"; story != want {
		t.Errorf("%q, want %q", story, want)
	}
	if pid == 0 || !leak.GroupRuns(pid) {
		t.Fatalf("case 215: %d does not run any more", pid)
	}

	sh = newShell()
	a, err = reactAgent(turns{
		calls("run_command", map[string]any{"command": regexp.MustCompile("`(.*)`").FindStringSubmatch(handles)[1]}),
		func(in []*schema.Message) (*schema.Message, error) { return says(last(in))(in) },
	}, sh)
	if err != nil {
		t.Fatal(err)
	}
	msg, err = a.Generate(context.Background(), []*schema.Message{schema.UserMessage("go")}, with(adapter.NewHandler(sh)))
	if err != nil || msg.Content != "(no output)" {
		t.Errorf("%v, %v", msg, err)
	}
	leak.AssertGroupGone(t, pid)
}
