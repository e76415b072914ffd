package command

import (
	"path"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// comes notes that the output of commands is in the word.
func (f *fragments) comes(names []string) {
	if len(names) > 0 && len(f.from) < mostFrom {
		f.from = append(f.from[:len(f.from):len(f.from)], names...)
	}
}

// mostFrom is how many commands are remembered that something comes from, about.
const mostFrom = 20

// names are the commands found since mark, by the last elements of their names.
func (w *walker) names(mark int) (list []string) {
	if w.fault != nil {
		return nil
	}
	for i := mark; i < len(w.script.Invocations) && len(list) < mostFrom; i++ {
		if name := path.Base(w.script.Invocations[i].Name()); name != "." && len(name) <= 256 && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// substitution walks $(…) and `…`, and returns the names of the commands in it.
func (w *walker) substitution(c *syntax.CmdSubst, at where) []string {
	mark := len(w.script.Invocations)
	if c.Backquotes {
		w.operator("`")
	} else {
		w.operator("$(")
	}
	w.inside(c.Stmts, c, at, at.stdin)
	return w.names(mark)
}

// process walks <(…) and >(…), and returns what can be read from the first, if it is
// known.
func (w *walker) process(c *syntax.ProcSubst, at where) *string {
	w.operator(Operator(c.Op.String()))
	stdin := at.stdin
	if c.Op != syntax.CmdIn {
		stdin = input{given: true}
	}
	w.inside(c.Stmts, c, at, stdin)
	if c.Op == syntax.CmdIn && len(c.Stmts) == 1 {
		return w.output(c.Stmts[0], stdin)
	}
	return nil
}

func (w *walker) inside(stmts []*syntax.Stmt, n syntax.Node, at where, stdin input) {
	at, ok := w.deeper(at)
	if !ok {
		return
	}
	w.mark(n, false, false, at)
	at.place |= InSubstitution
	at.until = int(n.End().Offset())
	if c, ok := n.(*syntax.CmdSubst); ok && c.Backquotes {
		at.backquoted = true
	}
	at.straight, at.redirs, at.stdin, at.arithmetic = false, nil, stdin, false
	at.stdin.text, at.output = nil, true
	w.stmts(stmts, at)
}
