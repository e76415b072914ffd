//go:build unix

package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cloudwego/eino/adk/filesystem"
	middlewares "github.com/cloudwego/eino/adk/middlewares/filesystem"

	"github.com/einoshell/einoshell/adapter"
	shelltool "github.com/einoshell/einoshell/tool"
)

func command(text string) *filesystem.ExecuteRequest {
	return &filesystem.ExecuteRequest{Command: text}
}

// What Eino's tool execute is given: every ending has a text or an output, and a code.
func TestExecute(t *testing.T) {
	t.Parallel()
	if middlewares.ToolNameExecute != "execute" {
		t.Errorf("Eino's tool is %s", middlewares.ToolNameExecute)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name, command string
		config        func(*shelltool.Config)
		ctx           context.Context
		want          string
		code          int
		truncated     bool
	}{
		{name: "success", command: "echo hi", want: "hi\n"},
		{name: "nothing", command: "true"},
		{name: "failure", command: "echo hi; exit 3", want: "hi\n", code: 3},
		{name: "both streams", command: "echo out; sleep 0.2; echo err >&2", want: "out\nerr\n"},
		{name: "no newline", command: "printf hi; exit 1", want: "hi", code: 1},
		{name: "signal", command: "echo hi; kill -9 $$", want: "hi\n", code: 137},
		{name: "refused", command: "rm -rf /", want: "Command not run: Command 'rm' is denied. Reach the goal without it.", code: 126},
		{name: "empty", command: "", want: "Command not run: The command is empty.", code: 126},
		{name: "ToolPolicy of run_command", command: "true", config: func(c *shelltool.Config) {
			c.ToolPolicy = map[string]shelltool.Action{"run_command": shelltool.ActionDeny}
		}, want: "Command not run: The tool run_command is switched off. Reach the goal without it.", code: 126},
		{name: "timeout", command: "printf hi; sleep 60", config: func(c *shelltool.Config) { c.Timeout = time.Second / 2 }, want: "hi\n[Command timed out after 0.5s]", code: 124},
		{name: "cancelled before", command: "echo hi", ctx: cancelled, want: "Command not run: The call was cancelled before the command started.", code: 126},
		{name: "json has no meaning", command: "echo hi; exit 1", config: func(c *shelltool.Config) { c.ResultFormat = "json" }, want: "hi\n", code: 1},
		{name: "carriage returns and colours", command: `printf '10%%\r100%%\n\033[31mred\033[0m\n'`, want: "100%\nred\n"},
		{name: "long", command: "seq 1 100", config: func(c *shelltool.Config) { c.MaxOutputChars, c.SpillBytes = 100, 0 },
			want: "[... output truncated, showing last 53 chars]\n\n84\n85\n86\n87\n88\n89\n90\n91\n92\n93\n94\n95\n96\n97\n98\n99\n100\n", truncated: true},
		{name: "a line that is too long to be sent", command: "printf %0300d 7; echo; echo end", config: func(c *shelltool.Config) { c.MaxOutputChars, c.SpillBytes = 100, 0 },
			want: "[... output truncated, showing last 53 chars]\n" + strings.Repeat("0", 47) + "7\nend\n", truncated: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sh := newShell(t, tt.config)
			ctx := tt.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			r, err := adapter.NewShell(sh).Execute(ctx, command(tt.command))
			if err != nil || r.Output != tt.want || r.ExitCode == nil || *r.ExitCode != tt.code || r.Truncated != tt.truncated {
				t.Fatalf("%v: %q, %v, truncated %v\nwant %q, %d", err, r.Output, r.ExitCode, r.Truncated, tt.want, tt.code)
			}
			// Streamed it comes to the same, but for where something is left out.
			stream, err := adapter.NewStreamingShell(sh).ExecuteStreaming(ctx, command(tt.command))
			if err != nil {
				t.Fatal(err)
			}
			parts, err := read(stream)
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for i, p := range parts {
				text += p.Output
				if last := i == len(parts)-1; last != (p.ExitCode != nil) || p.Truncated && !last {
					t.Errorf("piece %d of %d: %+v", i, len(parts), p)
				}
			}
			last := parts[len(parts)-1]
			if *last.ExitCode != tt.code || last.Truncated != tt.truncated || !tt.truncated && text != tt.want {
				t.Errorf("streamed %q, %d, truncated %v", text, *last.ExitCode, last.Truncated)
			}
			if n := utf8.RuneCountInString(text); tt.truncated && (n > 100 || !strings.Contains(text, "[... output truncated, showing last ") || !strings.HasSuffix(text, tt.want[len(tt.want)-4:])) {
				t.Errorf("streamed %d characters: %q", n, text)
			}
		})
	}
	sh := newShell(t, nil)
	sh.Close()
	if r, err := adapter.NewShell(sh).Execute(context.Background(), command("true")); !errors.Is(err, shelltool.ErrClosed) {
		t.Errorf("%+v, %v", r, err)
	}
	stream, err := adapter.NewStreamingShell(sh).ExecuteStreaming(context.Background(), command("true"))
	if err != nil {
		t.Fatal(err)
	}
	if parts, err := read(stream); !errors.Is(err, shelltool.ErrClosed) || len(parts) > 0 {
		t.Errorf("%v, %v", parts, err)
	}
}

