//go:build unix

package tool_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/einoshell/einoshell/internal/need"
	"github.com/einoshell/einoshell/tool"
)

// Section E of the harness cases: the shape of a result.
func TestResultText(t *testing.T) {
	s := newShell(t, nil)
	for _, tt := range []struct{ name, command, want string }{
		{"case 53", "echo hello", "[stdout]\nhello\n"},
		{"case 54", "echo error >&2", "[stderr]\nerror\n"},
		{"cases 55 and 56", "echo out && echo err >&2", "[stdout]\nout\n\n[stderr]\nerr\n"},
		{"case 57", "exit 42", "(no output)\n[exit code: 42]"},
		{"case 58", "exit 1", "(no output)\n[exit code: 1]"},
		{"case 59", "echo ok", "[stdout]\nok\n"},
		{"case 61", "true", "(no output)"},
		{"case 64", "printf 'a\\n\\nb\\n'", "[stdout]\na\n\nb\n"},
		{"case 65", `printf 'ok \377\376 end'`, "[stdout]\nok \uFFFD\uFFFD end"},
		{"case 66", `printf 'ok \377\376 end' >&2`, "[stderr]\nok \uFFFD\uFFFD end"},
		{"case 67", "printf '%0100d' 0 | tr 0 A; printf '%0100d' 0 | tr 0 B", "[stdout]\n" + strings.Repeat("A", 100) + strings.Repeat("B", 100)},
		{"case 70", "cat", "(no output)"},
		{"output and a failure", "echo out; exit 3", "[stdout]\nout\n\n[exit code: 3]"},
		{"no newline and a failure", "printf out; exit 3", "[stdout]\nout\n[exit code: 3]"},
		{"a signal", "kill -TERM $$", "(no output)\n[exit code: -15]"},
		{"a signal inside", "(sh -c 'kill -KILL $$'; exit $?) 2>/dev/null", "(no output)\n[exit code: 137]"},
		{"case 290", "false", "(no output)\n[exit code: 1]"},
		{"case 282", `printf '10%%\r\033[31mred\033[0m'`, "[stdout]\nred"},
		{"D1", `printf 'a\000b'`, "[stdout]\na␀b"},
		{"D2", `printf '\355\240\200'`, "[stdout]\n\uFFFD\uFFFD\uFFFD"},
		{"D12", `printf '10%%\r20%%\r100%%\n'`, "[stdout]\n100%\n"},
		{"D13", `printf '\033[31mx\033[0m'`, "[stdout]\nx"},
		{"both kinds of lines", `printf 'a\r\nb\n'`, "[stdout]\na\nb\n"},
		{"not an option", "-x", ""},
		{"not an option", "+x", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := call(t, s, tt.command)
			if tt.want != "" && got != tt.want {
				t.Errorf("%s:\n%q, want\n%q", tt.command, got, tt.want)
			}
			if tt.want == "" && (!strings.Contains(got, tt.command+": ") || !strings.Contains(got, "\n[exit code: 12")) { // 127, or 126 where PATH cannot be searched
				t.Errorf("%s: %q", tt.command, got)
			}
		})
	}
}

// Cases 25 and 26: a text that cannot be read is not run. What only the shell finds wrong
// is a result.
func TestSyntaxError(t *testing.T) {
	if got := call(t, newShell(t, nil), "echo 'unterminated"); !strings.HasPrefix(got, "Command not run: The command cannot be read: ") {
		t.Errorf("%q", got)
	}
	got := call(t, newShell(t, nil), "echo x >&y")
	if !strings.HasPrefix(got, "[stderr]\n") || !strings.HasSuffix(got, "\n[exit code: 2]") {
		t.Errorf("%q", got)
	}
}

func TestCases62And63Directory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "test.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newShell(t, func(c *tool.Config) { c.Dir = dir })
	if got := call(t, s, "cat test.txt"); got != "[stdout]\nhello" {
		t.Errorf("case 62: %q", got)
	}
	if got := call(t, s, "pwd; echo $PWD"); got != "[stdout]\n"+dir+"\n"+dir+"\n" {
		t.Errorf("case 63: %q", got)
	}
	// The name it was given is the one it sees, not what a link leads to.
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	s = newShell(t, func(c *tool.Config) { c.Dir = link })
	if got := call(t, s, "printenv PWD"); got != "[stdout]\n"+link+"\n" {
		t.Errorf("PWD: %q", got)
	}
}

