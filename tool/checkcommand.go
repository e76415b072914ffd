package tool

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/einoshell/einoshell/internal/output"
)

const checkCommandName = "check_command"

// checkArgs are the arguments of check_command.
type checkArgs struct {
	CommandID     string  `json:"command_id"`
	WaitSeconds   float64 `json:"wait_seconds,omitempty"`
	NewOutputOnly bool    `json:"new_output_only,omitempty"`
}

// newOutputProperty describes the choice between all and what is new.
var newOutputProperty = property{description: "true to get only what it has printed since the last check; otherwise all of it is returned."}

// errorsBegin tells what is no answer to what was asked.
const errorsBegin = "A result that starts with \"[Error:\" says what is wrong."

// idProperty describes the id of a command.
var idProperty = property{description: "The ID that " + startCommandName + " has returned.", minLength: 1}

func newCheckCommand(s *Shell) (*shellTool, error) {
	params, err := parameters(&checkArgs{}, map[string]property{
		"command_id": idProperty,
		"wait_seconds": {
			description: fmt.Sprintf("How many seconds to wait, at most %s: until the command has ended or has printed something new, and no longer. 0 when left out.", seconds(s.c.MaxTimeout)),
			least:       new(float64),
			most:        s.c.MaxTimeout.Seconds(),
		},
		"new_output_only": newOutputProperty,
	})
	if err != nil {
		return nil, err
	}
	t := &shellTool{typ: "CheckCommand", params: params}
	t.desc = func(string) string {
		return fmt.Sprintf("Return what a command that was started with %s has printed on standard output and standard error, whether it still runs, and if not, its exit code. "+
			"It can be asked about after it has ended, too. Of a result longer than %d characters only the end is returned. "+errorsBegin,
			startCommandName, s.c.MaxOutputChars)
	}
	t.run = func(ctx context.Context, em *emitter, arguments string) (*reply, error) {
		args, note, wrong := readArguments(arguments, "command_id", "wait_seconds", "new_output_only")
		id, wrong := args.id(wrong)
		var wait time.Duration
		if n, ok := args.number("wait_seconds"); wrong == "" && args.has("wait_seconds") {
			switch {
			case !ok || n < 0:
				wrong = fmt.Sprintf("wait_seconds must be a number from 0 to %s.", seconds(s.c.MaxTimeout))
			case n > 0:
				wait = min(duration(n), s.c.MaxTimeout)
				if n > s.c.MaxTimeout.Seconds() {
					note = notes(note, fmt.Sprintf("[wait_seconds was above the limit: %ss used]", seconds(s.c.MaxTimeout)))
				}
			}
		}
		fresh, wrong := args.fresh(wrong)
		return t.about(em, id, wrong, func(b *background) (*reply, error) {
			r := b.await(ctx, wait, fresh, note)
			return &reply{text: r.Text(), result: r}, nil
		}, func(p *persistent) (*reply, error) {
			// It outlives the Run; the wait for it does not.
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(em.run.life, cancel)()
			p.await(ctx, wait)
			return t.shell.report(p, StatusRunning, notes(note, p.allOutput(fresh)))
		})
	}
	return t, nil
}

// id returns the id of a command. wrong is what is wrong with the arguments already.
func (a arguments) id(wrong string) (id, fault string) {
	if wrong != "" {
		return "", wrong
	}
	raw := a["command_id"]
	if _, err := strconv.ParseUint(string(raw), 10, 31); err == nil { // a PID
		return string(raw), ""
	}
	if len(raw) == 0 || raw[0] != '"' {
		return "", "command_id must be given, as a string."
	}
	id, _ = unquote(raw)
	return strings.TrimSpace(id), ""
}

// fresh returns whether only what is new is asked for. wrong is what is wrong with the
// arguments already.
func (a arguments) fresh(wrong string) (fresh bool, fault string) {
	fresh, ok := a.boolean("new_output_only")
	if wrong == "" && !ok {
		wrong = "new_output_only must be true or false."
	}
	return fresh, wrong
}

// about attends to a call that is about the command with an id. Where persistent is not nil, it may be
// one of the shell tool, whose id is its PID.
func (t *shellTool) about(em *emitter, id, wrong string, do func(*background) (*reply, error), persistent func(*persistent) (*reply, error)) (*reply, error) {
	done, err := t.attend(em, wrong)
	if err != nil {
		return nil, err
	}
	defer done()
	b, ok := em.run.jobs.Get(id)
	if !ok && persistent != nil {
		if p := t.shell.persisted.get(em.run, id); p != nil {
			return persistent(p)
		}
	}
	if !ok {
		return t.shell.unknown(em.run, id), nil
	}
	return do(b)
}

// unknown is what a model is told that asks about a command which is not there.
func (s *Shell) unknown(r *Run, id string) *reply {
	wrong := "unknown command ID " + output.Quote(id, 80)
	known := "no command is in the background"
	if list := r.jobs.List(); len(list) > 0 {
		known = "known: " + listed(list, true)
	} else if r.resumed {
		known += "; " + goneSince
	}
	if s.c.ResultFormat == formatJSON {
		o := object{Retryable: true, CommandID: output.First(id, 80), WorkingDirectory: r.Dir(), Error: wrong + "; " + known, Sandbox: backendNone}
		text, _ := o.encode(s.c.MaxOutputChars)
		return &reply{text: text}
	}
	return &reply{text: output.First("[Error: "+wrong+"]\n["+known+"]", s.c.MaxOutputChars)}
}
