package command

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// bash evaluates the value of a variable in arithmetic as an expression, and that of
// the variables named there, and so on; and in a subscript it runs substitutions: with
// v='a[$(rm x)]', $((v)) runs rm. So arithmetic is fine as long as all variables in it
// have values in which no bracket is.

// arithm walks an arithmetic expression.
func (w *walker) arithm(x syntax.ArithmExpr, at where) {
	for x != nil && w.fault == nil {
		switch e := x.(type) {
		case *syntax.BinaryArithm:
			if assigns(e.Op) {
				if word, ok := e.X.(*syntax.Word); ok {
					if name := word.Lit(); name != "" {
						w.assign(name, value{}, at)
					}
				}
			}
			var ok bool
			if at, ok = w.deeperRight(e, at); !ok {
				return
			}
			x = e.X
		case *syntax.UnaryArithm:
			if word, ok := e.X.(*syntax.Word); ok && (e.Op == syntax.Inc || e.Op == syntax.Dec) {
				w.assign(word.Lit(), value{}, at)
			}
			x = e.X
		case *syntax.ParenArithm:
			x = e.X
		case *syntax.Word:
			w.operand(e, at)
			return
		default:
			w.fail(faultf("The arithmetic cannot be read with certainty. Write it in another way."))
			return
		}
	}
}

// deeperRight walks the right side. (The left one, which is the long one in a chain, is
// walked in a loop.)
func (w *walker) deeperRight(e *syntax.BinaryArithm, at where) (where, bool) {
	deeper, ok := w.deeper(at)
	if ok {
		w.arithm(e.Y, deeper)
	}
	return at, w.fault == nil
}

func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn,
		syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn, syntax.AndBoolAssgn, syntax.OrBoolAssgn, syntax.XorBoolAssgn, syntax.PowAssgn:
		return true
	}
	return false
}

// operand walks a word in arithmetic.
func (w *walker) operand(word *syntax.Word, at where) {
	if at.arithmetic {
		// Quotes are letters there for some shells, and quotes for the parser.
		f := &fragments{}
		for _, p := range word.Parts {
			switch p := p.(type) {
			case *syntax.SglQuoted, *syntax.DblQuoted:
				w.fail(faultf("The quotes in $((…)) are not read in the same way everywhere. Leave them out."))
				return
			case *syntax.ParamExp:
				w.param(p, at, true)
			default:
				w.part(p, at, f, nil)
			}
		}
	} else {
		w.word(word, at)
	}
	w.evaluates(w.wordValue(word), at, show(w.source(word))+" is evaluated as arithmetic")
}

// evaluates says that bash evaluates a value.
func (w *walker) evaluates(x value, at where, why string) {
	if w.d != bash || !handles(evaluatedValues) {
		return
	}
	if x.unknown {
		w.dynamic(why+", and what is in it is not known: bash would run a substitution there", useNumbers, at)
		return
	}
	for _, name := range x.names {
		w.vars.needed = append(w.vars.needed, use{name: name, at: at})
	}
}

// reference says that the value of name is taken for the name of a variable.
func (w *walker) reference(name string, at where) {
	if s, ok := w.vars.value(name); ok && identifier(s) {
		return
	}
	w.dynamic("the value of "+name+" is taken for the name of a variable", useNames, at)
}

// subscript walks what is in the brackets behind name.
func (w *walker) subscript(name string, x syntax.ArithmExpr, at where) {
	word, ok := x.(*syntax.Word)
	if ok && (word.Lit() == "@" || word.Lit() == "*") {
		return
	}
	if ok && w.vars.associative[name] && !at.arithmetic {
		w.word(word, at)
		return
	}
	w.arithm(x, at)
}

// settle looks, at the end, whether all variables that are evaluated are harmless.
func (w *walker) settle(at where) {
	for _, name := range slices.Sorted(maps.Keys(w.vars.assigned)) { // the same text, the same words
		if w.vars.integer || evaluating(name) {
			w.vars.needed = append(w.vars.needed, use{name: name, at: at})
		}
		if (w.vars.arrays[name] || array(name)) && w.vars.lists[name] {
			w.dynamic("the value of "+name+" is expanded, as that of an array", "Write the array as "+name+"=(…).", at)
			return
		}
	}
	if w.vars.unsets && len(w.vars.associative) > 0 {
		w.dynamic("bash evaluates the subscripts of an array once it is unset", "Leave the unset out.", at)
		return
	}
	if len(w.vars.needed) == 0 {
		return
	}
	if w.vars.cases {
		w.vars.unsure = true // names become others
	}
	if w.vars.unsure {
		w.dynamic("bash evaluates the value of "+w.vars.needed[0].name+" as arithmetic, and would run a substitution there", useNumbers, at)
		return
	}
	for name := range w.vars.functions {
		if x, called := w.vars.calls[name]; called {
			w.vars.assign(arguments, x)
		}
	}
	state := map[string]bool{} // whether it is harmless; being looked at counts as that
	var harmless func(name string, depth int) bool
	harmless = func(name string, depth int) bool {
		if ok, seen := state[name]; seen {
			return ok
		}
		state[name] = true
		whole, cut := strings.CutSuffix(name, cutMark)
		x, assigned := w.vars.assigned[whole]
		ok := !x.unknown && depth < maxNesting && !(x.appended && x.letters) && !shellSet(whole) && (assigned && (!cut || !x.letters) || !assigned && w.scope.host && (identifier(whole) || whole == arguments) || whole == keys && !w.vars.keys)
		for _, next := range x.names {
			if x.appended || cut {
				next = strings.TrimSuffix(next, cutMark) + cutMark // only a part of a name
			}
			ok = ok && harmless(next, depth+1)
		}
		state[name] = ok
		return ok
	}
	numbers := map[string]bool{}
	var isNumber func(name string, depth int) bool
	isNumber = func(name string, depth int) bool {
		if ok, seen := numbers[name]; seen {
			return ok
		}
		numbers[name] = true
		x := w.vars.assigned[strings.TrimSuffix(name, cutMark)]
		ok := !x.unknown && !x.letters && depth < maxNesting
		for _, next := range x.names {
			ok = ok && isNumber(next, depth+1)
		}
		numbers[name] = ok
		return ok
	}
	var said []string
	for _, n := range w.vars.needed {
		if n.number && !isNumber(n.name, 0) {
			w.dynamic("the value of "+n.name+" may be an option", "Put it behind --, or in quotes behind a format.", n.at)
			return
		}
		if !harmless(n.name, 0) && !slices.Contains(said, n.name) {
			w.dynamic("bash evaluates the value of "+n.name+" as arithmetic, and would run a substitution there", useNumbers, n.at)
			if said = append(said, n.name); len(said) > 10 {
				return
			}
		}
	}
}

