package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An input is what a command reads from its standard input.
type input struct {
	// given says that there is more than the null device; text is what it is, when
	// it is known.
	given bool
	text  *string
	// file says that it is a file, and redirected that it was said what it is.
	file, redirected bool
}

// A walker walks one text.
type walker struct {
	*reader
	text  string // as parsed
	given string // as given: the same, but for strange bytes
	d     dialect
	scope scope

	vars variables
	// functions are those certainly defined by now.
	functions map[string]bool
	// spans are collected when asks says that there are places to look for.
	spans []span
	asks  bool
	// stdinMoved says that exec has changed what the shell reads.
	stdinMoved bool
}

// A where is where in a text a statement stands.
type where struct {
	place    Place
	via      []string
	stdin    input
	output   bool
	sh       bool // what is nested may be read as dash does
	pipes    []Stage
	function string // in whose body it is
	// straight says that it is certainly run, in this shell, before what follows.
	straight bool
	// until is where the substitution ends that it is in, 0 for none.
	until int
	// backquoted says that the text there is not as in the tree: backslashes are.
	backquoted bool
	// arithmetic says that it is within $((…)).
	arithmetic bool
	depth      int
	redirs     []Redirect // of the statement itself
}

// mark notes where quotes are, or code in them.
func (w *walker) mark(n syntax.Node, quoted, literal bool, at where) {
	from, to := n.Pos(), n.End()
	// (Within backquotes all is code: the positions are not to be relied on.)
	if w.asks && from.IsValid() && to.IsValid() && !at.backquoted {
		w.spans = append(w.spans, span{int(from.Offset()), int(to.Offset()), quoted, literal})
	}
}

// deeper is at one level down. ok is false when it is too deep.
func (w *walker) deeper(at where) (where, bool) {
	at.depth++
	if at.depth > maxNesting {
		w.fail(tooDeep())
	}
	return at, w.fault == nil
}

// operator notes that one is used.
func (w *walker) operator(op Operator) {
	if !slices.Contains(w.script.Operators, op) {
		w.script.Operators = append(w.script.Operators, op)
	}
}

func (w *walker) stmts(list []*syntax.Stmt, at where) {
	for i, s := range list {
		if w.fault != nil {
			return
		}
		if i < len(list)-1 && !s.Background {
			if s.Semicolon.IsValid() {
				w.operator(";")
			} else {
				w.operator("\n")
			}
		}
		w.stmt(s, at)
	}
}

func (w *walker) stmt(s *syntax.Stmt, at where) {
	if s.Background {
		w.operator("&")
		at.place |= InBackground
		at.straight = false
	}
	if s.Negated {
		w.operator("!")
	}
	at.redirs = nil
	if len(s.Redirs) > 0 {
		at.redirs = make([]Redirect, 0, len(s.Redirs))
	}
	for _, r := range s.Redirs {
		at.redirs = append(at.redirs, w.redirect(r, &at))
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.call(c, at)
		return
	case *syntax.DeclClause:
		w.declare(c, at)
		return
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			w.arithm(x, at)
		}
		w.emit(Invocation{Words: []Word{known("let")}}, at)
		return
	}
	if len(at.redirs) > 0 {
		w.emit(Invocation{}, at)
	}
	if s.Cmd == nil {
		return
	}
	var ok bool
	if at, ok = w.deeper(at); !ok {
		return
	}
	at.redirs = nil
	inner := at
	inner.straight = false
	if inner.stdin.text != nil {
		// Whoever comes first may read a part of it.
		inner.stdin.text = nil
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
			w.chain(c, at)
		} else {
			w.pipeline(s, at)
		}
	case *syntax.Subshell:
		w.operator("(")
		w.stmts(c.Stmts, inner)
	case *syntax.Block:
		w.operator("{")
		w.stmts(c.Stmts, inner)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			w.stmts(c.Cond, inner)
			w.stmts(c.Then, inner)
		}
	case *syntax.WhileClause:
		w.stmts(c.Cond, inner)
		w.stmts(c.Do, inner)
	case *syntax.ForClause:
		if c.Select {
			w.emit(Invocation{Words: []Word{known("select")}, Keyword: true}, inner)
		}
		w.loop(c.Loop, inner)
		w.stmts(c.Do, inner)
	case *syntax.CaseClause:
		w.word(c.Word, inner)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				w.word(p, inner)
			}
			w.stmts(item.Stmts, inner)
		}
	case *syntax.FuncDecl:
		w.function(c, at, inner)
	case *syntax.ArithmCmd:
		w.arithm(c.X, inner)
	case *syntax.TestClause:
		w.test(c.X, inner)
	case *syntax.TimeClause:
		w.time(c, at)
	case *syntax.CoprocClause:
		// It is joined to the shell by two pipes and goes on beside it.
		w.operator("&")
		w.operator("|")
		if c.Name != nil {
			name := w.word(c.Name, inner)
			w.vars.unsure = w.vars.unsure || !name.Known
			note(&w.vars.arrays, name.Text)
			w.assign(name.Text, value{unknown: true}, inner)
		}
		inner.place |= InBackground
		inner.stdin = input{given: true}
		if _, joined := c.Stmt.Cmd.(*syntax.BinaryCmd); c.Name != nil && c.Stmt.Cmd != nil && first(c.Stmt) == nil && !joined {
			w.stmt(c.Stmt, inner)
			return
		}
		// (Of a plain command the parser does not say where it begins, takes its first word
		// for a name sometimes, and knows no assignments in it.)
		end := c.Stmt.End()
		if call := first(c.Stmt); call != nil {
			for _, a := range call.Assigns { // behind the words, where it believes there are some
				if a.End().After(end) {
					end = a.End()
				}
			}
		}
		w.again("coproc", c.Coproc, end, inner)
	default:
		w.fail(faultf("The command uses a construct that is not known here. Write it in another way."))
	}
}

// chain walks a && b || c, which the tree holds from the right.
func (w *walker) chain(c *syntax.BinaryCmd, at where) {
	var room [8]*syntax.Stmt
	parts := room[:0]
	for {
		parts = append(parts, c.Y)
		w.operator(Operator(c.Op.String()))
		x, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || x.Op != syntax.AndStmt && x.Op != syntax.OrStmt || len(c.X.Redirs) > 0 || c.X.Negated || c.X.Background {
			parts = append(parts, c.X)
			break
		}
		c = x
	}
	slices.Reverse(parts)
	for i, s := range parts {
		if i > 0 {
			at.straight = false
		}
		w.stmt(s, at)
	}
}

// pipeline walks a | b | c.
func (w *walker) pipeline(s *syntax.Stmt, at where) {
	var room, more [8]*syntax.Stmt
	stages := room[:0]
	all := false // the standard error is in it, too
	for left := append(more[:0], s); len(left) > 0; {
		last := left[len(left)-1]
		left = left[:len(left)-1]
		if c, ok := last.Cmd.(*syntax.BinaryCmd); ok && c.Op != syntax.AndStmt && c.Op != syntax.OrStmt {
			w.operator(Operator(c.Op.String()))
			all = all || c.Op == syntax.PipeAll
			left = append(left, c.Y, c.X) // the left one first
			continue
		}
		stages = append(stages, last)
	}
	w.pipelines++
	number, outer := w.pipelines, at.pipes
	at.straight = false
	output := at.output
	for i, stage := range stages {
		at.pipes = append(outer[:len(outer):len(outer)], Stage{number, i})
		at.output = output || i < len(stages)-1
		if i > 0 {
			at.stdin = input{given: true, text: w.output(stages[i-1], at.stdin)}
			if all {
				at.stdin.text = nil
			}
		}
		w.stmt(stage, at)
	}
}

func (w *walker) loop(l syntax.Loop, at where) {
	switch l := l.(type) {
	case *syntax.WordIter:
		if !l.InPos.IsValid() {
			w.assign(l.Name.Value, value{unknown: true}, at) // over the arguments
		}
		for _, item := range l.Items {
			for _, f := range w.fields(item, at) {
				x := numeric(f)
				if !f.Known && !f.globs {
					// (Names of files may be put in the place of what is in a variable.)
					x = w.wordValue(item).cut()
				}
				w.assign(l.Name.Value, x, at)
				w.maybe(l.Name.Value, f)
			}
		}
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{l.Init, l.Cond, l.Post} {
			w.arithm(x, at)
		}
	}
}

// mostMay is how many texts are remembered that a variable may hold.
const mostMay = 20

// maybe notes that a loop puts a word into a variable.
func (w *walker) maybe(name string, word Word) {
	if len(w.vars.may[name]) >= mostMay || len(word.Text) > 1024 {
		return
	}
	if w.vars.may == nil {
		w.vars.may = map[string][]string{}
	}
	w.vars.may[name] = append(w.vars.may[name], word.Text)
}

func (w *walker) function(c *syntax.FuncDecl, at, inner where) {
	if c.Name == nil {
		w.fail(faultf("The command defines a function without a name. Give it one."))
		return
	}
	note(&w.vars.functions, c.Name.Value)
	inner.place = inner.place&^InBackground | InFunction
	// It is called with an input and arguments of its own.
	inner.stdin = input{given: true}
	inner.pipes, inner.function = nil, c.Name.Value
	w.stmt(c.Body, inner)
	// (Its name is a function in its own body, too, but the body is run only after.)
	if at.straight {
		note(&w.functions, c.Name.Value)
	}
}

// time walks the keyword of bash. Options before the command are the keyword's.
func (w *walker) time(c *syntax.TimeClause, at where) {
	if c.Stmt == nil {
		return
	}
	call := first(c.Stmt)
	if call != nil && len(call.Assigns) == 0 && len(call.Args) > 0 && strings.HasPrefix(call.Args[0].Lit(), "-") && call.Args[0].Lit() != "--" && handles(timeDashes) {
		w.fail(faultf("time has an option that its program knows and the keyword of bash does not. Leave it out."))
		return
	}
	if call != nil && len(call.Assigns) == 0 && len(call.Args) > 0 && call.Args[0].Lit() == "--" && handles(timeDashes) {
		// The parser takes it for the command. What follows is read anew: it may be a
		// keyword.
		at.straight = false
		w.again("--", c.Stmt.Pos(), c.Stmt.End(), at)
		return
	}
	w.stmt(c.Stmt, at)
}

// first is the plain command that a statement begins with, nil where there is none.
func first(s *syntax.Stmt) *syntax.CallExpr {
	for {
		switch c := s.Cmd.(type) {
		case *syntax.BinaryCmd:
			s = c.X
		case *syntax.CallExpr:
			return c
		default:
			return nil
		}
	}
}

// again reads a part of the text by itself, from behind token on.
func (w *walker) again(token string, at, to syntax.Pos, where where) {
	from := int(at.Offset())
	if !at.IsValid() || !to.IsValid() || int(to.Offset()) > len(w.text) || from+len(token) > int(to.Offset()) ||
		w.text[from:from+len(token)] != token || where.backquoted {
		w.fail(faultf("The command cannot be read with certainty near time or coproc. Write it in another way."))
		return
	}
	w.nested(w.text[from+len(token):to.Offset()], w.d, where, false)
}
