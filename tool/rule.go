package tool

import (
	"fmt"
	"slices"

	"github.com/einoshell/einoshell/internal/policy"
)

// A GuardAction says what becomes of a command in which a guard finds harm.
type GuardAction string

const (
	// GuardOff: nothing.
	GuardOff GuardAction = "off"
	// GuardAsk: it runs when somebody approves.
	GuardAsk GuardAction = "ask"
	// GuardDeny: it does not run.
	GuardDeny GuardAction = "deny"
)

// Guards returns the names of all guards.
func Guards() []string { return policy.GuardNames() }

// A Rule says what becomes of the commands that begin with some words.
//
// Of all rules that are for a command one that denies counts before one that asks, and that
// before one that allows. One that allows, where none asks, lets the command past
// AllowedCommands, and past what would want an approval for it: guards, DynamicCommands, ToolPolicy. It
// lifts nothing that is denied, and nothing at all in a text that sets PATH or the like, or defines
// a function of that name; of ToolPolicy nothing where files are written or variables set.
//
// A rule that denies or asks is for every command that it may be for: however its name is written
// (/usr/bin/git is git), with options and their values between the words, and with an argument
// that is not known where a word should be. A rule that allows is for what it is for certainly: the
// name as it is written, the words one behind the other, and all of them known.
type Rule struct {
	// Pattern is the words: the name of a command, and arguments, of which more may follow.
	// One string with spaces is split into words as a shell would. In a word a|b stands for
	// a or b, and * for any text.
	Pattern []string
	// Action is ActionAllow, ActionAsk or ActionDeny.
	Action Action
	// Reason says why, and what to do instead. It goes to whoever is refused, and may be
	// empty.
	Reason string
	// Match are commands that the rule must be for, and NotMatch such as it must not be for:
	// New looks, and returns an error when it is otherwise.
	Match, NotMatch []string
}

// rules are the rules of a Config for the policy.
func (c *Config) rules() []policy.Rule {
	var list []policy.Rule
	for _, r := range c.Rules {
		p := policy.Rule{Pattern: slices.Clone(r.Pattern), Decision: -1, Reason: r.Reason, Match: r.Match, NotMatch: r.NotMatch}
		switch r.Action {
		case ActionAllow:
			p.Decision = policy.Allow
		case ActionAsk:
			p.Decision = policy.Ask
		case ActionDeny:
			p.Decision = policy.Deny
		}
		list = append(list, p)
	}
	return list
}

// judge is what the policy of s says of a call.
func (s *Shell) judge(c call) Verdict {
	tool, line := c.head.Tool, c.run.line(c.command, c.dir)
	if c.model {
		tool = runCommandName
	}
	line.Input = c.input
	v := s.verdict(line)
	switch s.c.ToolPolicy[tool] {
	case ActionDeny:
		return Verdict{Action: ActionDeny, Rule: "ToolPolicy: " + tool, Reason: fmt.Sprintf("The tool %s is switched off. Reach the goal without it.", tool), Commands: v.Commands}
	case ActionAsk:
		if v.Action == ActionAllow && !s.policy.Lifted(line) {
			v.Action, v.Rule, v.Reason = ActionAsk, "ToolPolicy: "+tool, fmt.Sprintf("The tool %s wants an approval for every command.", tool)
		}
	}
	return v
}
