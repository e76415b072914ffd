package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
	"github.com/einoshell/einoshell/internal/output"
)

// covers says which operators of the grammar an entry of the denied ones stands for: each
// for itself and for those that do the same and more. Copying a descriptor (2>&1) is an
// operator of its own, since it makes no file, and redirections to or from /dev/null are
// none at all.
var covers = map[string][]command.Operator{
	">":   {">", ">>", ">|", "<>", "&>", "&>>"},
	">>":  {">>", "&>>"},
	">|":  {">|"},
	"&>":  {"&>", "&>>"},
	"&>>": {"&>>"},
	">&":  {">&"},
	"<":   {"<", "<>", "<<", "<<-", "<<<"},
	"<>":  {"<>"},
	"<<":  {"<<", "<<-", "<<<"},
	"<<-": {"<<-"},
	"<<<": {"<<<"},
	"<&":  {"<&"},
	"|":   {"|", "|&"},
	"|&":  {"|&"},
	"||":  {"||"},
	"&&":  {"&&"},
	"&":   {"&"},
	";":   {";", "\n"},
	"\n":  {"\n"},
	"$(":  {"$(", "`"},
	"`":   {"`", "$("},
	"<(":  {"<("},
	">(":  {">("},
	"(":   {"("},
	"{":   {"{"},
	"!":   {"!"},
}

// operators looks for the operators of a script among the denied ones, in the order in which
// those were given.
func (p *Policy) operators(script *command.Script) Verdict {
	for _, denied := range p.c.Operators {
		ops := covers[denied]
		if denied == ";" && p.c.Shell == command.Cmd {
			ops = append(slices.Clone(ops), "&") // what a semicolon does elsewhere
		}
		for _, op := range ops {
			if !slices.Contains(script.Operators, op) {
				// A program that writes a file by an option does what > does.
				if i := slices.IndexFunc(script.Invocations, func(inv command.Invocation) bool { return len(inv.Writes) > 0 }); i >= 0 && op == ">" {
					inv := &script.Invocations[i]
					return deny("DeniedOperators: "+denied, fmt.Sprintf("Shell operator %s is not allowed, and %s writes to %s without it. Leave that out.",
						output.Quote(denied, quoted), show(inv.Name()), show(inv.Writes[0].Text)))
				}
				continue
			}
			used := ""
			if string(op) != denied {
				used = fmt.Sprintf(" (%s counts as that)", output.Quote(string(op), quoted))
			}
			return deny("DeniedOperators: "+denied, fmt.Sprintf("Shell operator %s is not allowed%s. Write the command without it.", output.Quote(denied, quoted), used))
		}
	}
	return Verdict{Decision: Allow}
}

// rawOperators looks for the denied ones that are no operators, which may be given for the
// shells of Windows, anywhere in a text.
func (p *Policy) rawOperators(text string) Verdict {
	for _, op := range p.c.Operators {
		if _, known := covers[op]; !known && strings.Contains(text, op) {
			return deny("DeniedOperators: "+op, fmt.Sprintf("Shell operator %s is not allowed. Write the command without it.", output.Quote(op, quoted)))
		}
	}
	return Verdict{Decision: Allow}
}