// Cases 68 and 69: many pieces are joined with nothing between them.
func TestCases68And69Pieces(t *testing.T) {
	s := newShell(t, func(c *tool.Config) { c.MaxOutputChars = 2_000_000 })
	var want strings.Builder
	for i := 1; i <= 100; i++ {
		fmt.Fprintf(&want, "%05000d\n", i)
	}
	for stream, to := range map[string]string{"stdout": "", "stderr": " >&2"} {
		got := call(t, s, "i=1; while [ $i -le 100 ]; do printf '%05000d\\n' $i"+to+"; i=$((i+1)); done")
		if got != "["+stream+"]\n"+want.String() {
			t.Errorf("%s: %d characters, want %d", stream, len(got), want.Len()+9)
		}
	}
}

// D3: characters that straddle two reads stay whole, in the result and in the
// events.
func TestD3CharactersAcrossReads(t *testing.T) {
	s := newShell(t, func(c *tool.Config) { c.MaxOutputChars = 100_000 })
	var rec recorder
	ctx := s.WithEventSink(context.Background(), rec.sink)
	got := callCtx(t, ctx, s, "printf 'x'; yes 你 | head -n 50000 | tr -d '\\n'")
	want := "x" + strings.Repeat("你", 50_000)
	if got != "[stdout]\n"+want {
		t.Errorf("result: %d characters", utf8.RuneCountInString(got))
	}
	if rec.text(tool.Stdout) != want {
		t.Error("the events do not join to the output")
	}
}

// Section F: the cap, through the tool.
func TestCap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		cap     int
		command string
		length  int
		begins  string
		ends    string
	}{
		{"case 71", 50, "printf '%0200d' 0", 50, "[... output truncated, showing last 5 chars]\n", "00000"},
		{"case 72", 200, "printf '%0400d' 0; exit 7", 200, "[... output truncated, showing last 153 chars]\n0", "0\n[exit code: 7]"},
		{"case 76", 1, "printf xx", 1, "x", "x"},
		{"case 272, cap 45", 45, "head -c 200000 /dev/zero | tr '\\0' x", 45, "xxx", "x"},
		{"case 272, cap 46", 46, "head -c 200000 /dev/zero | tr '\\0' x", 46, "[... output truncated, showing last 1 chars]\n", "x"},
		{"case 272, cap 55", 55, "head -c 200000 /dev/zero | tr '\\0' x", 54, "[... output truncated, showing last 9 chars]\n", "x"},
		{"case 272, cap 146", 146, "head -c 200000 /dev/zero | tr '\\0' x", 145, "[... output truncated, showing last 99 chars]\n", "x"},
		{"case 272, cap 1047", 1047, "head -c 200000 /dev/zero | tr '\\0' x", 1046, "[... output truncated, showing last 999 chars]\n", "x"},
		{"case 273", 100, "yes 你 | head -n 1000", 100, "[... output truncated, showing last 54 chars]\n", "你\n"},
		{"both streams", 100, "printf '%0300d' 0; printf '%040d' 1 >&2", 100, "[... output truncated, showing last 54 chars]\n0000\n[stderr]\n", "1"}, // k=54: 4 of stdout, \n[stderr]\n, 40
		{"D6", 50_000, "yes | head -c 5000000", 50_000, "[... output truncated, showing last 49951 chars]\n", "y\n"},
		{"D7", 50_000, "head -c 1048576 /dev/zero | tr '\\0' x", 50_000, "[... output truncated, showing last 49951 chars]\nx", "x"},
		{"timeout", 60, "printf '%0400d' 0; sleep 60", 60, "[... output truncated, showing last 14 chars]\n", " after 1.0s]"},
		{"refusal", 60, "\x00" + strings.Repeat("x", 100), 60, "Command not run: The command contains a NUL byte, which cann", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, func(c *tool.Config) {
				c.MaxOutputChars = tt.cap
				if tt.name == "timeout" {
					c.Timeout = time.Second
				}
			})
			got := call(t, s, tt.command)
			if n := utf8.RuneCountInString(got); n != tt.length {
				t.Errorf("%d characters, want %d", n, tt.length)
			}
			if !strings.HasPrefix(got, tt.begins) || !strings.HasSuffix(got, tt.ends) {
				t.Errorf("%.100q … %q", got, got[max(0, len(got)-40):])
			}
		})
	}
}

