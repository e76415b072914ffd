package demo

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	shelltool "github.com/einoshell/einoshell/tool"
)

func noEnv(string) string { return "" }

var example = Example{Name: "demo", Project: Project{"README.md": "# demo\n"}, Agent: ReAct}

func TestTaskNeedsAModel(t *testing.T) {
	err := example.Run(t.Context(), []string{"count", "files"}, noEnv, NewDisplay(new(bytes.Buffer), false))
	if err == nil || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
		t.Errorf("%v", err)
	}
}

// A stand-in for an OpenAI-compatible service: it sees the schema that goes
// over the wire, asks for a command, and gets what the command printed.
func TestOpenAI(t *testing.T) {
	type wire struct {
		Model    string
		Messages []struct {
			Role, Content string
			ToolCallID    string `json:"tool_call_id"`
		}
		Tools []struct {
			Type     string
			Function struct {
				Name, Description string
				Parameters        map[string]any
			}
		}
	}
	var mu sync.Mutex
	var requests []wire
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var req wire
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("%s, %v, %q", r.URL.Path, err, r.Header.Get("Authorization"))
		}
		requests = append(requests, req)
		message := map[string]any{"role": "assistant", "content": "It prints 6 * 7."}
		if len(requests) == 1 {
			message = map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{
				"id": "call_1", "type": "function",
				"function": map[string]any{"name": "run_command", "arguments": `{"command":"echo $((6*7)); exit 3","timeout_seconds":5}`},
			}}}
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"id": "x", "object": "chat.completion", "model": req.Model,
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}},
		})
	}))
	defer server.Close()

	var out bytes.Buffer
	env := map[string]string{"OPENAI_API_KEY": "secret", "OPENAI_BASE_URL": server.URL + "/v1", "OPENAI_MODEL": "stub-1"}
	err := example.Run(t.Context(), []string{"What", "prints 42?"}, func(k string) string { return env[k] }, NewDisplay(&out, false))
	if err != nil {
		t.Fatal(err)
	}
	if len(requests) != 2 {
		t.Fatalf("%d requests", len(requests))
	}
	first := requests[0]
	if first.Model != "stub-1" || first.Messages[len(first.Messages)-1].Content != "What prints 42?" {
		t.Errorf("model %q, messages %+v", first.Model, first.Messages)
	}
	var names []string
	for _, tool := range first.Tools {
		names = append(names, tool.Function.Name)
	}
	if strings.Join(names, " ") != "run_command start_command check_command stop_command" || !strings.Contains(first.Tools[0].Function.Description, "30.0 seconds") {
		t.Fatalf("tools %+v", first.Tools)
	}
	p := first.Tools[0].Function.Parameters
	properties, _ := p["properties"].(map[string]any)
	command, _ := properties["command"].(map[string]any)
	timeout, _ := properties["timeout_seconds"].(map[string]any)
	required, _ := json.Marshal(p["required"])
	if p["type"] != "object" || command["type"] != "string" || timeout["type"] != "number" || timeout["maximum"] != 600.0 || string(required) != `["command"]` ||
		command["description"] == nil || timeout["description"] == nil || len(properties) != 2 {
		t.Errorf("parameters on the wire: %v", p)
	}
	last := requests[1].Messages[len(requests[1].Messages)-1]
	if last.Role != "tool" || last.ToolCallID != "call_1" || last.Content != "[stdout]\n42\n\n[exit code: 3]" {
		t.Errorf("the model got %+v", last)
	}
	if want := "$ echo $((6*7)); exit 3\n  │ 42\n  └ exit code 3 in "; !strings.Contains(out.String(), want) || !strings.HasSuffix(out.String(), "agent: It prints 6 * 7.\n") {
		t.Errorf("shown:\n%s", out.String())
	}
}

