package tool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/einoshell/einoshell/internal/output"
	"github.com/einoshell/einoshell/internal/process"
)

const sendInputName = "send_input"

// sendPatience is how long a call waits for a command to read what it is sent.
const sendPatience = 5 * time.Second

// sendArgs are the arguments of send_input.
type sendArgs struct {
	CommandID string `json:"command_id"`
	Input     string `json:"input,omitempty"`
	EndInput  bool   `json:"end_input,omitempty"`
}

func newSendInput(s *Shell) (*shellTool, error) {
	params, err := parameters(&sendArgs{}, map[string]property{
		"command_id": idProperty,
		"input":      {description: "The text, as it is to be read: a line needs its newline at the end."},
		"end_input":  {description: "true to end standard input behind it."},
	})
	if err != nil {
		return nil, err
	}
	t := &shellTool{typ: "SendInput", params: params}
	t.desc = func(string) string {
		return fmt.Sprintf("Give a command that was started with %s and stdin true something to read on standard input. What it prints then is for %s.", startCommandName, checkCommandName)
	}
	t.run = func(ctx context.Context, em *emitter, arguments string) (*reply, error) {
		args, note, wrong := readArguments(arguments, "command_id", "input", "end_input")
		id, wrong := args.id(wrong)
		var text string
		if raw := args["input"]; wrong == "" && len(raw) > 0 && string(raw) != "null" {
			var ok bool
			if raw[0] == '"' {
				text, ok = unquote(raw)
			}
			if !ok {
				wrong = "input must be a string."
			}
		}
		end, ok := args.boolean("end_input")
		switch {
		case wrong != "":
		case !ok:
			wrong = "end_input must be true or false."
		case text == "" && !end:
			wrong = "input must be given, or end_input be true."
		case len(text) > s.c.MaxCommandBytes:
			wrong = fmt.Sprintf("The input is %d bytes long, and may be %d. Send it in smaller pieces.", len(text), s.c.MaxCommandBytes)
		}
		return t.about(em, id, wrong, func(b *background) (*reply, error) { return b.send(ctx, text, end, note) }, nil)
	}
	return t, nil
}

// send gives the command text to read.
func (b *background) send(ctx context.Context, text string, end bool, note string) (*reply, error) {
	refuse := func(reason string) (*reply, error) {
		return nil, &DeniedError{Kind: DeniedArguments, Reason: "command " + b.head.CommandID + " " + reason, nothing: true}
	}
	if !b.input {
		return refuse("reads no input. Start it with stdin true.")
	}
	n, err := 0, error(nil)
	if text != "" {
		ctx, cancel := context.WithTimeout(ctx, sendPatience)
		defer cancel()
		n, err = b.process.Send(ctx, []byte(text))
	}
	all := err == nil && n == len(text)
	if end && all {
		err = b.process.CloseInput()
	}
	told := fmt.Sprintf("Sent %d bytes to %s", n, b.head.CommandID)
	rest := fmt.Sprintf("the other %d bytes, which begin with %s", len(text)-n, output.Quote(text[n:], 40))
	switch {
	case errors.Is(err, process.ErrNoInput) && n == 0:
		return refuse("reads no input any more: it has closed it, or has ended.")
	case errors.Is(err, process.ErrNoInput):
		note = notes(note, "[it reads no input any more, and got nothing of "+rest+"]")
	case err != nil:
		return nil, fmt.Errorf("einoshell: send input: %w", err)
	case !all:
		kept := ""
		if end {
			kept = ", with end_input,"
		}
		note = notes(note, "[it has not read "+rest+": send them"+kept+" when it does]")
	case end:
		told += ", and ended its input"
	}
	s := b.run.shell
	if s.c.ResultFormat == formatJSON {
		o := object{Success: all, Command: b.command, CommandID: b.head.CommandID, Status: b.summary().Status,
			WorkingDirectory: b.dir, Note: notes(told, note), Sandbox: backendNone}
		text, _ := o.encode(s.c.MaxOutputChars)
		return &reply{text: text}, nil
	}
	return &reply{text: output.First(notes(told, note), s.c.MaxOutputChars)}, nil
}
