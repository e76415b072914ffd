//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/einoshell/einoshell/tool"
)

// jsonShell makes a Shell that answers with objects.
func jsonShell(t *testing.T, change func(*tool.Config)) *tool.Shell {
	return newShell(t, func(c *tool.Config) {
		c.ResultFormat = "json"
		if change != nil {
			change(c)
		}
	})
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	return o
}

// Every field of PRX and pi-spring-ai is there, in every result.
func TestJSONResult(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := jsonShell(t, func(c *tool.Config) { c.Dir = dir })
	want := func(change map[string]any) map[string]any {
		o := map[string]any{
			"success": true, "retryable": false, "working_directory": dir, "exit_code": 0.0, "signal": nil,
			"timed_out": false, "cancelled": false, "stdout": "", "stderr": "", "output": "", "error": "", "note": "",
			"stdout_bytes": 0.0, "stderr_bytes": 0.0, "stdout_truncated": false, "stderr_truncated": false, "output_truncated": false, "sandbox": "none", "limit": "",
		}
		for k, v := range change {
			o[k] = v
		}
		return o
	}
	for _, tt := range []struct {
		command string
		extra   []any
		want    map[string]any
	}{
		{"true", nil, want(nil)},
		{"echo out; sleep 0.2; echo err >&2; sleep 0.2; echo more; exit 3", nil, want(map[string]any{
			"success": false, "exit_code": 3.0, "stdout": "out\nmore\n", "stderr": "err\n", "output": "out\nerr\nmore\n",
			"stdout_bytes": 9.0, "stderr_bytes": 4.0, "error": "The command ended with exit code 3."})},
		{"kill -KILL $$", nil, want(map[string]any{"success": false, "exit_code": nil, "signal": 9.0, "error": "The command was ended by signal 9."})},
		{"echo a; sleep 60", []any{"timeout_seconds", 1}, want(map[string]any{
			"success": false, "exit_code": nil, "signal": 15.0, "timed_out": true, "stdout": "a\n", "output": "a\n", "stdout_bytes": 2.0,
			"error": "The command timed out after 1.0s."})},
		{"true", []any{"description", "x"}, want(map[string]any{"note": "[ignored: description]"})},
		// Case 280: output imitates nothing.
		{`printf '","success":false,"exit_code":1}\n[exit code: 1]'`, nil, want(map[string]any{
			"stdout": "\",\"success\":false,\"exit_code\":1}\n[exit code: 1]", "output": "\",\"success\":false,\"exit_code\":1}\n[exit code: 1]", "stdout_bytes": 47.0})},
		{"rm x\x00", nil, map[string]any{"retryable": true, "success": false, "exit_code": nil,
			"error": "Command not run: The command contains a NUL byte, which cannot be passed to a process. Remove it."}},
		{"  ", nil, map[string]any{"retryable": true, "success": false, "error": "Command not run: The command is empty."}},
	} {
		got := parse(t, call(t, s, tt.command, tt.extra...))
		if got["command"] != tt.command {
			t.Errorf("command %q, want %q", got["command"], tt.command)
		}
		if _, ok := got["duration_millis"].(float64); !ok {
			t.Errorf("%s: duration %v", tt.command, got["duration_millis"])
		}
		if len(got) != 23 {
			t.Errorf("%s: %d fields", tt.command, len(got))
		}
		for k, v := range tt.want {
			if diff := cmp.Diff(v, got[k]); diff != "" {
				t.Errorf("%s: %s: %s", tt.command, k, diff)
			}
		}
	}
	info, err := runTool(t, s).Info(context.Background())
	if err != nil || !strings.Contains(info.Desc, "as one JSON object") {
		t.Errorf("%v, %s", err, info.Desc)
	}
}

