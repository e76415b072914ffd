package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/einoshell/einoshell/internal/output"
)

// Keys of tool.CallbackOutput.Extra, for callback handlers that want more than
// the text a model gets.
const (
	// ExtraResult holds the *Result of a command that ran or runs.
	ExtraResult = "einoshell.result"
	// ExtraDenied holds the *DeniedError of a call that was refused.
	ExtraDenied = "einoshell.denied"
)

// A shellTool is one tool of a Shell, as Eino takes it.
type shellTool struct {
	shell  *Shell
	name   string
	typ    string // in Eino's callbacks
	params *schema.ParamsOneOf
	// desc describes the tool to a model, for commands that run in dir; described is that for
	// the Config's: asking often costs nothing.
	desc      func(dir string) string
	described string
	// run does what a call asks for. The error is a *DeniedError or one that the host
	// must deal with.
	run func(ctx context.Context, em *emitter, arguments string) (*reply, error)
}

var (
	_ tool.InvokableTool = (*shellTool)(nil)
	_ components.Checker = (*shellTool)(nil)
	_ components.Typer   = (*shellTool)(nil)
)

// A reply is what a call comes to.
type reply struct {
	text   string
	result *Result // nil when it is not about one command
}

// Info describes the tool.
func (t *shellTool) Info(ctx context.Context) (*schema.ToolInfo, error) {
	desc := t.described
	if r := t.shell.RunOf(ctx); r != nil && r.base != t.shell.c.Dir {
		desc = t.desc(r.base)
	}
	return &schema.ToolInfo{Name: t.name, Desc: desc, ParamsOneOf: t.params}, nil
}

// GetType names the tool in Eino's callbacks.
func (t *shellTool) GetType() string { return t.typ }

// IsCallbacksEnabled tells Eino that the tool calls callbacks by itself: only
// so does the structured result reach them.
func (t *shellTool) IsCallbacksEnabled() bool { return true }

// InvokableRun does what a model asks for. The error is one that the host must deal with;
// everything else is text for the model.
func (t *shellTool) InvokableRun(ctx context.Context, arguments string, _ ...tool.Option) (string, error) {
	ctx = callbacks.EnsureRunInfo(ctx, t.GetType(), components.ComponentOfTool)
	ctx = callbacks.OnStart(ctx, &tool.CallbackInput{ArgumentsInJSON: arguments})
	text, extra, err := t.invoke(ctx, arguments)
	if err != nil {
		callbacks.OnError(ctx, err)
		return "", err
	}
	callbacks.OnEnd(ctx, &tool.CallbackOutput{Response: text, Extra: extra})
	return text, nil
}

func (t *shellTool) invoke(ctx context.Context, arguments string) (string, map[string]any, error) {
	s := t.shell
	r, err := t.run(ctx, s.emitter(ctx, t.name, compose.GetToolCallID(ctx)), arguments)
	var denied *DeniedError
	if errors.As(err, &denied) {
		text := output.First(denied.Error(), s.c.MaxOutputChars) // the beginning says what it is
		if s.c.ResultFormat == formatJSON {
			text = denied.object(s.runOf(ctx).Dir(), s.c.MaxOutputChars)
		}
		return text, map[string]any{ExtraDenied: denied}, nil
	}
	if err != nil {
		return "", nil, err
	}
	if r.result != nil {
		return r.text, map[string]any{ExtraResult: r.result}, nil
	}
	return r.text, nil, nil
}

// attend begins a call of a tool that starts nothing. done must be called at its end.
func (t *shellTool) attend(em *emitter, wrong string) (done func(), err error) {
	done, err = em.run.begin()
	if err != nil {
		return nil, err
	}
	deny := func(kind DenialKind, reason, rule string) error {
		return &DeniedError{Kind: kind, Reason: reason, Rule: rule, nothing: true}
	}
	switch {
	case !em.allowed:
		err = deny(DeniedShellOff, shellOff, "AllowShell")
	case em.run.fault != nil:
		err = em.run.fault
	case wrong != "":
		err = deny(DeniedArguments, wrong, "")
	case t.shell.c.ToolPolicy[t.name] == ActionAsk:
		err = deny(DeniedPolicy, fmt.Sprintf("The tool %s wants an approval for every call.", t.name)+nobodyToAsk, "ToolPolicy: "+t.name)
	}
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// toolset are all tools there are, in the order in which they are offered.
var toolset = []struct {
	name  string
	make  func(*Shell) (*shellTool, error)
	optIn bool // only where Config.Tools names it
}{
	{runCommandName, newRunCommand, false},
	{startCommandName, newStartCommand, false},
	{checkCommandName, newCheckCommand, false},
	{stopCommandName, newStopCommand, false},
	{listCommandsName, newListCommands, true},
	{sendInputName, newSendInput, true},
	{persistentName, newPersistent, true},
}

// toolNames are the names of all tools, or of those that there are without being named.
func toolNames(all bool) []string {
	var names []string
	for _, t := range toolset {
		if all || !t.optIn {
			names = append(names, t.name)
		}
	}
	return names
}

// offers reports whether a model gets a tool.
func (s *Shell) offers(name string) bool {
	return s.c.AllowShell && slices.Contains(s.c.Tools, name) && s.c.ToolPolicy[name] != ActionDeny
}

// newTools makes the tools that s offers.
func (s *Shell) newTools() ([]tool.BaseTool, error) {
	var list []tool.BaseTool
	for _, each := range toolset {
		if !s.offers(each.name) {
			continue
		}
		t, err := each.make(s)
		if err != nil {
			return nil, err
		}
		t.shell, t.name, t.described = s, each.name, t.desc(s.c.Dir)
		list = append(list, t)
	}
	return list, nil
}
