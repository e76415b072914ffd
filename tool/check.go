package tool

import (
	"fmt"

	"github.com/einoshell/einoshell/internal/environ"
	"github.com/einoshell/einoshell/internal/policy"
)

// An Action is what a Verdict comes to.
type Action string

const (
	// ActionAllow: the command may run.
	ActionAllow Action = "allow"
	// ActionAsk: it may run when somebody approves.
	ActionAsk Action = "ask"
	// ActionDeny: it may not run.
	ActionDeny Action = "deny"
)

// A Verdict is what the policy of a Shell says of a command.
type Verdict struct {
	Action Action
	// Reason says to a model what is wrong and what to change. It is empty for
	// ActionAllow.
	Reason string
	// Rule names the configuration that decided, as field or field: entry, such as
	// DeniedCommands: rm. It is empty when none did: when the command is allowed, and
	// when it cannot be read.
	Rule string
	// Commands are the commands found in the text, wherever they stand, as they are
	// written but for their quotes, each once. A question mark stands for those that
	// are not known before they run. It is empty when the text cannot be read.
	Commands []string
}

// Check says what the policy would do with a command outside of any Run, and runs nothing. It is what
// every call is judged by (which can be refused for other reasons, too). Names of
// programs are looked up in the directory and with the PATH that commands have. It works when
// AllowShell is false and after Close, and is safe for concurrent use.
func (s *Shell) Check(command string) Verdict { return s.outside.Check(command) }

// Check is (*Shell).Check for a command of the Run: with its variables, and in the directory where
// its next command would run.
func (r *Run) Check(command string) Verdict {
	if reason := r.shell.tooLong(command); reason != "" {
		return Verdict{Action: ActionDeny, Reason: reason, Rule: "MaxCommandBytes"}
	}
	return r.shell.verdict(r.line(command, r.Dir()))
}

func (s *Shell) verdict(l policy.Line) Verdict {
	v := s.policy.Judge(l)
	out := Verdict{Action: ActionDeny, Reason: v.Reason, Rule: v.Rule, Commands: v.Commands}
	switch v.Decision {
	case policy.Allow:
		out.Action = ActionAllow
	case policy.Ask:
		out.Action = ActionAsk
	}
	return out
}

// line is a command of r in dir as the policy takes it.
func (r *Run) line(command, dir string) policy.Line {
	return policy.Line{Text: command, Dir: dir, Path: environ.Get(r.env, "PATH")}
}

// tooLong says what is wrong with the length of a command, if anything is.
func (s *Shell) tooLong(command string) string {
	n := s.maxCommand()
	if len(command) <= n {
		return ""
	}
	return fmt.Sprintf("The command is %d bytes long, and may be %d. Write it to a file in smaller pieces and run the file.", len(command), n)
}
