//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einoshell/einoshell/tool"
)

var allTools = []string{"run_command", "start_command", "check_command", "stop_command", "list_commands", "send_input"}

func offered(t testing.TB, s *tool.Shell) string {
	t.Helper()
	var names []string
	for _, each := range s.Tools() {
		info, err := each.Info(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, info.Name)
	}
	return strings.Join(names, " ")
}

// Which tools there are, and in which order.
func TestTools(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tools  []string
		policy map[string]tool.Action
		want   string
	}{
		{"case 49", nil, nil, "run_command start_command check_command stop_command"},
		{"case 50", []string{"list_commands", "check_command", "start_command", "run_command"}, nil, "run_command start_command check_command list_commands"},
		{"one", []string{"run_command"}, nil, "run_command"},
		{"none", []string{}, nil, ""},
		{"all, one of them twice", append([]string{"send_input"}, allTools...), nil, strings.Join(allTools, " ")},
		{"denied", nil, map[string]tool.Action{"start_command": tool.ActionDeny, "check_command": tool.ActionAsk}, "run_command check_command stop_command"},
	} {
		s := newShell(t, func(c *tool.Config) { c.Tools, c.ToolPolicy = tt.tools, tt.policy })
		if got := offered(t, s); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	c := tool.Default(t.TempDir())
	c.SpillBytes, c.Tools, c.MaxBackground = 0, []string{"shell_x", "run_command", "bogus"}, -1
	_, err := tool.New(context.Background(), c)
	const want = "Unknown shell tools: bogus, shell_x. Available: check_command, list_commands, run_command, send_input, shell, start_command, stop_command."
	if err == nil || !strings.Contains(err.Error(), "Tools: "+want) || !strings.Contains(err.Error(), "MaxBackground: -1 is negative") { // case 44
		t.Error(err)
	}
	c.Tools, c.MaxBackground = []string{"send_input", "stop_command"}, 0
	if _, err = tool.New(context.Background(), c); err == nil || err.Error() != "Tools: stop_command is of no use without start_command\nTools: send_input is of no use without start_command" {
		t.Error(err)
	}
	// A tool that wants an approval says so.
	s := newShell(t, func(c *tool.Config) {
		c.Tools = allTools
		c.ToolPolicy = map[string]tool.Action{}
		for _, name := range allTools {
			c.ToolPolicy[name] = tool.ActionAsk
		}
	})
	for _, name := range allTools {
		args := []any{"command_id", "x"}
		switch name {
		case "run_command", "start_command":
			args[0] = "command"
		case "list_commands":
			args = nil
		case "send_input":
			args = append(args, "input", "x")
		}
		if text := use(t, context.Background(), s, name, args...); !strings.Contains(text, "The tool "+name+" wants an approval for every ") {
			t.Errorf("%q", text)
		}
	}
}