// numeric is what arithmetic makes of a word.
func numeric(word Word) value {
	if !word.Known {
		return value{unknown: true}
	}
	return textValue(word.Text)
}

// textValue is what arithmetic makes of a text.
func textValue(s string) value {
	var x value
	for i := 0; i < len(s); {
		switch {
		case letter(s[i]):
			j := i
			for j < len(s) && letter(s[j]) {
				j++
			}
			if identifier(s[i:j]) {
				x.names = append(x.names, s[i:j])
				x.letters = true
			}
			i = j
		case strings.IndexByte(" \t\n+-*/%()<>=!&|^~?:,#.@", s[i]) >= 0:
			x.letters = x.letters || s[i] == '*' || s[i] == '?' // names of files, elsewhere
			i++
		default:
			return value{unknown: true}
		}
	}
	return x
}

// wordValue is what arithmetic makes of a word as it is written.
func (w *walker) wordValue(word *syntax.Word) value {
	if word == nil {
		return value{}
	}
	return w.partsValue(word.Parts)
}

func (w *walker) partsValue(parts []syntax.WordPart) value {
	var x value
	for i, p := range parts {
		if i > 0 && touches(parts[i-1], p) {
			return value{unknown: true} // they may make one name together
		}
		switch p := p.(type) {
		case *syntax.Lit:
			x = join(x, textValue(p.Value))
		case *syntax.SglQuoted:
			if p.Dollar {
				return value{unknown: true}
			}
			x = join(x, textValue(p.Value))
		case *syntax.DblQuoted:
			x = join(x, w.partsValue(p.Parts))
		case *syntax.ParamExp:
			x = join(x, w.paramValue(p))
		case *syntax.ArithmExp: // a number
		case *syntax.CmdSubst:
			if !w.printsNumbers(p) {
				return value{unknown: true}
			}
		default:
			return value{unknown: true}
		}
		if x.unknown {
			return x
		}
	}
	return x
}

// touches tells whether the end of p and the beginning of q may be in one name.
func touches(p, q syntax.WordPart) bool {
	edge := func(p syntax.WordPart, last bool) bool {
		lit, ok := p.(*syntax.Lit)
		if !ok || lit.Value == "" {
			return true
		}
		if last {
			return letter(lit.Value[len(lit.Value)-1])
		}
		return letter(lit.Value[0])
	}
	return edge(p, true) && edge(q, false)
}

// paramValue is what arithmetic makes of a parameter.
func (w *walker) paramValue(p *syntax.ParamExp) value {
	if p.Param == nil {
		return value{unknown: true}
	}
	name := p.Param.Value
	switch {
	case p.Length, strings.Contains("#?$!", name):
		return value{}
	case p.Excl && p.Names == 0 && p.Exp == nil && indexed(p):
		return value{names: []string{keys}} // the subscripts of an array
	case name == "@" || name == "*" || name != "" && strings.Trim(name, "0123456789") == "":
		name = arguments
	case p.Excl, p.Names != 0, !identifier(name):
		return value{unknown: true}
	}
	x := value{names: []string{name}}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
			syntax.AssignUnset, syntax.AssignUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
			return join(x, w.wordValue(p.Exp.Word))
		}
	}
	if p.Repl != nil {
		if with := w.wordValue(p.Repl.With); with.unknown || with.letters || len(with.names) > 0 {
			return value{unknown: true}
		}
	}
	if p.Exp != nil || p.Slice != nil || p.Repl != nil {
		// A part of a name may be another name.
		return value{names: []string{name + cutMark}}
	}
	return x
}

// arguments stands for all arguments of functions, and of the text.
const arguments = "$@"

// keys stands for the subscripts of arrays, which are numbers as long as there are no
// associative ones.
const keys = "${!}"

// indexed tells whether p is ${…[@]}.
func indexed(p *syntax.ParamExp) bool {
	x, ok := p.Index.(*syntax.Word)
	return ok && (x.Lit() == "@" || x.Lit() == "*")
}

// cutMark stands behind the name of a variable of which a part is taken. Of one that
// the text sets, that may be the name of another.
const cutMark = "…"