// Section G: timeouts keep what was printed (W-33, D15).
func TestTimeout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		config  time.Duration
		call    any
		command string
		want    string
	}{
		{"case 79", time.Second / 2, nil, "sleep 100", "[timeout_seconds can give a command more time, up to 600.0s]\n[Command timed out after 0.5s]"},
		{"case 80", 30 * time.Second, 0.5, "sleep 100", "[Command timed out after 0.5s]"},
		{"case 81", time.Second, nil, "echo before_timeout && sleep 100", "[stdout]\nbefore_timeout\n\n[timeout_seconds can give a command more time, up to 600.0s]\n[Command timed out after 1.0s]"},
		{"case 82", time.Second, nil, `bash -c "sleep 100 & sleep 100"`, "[timeout_seconds can give a command more time, up to 600.0s]\n[Command timed out after 1.0s]"},
		{"case 83", 30 * time.Second, 1, "echo partial; sleep 100", "[stdout]\npartial\n\n[Command timed out after 1.0s]"},
		{"case 84", 30 * time.Second, 1.25, "printf hello; sleep 100", "[stdout]\nhello\n[Command timed out after 1.25s]"},
		{"C1", time.Second / 2, nil, "sleep 100; echo done", "[timeout_seconds can give a command more time, up to 600.0s]\n[Command timed out after 0.5s]"},
		{"C3", time.Second, nil, "(while :; do sleep 1; done) | cat", "[timeout_seconds can give a command more time, up to 600.0s]\n[Command timed out after 1.0s]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Contains(tt.command, "bash") {
				need.Program(t, "bash")
			}
			t.Parallel()
			s := newShell(t, func(c *tool.Config) { c.Timeout = tt.config })
			var extra []any
			if tt.call != nil {
				extra = []any{"timeout_seconds", tt.call}
			}
			begin := time.Now()
			if got := call(t, s, tt.command, extra...); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// Case 281, I3, I4: values no timeout can have are told, values too large are
// cut and told, nothing is killed at once.
func TestTimeoutArgument(t *testing.T) {
	// Numbers that floating point does not hold exactly are shown as given.
	whole := newShell(t, nil)
	for _, n := range []string{"4.1", "8.2", "16.9", "0.1"} {
		var started tool.CommandStarted
		ctx := whole.WithEventSink(context.Background(), func(e tool.Event) {
			if s, ok := e.(tool.CommandStarted); ok {
				started = s
			}
		})
		callRaw(t, ctx, whole, `{"command":"true","timeout_seconds":`+n+`}`)
		if want, _ := time.ParseDuration(n + "s"); started.Timeout != want {
			t.Errorf("%s: %v", n, started.Timeout)
		}
	}
	s := newShell(t, func(c *tool.Config) { c.MaxTimeout = time.Minute })
	const wrong = "Command not run: timeout_seconds must be a number greater than 0 and at most 60.0."
	const cut = "[stdout]\nhi\n\n[timeout_seconds was above the limit: 60.0s used]"
	for _, tt := range []struct{ value, want string }{
		{"0", wrong},
		{"-1", wrong},
		{"-1e999", wrong},
		{`"soon"`, wrong},
		{`"-5"`, wrong},
		{`"99999999999"`, cut},
		{"true", wrong},
		{"[1]", wrong},
		{"null", "[stdout]\nhi\n"},
		{"60", "[stdout]\nhi\n"},
		{"5e-1", "[stdout]\nhi\n"},
		{"60.001", cut},
		{"1e9", cut},
		{"99999999999", cut},
		{"1e200", cut},
		{"1e999", cut},
	} {
		got := callRaw(t, context.Background(), s, `{"command":"echo hi","timeout_seconds":`+tt.value+`}`)
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.value, got, tt.want)
		}
	}
}