// What was sent while the command runs and what follows are together all of it, or its beginning and its end.
func TestStreamingShellIsWhole(t *testing.T) {
	t.Parallel()
	const limit = 2000
	sh := newShell(t, func(c *shelltool.Config) { c.MaxOutputChars, c.SpillBytes = limit, 1<<20 })
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	n := 60
	if testing.Short() {
		n = 15
	}
	for range n {
		var b strings.Builder
		pieces := []string{"short\n", "a longer line of text, é and 你\n", "no newline", "\n", "10%\r", "\x1b[1mbold\x1b[0m\n", strings.Repeat("long ", 100) + "\n", "\x00\n", "ab\bc\n", "\x1b]0;title"}
		for range rnd.IntN(60) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		file := filepath.Join(sh.Dir(), "text")
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		whole, err := sh.Exec(context.Background(), shelltool.Request{Command: "cat text"})
		if err != nil {
			t.Fatal(err)
		}
		stream, err := adapter.NewStreamingShell(sh).ExecuteStreaming(context.Background(), command("head -c 100 text; sleep 0.02; tail -c +101 text"))
		if err != nil {
			t.Fatal(err)
		}
		parts, err := read(stream)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, p := range parts {
			text += p.Output
		}
		head, _, cut := strings.Cut(text, "[... output truncated")
		switch {
		case utf8.RuneCountInString(text) > limit:
			t.Errorf("seed %d: %d characters", seed, utf8.RuneCountInString(text))
		case cut:
			_, tail, _ := strings.Cut(text, "]\n")
			if !whole.OutputTruncated && !strings.HasPrefix(whole.Output, head) || !strings.HasSuffix(whole.Output, tail) {
				t.Errorf("seed %d: %q\nof %q", seed, text, whole.Output)
			}
		case text != whole.Output:
			t.Errorf("seed %d: %q\nwant %q", seed, text, whole.Output)
		}
	}
}

// Lines come while the command runs, a reader that does not read does not hold it up, and its end is that of the call.
func TestStreamingShellIsLive(t *testing.T) {
	t.Parallel()
	sh := newShell(t, nil)
	stream, err := adapter.NewStreamingShell(sh).ExecuteStreaming(context.Background(), command("echo ready; while ! [ -e go ]; do sleep 0.02; done; echo gone on"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := stream.Recv()
	if err != nil || first.Output != "ready\n" || first.ExitCode != nil {
		t.Fatalf("%+v, %v", first, err)
	}
	if err := os.WriteFile(filepath.Join(sh.Dir(), "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	rest, err := read(stream)
	if err != nil || rest[len(rest)-1].ExitCode == nil {
		t.Errorf("%+v, %v", rest, err)
	}

	stream, err = adapter.NewStreamingShell(sh).ExecuteStreaming(context.Background(), command("for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.01; done; echo >done"))
	if err != nil {
		t.Fatal(err)
	}
	done := func() bool { _, err := os.Stat(filepath.Join(sh.Dir(), "done")); return err == nil }
	if eventually(t, done); !done() {
		t.Error("it waits for its reader")
	}
	stream.Close()

	ctx, cancel := context.WithCancel(context.Background())
	stream, err = adapter.NewStreamingShell(sh).ExecuteStreaming(ctx, command("echo partial; sleep 60"))
	if err != nil {
		t.Fatal(err)
	}
	if first, err := stream.Recv(); err != nil || first.Output != "partial\n" {
		t.Errorf("%+v, %v", first, err)
	}
	cancel()
	last, err := stream.Recv()
	if err != nil || !strings.HasPrefix(last.Output, "[Command cancelled after ") || *last.ExitCode != 130 {
		t.Errorf("%+v, %v", last, err)
	}
	stream.Close()
}

// The events of execute are those of any command, with its name and the id of the call.
func ExampleNewShell() {
	c := shelltool.Default(os.TempDir())
	c.SpillBytes = 0
	sh, err := shelltool.New(context.Background(), c)
	if err != nil {
		panic(err)
	}
	defer sh.Close()
	r, err := adapter.NewShell(sh).Execute(context.Background(), &filesystem.ExecuteRequest{Command: "echo hello; exit 2"})
	fmt.Printf("%q %d %v\n", r.Output, *r.ExitCode, err)
	// Output: "hello\n" 2 <nil>
}
