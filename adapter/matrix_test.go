//go:build unix

package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/schema"
	"go.uber.org/goleak"

	"github.com/einoshell/einoshell/adapter"
	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
	shelltool "github.com/einoshell/einoshell/tool"
)

// A row is something that happens to the commands of an agent, and what comes of it.
type row struct {
	name   string
	turns  [][]string // commands, by turn; "& " in front starts one in the background
	config func(*shelltool.Config)
	slow   bool              // it waits
	pause  time.Duration     // between the pieces of the answer
	act    string            // once a command has said "partial"
	not    map[string]string // in which runtimes there is no such thing, and why
	// What is expected, in all runtimes but those in which it is something else.
	want  outcome
	other map[string]outcome
}

// An outcome is what comes of a row in a runtime.
type outcome struct {
	events string // what the listener hears: of each call in the order of the calls
	// agent is what of that is in the stream of an ADK agent: all, when it is empty. Immediate cancellation ends that stream at
	// once, before the command, and what was said last may come too late for it: such a line has "maybe " in front.
	agent string
	next  string // the messages that the model gets, one behind the other, with | between them; "maybe " in front: or none
	end   string // of the run
}

// What is done once a command has said "partial".
const (
	actCtx       = "cancel the context"
	actImmediate = "CancelImmediate"
	actAfterTool = "CancelAfterToolCalls"
	actPreempt   = "preempt the turn"
)

// treeCommand has a child that has left the session and ignores SIGTERM, and beats into a file.
const treeCommand = `(setsid sh -c 'trap "" TERM HUP; while :; do echo >> beats; sleep 0.05; done' >/dev/null 2>&1 </dev/null &); while ! [ -s beats ]; do sleep 0.02; done; echo partial; : >said; sleep 60`

var noADK = map[string]string{
	graphInvoke: "adk.WithCancel and the TurnLoop are ADK's", graphStream: "likewise", reactGenerate: "likewise", reactStream: "likewise", bareTool: "likewise",
}

// numbers are the lines from a number to another.
func numbers(from, to int) string {
	var b strings.Builder
	for ; from <= to; from++ {
		fmt.Fprintln(&b, from)
	}
	return b.String()
}