func TestArguments(t *testing.T) {
	s := newShell(t, nil)
	for _, tt := range []struct{ name, arguments, want string }{
		{"case 101", `{"command":"echo hi\u0000there"}`, "NUL byte"},
		{"case 103", `{"command":"echo \ud800"}`, "cannot be encoded for the operating system"},
		{"case 103, high and no low", `{"command":"echo \ud83dx"}`, "cannot be encoded for the operating system"},
		{"case 103, two high", `{"command":"echo \ud83d\ud83d"}`, "cannot be encoded for the operating system"},
		{"a pair", `{"command":"printf %s \ud83d\ude00"}`, "[stdout]\n😀"},
		{"case 104", `{"command":"printf %s '\udc80\udcff' | od -An -tx1"}`, "[stdout]\n 80 ff\n"},
		{"case 104, bytes", "{\"command\":\"printf %s '\x80\xff' | od -An -tx1\"}", "[stdout]\n 80 ff\n"},
		{"escapes", `{"command":"printf %s '\"\\\/\b\f\n\r\t\u00e9' | od -An -tx1"}`, "[stdout]\n 22 5c 2f 08 0c 0a 0d 09 c3 a9\n"},
		{"I13", `[]`, "must be one JSON object"},
		{"I13", `null`, "must be one JSON object"},
		{"I13", `3`, "must be one JSON object"},
		{"I13", `""`, "must be one JSON object"},
		{"I13", ``, "must be one JSON object"},
		{"not JSON", `{"command":`, "must be one JSON object"},
		{"two objects", `{"command":"echo hi"}{}`, "must be one JSON object"},
		{"given twice", `{"command":"echo a","command":"echo b"}`, "The argument command is given twice"},
		{"I17", `{}`, "command must be given, as a string"},
		{"I17", `{"command":null}`, "command must be given, as a string"},
		{"I17", `{"command":3}`, "command must be given, as a string"},
		{"I17", `{"command":""}`, "The command is empty"},
		{"I17", `{"cmd":""}`, "command must be given, as a string"},
		{"I17, case 27", `{"command":"  "}`, "The command is empty"},
		{"I8", `{"command":"echo hi"}`, "[stdout]\nhi\n"},
		{"I14", `{"command":"echo hi","sandbox":false}`, "There is no argument 'sandbox'"},
		{"names are exact", `{"Command":"echo hi"}`, "There is no argument 'Command'"},
		{"I10", `{"command":["echo","a b","it's","$HOME",""]}`, "[stdout]\na b it's $HOME \n"},
		{"I10, as a string", `{"command":"[\"printf\", \"%s|\", \"a b\", \"c\"]"}`, "[stdout]\na b|c|"},
		{"I10, a script in a list", `{"command":["echo a; echo b"]}`, "[stdout]\na\nb\n"},
		{"I10, a shell in a list", `{"command":["sh","-c","echo $((6*7))"]}`, "[stdout]\n42\n"},
		{"I10, not words", `{"command":["echo",1]}`, "command must be given, as a string"},
		{"I10, none", `{"command":[]}`, "command must be given, as a string"},
		{"I10, half a pair", `{"command":["echo","\ud800"]}`, "command must be given, as a string"},
		{"a test, not a list", `{"command":"[ \"a\" = \"a\" ] && echo yes"}`, "[stdout]\nyes\n"},
		{"I11", `"{\"command\":\"echo hi\"}"`, "[stdout]\nhi\n"},
		{"I11, twice more", `"\"{}\""`, "must be one JSON object"},
		{"I11, a bare string", `"ls"`, "must be one JSON object"},
		{"I9", `{"cmd":"echo hi"}`, "[stdout]\nhi\n"},
		{"I9", `{"cmd":" ","command":"echo hi"}`, "[stdout]\nhi\n"},
		{"I9", `{"cmd":"echo hi","command":""}`, "[stdout]\nhi\n"},
		{"I9", `{"cmd":"echo hi","command":null}`, "[stdout]\nhi\n"},
		{"I9", `{"cmd":"echo hi","command":"echo hi"}`, "[stdout]\nhi\n"},
		{"I9, they differ", `{"cmd":"echo a","command":"echo b"}`, "Both command and cmd are given, and they differ"},
		{"I1", `{"command":"echo hi","timeout_seconds":"30"}`, "[stdout]\nhi\n"},
		{"I1", `{"command":"echo hi","timeout_seconds":" 1.5 "}`, "[stdout]\nhi\n"},
		{"I2", `{"command":"echo hi","timeout_seconds":"30 seconds"}`, "timeout_seconds must be a number greater than 0 and at most 600.0"},
		{"I2, nothing is not given", `{"command":"echo hi","timeout_seconds":""}`, "[stdout]\nhi\n"},
		{"I2", `{"command":"echo hi","timeout_seconds":"NaN"}`, "timeout_seconds must be a number"},
		{"I2", `{"command":"echo hi","timeout_seconds":"Infinity"}`, "timeout_seconds must be a number"},
		{"I2", `{"command":"echo hi","timeout_seconds":"0x10"}`, "timeout_seconds must be a number"},
		{"I5", `{"command":"echo hi","timeout":30}`, "There is no argument 'timeout'. The arguments are command and timeout_seconds."},
		{"I14, harmless", `{"description":"Greet","command":"echo hi","reason":{"a":[1]}}`, "[stdout]\nhi\n\n[ignored: description, reason]"},
		{"I14, a switch", `{"command":"echo hi","approved":true}`, "There is no argument 'approved'"},
		{"I14, a switch", `{"command":"echo hi","env":{"A":"1"}}`, "There is no argument 'env'"},
		{"the policy judges what runs, I12", `"{\"cmd\":[\"vim\",\"x\"]}"`, "Interactive commands are not allowed. Command: 'vim x'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rec recorder
			got := callRaw(t, s.WithEventSink(context.Background(), rec.sink), s, tt.arguments)
			if strings.HasPrefix(tt.want, "[") {
				if got != tt.want {
					t.Errorf("%q, want %q", got, tt.want)
				}
				return
			}
			if !strings.HasPrefix(got, "Command not run: ") || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want a refusal with %q", got, tt.want)
			}
			if d := rec.denied(t); "Command not run: "+d.Reason != got {
				t.Errorf("event says %q, the model sees %q", d.Reason, got)
			}
		})
	}
}