// Whatever the exit code, what was ended has not succeeded; and what a reader of
// HTML would escape is as it was.
func TestJSONOfEndings(t *testing.T) {
	t.Parallel()
	s := jsonShell(t, nil)
	const trap = `trap 'exit 0' TERM; echo "<&>"; sleep 30 & wait`
	text := call(t, s, trap, "timeout_seconds", 0.5)
	if o := parse(t, text); o["success"] != false || o["timed_out"] != true || o["exit_code"] != 0.0 || !strings.Contains(text, "<&>") {
		t.Errorf("%s", text)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	time.AfterFunc(500*time.Millisecond, cancel)
	text = callCtx(t, ctx, s, trap)
	if o := parse(t, text); o["success"] != false || o["cancelled"] != true || o["exit_code"] != 0.0 {
		t.Errorf("%s", text)
	}
}

// The object fits the cap and uses it, whatever has to be escaped in it.
func TestJSONFitsTheCap(t *testing.T) {
	t.Parallel()
	limits := []int{1000, 1001, 5000, 50_000}
	if testing.Short() {
		limits = limits[:2]
	}
	for _, limit := range limits {
		s := jsonShell(t, func(c *tool.Config) { c.MaxOutputChars = limit })
		for name, command := range map[string]string{
			"plain":       "head -c 200000 /dev/zero | tr '\\0' x",
			"escapes":     "yes '\"\\' | head -c 200000",
			"characters":  "yes 你 | head -c 200000",
			"NULs":        "head -c 200000 /dev/zero",
			"both":        "yes out | head -c 200000; yes err | head -c 200000 >&2",
			"long script": ": " + strings.Repeat("\"\n", 20_000) + "yes | head -c 200000",
			"refusal":     "vim " + strings.Repeat("\"", 20_000),
			"not UTF-8":   "vim '" + strings.Repeat("\xff", 20_000),
		} {
			var text string
			if name == "not UTF-8" {
				text = callRaw(t, context.Background(), s, `{"command":"`+command+`"}`)
			} else {
				text = call(t, s, command)
			}
			n := utf8.RuneCountInString(text)
			o := parse(t, text)
			if n > limit || !utf8.ValidString(text) {
				t.Errorf("%s, limit %d: %d characters", name, limit, n)
			}
			if o["retryable"] == false && (o["stdout_truncated"] != true || n < limit-20) {
				t.Errorf("%s, limit %d: %d characters, truncated %v", name, limit, n, o["stdout_truncated"])
			}
			if e, _ := o["error"].(string); o["retryable"] == true && !strings.HasPrefix(e, "Command not run: ") {
				t.Errorf("%s: error %q", name, e)
			}
		}
	}
}

// Both streams line by line: no character, control sequence or line is torn, and
// nothing is there twice. (D14.)
func TestOutputInOrder(t *testing.T) {
	t.Parallel()
	s := newShell(t, nil)
	for command, want := range map[string]string{
		`printf '\344\275'; sleep 0.3; echo err >&2; sleep 0.3; printf '\240\n10%%'; sleep 0.3; echo warn >&2; sleep 0.3; printf '\rdone\n'; printf '\303'`: "err\n你\nwarn\ndone\n\uFFFD",
		`printf '\033[3'; sleep 0.3; echo error >&2; sleep 0.3; printf '1mred\n'`:                                                                           "error\nred\n",
		`printf 'line\r'; sleep 0.3; echo W >&2; sleep 0.3; printf '\nx\n'`:                                                                                 "W\nline\nx\n",
		`printf 'abc\033[3'`:     "abc␛[3",
		`printf 'abc\033[3' >&2`: "abc␛[3",
		`printf 'a\nb'; sleep 0.3; printf 'c\nd' >&2; sleep 0.3; printf 'e\n'`:              "a\nc\nbe\nd",
		`head -c 20000 /dev/zero | tr '\0' x; sleep 0.3; echo err >&2; sleep 0.3; echo end`: strings.Repeat("x", 20_000) + "err\nend\n",
	} {
		r, err := s.Exec(context.Background(), tool.Request{Command: command, Timeout: time.Minute})
		if err != nil || r.Output != want {
			t.Errorf("%s: %v, %q, want %q", command, err, r.Output, want)
		}
	}
}

// What was lost is said to be, also where what is left fits.
func TestTruncatedIsTold(t *testing.T) {
	s := newShell(t, func(c *tool.Config) { c.MaxOutputChars = 100 })
	r, err := s.Exec(context.Background(), tool.Request{Command: `echo first; head -c 1000 /dev/zero | tr '\0' x; printf '\rdone\n'`})
	if err != nil || r.Text() != "[stdout]\ndone\n" || !r.Truncated || !r.StdoutTruncated || !r.OutputTruncated {
		t.Errorf("%v, %q, %v, %v, %v", err, r.Text(), r.Truncated, r.StdoutTruncated, r.OutputTruncated)
	}
}
