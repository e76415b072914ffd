package tool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/einoshell/einoshell/internal/output"
)

const listCommandsName = "list_commands"

type noArgs struct{}

func newListCommands(s *Shell) (*shellTool, error) {
	params, err := parameters(&noArgs{}, nil)
	if err != nil {
		return nil, err
	}
	which := " with " + startCommandName
	if s.offers(persistentName) {
		which += ", then those of " + persistentName + " by their PIDs"
	}
	t := &shellTool{typ: "ListCommands", params: params}
	t.desc = func(string) string {
		return fmt.Sprintf("List the commands that were started%s, the oldest first: the ID of each, whether it still runs, for how long it has run, how much it has printed, and the command.", which)
	}
	t.run = func(_ context.Context, em *emitter, arguments string) (*reply, error) {
		if strings.TrimSpace(arguments) == "" {
			arguments = "{}"
		}
		_, _, wrong := readArguments(arguments)
		done, err := t.attend(em, wrong)
		if err != nil {
			return nil, err
		}
		defer done()
		var list []*Result
		for _, b := range em.run.jobs.List() {
			list = append(list, b.summary())
		}
		note := ""
		if em.run.resumed && len(list) == 0 {
			note = "[" + goneSince + "]"
		}
		return &reply{text: s.listing(append(list, s.persisted.summaries(em.run)...), note)}, nil
	}
	return t, nil
}

// A line of a listing, as JSON.
type listing struct {
	CommandID      string `json:"command_id"`
	Command        string `json:"command"`
	Status         Status `json:"status"`
	ExitCode       *int   `json:"exit_code"`
	Signal         *int   `json:"signal"`
	DurationMillis int64  `json:"duration_millis"`
	OutputBytes    int64  `json:"output_bytes"`
	Note           string `json:"note"`
}

// listing lists commands for a model, the youngest at the end, which outlasts a cut.
func (s *Shell) listing(list []*Result, note string) string {
	limit := s.c.MaxOutputChars
	if s.c.ResultFormat == formatJSON {
		lines := make([]listing, len(list))
		for i, r := range list {
			lines[i] = listing{r.CommandID, output.First(r.Command, 200), r.Status, r.ExitCode, nil, r.Duration.Milliseconds(), r.StdoutBytes + r.StderrBytes, r.Note}
			if r.Signal != 0 {
				lines[i].Signal = &r.Signal
			}
		}
		for first := 0; ; first++ {
			o := map[string]any{"commands": lines[first:], "left_out": first}
			if note != "" {
				o["note"] = note
			}
			text := encode(o)
			if first == len(lines) || len([]rune(text)) <= limit {
				return text
			}
		}
	}
	if len(list) == 0 {
		return output.First(notes("(no background commands)", note), limit)
	}
	var b strings.Builder
	for i, r := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s %s", r.CommandID, r.Status)
		if r.Status == StatusFinished {
			fmt.Fprintf(&b, " %s", r.exit())
		}
		fmt.Fprintf(&b, " %ss, %d bytes: %s", seconds(r.Duration.Round(100*time.Millisecond)), r.StdoutBytes+r.StderrBytes, output.Quote(r.Command, 200))
		if r.Note != "" {
			b.WriteString(" " + r.Note)
		}
	}
	text, _ := output.Truncate(b.String(), limit, "")
	return text
}