// Sections B and C through the tool: a refusal is text, one event, and nothing
// runs. The policy's own tables are in its package.
func TestPolicyThroughTheTool(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(*tool.Config)
		command string
		want    string // part of the refusal; a whole result when it starts with [ or (
		rule    string
	}{
		{"cases 20 and 29", func(c *tool.Config) { c.DeniedCommands = []string{"rm", "rmdir"} }, "rm -rf marker", "'rm' is denied", "DeniedCommands: rm"},
		{"case 21", func(c *tool.Config) { c.AllowedCommands = []string{"echo", "cat"} }, "echo hello", "[stdout]\nhello\n", ""},
		{"case 22", func(c *tool.Config) { c.AllowedCommands = []string{"echo"} }, "cat marker", "not in the allowed list", "AllowedCommands"},
		{"case 23", nil, "vim marker", "Interactive commands", "AllowInteractive"},
		{"case 231", nil, "vim marker", "Interactive commands are not allowed. Command: 'vim marker'", "AllowInteractive"},
		{"case 24", func(c *tool.Config) { c.AllowInteractive = true }, "less marker", "[stdout]\nless marker\n", ""},
		{"case 31", func(c *tool.Config) { c.AllowedCommands, c.DeniedCommands = []string{}, nil }, "rm marker", "'rm' is denied", "DeniedCommands: rm"},
		{"case 31", func(c *tool.Config) { c.AllowedCommands, c.DeniedCommands = []string{}, nil }, "echo hello", "[stdout]\nhello\n", ""},
		{"case 33", func(c *tool.Config) { c.AllowedCommands, c.DeniedCommands = []string{"rm"}, nil }, "rm -f nothing", "(no output)", ""},
		{"no filter at all", func(c *tool.Config) { c.DeniedCommands = []string{} }, "rm -f nothing", "(no output)", ""},
		{"case 36", func(c *tool.Config) { c.DeniedOperators = []string{">", ">>"} }, "echo hello > marker", "'>' is not allowed", "DeniedOperators: >"},
		{"case 38", func(c *tool.Config) { c.DeniedOperators = []string{">>"} }, "echo hello >> marker", "'>>' is not allowed", "DeniedOperators: >>"},
		{"case 264", func(c *tool.Config) { c.DeniedCommands = nil }, "rm -rf marker # it's", "'rm' is denied", "DeniedCommands: rm"},
		{"I18", func(c *tool.Config) { c.AllowedCommands = []string{"ls"} }, "Please list the files", "'Please' is not in the allowed list", "AllowedCommands"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			marker := filepath.Join(dir, "marker")
			if err := os.WriteFile(marker, []byte("mark"), 0o600); err != nil {
				t.Fatal(err)
			}
			// A less that is there everywhere and asks nothing.
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "less"), []byte("#!/bin/sh\necho less $*\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			s := newShell(t, func(c *tool.Config) {
				c.Dir = dir
				c.Env.Set = map[string]string{"PATH": bin + ":" + os.Getenv("PATH")}
				if tt.change != nil {
					tt.change(c)
				}
			})
			var rec recorder
			got := callCtx(t, s.WithEventSink(context.Background(), rec.sink), s, tt.command)
			if strings.HasPrefix(tt.want, "[") || strings.HasPrefix(tt.want, "(") {
				if got != tt.want {
					t.Errorf("%q, want %q", got, tt.want)
				}
				return
			}
			if !strings.HasPrefix(got, "Command not run: ") || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want a refusal with %q", got, tt.want)
			}
			d := rec.denied(t)
			if d.Kind != tool.DeniedPolicy || d.Command != tt.command || d.Rule != tt.rule || d.Tool != "run_command" || d.Seq == 0 || d.Time.IsZero() || d.CommandID == "" || d.RunID == "" {
				t.Errorf("event %+v", d)
			}
			if text, err := os.ReadFile(marker); err != nil || string(text) != "mark" {
				t.Errorf("the command ran: %q, %v", text, err)
			}
			_, err := s.Exec(context.Background(), tool.Request{Command: tt.command})
			if d := asDenied(t, err); d.Error() != got {
				t.Errorf("Exec: %q, the tool: %q", d, got)
			}
		})
	}
}