// The tool execute of a DeepAgent has both streams in one, and Eino's words for the exit code.
var rows = []row{
	{
		// 23,893 bytes. The last 120 characters are behind a marker of 46; execute has sent the first 60 by then.
		name: "noisy", turns: [][]string{{"seq 1 5000"}},
		config: func(c *shelltool.Config) { c.MaxOutputChars, c.SpillBytes = 120, 0 },
		want: outcome{
			events: "start seq 1 5000\nstdout 23893 bytes\nend 0\n",
			next:   "[... output truncated, showing last 74 chars]\n986\n" + numbers(4987, 5000),
			end:    "answer",
		},
		other: map[string]outcome{deepAgent: {
			events: "start seq 1 5000\nstdout 23893 bytes\nend 0\n",
			next: numbers(1, 23) + "[... output truncated, showing last 14 chars]\n998\n4999\n5000\n" +
				"\n[Output was truncated due to size limits]",
			end: "answer",
		}},
	},
	{
		name: "failing", turns: [][]string{{"echo out; exit 3"}},
		want: outcome{events: "start echo out; exit 3\nstdout \"out\\n\"\nend 3\n", next: "[stdout]\nout\n\n[exit code: 3]", end: "answer"},
		other: map[string]outcome{deepAgent: {
			events: "start echo out; exit 3\nstdout \"out\\n\"\nend 3\n", next: "out\n\n[Command failed with exit code 3]", end: "answer",
		}},
	},
	{
		name: "denied", turns: [][]string{{"frobnicate x"}},
		config: func(c *shelltool.Config) { c.DeniedCommands = []string{"frobnicate"} },
		want:   outcome{events: "denied policy\n", next: "Command not run: Command 'frobnicate' is denied. Reach the goal without it.", end: "answer"},
		other: map[string]outcome{deepAgent: {
			events: "denied policy\n", next: "Command not run: Command 'frobnicate' is denied. Reach the goal without it.\n[Command failed with exit code 126]", end: "answer",
		}},
	},
	{
		name: "timeout", slow: true, turns: [][]string{{"echo partial; sleep 60"}},
		config: func(c *shelltool.Config) { c.Timeout, c.MaxTimeout = time.Second/2, time.Second/2 },
		want: outcome{
			events: "start echo partial; sleep 60\nstdout \"partial\\n\"\nend timed out\n", next: "[stdout]\npartial\n\n[Command timed out after 0.5s]", end: "answer",
		},
		other: map[string]outcome{deepAgent: {
			events: "start echo partial; sleep 60\nstdout \"partial\\n\"\nend timed out\n",
			next:   "partial\n[Command timed out after 0.5s]\n[Command failed with exit code 124]", end: "answer",
		}},
	},
	{
		name: "context cancelled", slow: true, turns: [][]string{{treeCommand}}, act: actCtx,
		want: outcome{events: "start tree\nstdout \"partial\\n\"\nend cancelled\n", end: "context cancelled"},
		other: map[string]outcome{
			// Nobody asks a model: what the tool returns is all there is.
			bareTool: {events: "start tree\nstdout \"partial\\n\"\nend cancelled\n", next: "[stdout]\npartial\n\n[Command cancelled after Ns]", end: "context cancelled"},
			// An agent does not wait for the end of a tool that streams.
			deepAgent: {events: "start tree\nstdout \"partial\\n\"\nend cancelled\n", agent: "start tree\nmaybe stdout \"partial\\n\"\nmaybe end cancelled\n", end: "context cancelled"},
		},
	},
	{
		name: "CancelImmediate", slow: true, turns: [][]string{{treeCommand}}, act: actImmediate, not: noADK,
		want: outcome{
			events: "start tree\nstdout \"partial\\n\"\nend cancelled\n", agent: "start tree\nmaybe stdout \"partial\\n\"\n", end: "cancel mode 0",
		},
		other: map[string]outcome{
			// Eino ends the outer agent and leaves the inner one to itself, which has no shell any more.
			agentAsTool: {
				events: "start tree\nstdout \"partial\\n\"\nend cancelled\n", agent: "start tree\nmaybe stdout \"partial\\n\"\n", end: "cancel mode 0",
				next: "maybe [stdout]\npartial\n\n[Command cancelled after Ns]",
			},
		},
	},
	{
		// It waits for the tools, and asks the model no more.
		name: "CancelAfterToolCalls", slow: true, turns: [][]string{{"echo partial; sleep 0.5; echo rest"}}, act: actAfterTool, not: noADK,
		want: outcome{events: "start echo partial; sleep 0.5; echo rest\nstdout \"partial\\nrest\\n\"\nend 0\n", end: "cancel mode 4"},
		other: map[string]outcome{
			// The tool that is waited for is the whole inner agent.
			agentAsTool: {events: "start echo partial; sleep 0.5; echo rest\nstdout \"partial\\nrest\\n\"\nend 0\n", next: "[stdout]\npartial\nrest\n", end: "cancel mode 4"},
		},
	},
	{
		name: "TurnLoop preemption", slow: true, turns: [][]string{{treeCommand}}, act: actPreempt, not: noADK,
		want: outcome{events: "start tree\nstdout \"partial\\n\"\nend cancelled\n", agent: "start tree\nmaybe stdout \"partial\\n\"\n", end: "answer"},
	},
	{
		name: "two calls in one message", turns: [][]string{{"echo one; exit 1", "echo two"}},
		want: outcome{
			events: "start echo one; exit 1\nstdout \"one\\n\"\nend 1\nstart echo two\nstdout \"two\\n\"\nend 0\n",
			next:   "[stdout]\none\n\n[exit code: 1]|[stdout]\ntwo\n", end: "answer",
		},
		other: map[string]outcome{deepAgent: {
			events: "start echo one; exit 1\nstdout \"one\\n\"\nend 1\nstart echo two\nstdout \"two\\n\"\nend 0\n",
			next:   "one\n\n[Command failed with exit code 1]|two\n", end: "answer",
		}},
	},
	{
		// The second command sees that the first runs; the end of the run ends that.
		name: "left in the background", slow: true, turns: [][]string{{"& " + treeCommand}, {"while ! [ -e said ]; do sleep 0.02; done"}},
		not: map[string]string{
			deepAgent: "execute has no background", bareTool: "a second turn is the program's own affair",
		},
		want: outcome{
			events: "start tree\nstdout \"partial\\n\"\nend cancelled\nstart while ! [ -e said ]; do sleep 0.02; done\nend 0\n",
			// The call of start_command is over before its command has said anything, or not.
			agent: "start tree\nmaybe stdout \"partial\\n\"\nstart while ! [ -e said ]; do sleep 0.02; done\nend 0\n",
			next:  "Started background command: 'tree'\nID: id|(no output)", end: "answer",
		},
	},
	{
		// What it prints meanwhile must not get into the stream of an agent that is a tool: the answer would be lost.
		name: "background prints during a slow answer", slow: true, turns: [][]string{{"& while :; do echo tick; sleep 0.02; done"}}, pause: 150 * time.Millisecond,
		not: map[string]string{deepAgent: "execute has no background", bareTool: "there is no answer"},
		want: outcome{
			events: "start while :; do echo tick; sleep 0.02; done\nstdout ticks\nend cancelled\n",
			agent:  "start while :; do echo tick; sleep 0.02; done\nmaybe stdout ticks\n",
			next:   "Started background command: 'while :; do echo tick; sleep 0.02; done'\nID: id", end: "answer",
		},
	},
	{
		name: "listener that panics", turns: [][]string{{"echo out"}},
		want:  outcome{events: "start echo out\nstdout \"out\\n\"\nend 0\n", next: "[stdout]\nout\n", end: "answer"},
		other: map[string]outcome{deepAgent: {events: "start echo out\nstdout \"out\\n\"\nend 0\n", next: "out\n", end: "answer"}},
	},
	{
		// It hears everything in the end; nobody has waited for it for more than a second.
		name: "listener that blocks", slow: true, turns: [][]string{{"echo out"}},
		want:  outcome{events: "start echo out\nstdout \"out\\n\"\nend 0\n", next: "[stdout]\nout\n", end: "answer"},
		other: map[string]outcome{deepAgent: {events: "start echo out\nstdout \"out\\n\"\nend 0\n", next: "out\n", end: "answer"}},
	},
}

