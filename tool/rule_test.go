//go:build unix

package tool_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/einoshell/einoshell/tool"
)

// ToolPolicy says what becomes of the calls of a tool.
func TestToolPolicy(t *testing.T) {
	run := func(policy map[string]tool.Action, rules []tool.Rule, command string) string {
		t.Helper()
		s := newShell(t, func(c *tool.Config) { c.ToolPolicy, c.Rules = policy, rules })
		r, err := s.Exec(context.Background(), tool.Request{Command: command})
		if err != nil || *r.ExitCode != 0 {
			t.Errorf("Exec is no tool: %v", err)
		}
		if policy["run_command"] == tool.ActionDeny {
			for _, each := range s.Tools() {
				if info, err := each.Info(context.Background()); err != nil || info.Name == "run_command" {
					t.Errorf("%v, %s", err, info.Name)
				}
			}
			return ""
		}
		return call(t, s, command)
	}
	allow := []tool.Rule{{Pattern: []string{"echo"}, Action: tool.ActionAllow}, {Pattern: []string{"true"}, Action: tool.ActionAllow}}
	for _, tt := range []struct {
		policy  map[string]tool.Action
		rules   []tool.Rule
		command string
		want    string
	}{
		{nil, nil, "echo a", "[stdout]\na\n"},
		{map[string]tool.Action{"run_command": tool.ActionAllow}, nil, "echo a", "[stdout]\na\n"},
		{map[string]tool.Action{"run_command": tool.ActionDeny}, nil, "echo a", ""},
		{map[string]tool.Action{"run_command": tool.ActionAsk}, nil, "echo a", "Command not run: The tool run_command wants an approval for every command."},
		{map[string]tool.Action{"run_command": tool.ActionAsk}, allow, "echo a && true", "[stdout]\na\n"},
		{map[string]tool.Action{"run_command": tool.ActionAsk}, allow, "echo a; ls /", "Command not run: The tool run_command wants an approval"},
		{map[string]tool.Action{"run_command": tool.ActionAsk}, allow, "echo a > f", "Command not run: The tool run_command wants an approval"},
		{map[string]tool.Action{"run_command": tool.ActionAsk}, allow, "echo a 2>&1 2>/dev/null", "[stdout]\na\n"},
		{map[string]tool.Action{"run_command": tool.ActionAsk}, allow, "PATH=/bin echo a", "Command not run: The tool run_command wants an approval"},
	} {
		if got := run(tt.policy, tt.rules, tt.command); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%v, %s: %q", tt.policy, tt.command, got)
		}
	}
}

// What can have no effect is an error, and names the field.
func TestPolicyFaults(t *testing.T) {
	for _, tt := range []struct {
		change func(*tool.Config)
		field  string
	}{
		{func(c *tool.Config) { c.Guards = map[string]tool.GuardAction{"secret": tool.GuardDeny} }, "Guards"},
		{func(c *tool.Config) { c.Guards = map[string]tool.GuardAction{"secrets": "on"} }, "Guards"},
		{func(c *tool.Config) { c.Rules = []tool.Rule{{Pattern: []string{"git"}}} }, "Rules"},
		{func(c *tool.Config) { c.Rules = []tool.Rule{{Action: tool.ActionDeny}} }, "Rules"},
		{func(c *tool.Config) { c.Rules = []tool.Rule{{Pattern: []string{"rm x"}, Action: tool.ActionAllow}} }, "Rules"}, // the built-in list denies it
		{func(c *tool.Config) {
			c.Rules = []tool.Rule{{Pattern: []string{"git push"}, Action: tool.ActionDeny, Match: []string{"git pull"}}}
		}, "Rules"},
		{func(c *tool.Config) { c.ToolPolicy = map[string]tool.Action{"run": tool.ActionDeny} }, "ToolPolicy"},
		{func(c *tool.Config) { c.ToolPolicy = map[string]tool.Action{"run_command": "supervise"} }, "ToolPolicy"},
	} {
		c := tool.Default(t.TempDir())
		c.AllowShell = false
		tt.change(&c)
		_, err := tool.New(context.Background(), c)
		var f *tool.FieldError
		if !errors.As(err, &f) || f.Field != tt.field {
			t.Errorf("%s: %v", tt.field, err)
		}
	}
}

// A refusal by a rule names the rule and says what its author has to say.
func TestRuleReason(t *testing.T) {
	s := newShell(t, func(c *tool.Config) {
		c.Rules = []tool.Rule{{Pattern: []string{"git", "push"}, Action: tool.ActionDeny, Reason: "Open a pull request instead", Match: []string{"git -C d push"}}}
	})
	v := s.Check("make && git -q push origin x")
	if v.Action != tool.ActionDeny || v.Rule != "Rules: git push" || v.Reason != "The rule 'git push' does not allow 'git -q push origin x'. Open a pull request instead." {
		t.Errorf("%+v", v)
	}
}