// What a command prints cannot act on the terminal, and every piece has its
// place.
func TestDisplay(t *testing.T) {
	var out bytes.Buffer
	d := NewDisplay(&out, false)
	code := 0
	for _, e := range []shelltool.Event{
		shelltool.CommandStarted{Command: "printf x\x1b]0;title\a"},
		shelltool.CommandOutput{Stream: shelltool.Stdout, Text: "half "},
		shelltool.CommandOutput{Stream: shelltool.Stdout, Text: "whole\nnext \x1b[2J"},
		shelltool.CommandOutput{Stream: shelltool.Stderr, Text: "warn\r\n"},
		shelltool.CommandOutput{Stream: shelltool.Stdout, Text: "open", Dropped: 9},
		shelltool.CommandFinished{ExitCode: &code, Duration: 1500 * time.Millisecond},
		shelltool.CommandFinished{TimedOut: true},
		shelltool.CommandFinished{Cancelled: true},
		shelltool.CommandFinished{Signal: 9},
		shelltool.CommandDenied{Command: "rm", Reason: "Command 'rm' is denied."},
	} {
		d.Event(e)
	}
	const want = `$ printf x·]0;title·
  │ half whole
  │ next ·[2J
  │ warn·
  │ … 9 bytes not shown …
  │ open
  └ done in 1.5s
  └ timed out in 0s
  └ cancelled in 0s
  └ ended by signal 9 in 0s
  ✗ not run: rm
    Command 'rm' is denied.
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	NewDisplay(&out, true).Event(shelltool.CommandStarted{Command: "ls"})
	if out.String() != "\x1b[36m$ ls\x1b[0m\n" {
		t.Errorf("coloured: %q", out.String())
	}
	if colours(os.Stdout, func(k string) string { return map[string]string{"NO_COLOR": "1"}[k] }) || colours(&out, noEnv) {
		t.Error("colours where there should be none")
	}
}

// Of several commands at a time each line has its own: at most one has no number.
func TestSeveralCommands(t *testing.T) {
	var out bytes.Buffer
	d := NewDisplay(&out, false)
	head := func(id string) shelltool.EventHead { return shelltool.EventHead{CommandID: id} }
	output := func(id, text string) shelltool.CommandOutput {
		return shelltool.CommandOutput{EventHead: head(id), Stream: shelltool.Stdout, Text: text}
	}
	code := 0
	for _, e := range []shelltool.Event{
		shelltool.CommandStarted{EventHead: head("a1"), Command: "serve\n--loud", Background: true},
		output("a1", "half "),
		shelltool.CommandStarted{EventHead: head("b2"), Command: "ask"},
		output("b2", "an answ"),
		output("a1", "whole\n"),
		output("b2", "er\n"),
		shelltool.CommandStarted{EventHead: head("c3"), Command: "ask & more"},
		output("c3", "much"),
		output("b2", "end\n"),
		shelltool.CommandFinished{EventHead: head("c3"), Cancelled: true},
		shelltool.CommandFinished{EventHead: head("b2"), ExitCode: &code},
		shelltool.CommandStarted{EventHead: head("d4"), Command: "ask again"},
		shelltool.CommandStarted{EventHead: head("e5"), Command: "watch", Background: true},
		shelltool.CommandOutput{EventHead: head("e5"), Stream: shelltool.Stdout, Text: "late\n", Dropped: 5},
		shelltool.CommandFinished{EventHead: head("a1"), ExitCode: &code, Cancelled: true, Stopped: true, Duration: time.Second},
		shelltool.CommandFinished{EventHead: head("e5"), Signal: 9},
	} {
		d.Event(e)
	}
	d.Call("check_command", "{\"x\":\"\a\"}")
	const want = `1 $ serve
  > --loud
1 ├ in the background as a1
1 │ half 
$ ask
  │ an answ
1 │ whole
  │ er
2 $ ask & more
2 │ much
  │ end
2 └ cancelled in 0s
  └ done in 0s
$ ask again
3 $ watch
3 ├ in the background as e5
3 │ … 5 bytes not shown …
3 │ late
1 └ stopped after 1s
3 └ ended by signal 9 after 0s
→ check_command {"x":"·"}
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}
