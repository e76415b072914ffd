package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	shelltool "github.com/einoshell/einoshell/tool"
)

func noEnv(string) string { return "" }

// plant writes the project with one text in a file replaced.
func plant(t *testing.T, dir, name, old, new string) {
	t.Helper()
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s does not hold %q", name, old)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(old), []byte(new), 1), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// needTools skips a test where a program is missing that the script uses.
func needTools(t *testing.T) {
	t.Helper()
	for _, name := range []string{"go", "find", "grep", "sed", "sort", "cat"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("no " + name)
		}
	}
}

// The whole story, as go run tells it.
func TestStory(t *testing.T) {
	needTools(t)
	var out bytes.Buffer
	if err := run(t.Context(), nil, noEnv, newDisplay(&out, false)); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, part := range []string{
		"$ go test ./...\n  │ --- FAIL: TestTotal", "Total(250, 4) = 254, want 1000", "└ exit code 1 in ", "│ ok  \tshop", "agent: All tests pass now.\n",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in\n%s", part, out.String())
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("colours without a terminal")
	}
}

// No canned story passes this: a random word in a document must be shown, and
// a second mistake must be mended, each as one of several that it could be.
func TestStoryIsNotCanned(t *testing.T) {
	needTools(t)
	for _, ops := range [][2]string{{"+", "+"}, {"-", "*"}, {"%", "+"}} {
		dir := filepath.Join(t.TempDir(), "shop")
		if err := writeProject(dir); err != nil {
			t.Fatal(err)
		}
		token := rand.Text()
		plant(t, dir, "README.md", "# shop", "# shop "+token)
		plant(t, dir, "total.go", "price + quantity", "price "+ops[0]+" quantity")
		plant(t, dir, "shop_test.go", "{5, 0, 0}", "{5, 2, 10}") // % by zero is another story
		plant(t, dir, "discount.go", "price - voucher", "price "+ops[1]+" voucher")
		total, discount := read(t, dir, "total.go"), read(t, dir, "discount.go")

		var out bytes.Buffer
		if err := run(t.Context(), []string{"-dir", dir}, noEnv, newDisplay(&out, false)); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if !strings.Contains(out.String(), "│ # shop "+token+"\n") {
			t.Errorf("%q was not shown in\n%s", token, out.String())
		}
		if read(t, dir, "total.go") == total || read(t, dir, "discount.go") == discount {
			t.Errorf("not both files changed:\n%s", out.String())
		}
		check := exec.Command("go", "test", "./...")
		check.Dir = dir
		if text, err := check.CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, text, out.String())
		}
	}
}

// A mistake the script cannot mend is not said to be mended.
func TestStoryThatFails(t *testing.T) {
	needTools(t)
	dir := filepath.Join(t.TempDir(), "shop")
	if err := writeProject(dir); err != nil {
		t.Fatal(err)
	}
	plant(t, dir, "total.go", "price + quantity", "price")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-dir", dir}, noEnv, newDisplay(&out, false)); !errors.Is(err, errStuck) {
		t.Errorf("%v", err)
	}
	if strings.Contains(out.String(), "All tests pass now") || !strings.Contains(out.String(), "agent: I cannot read Total.") {
		t.Errorf("%s", out.String())
	}
}

func TestTaskNeedsAModel(t *testing.T) {
	err := run(t.Context(), []string{"count", "files"}, noEnv, newDisplay(new(bytes.Buffer), false))
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
	err := run(t.Context(), []string{"What", "prints 42?"}, func(k string) string { return env[k] }, newDisplay(&out, false))
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
	if len(first.Tools) != 1 || first.Tools[0].Function.Name != "run_command" || !strings.Contains(first.Tools[0].Function.Description, "30.0 seconds") {
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
	d := newDisplay(&out, false)
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
		d.event(e)
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
	newDisplay(&out, true).event(shelltool.CommandStarted{Command: "ls"})
	if out.String() != "\x1b[36m$ ls\x1b[0m\n" {
		t.Errorf("coloured: %q", out.String())
	}
	if colours(os.Stdout, func(k string) string { return map[string]string{"NO_COLOR": "1"}[k] }) || colours(&out, noEnv) {
		t.Error("colours where there should be none")
	}
}

// An interrupt in the middle ends the agent and its command.
func TestInterrupt(t *testing.T) {
	needTools(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := writer(func(p []byte) {
		if bytes.Contains(p, []byte("$ go test")) {
			cancel()
		}
	})
	if err := run(ctx, nil, noEnv, newDisplay(w, false)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }
