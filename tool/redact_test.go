//go:build unix

package tool_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einoshell/einoshell/tool"
)

// plantSecrets sets a variable for each pattern of SecretPatterns, and some that are secrets by
// their form. It returns their values by name.
func plantSecrets(t *testing.T) map[string]string {
	t.Helper()
	values := map[string]string{}
	for i, pattern := range tool.SecretPatterns() {
		values[strings.ReplaceAll(pattern, "*", "q")] = fmt.Sprintf("LEAK%03d%s", i, strings.Repeat("/+x", 9+i%20))
	}
	values["INNOCENT_URL"] = "postgres://u:LEAKED-password@h/d"
	values["INNOCENT_PEM"] = "-----BEGIN PRIVATE KEY-----\nLEAKEDLEAKEDLEAKEDLEAKED1\nLEAKEDLEAKEDLEAKEDLEAKED2\n-----END PRIVATE KEY-----"
	for name, value := range values {
		t.Setenv(name, value)
	}
	return values
}

// Each secret is hidden from results, events and files, under each mode, however it is
// printed: by who reads it where the policy does not look, or who has found it out.
func TestSecretsAreHiddenFromOutput(t *testing.T) {
	values := plantSecrets(t)
	dir := t.TempDir()
	all := filepath.Join(dir, "all")
	var text strings.Builder
	for _, value := range values {
		text.WriteString("<" + value + ">\n")
	}
	if err := os.WriteFile(all, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	commands := map[string]string{
		"at once":          "cat all; cat all >&2",
		"in pieces":        "dd bs=7 <all 2>/dev/null; dd bs=3 <all 2>/dev/null | cat >&2",
		"byte by byte":     "dd bs=1 <all 2>/dev/null | { while IFS= read -r x; do printf '%s\\n' \"$x\"; done; }; cat all >&2",
		"behind much else": "seq 1 60000; cat all; cat all >&2",
	}
	for _, inherit := range []string{"core", "all", "none"} {
		for _, format := range []string{"text", "json"} {
			for name, command := range commands {
				state := t.TempDir()
				s := newShell(t, func(c *tool.Config) {
					c.Dir, c.Guards, c.DynamicCommands = dir, map[string]tool.GuardAction{}, "allow"
					c.ResultFormat, c.MaxOutputChars, c.SpillBytes, c.StateDir = format, 6000, 1<<20, state
					c.Env.Inherit, c.Logger = inherit, slog.New(slog.DiscardHandler)
				})
				var rec recorder
				runCtx, run := s.NewRun(s.WithEventSink(ctx, rec.sink), tool.RunOptions{})
				what := inherit + ", " + format + ", " + name
				shown := []string{callCtx(t, runCtx, s, command)}
				if format == "text" && inherit == "all" {
					id := begin(t, runCtx, s, command)
					until(t, "the end", func() bool {
						text := look(t, runCtx, s, id, "new_output_only", true)
						shown = append(shown, text)
						return strings.Contains(text, "[status: finished]")
					})
					shown = append(shown, look(t, runCtx, s, id), stop(t, runCtx, s, id))
				}
				shown = append(shown, rec.text(tool.Stdout), rec.text(tool.Stderr))
				files, _ := filepath.Glob(filepath.Join(state, "run-*", "*.txt"))
				if len(files) == 0 {
					t.Errorf("%s: no file", what)
				}
				for _, f := range files {
					text, err := os.ReadFile(f)
					if err != nil {
						t.Error(err)
					}
					shown = append(shown, string(text))
				}
				for i, text := range shown {
					for _, value := range values {
						for _, line := range strings.Split(value, "\n") {
							if !strings.HasPrefix(line, "-----") && strings.Contains(text, line) {
								t.Errorf("%s: %d shows %q", what, i, line)
							}
						}
					}
				}
				if !strings.Contains(strings.Join(shown, ""), "[redacted]") {
					t.Errorf("%s: nothing was hidden", what)
				}
				run.Close()
			}
		}
	}
	// With KeepSecrets they are seen.
	s := newShell(t, func(c *tool.Config) {
		c.Dir, c.Guards, c.MaxOutputChars = dir, map[string]tool.GuardAction{}, 1<<20
		c.Env.KeepSecrets, c.Logger = true, slog.New(slog.DiscardHandler)
	})
	got := call(t, s, "cat all")
	for name, value := range values {
		if !strings.Contains(got, value) {
			t.Errorf("KeepSecrets: no %s", name)
		}
	}
}

// What hides a secret is as long as it, whatever is counted; what comes between is left
// out and does not hide it; and what only begins like one is shown, at the end at the latest.
func TestRedaction(t *testing.T) {
	const secret = "s3cr3t-value-of-token"
	t.Setenv("MY_TOKEN", secret)
	t.Setenv("SHORT_TOKEN", "s3cr3t")
	t.Setenv("COMMON_PASSWORD", "password")
	hidden := "[redacted]***********"
	s := newShell(t, nil)
	for _, tt := range []struct{ command, want string }{
		{"echo " + secret, hidden + "\n"},
		{"echo x" + secret + secret + "y", "x" + hidden + hidden + "y\n"},
		{"printf s3cr3t-; sleep 0.2; printf value-; sleep 0.2; echo of-token", hidden + "\n"},
		{`printf 's3cr3t-\033[31mvalue\033[0m-of-token'`, hidden},
		{`printf 's3cr3t-vXX\b\balue-of-token'`, hidden},
		{"printf s3cr3t-value-of-toke", "s3cr3t-value-of-toke"},
		{"echo s3cr3t password", "s3cr3t password\n"},
		{"seq 3; printf s3", "1\n2\n3\ns3"},
		{`printf '%20000d' 0; printf 's3cr3t-val\033[31mue-of-token'`, strings.Repeat(" ", 19_999) + "0" + hidden},
	} {
		var rec recorder
		r, err := s.Exec(s.WithEventSink(context.Background(), rec.sink), tool.Request{Command: tt.command})
		if err != nil || r.Stdout != tt.want || r.Output != tt.want {
			t.Errorf("%s: %v, %q, %q", tt.command, err, r.Stdout, r.Output)
		}
		if strings.Contains(rec.text(tool.Stdout), secret) {
			t.Errorf("%s: events %q", tt.command, rec.text(tool.Stdout))
		}
		var bytes int64
		for _, e := range rec.all() {
			if o, ok := e.(tool.CommandOutput); ok {
				bytes += int64(o.Bytes) + o.Dropped
			}
		}
		if bytes != r.StdoutBytes {
			t.Errorf("%s: %d bytes in events of %d", tt.command, bytes, r.StdoutBytes)
		}
	}
	// Where a result is cut, and where two lines without an end meet in a file.
	cut := newShell(t, func(c *tool.Config) { c.MaxOutputChars = 20 })
	if got := call(t, cut, `printf 'xxxxxxxxxxs3cr3t-val\033[31mue-of-token'`); strings.Contains(got, "cr3t") || strings.Contains(got, "value") {
		t.Errorf("%q", got)
	}
	files := newShell(t, func(c *tool.Config) { c.SpillBytes, c.StateDir, c.MaxOutputChars = 1<<20, t.TempDir(), 1000 })
	r, err := files.Exec(context.Background(), tool.Request{Command: "seq 1 2000; printf s3cr3t-value-; sleep 0.2; printf of-token >&2"})
	if err != nil || r.OutputPath == "" {
		t.Fatalf("%v, %+v", err, r)
	}
	if text, err := os.ReadFile(r.OutputPath); err != nil || strings.Contains(string(text), secret) {
		t.Errorf("%v, %q", err, text[len(text)-40:])
	}
	// While a command runs, what may become a secret waits.
	ctx := context.Background()
	id := begin(t, ctx, s, "echo on; printf s3cr3t-value; sleep 0.5; printf -- -of-token; sleep 100")
	until(t, "output", func() bool {
		text := look(t, ctx, s, id)
		if strings.Contains(text, "s3cr3t") {
			t.Fatalf("%q", text)
		}
		return strings.Contains(text, "on\n"+hidden)
	})
	// A value that was set on purpose is used, and hidden all the same when it is the host's.
	set := newShell(t, func(c *tool.Config) { c.Env.Set = map[string]string{"MY_TOKEN": secret, "OTHER": "0123456789"} })
	if got := call(t, set, "echo $MY_TOKEN $OTHER; test $MY_TOKEN = s3cr3t-value-of-''token && echo the same"); got != "[stdout]\n"+hidden+" 0123456789\nthe same\n" {
		t.Errorf("%q", got)
	}
}
