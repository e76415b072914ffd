package tool

import (
	"context"
	"fmt"
)

const persistentName = "shell"

// persistentArgs are the arguments of shell.
type persistentArgs struct {
	Command string  `json:"command"`
	Mode    string  `json:"mode,omitempty"`
	Timeout float64 `json:"timeout,omitempty"`
}

// The values of mode.
const (
	modeForeground = "foreground"
	modeBackground = "background"
)

func newPersistent(s *Shell) (*shellTool, error) {
	most := min(maxPersistentTimeout, s.c.MaxTimeout)
	params, err := parameters(&persistentArgs{}, map[string]property{
		"command": commandProperty,
		"mode": {
			description: fmt.Sprintf("%s, which it is when left out, waits for the command until its time is up; %s returns at once.", modeForeground, modeBackground),
			values:      []string{modeForeground, modeBackground},
		},
		"timeout": {
			description: fmt.Sprintf("How many seconds to wait in the %s; %s when left out, at most %s. The command is not ended then.",
				modeForeground, seconds(s.c.Timeout), seconds(most)),
			above: new(float64),
			most:  most.Seconds(),
		},
	})
	if err != nil {
		return nil, err
	}
	t := &shellTool{typ: "Shell", params: params}
	t.desc = func(dir string) string {
		return fmt.Sprintf("Run a command with %s in the directory %s (or the session's own, which pwd tells) that may outlive this session, such as a long build or a server that is to stay. "+
			"What it prints on standard output and standard error goes to one file, and how it ends to another, a JSON object with pid and exit_code, which is null while it runs. "+
			"Returns the last %d bytes that it has printed, when it was waited for, then its PID and how to stop it, and the paths of the two files: "+
			"read them to see how it goes on. There is no notice of its end, and nothing ends it but itself and you. "+
			"Standard input is empty, and there is no terminal. %s that starts with \"Command not run:\" says why and what to change.",
			s.shellName(), dir, shownOfLog, refusals(s))
	}
	t.run = func(ctx context.Context, em *emitter, arguments string) (*reply, error) {
		c := call{emitter: em, timeout: s.c.Timeout}
		args, note, wrong := readArguments(arguments, "command", "mode", "timeout")
		if wrong == "" {
			c.command, wrong = args.script("command")
		}
		if wrong == "" && args.has("mode") {
			switch mode, _ := args.text("mode"); mode {
			case modeForeground:
			case modeBackground:
				c.background = true
			default:
				wrong = fmt.Sprintf("mode must be %s or %s.", modeForeground, modeBackground)
			}
		}
		if wrong == "" && args.has("timeout") {
			n, ok := args.number("timeout")
			if c.timeout = most + 1; ok && n > 0 {
				c.timeout = duration(n)
			}
			if c.timeout > most {
				wrong = fmt.Sprintf("timeout must be a number greater than 0 and at most %s.", seconds(most))
			}
		}
		c.note, c.wrong = note, wrong
		if c.background {
			c.timeout = 0
		}
		r, err := s.persist(ctx, c)
		if err != nil {
			return nil, err
		}
		return &reply{text: r.Text(), result: r}, nil
	}
	return t, nil
}
