//go:build unix

package tool_test

import (
	"context"
	"flag"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/shlex"

	"github.com/einoshell/einoshell/tool"
)

// A scenario is a command, and what the policy is to say of it.
type scenario struct {
	number, at string
	flags      []string
	action     tool.Action
	contains   string // in rule and reason
	command    string
}

// readScenarios reads a file of testdata/policy; see the README there.
func readScenarios(t *testing.T, file string) []scenario {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []scenario
	var s scenario
	var text []string
	end := func() {
		if text == nil {
			return
		}
		s.command = strings.Join(text, "\n")
		if slices.Contains(s.flags, "-quoted") {
			if s.command, err = strconv.Unquote(s.command); err != nil {
				t.Fatalf("%s: %v: %s", s.at, err, text)
			}
		}
		if s.action == "" {
			s.action = tool.ActionAllow
		}
		if s.number == "" {
			t.Fatalf("%s: no case or no action", s.at)
		}
		list = append(list, s)
		text = nil
	}
	for i, line := range strings.Split(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			if text == nil {
				s.at = filepath.Base(file) + ":" + strconv.Itoa(i+1)
			}
			text = append(text, rest)
			continue
		}
		end()
		first, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || line[0] == '#':
		case first == "allow" || first == "ask" || first == "deny":
			s.action, s.contains = tool.Action(first), rest
		default:
			s = scenario{number: first}
			if s.flags, err = shlex.Split(strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(rest, ">", `\>`), "&", `\&`), "|", `\|`)); err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
		}
	}
	end()
	if len(list) == 0 {
		t.Fatalf("%s: no scenarios", file)
	}
	return list
}

// config is the policy of a scenario.
func (s scenario) config(t *testing.T) tool.Config {
	t.Helper()
	var c tool.Config
	split := func(list *[]string) func(string) error {
		return func(v string) error {
			if *list = []string{}; v != "" {
				*list = strings.Split(v, ",")
			}
			return nil
		}
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.Func("allow", "", split(&c.AllowedCommands))
	flags.Func("deny", "", split(&c.DeniedCommands))
	flags.Func("operators", "", split(&c.DeniedOperators))
	flags.BoolVar(&c.AllowInteractive, "interactive", false, "")
	flags.StringVar(&c.DynamicCommands, "dynamic", "deny", "")
	flags.Bool("quoted", false, "")
	guards := flags.String("guards", "none", "")
	flags.Func("rule", "", func(v string) error {
		action, pattern, _ := strings.Cut(v, " ")
		c.Rules = append(c.Rules, tool.Rule{Pattern: []string{pattern}, Action: tool.Action(action)})
		return nil
	})
	shell := flags.String("shell", "sh", "")
	if err := flags.Parse(s.flags); err != nil || flags.NArg() > 0 {
		t.Fatalf("%s: %v: %q", s.at, err, s.flags)
	}
	c.Shell = []string{*shell, "-c"}
	if *guards != "all" {
		c.Guards = map[string]tool.GuardAction{}
	}
	return c
}

// The policy says of all commands in testdata/policy what it should, and through the tool
// those that are refused start nothing. Those that are not are run, on stubs of the programs in
// them.
func TestPolicyScenarios(t *testing.T) {
	files, err := filepath.Glob("../testdata/policy/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == everyday })
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			for i, s := range readScenarios(t, file) {
				s.try(t, !testing.Short() || i%8 == 0)
			}
		})
	}
}

// try judges s and, with run, puts it through the tool.
func (s scenario) try(t *testing.T, run bool) {
	t.Helper()
	c := s.config(t)
	judge, err := tool.New(context.Background(), c)
	if err != nil {
		t.Errorf("%s: %s: %v", s.at, s.number, err)
		return
	}
	v := judge.Check(s.command)
	if v.Action != s.action || !strings.Contains(v.Rule+" "+v.Reason, s.contains) {
		t.Errorf("%s: %s: %q: %+v\nwant %s %s", s.at, s.number, s.command, v, s.action, s.contains)
		return
	}
	if (v.Reason == "") != (v.Action == tool.ActionAllow) {
		t.Errorf("%s: %s: %+v", s.at, s.number, v)
	}
	if !run {
		return
	}
	programs, dir, log := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "log")
	// Whatever is in it notes that it ran.
	for _, name := range append(v.Commands, "rm", "ls", "id", "touch", "curl", "wget", "git", "sh", "bash") {
		if name = path.Base(name); name != "." && name != "/" && name != "?" && len(name) < 50 {
			if err := os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\necho ran >>"+log+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.AllowShell, c.Dir, c.Env.Set = true, dir, map[string]string{"PATH": programs}
	sh, err := tool.New(context.Background(), c)
	if err != nil {
		t.Fatalf("%s: %v", s.at, err)
	}
	defer sh.Close()
	var rec recorder
	ctx := sh.WithEventSink(context.Background(), rec.sink)
	var got string
	if utf8.ValidString(s.command) {
		got = callCtx(t, ctx, sh, s.command)
	} else if r, err := sh.Exec(ctx, tool.Request{Command: s.command}); err != nil { // (JSON has no such bytes)
		got = err.Error()
	} else {
		got = r.Text()
	}
	refused := strings.HasPrefix(got, "Command not run: ")
	if refused != (s.action != tool.ActionAllow) {
		t.Errorf("%s: %s: %q: the tool says %q", s.at, s.number, s.command, got)
	}
	if !refused {
		return
	}
	if d := rec.denied(t); d.Kind != tool.DeniedPolicy || d.Rule != v.Rule || !strings.HasPrefix(got, "Command not run: "+v.Reason) {
		t.Errorf("%s: %s: %+v, %q", s.at, s.number, d, got)
	}
	entries, _ := os.ReadDir(dir)
	if _, err := os.Stat(log); err == nil || len(entries) > 0 {
		t.Errorf("%s: %s: %q was refused, and something ran: %v", s.at, s.number, s.command, entries)
	}
}