// Every row in every runtime: what is heard, in order and in full, what the model gets, how it ends, and that nothing
// is left.
func TestRuntimes(t *testing.T) {
	need.Program(t, "setsid")
	for _, r := range rows {
		for _, rt := range runtimes {
			want := r.want
			if o, ok := r.other[rt.name]; ok {
				want = o
			}
			if _, none := r.not[rt.name]; none {
				continue
			}
			if testing.Short() && r.slow && rt.name != adkStreaming && rt.name != deepAgent {
				continue
			}
			t.Run(r.name+"/"+rt.name, func(t *testing.T) { r.in(t, rt, want) })
		}
	}
}

func (r row) in(t *testing.T, rt einoRuntime, want outcome) {
	before := goleak.IgnoreCurrent()
	grace, look := time.Second/2, time.Second/2
	if testing.Short() {
		grace, look = time.Second/10, time.Second/5
	}
	sh := newShell(t, func(c *shelltool.Config) {
		c.KillGrace, c.Logger = grace, slog.New(slog.DiscardHandler)
		if r.config != nil {
			r.config(c)
		}
	})
	x := &trial{t: t, sh: sh, model: &conversation{answer: []string{"do", "n", "e"}, pause: r.pause}}
	for i, turn := range r.turns {
		var list []schema.ToolCall
		for j, command := range turn {
			name := rt.tool
			if rest, background := strings.CutPrefix(command, "& "); background {
				name, command = "start_command", rest
			}
			args, _ := json.Marshal(map[string]string{"command": command})
			list = append(list, schema.ToolCall{ID: fmt.Sprintf("call-%d-%d", i, j), Function: schema.FunctionCall{Name: name, Arguments: string(args)}})
		}
		x.model.turns = append(x.model.turns, list)
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	modes, preempt := make(chan adk.CancelMode, 1), make(chan struct{}, 1)
	switch r.act {
	case actImmediate, actAfterTool:
		x.cancel = modes
	case actPreempt:
		x.preempt = preempt
	}
	var acted time.Time
	var rec recorder
	released := make(chan struct{})
	x.h = adapter.NewHandler(sh, adapter.OnEvent(func(e shelltool.Event) {
		rec.listen(e)
		if o, ok := e.(shelltool.CommandOutput); ok && strings.Contains(o.Text, "partial") && r.act != "" {
			acted = time.Now()
			switch r.act {
			case actCtx:
				cancel()
			case actImmediate:
				modes <- adk.CancelImmediate
			case actAfterTool:
				modes <- adk.CancelAfterToolCalls
			case actPreempt:
				preempt <- struct{}{}
			}
		}
		switch r.name {
		case "listener that panics":
			panic("of a listener")
		case "listener that blocks":
			<-released
		}
	}))
	streamCtx, stream := x.h.Stream(ctx)
	x.ctx = streamCtx
	streamed := make(chan []shelltool.Event, 1)
	go func() {
		list, err := read(stream)
		if err != nil {
			t.Error(err)
		}
		streamed <- list
	}()

	err := rt.run(x)
	close(released)
	if got := ending(err); got != want.end {
		t.Errorf("it ends with %q, want %q", got, want.end)
	}
	var viaStream []shelltool.Event
	select {
	case viaStream = <-streamed:
	case <-time.After(20 * time.Second):
		t.Fatal("the stream of events does not end")
	}
	if err := x.h.Flush(context.Background()); err != nil {
		t.Error(err)
	}
	tree := r.turns[0][0] == treeCommand || r.turns[0][0] == "& "+treeCommand
	if tree {
		beats := filepath.Join(sh.Dir(), "beats")
		if leak.Size(beats) == 0 {
			t.Error("the tree has not grown")
		}
		if leak.Beats(beats, look) {
			t.Error("the tree still stands")
		}
		took, allowed := time.Since(acted)-look, grace+time.Second
		if r.act == actPreempt { // a tenth of one for the safe point, and one that Eino may wait for an agent within the agent
			allowed += 1100 * time.Millisecond
		}
		if r.act != "" && took > allowed {
			t.Errorf("it took %v", took)
		}
	}
	if got := tell(rec.all()); got != want.events {
		t.Errorf("the listener hears\n%s\nwant\n%s", got, want.events)
	}
	if got := tell(viaStream); got != want.events {
		t.Errorf("the reader hears\n%s\nwant\n%s", got, want.events)
	}
	last := int64(0)
	for _, e := range rec.all() {
		if h := e.Head(); h.Seq <= last || h.Tool != rt.tool && h.Tool != "start_command" {
			t.Errorf("%+v behind number %d", h, last)
		} else {
			last = h.Seq
		}
	}
	if rt.adk {
		if want.agent == "" {
			want.agent = want.events
		}
		got := tell(x.events)
		if !regexp.MustCompile(`^` + maybe.ReplaceAllString(regexp.QuoteMeta(want.agent), "(?:$1)?") + `$`).MatchString(got) {
			t.Errorf("in the agent's stream there is\n%s\nwant\n%s", got, want.agent)
		}
		if x.late {
			t.Error("there was an event behind the answer")
		}
		text := 0
		for _, e := range x.events {
			if o, isOutput := e.(shelltool.CommandOutput); isOutput {
				text += len(o.Text)
			}
		}
		if text > 16_000 {
			t.Errorf("%d bytes of output are in the agent's stream", text)
		}
	}
	heard := x.model.heard()
	if rt.name == bareTool {
		heard = x.bare
	}
	next := strings.Join(heard, "|")
	for _, hide := range []struct{ what, with string }{
		{`'\(setsid .* sleep 60'`, "'tree'"}, {`ID: [0-9a-f]{12}`, "ID: id"}, {`cancelled after [0-9.]+s`, "cancelled after Ns"},
	} {
		next = regexp.MustCompile(hide.what).ReplaceAllLiteralString(next, hide.with)
	}
	if may, maybe := strings.CutPrefix(want.next, "maybe "); next != want.next && !(maybe && (next == may || next == "")) {
		t.Errorf("the model gets\n%q, want\n%q", next, want.next)
	}
	if answer := "done"; want.end == "answer" && rt.name != bareTool {
		switch {
		case r.act == actPreempt:
			answer = "the second turn"
		case rt.name == agentAsTool:
			answer = "the boss says: done"
		}
		if x.answer != answer {
			t.Errorf("the answer is %q, want %q", x.answer, answer)
		}
	}
	sh.Close()
	goleak.VerifyNone(t, before)
}

// maybe is a line that need not be there.
var maybe = regexp.MustCompile(`(?m)^maybe (.*\n)`)

// tell writes events in short, one a line: those of each call behind those of the call before.
func tell(events []shelltool.Event) string {
	events = slices.Clone(events)
	calls := map[string]string{} // without a runtime, they have no IDs but commands
	for _, e := range events {
		if s, ok := e.(shelltool.CommandStarted); ok {
			calls[s.CommandID] = s.CallID + s.Command
		}
	}
	slices.SortStableFunc(events, func(a, b shelltool.Event) int {
		return strings.Compare(calls[a.Head().CommandID], calls[b.Head().CommandID])
	})
	var b strings.Builder
	for i := 0; i < len(events); i++ {
		switch e := events[i].(type) {
		case shelltool.CommandStarted:
			fmt.Fprintf(&b, "start %s\n", strings.ReplaceAll(e.Command, treeCommand, "tree"))
		case shelltool.CommandOutput:
			text, n := e.Text, int64(e.Bytes)+e.Dropped
			for i+1 < len(events) {
				next, ok := events[i+1].(shelltool.CommandOutput)
				if !ok || next.Stream != e.Stream {
					break
				}
				text, n = text+next.Text, n+int64(next.Bytes)+next.Dropped
				i++
			}
			switch {
			case strings.Trim(text, "tick\n") == "":
				fmt.Fprintf(&b, "%s ticks\n", e.Stream)
			case n > 100:
				fmt.Fprintf(&b, "%s %d bytes\n", e.Stream, n)
			default:
				fmt.Fprintf(&b, "%s %q\n", e.Stream, text)
			}
		case shelltool.CommandFinished:
			switch {
			case e.TimedOut:
				b.WriteString("end timed out\n")
			case e.Cancelled:
				b.WriteString("end cancelled\n")
			default:
				fmt.Fprintf(&b, "end %d\n", *e.ExitCode)
			}
		case shelltool.CommandDenied:
			fmt.Fprintf(&b, "denied %s\n", e.Kind)
		}
	}
	return b.String()
}
