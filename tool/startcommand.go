package tool

import (
	"context"
	"fmt"

	"github.com/einoshell/einoshell/internal/output"
)

const startCommandName = "start_command"

// startArgs are the arguments of start_command, and inputArgs where there is send_input.
type (
	startArgs struct {
		Command string `json:"command"`
	}
	inputArgs struct {
		Command string `json:"command"`
		Stdin   bool   `json:"stdin,omitempty"`
	}
)

func newStartCommand(s *Shell) (*shellTool, error) {
	var args any = &startArgs{}
	properties := map[string]property{"command": commandProperty}
	names, input := []string{"command"}, ""
	if s.offers(sendInputName) {
		args, names = &inputArgs{}, append(names, "stdin")
		input = ", unless stdin says otherwise"
		properties["stdin"] = property{description: "true when it is to read what " + sendInputName + " gives it; otherwise its standard input is empty."}
	}
	params, err := parameters(args, properties)
	if err != nil {
		return nil, err
	}
	where := "or the session's own, which pwd tells"
	if s.c.PersistDir {
		where = "or where " + runCommandName + " would run it"
	}
	t := &shellTool{typ: "StartCommand", params: params}
	t.desc = func(dir string) string {
		return fmt.Sprintf("Start a command with %s in the directory %s (%s) that goes on in the background, such as a server, and return its ID at once. "+
			"What it prints is for %s, and %s ends it. It has no time limit, and ends with the session at the latest, together with all that it has started. "+
			"Standard input is empty%s, and there is no terminal. At most %d commands can run in the background at a time. "+
			"%s that starts with \"Command not run:\" says why and what to change.",
			s.shellName(), dir, where, checkCommandName, stopCommandName, input, s.c.MaxBackground, refusals(s))
	}
	t.run = func(ctx context.Context, em *emitter, arguments string) (*reply, error) {
		c := call{emitter: em}
		args, note, wrong := readArguments(arguments, names...)
		if wrong == "" {
			c.command, wrong = args.script("command")
		}
		if wrong == "" && args.has("stdin") {
			var ok bool
			if c.input, ok = args.boolean("stdin"); !ok {
				wrong = "stdin must be true or false."
			}
		}
		c.note, c.wrong = note, wrong
		b, err := s.startBackground(ctx, c)
		if err != nil {
			return nil, err
		}
		return &reply{text: b.started()}, nil
	}
	return t, nil
}

// refusals is what a refusal is called in a description.
func refusals(s *Shell) string {
	if s.c.ResultFormat == formatJSON {
		return "An error"
	}
	return "A result"
}

// started is what a model is told of a command that it has started. The ID is the last
// line, which outlasts a cut.
func (b *background) started() string {
	s := b.run.shell
	if s.c.ResultFormat == formatJSON {
		o := object{Success: true, Command: b.command, CommandID: b.head.CommandID, Status: StatusRunning,
			WorkingDirectory: b.dir, Note: b.note, Sandbox: backendNone}
		text, _ := o.encode(s.c.MaxOutputChars)
		return text
	}
	text := "Started background command: " + output.Quote(b.command, 200)
	if b.note != "" {
		text += "\n" + b.note
	}
	text, _ = output.Truncate(text+"\nID: "+b.head.CommandID, s.c.MaxOutputChars, "")
	return text
}

// full says that no more commands may be started in the background.
func (s *Shell) full(r *Run) string {
	which := listed(r.jobs.List(), false)
	if which == "" {
		which = "they are just being started"
	}
	return fmt.Sprintf("%d commands run in the background, and no more may at a time: %s. Stop one of them with %s, or wait until one has ended.",
		s.c.MaxBackground, which, stopCommandName)
}
