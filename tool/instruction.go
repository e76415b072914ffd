package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Instruction says in a few sentences what a model should know of s that it does not read in the descriptions of single
// tools, for the instruction of an agent. other is the name of a tool that runs commands with s and is not one of its own, such as execute;
// empty when there is none. There are no braces in it, which Eino would take for a place to fill in. It is empty when calls with ctx are not let in.
func (s *Shell) Instruction(ctx context.Context, other string) string {
	if !s.Allowed(ctx) {
		return ""
	}
	where := "in a directory that pwd tells"
	if dir := s.runOf(ctx).Dir(); !strings.ContainsAny(dir, "{}") {
		where = "in " + dir
	}
	waits := runCommandName
	if other != "" {
		waits = other
	} else if !s.offers(runCommandName) {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s runs commands with %s %s and waits for them", waits, s.shellName(), where)
	if other == "" && s.offers(startCommandName) {
		fmt.Fprintf(&b, "; what is to go on meanwhile, such as a server, is for %s", startCommandName)
	}
	b.WriteString(". Nobody is there to answer a question of a program. ")
	if other != "" {
		fmt.Fprintf(&b, "A command ends after %s seconds, and so does what it leaves in the background when it has ended. ", seconds(s.c.Timeout))
	}
	if s.c.SpillBytes > 0 {
		b.WriteString("When a result names a file with the rest of the output, search that instead of running the command again. ")
	}
	if s.c.ResultFormat == formatJSON && other == "" {
		b.WriteString("An object with retryable true says why a command was not run and what to change.")
	} else {
		b.WriteString("A result that starts with \"Command not run:\" says why and what to change.")
	}
	return strings.NewReplacer("{", "", "}", "").Replace(b.String())
}

// Names returns the names of the tools of s.
func (s *Shell) Names() []string {
	var names []string
	for _, t := range s.tools {
		names = append(names, t.(*shellTool).name)
	}
	return slices.Clip(names)
}