// Cases 97, 98 and 100: the directory went away. The host's path stays out of
// the text.
func TestLostDirectory(t *testing.T) {
	for _, tt := range []struct {
		name string
		lose func(dir string) error
		want string
	}{
		{"case 97", os.RemoveAll, "The working directory no longer exists."},
		{"case 98", func(dir string) error {
			os.RemoveAll(dir)
			return os.WriteFile(dir, nil, 0o600)
		}, "The working directory is no longer a directory."},
		{"a loop of links", func(dir string) error {
			os.RemoveAll(dir)
			return os.Symlink(dir, dir)
		}, "The working directory can no longer be used."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "workspace")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			s := newShell(t, func(c *tool.Config) { c.Dir = dir })
			if err := tt.lose(dir); err != nil {
				t.Fatal(err)
			}
			var rec recorder
			got := callCtx(t, s.WithEventSink(context.Background(), rec.sink), s, "echo hello")
			if got != "Command not run: "+tt.want {
				t.Errorf("%q", got)
			}
			if strings.Contains(got, dir) {
				t.Errorf("case 100: the text names the directory: %q", got)
			}
			if d := rec.denied(t); d.Kind != tool.DeniedDirectory {
				t.Errorf("event %+v", d)
			}
		})
	}
}

// A command longer than an argument runs; the limit is told with its number.
func TestLongCommand(t *testing.T) {
	s := newShell(t, nil)
	text := "cat > out <<'E'\n" + strings.Repeat("x", 1000_000) + "\nE\nwc -c < out"
	if got := call(t, s, text); got != "[stdout]\n1000001\n" {
		t.Errorf("%d bytes: %.100q", len(text), got)
	}
	fits := ": " + strings.Repeat("x", 1<<20-2)
	if got := call(t, s, fits); got != "(no output)" {
		t.Errorf("%d bytes: %.100q", len(fits), got)
	}
	// As long as an argument may be, and then a space before it.
	if got := call(t, s, "-"+strings.Repeat("x", 32*4096-2)); !strings.Contains(got, "\n[exit code: 12") {
		t.Errorf("%.200q", got)
	}
	var rec recorder
	got := callCtx(t, s.WithEventSink(context.Background(), rec.sink), s, fits+"x")
	if !strings.HasPrefix(got, "Command not run: The command is 1048577 bytes long, and may be 1048576. ") {
		t.Errorf("one more: %.200q", got)
	}
	if d := rec.denied(t); d.Kind != tool.DeniedArguments || d.Rule != "MaxCommandBytes" {
		t.Errorf("event %+v", d)
	}
	s = newShell(t, func(c *tool.Config) { c.MaxCommandBytes = 10 })
	if got := call(t, s, "echo hello!"); !strings.Contains(got, "11 bytes long, and may be 10.") {
		t.Errorf("%q", got)
	}
	// A shell that cannot load a script: what fits an argument.
	s = newShell(t, func(c *tool.Config) { c.Shell = []string{"sh", "-ec"} })
	if got := call(t, s, "-x"+strings.Repeat("x", 32*4096-4)); !strings.Contains(got, "[exit code: 127]") && !strings.Contains(got, "File name too long") {
		t.Errorf("%.200q", got)
	}
	if got := call(t, s, fits); !strings.Contains(got, "and may be 131070.") {
		t.Errorf("%.200q", got)
	}
}

// W-38, mecatl #803: another shell is a matter of configuration, and the model
// is told which it is.
func TestConfiguredShell(t *testing.T) {
	need.Program(t, "bash")
	s := newShell(t, func(c *tool.Config) { c.Shell = []string{"bash", "--norc", "-c"} })
	if got := call(t, s, "[[ a == a ]] && x=(1 2) && echo ${#x[@]} $0"); got != "[stdout]\n2 bash\n" {
		t.Errorf("%q", got)
	}
}
