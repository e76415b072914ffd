package tool

import (
	"context"
	"fmt"
)

const stopCommandName = "stop_command"

// stopArgs are the arguments of stop_command.
type stopArgs struct {
	CommandID     string `json:"command_id"`
	NewOutputOnly bool   `json:"new_output_only,omitempty"`
}

func newStopCommand(s *Shell) (*shellTool, error) {
	params, err := parameters(&stopArgs{}, map[string]property{"command_id": idProperty, "new_output_only": newOutputProperty})
	if err != nil {
		return nil, err
	}
	t := &shellTool{typ: "StopCommand", params: params}
	t.desc = func(string) string {
		return fmt.Sprintf("End a command that was started with %s, with all that it has started, and return what it has printed and its exit code. "+
			"It is asked to end, and has %s seconds for that. It is forgotten then: its ID is of no use any more. "+errorsBegin,
			startCommandName, seconds(s.c.KillGrace))
	}
	t.run = func(_ context.Context, em *emitter, arguments string) (*reply, error) {
		args, note, wrong := readArguments(arguments, "command_id", "new_output_only")
		id, wrong := args.id(wrong)
		fresh, wrong := args.fresh(wrong)
		return t.about(em, id, wrong, func(b *background) (*reply, error) {
			r := b.end(fresh, note)
			return &reply{text: r.Text(), result: r}, nil
		}, func(p *persistent) (*reply, error) {
			return t.shell.stopPersistent(p, notes(note, p.allOutput(fresh)))
		})
	}
	return t, nil
}