// The schemas as a model gets them.
func TestSchemas(t *testing.T) {
	type object = map[string]any
	str, truth := object{"type": "string"}, object{"type": "boolean"}
	command, id := object{"type": "string", "minLength": 1.0}, object{"type": "string", "minLength": 1.0}
	want := map[string]object{
		"start_command": {"properties": object{"command": command, "stdin": truth}, "required": []any{"command"}},
		"check_command": {"properties": object{"command_id": id, "wait_seconds": object{"type": "number", "maximum": 600.0, "minimum": 0.0}, "new_output_only": truth}, "required": []any{"command_id"}},
		"stop_command":  {"properties": object{"command_id": id, "new_output_only": truth}, "required": []any{"command_id"}},
		"list_commands": {"properties": object{}},
		"send_input":    {"properties": object{"command_id": id, "input": str, "end_input": truth}, "required": []any{"command_id"}},
	}
	s := newShell(t, func(c *tool.Config) {
		c.Tools = allTools
		if runtime.GOOS == "linux" { // and nowhere else
			c.Tools, c.StateDir = append(slices.Clone(allTools), "shell"), t.TempDir()
			want["shell"] = object{"required": []any{"command"}, "properties": object{
				"command": command, "mode": object{"type": "string", "enum": []any{"foreground", "background"}},
				"timeout": object{"type": "number", "exclusiveMinimum": 0.0, "maximum": 270.0},
			}}
		}
	})
	for name, w := range want {
		info, err := named(t, s, name).Info(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		js, err := info.ParamsOneOf.ToJSONSchema()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(js)
		var got object
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		for _, p := range got["properties"].(object) {
			if p.(object)["description"] == nil {
				t.Errorf("%s: an argument without a description", name)
			}
			delete(p.(object), "description")
		}
		w["type"], w["additionalProperties"] = "object", false
		if diff := cmp.Diff(w, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// What is not offered is not spoken of.
	s = newShell(t, nil)
	info, _ := named(t, s, "start_command").Info(context.Background())
	js, _ := info.ParamsOneOf.ToJSONSchema()
	if text, _ := json.Marshal(js); strings.Contains(string(text), "stdin") || strings.Contains(info.Desc, "send_input") {
		t.Errorf("%s %s", text, info.Desc)
	}
	if text := use(t, context.Background(), s, "start_command", "command", "true", "stdin", true); !strings.HasPrefix(text, "Command not run: There is no argument 'stdin'.") {
		t.Errorf("%q", text)
	}
}

// list_commands: an ID that was lost is found again (W-36).
func TestListCommands(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShell(t, func(c *tool.Config) { c.Tools = allTools })
	if text := use(t, ctx, s, "list_commands"); text != "(no background commands)" {
		t.Errorf("%q", text)
	}
	a := begin(t, ctx, s, "printf 12345; sleep 100")
	b := begin(t, ctx, s, "exit 3")
	c := begin(t, ctx, s, "sleep 100 &")
	finished(t, ctx, s, b)
	finished(t, ctx, s, c)
	until(t, "output", func() bool { return strings.Contains(look(t, ctx, s, a), "12345") })
	text := use(t, ctx, s, "list_commands")
	want := regexp.MustCompile(`^` + a + ` running [0-9.]+s, 5 bytes: 'printf 12345; sleep 100'
` + b + ` finished \[exit code: 3\] [0-9.]+s, 0 bytes: 'exit 3'
` + c + ` finished \[exit code: 0\] [0-9.]+s, 0 bytes: 'sleep 100 &' \[processes that it has started still run\]$`)
	if !want.MatchString(text) {
		t.Errorf("%q", text)
	}
	for _, arguments := range []string{"", "{}", " "} {
		if text, err := named(t, s, "list_commands").InvokableRun(ctx, arguments); err != nil || !want.MatchString(text) {
			t.Errorf("%v, %q", err, text)
		}
	}
	if text := use(t, ctx, s, "list_commands", "all", true); text != "[Error: There is no argument 'all'. There are none.]" {
		t.Errorf("%q", text)
	}
	stop(t, ctx, s, a)
	if text := use(t, ctx, s, "list_commands"); strings.Contains(text, a) {
		t.Errorf("%q", text)
	}
	short := newShell(t, func(c *tool.Config) { c.Tools, c.MaxOutputChars = allTools, 100 })
	for range 5 {
		use(t, ctx, short, "start_command", "command", "sleep 100")
	}
	if text := use(t, ctx, short, "list_commands"); len(text) > 100 || !strings.HasSuffix(text, "'sleep 100'") {
		t.Errorf("%q", text)
	}
}

// send_input: a command reads what it is sent, and its end.
func TestSendInput(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShell(t, func(c *tool.Config) { c.Tools = allTools })
	send := func(id, input string, extra ...any) string {
		t.Helper()
		return use(t, ctx, s, "send_input", append([]any{"command_id", id, "input", input}, extra...)...)
	}
	id := begin(t, ctx, s, `while read -r x; do printf 'got %s\n' "$x"; done; echo end`, "stdin", true)
	if text := send(id, "one\n"); text != "Sent 4 bytes to "+id {
		t.Errorf("%q", text)
	}
	if text := look(t, ctx, s, id, "wait_seconds", 20, "new_output_only", true); text != "[stdout]\ngot one\n\n[status: running]" {
		t.Errorf("%q", text)
	}
	if text := send(id, "a \\b\ttwo\nthr"); text != "Sent 12 bytes to "+id {
		t.Errorf("%q", text)
	}
	if text := send(id, "ee\n", "end_input", true); text != "Sent 3 bytes to "+id+", and ended its input" {
		t.Errorf("%q", text)
	}
	if text := finished(t, ctx, s, id); text != "[stdout]\ngot one\ngot a \\b\ttwo\ngot three\nend\n\n[status: finished]\n[exit code: 0]" {
		t.Errorf("%q", text)
	}
	if text := send(id, "x"); text != "[Error: command "+id+" reads no input any more: it has closed it, or has ended.]" {
		t.Errorf("%q", text)
	}
	id = begin(t, ctx, s, "cat >/dev/null; sleep 100", "stdin", "true")
	if text := use(t, ctx, s, "send_input", "command_id", id, "end_input", true); text != "Sent 0 bytes to "+id+", and ended its input" {
		t.Errorf("%q", text)
	}
	// What it does not read is not waited for for ever, and nothing is lost in silence.
	id = begin(t, ctx, s, "sleep 100", "stdin", true)
	text := send(id, strings.Repeat("x", 200_000))
	var n, rest int
	if _, err := fmt.Sscanf(text, "Sent %d bytes to "+id+"\n[it has not read the other %d bytes", &n, &rest); err != nil || n+rest != 200_000 || n == 0 {
		t.Errorf("%v, %q", err, text)
	}
	id = begin(t, ctx, s, "exec <&-; sleep 100", "stdin", true)
	until(t, "closed input", func() bool { return strings.Contains(send(id, "x"), "reads no input any more") })
	id = begin(t, ctx, s, "cat; sleep 100")
	if text := send(id, "x"); text != "[Error: command "+id+" reads no input. Start it with stdin true.]" {
		t.Errorf("%q", text)
	}
	for _, args := range [][]any{{}, {"command_id", id}, {"command_id", id, "input", 3}, {"command_id", id, "input", "x", "end_input", "x"}} {
		if text := use(t, ctx, s, "send_input", args...); !strings.HasPrefix(text, "[Error: ") {
			t.Errorf("%v: %q", args, text)
		}
	}
	if text := send("x", "y"); !strings.HasPrefix(text, "[Error: unknown command ID 'x']\n[known: ") {
		t.Errorf("%q", text)
	}
	// A shell that reads its commands from there would run what nobody has looked at.
	for _, command := range []string{"sh", "cat | bash", ". /dev/stdin", "read x; eval $x"} {
		s := newShell(t, func(c *tool.Config) { c.Tools, c.DynamicCommands = allTools, "auto" })
		if text := use(t, ctx, s, "start_command", "command", command, "stdin", true); !strings.HasPrefix(text, "Command not run: It is not known before what would run: ") {
			t.Errorf("%s: %q", command, text)
		}
	}
}

// Every tool has a form as an object.
func TestBackgroundJSON(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := jsonShell(t, func(c *tool.Config) { c.Tools, c.KillGrace = allTools, time.Second/2 })
	get := func(name string, args ...any) map[string]any {
		t.Helper()
		return parse(t, use(t, ctx, s, name, args...))
	}
	is := func(what string, o map[string]any, want map[string]any) {
		t.Helper()
		for k, v := range want {
			if diff := cmp.Diff(v, o[k]); diff != "" {
				t.Errorf("%s: %s: %s", what, k, diff)
			}
		}
	}
	o := get("start_command", "command", "echo out; echo err >&2; read x; exit 3", "stdin", true)
	id, _ := o["command_id"].(string)
	is("start", o, map[string]any{"success": true, "status": "running", "command": "echo out; echo err >&2; read x; exit 3", "exit_code": nil, "error": "", "sandbox": "none", "working_directory": s.Dir()})
	until(t, "output", func() bool { o = get("check_command", "command_id", id); return o["stdout"] != "" && o["stderr"] != "" })
	is("check", o, map[string]any{"success": true, "status": "running", "command_id": id, "stdout": "out\n", "stderr": "err\n", "exit_code": nil, "error": "", "stdout_bytes": 4.0})
	if o["output"] != "out\nerr\n" && o["output"] != "err\nout\n" {
		t.Errorf("%q", o["output"])
	}
	is("nothing new", get("check_command", "command_id", id, "new_output_only", true), map[string]any{"stdout": "", "stderr": "", "output": "", "stdout_bytes": 4.0})
	is("send", get("send_input", "command_id", id, "input", "x\n"), map[string]any{"success": true, "command_id": id, "note": "Sent 2 bytes to " + id})
	until(t, "the end", func() bool {
		o = get("check_command", "command_id", id, "wait_seconds", 1)
		return o["status"] == "finished"
	})
	is("finished", o, map[string]any{"success": false, "exit_code": 3.0, "error": "The command ended with exit code 3.", "stdout": "out\n"})
	list := get("list_commands")["commands"].([]any)
	if len(list) != 1 {
		t.Fatal(list)
	}
	is("list", list[0].(map[string]any), map[string]any{"command_id": id, "status": "finished", "exit_code": 3.0, "signal": nil, "output_bytes": 8.0})
	is("stop", get("stop_command", "command_id", id), map[string]any{"success": true, "status": "stopped", "exit_code": 3.0, "error": "", "stdout": "out\n"})
	is("unknown", get("stop_command", "command_id", id), map[string]any{"success": false, "retryable": true, "command_id": id, "error": "unknown command ID '" + id + "'; no command is in the background"})
	is("wrong", get("check_command"), map[string]any{"success": false, "retryable": true, "error": "command_id must be given, as a string."})
	is("refused", get("start_command", "command", "x\x00"), map[string]any{"success": false, "retryable": true})
	o = get("start_command", "command", "sleep 100")
	is("a signal", get("stop_command", "command_id", o["command_id"]), map[string]any{"success": true, "status": "stopped", "exit_code": nil, "signal": 15.0})
	if list := get("list_commands")["commands"].([]any); len(list) != 0 {
		t.Error(list)
	}
	small := jsonShell(t, func(c *tool.Config) { c.Tools, c.MaxOutputChars = allTools, 1000 })
	for range 12 {
		use(t, ctx, small, "start_command", "command", "sleep 100 # "+strings.Repeat("x", 300))
	}
	text := use(t, ctx, small, "list_commands")
	if o := parse(t, text); len(text) > 1000 || len(o["commands"].([]any))+int(o["left_out"].(float64)) != 12 || len(o["commands"].([]any)) == 0 {
		t.Errorf("%d, %.200s", len(text), text)
	}
}

// Of long output the beginning is in a file, which a check names while the command runs,
// and which holds what was printed so far.
func TestBackgroundSpool(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	state := t.TempDir()
	s := newShell(t, func(c *tool.Config) { c.SpillBytes, c.StateDir, c.MaxOutputChars = 20_000, state, 1000 })
	path := regexp.MustCompile(` in (\S+)\]`)
	running, run := s.NewRun(ctx, tool.RunOptions{})
	id := begin(t, running, s, "seq 1 1000; echo err >&2; read x <fifo || sleep 100")
	var m []string
	until(t, "the end of the output", func() bool {
		text := look(t, running, s, id)
		m = path.FindStringSubmatch(text)
		return strings.Contains(text, "\n1000\n") && strings.Contains(text, "\nerr\n") && m != nil
	})
	text, err := os.ReadFile(m[1])
	if err != nil || !strings.Contains(string(text), "1\n2\n3\n") || !strings.Contains(string(text), "\n1000\n") || !strings.Contains(string(text), "err\n") {
		t.Errorf("%v, %d bytes", err, len(text))
	}
	if info, err := os.Stat(m[1]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v", err)
	}
	if got := look(t, running, s, id); !strings.Contains(got, "; all of it is in "+m[1]+"]") {
		t.Errorf("%.200q", got)
	}
	// It stays until the Run ends, also when the command is forgotten.
	if got := stop(t, running, s, id); !strings.Contains(got, "; all of it is in "+m[1]+"]") {
		t.Errorf("%.200q", got)
	}
	if _, err := os.Stat(m[1]); err != nil {
		t.Error(err)
	}
	// It has a limit, and a check says how much is in it.
	id = begin(t, running, s, "seq 1 100000; sleep 100")
	until(t, "the end of the output", func() bool { return strings.Contains(look(t, running, s, id), "\n100000\n") })
	got := look(t, running, s, id)
	m = path.FindStringSubmatch(got)
	if m == nil || !strings.Contains(got, "; the first 20000 of 588895 bytes are in ") {
		t.Fatalf("%.300q", got)
	}
	if info, err := os.Stat(m[1]); err != nil || info.Size() != 20_000 {
		t.Errorf("%v, %v", err, info)
	}
	// What is short costs no file.
	id = begin(t, running, s, "echo x")
	finished(t, running, s, id)
	if files, _ := filepath.Glob(filepath.Join(state, "run-*", "*.txt")); len(files) != 2 {
		t.Errorf("%v", files)
	}
	// Cases 157 to 159: a command has removed them.
	for _, f := range []string{m[1], filepath.Dir(m[1])} {
		os.RemoveAll(f)
		if got := look(t, running, s, id); got != "[stdout]\nx\n\n[status: finished]\n[exit code: 0]" {
			t.Errorf("%q", got)
		}
	}
	run.Close()
	if left, _ := os.ReadDir(state); len(left) != 0 {
		t.Errorf("%v", left)
	}
}
