package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declare walks declare, local, export and the like where they are keywords for the
// parser.
func (w *walker) declare(c *syntax.DeclClause, at where) {
	words := []Word{known(c.Variant.Value)}
	var assigns []Assign
	evaluates := c.Variant.Value != "export" && c.Variant.Value != "readonly"
	straight := at.straight
	at.straight = false
	options := true // may still come: behind an operand they are none
	for _, a := range c.Args {
		if a.Name == nil {
			// An option, or something that is not known.
			fields := w.fields(a.Value, at)
			words = append(words, fields...)
			for _, f := range fields {
				if !f.Known || !strings.HasPrefix(f.Text, "-") && !strings.HasPrefix(f.Text, "+") {
					w.declared(c.Variant.Value, f, at)
					options = false
					continue
				}
				// (With one that is none, declare does nothing.)
				options = options && len(f.Text) > 1 && strings.Trim(f.Text[1:], "aAfFgiIlnprtux") == ""
				if strings.HasPrefix(f.Text, "-") && strings.Contains(f.Text, "n") && evaluates {
					w.vars.unsure = true
					w.references(c, at)
				}
				w.attributes(f.Text, c)
				if strings.HasPrefix(f.Text, "-") && strings.Contains(f.Text, "A") && strings.Trim(f.Text[1:], "aAgiIlrtux") == "" && straight && options {
					w.makeAssociative(c)
				}
			}
			continue
		}
		options = false
		words = append(words, Word{Text: a.Name.Value, One: true, Known: a.Naked, prefix: a.Name.Value})
		if a.Naked && a.Index == nil {
			w.assign(a.Name.Value, value{}, at)
			continue
		}
		if a.Index != nil && evaluates && w.d == bash && strings.ContainsAny(w.source(a), "$`'\"") {
			w.dynamic(c.Variant.Value+" evaluates the subscript of "+a.Name.Value+" twice", "Set it without "+c.Variant.Value+".", at)
		}
		set, _ := w.assignment(a, at, false)
		assigns = append(assigns, set)
	}
	w.emit(Invocation{Words: words, Assigns: assigns}, at)
}

// references walks declare -n: the values are names of variables.
func (w *walker) references(c *syntax.DeclClause, at where) {
	for _, a := range c.Args {
		if a.Name != nil && !(a.Value != nil && identifier(a.Value.Lit()) && !expanded(a.Value.Lit()) && !renames(a.Value.Lit()) && !special(a.Value.Lit())) {
			w.dynamic("the value of "+a.Name.Value+" is taken for the name of a variable", useNames, at)
			return
		}
	}
}

// attributes notes what options of declare make of variables.
func (w *walker) attributes(option string, c *syntax.DeclClause) {
	if !strings.HasPrefix(option, "-") {
		return
	}
	w.vars.integer = w.vars.integer || strings.Contains(option, "i")
	w.vars.keys = w.vars.keys || strings.Contains(option, "A")
	w.vars.cases = w.vars.cases || strings.ContainsAny(option, "ulc")
	if !strings.ContainsAny(option, "aA") {
		return
	}
	for _, a := range c.Args {
		switch {
		case a.Name != nil:
			note(&w.vars.arrays, a.Name.Value)
		case a.Value != nil:
			for _, f := range w.quietly(a.Value) {
				name, _, _ := strings.Cut(f.prefix, "=")
				note(&w.vars.arrays, name)
			}
		}
	}
}

func (w *walker) makeAssociative(c *syntax.DeclClause) {
	if w.vars.mentions == nil {
		w.vars.mentions = mentions(w.text)
	}
	if w.vars.mentions["unset"] > 0 {
		return // it may be none later
	}
	for _, a := range c.Args {
		if a.Name != nil && w.vars.times[a.Name.Value] == 0 {
			note(&w.vars.associative, a.Name.Value)
		}
	}
}

// test walks [[ … ]].
func (w *walker) test(x syntax.TestExpr, at where) {
	at, ok := w.deeper(at)
	if !ok {
		return
	}
	switch x := x.(type) {
	case *syntax.BinaryTest:
		w.test(x.X, at)
		w.test(x.Y, at)
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if word, ok := side.(*syntax.Word); ok {
					w.evaluates(w.wordValue(word), at, w.source(word)+" is evaluated as arithmetic")
				}
			}
		}
	case *syntax.UnaryTest:
		w.test(x.X, at)
		if word, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			v := w.word(word, at)
			before := w.vars.unsure
			w.evaluatesName(v, at, value{})
			w.vars.unsure = before
		}
	case *syntax.ParenTest:
		w.test(x.X, at)
	case *syntax.Word:
		w.word(x, at)
	}
}
