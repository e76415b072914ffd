package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hostDirectory tells whether p is a directory that the host has named: it is one word,
// and no option.
func (w *walker) hostDirectory(p *syntax.ParamExp) bool {
	if !p.Short && p.Exp != nil || !w.scope.host || !w.scope.constant || p.Param == nil || p.Param.Value != "HOME" && p.Param.Value != "PWD" {
		return false
	}
	if w.vars.mentions == nil {
		w.vars.mentions = mentions(w.text)
	}
	if w.vars.mentions[p.Param.Value] > 0 || w.vars.mentions["IFS"] > 0 {
		return false
	}
	w.vars.used = true
	return true
}

// expansion walks $((…)).
func (w *walker) expansion(p *syntax.ArithmExp, at where) {
	at.arithmetic = true
	w.arithm(p.X, at)
}

// list tells whether a parameter is a list of words even in quotes.
func list(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Param.Value == "@" || p.Names == syntax.NamesPrefixWords || p.Excl {
		return true
	}
	if x, ok := p.Index.(*syntax.Word); ok && x.Lit() == "@" {
		return true
	}
	return false
}

// param walks a parameter expansion. ok says that its value is known.
func (w *walker) param(p *syntax.ParamExp, at where, quoted bool) (value string, ok bool) {
	if p.Param == nil || p.NestedParam != nil || p.Flags != nil {
		w.fail(faultf("%s cannot be read with certainty. Write it in another way.", w.source(p)))
		return "", false
	}
	name := p.Param.Value
	if p.Index == nil && p.Slice == nil && p.Repl == nil && p.Exp == nil && !p.Excl && !p.Length && !p.Width && p.Names == 0 {
		value, ok = w.vars.value(name)
		if w.budget -= len(value); w.budget < 0 {
			w.fail(faultf("The command makes too much of its variables. Split it, or put it in a script file."))
		}
		return value, ok
	}
	if p.Index != nil {
		w.subscript(name, p.Index, at)
	}
	if p.Slice != nil {
		w.arithm(p.Slice.Offset, at)
		w.arithm(p.Slice.Length, at)
	}
	if p.Repl != nil {
		w.braceWord(p.Repl.Orig, at, quoted)
		w.braceWord(p.Repl.With, at, quoted)
	}
	if p.Excl && p.Names == 0 && handles(evaluatedValues) {
		if x, isWord := p.Index.(*syntax.Word); !isWord || x.Lit() != "@" && x.Lit() != "*" {
			w.reference(name, at)
		}
	}
	if p.Exp != nil {
		w.braceWord(p.Exp.Word, at, quoted)
		switch p.Exp.Op {
		case syntax.AssignUnset, syntax.AssignUnsetOrNull:
			if p.Excl {
				w.vars.unsure = true
			}
			if p.Index != nil {
				note(&w.vars.arrays, name)
			}
			w.assign(name, w.wordValue(p.Exp.Word), at)
		case syntax.OtherParamOps:
			// (The parser makes a word of the letter.)
			if p.Exp.Word == nil || strings.ContainsAny(w.source(p.Exp.Word), "P") && handles(evaluatedValues) {
				w.dynamic(show(w.source(p))+" runs what is in the value", "Leave the @P out.", at)
			}
		}
	}
	return "", false
}

// braceWord walks a word in ${…}.
func (w *walker) braceWord(word *syntax.Word, at where, quoted bool) {
	if word == nil {
		return
	}
	if quoted && handles(quotedInBraces) {
		// Within double quotes a single quote is a letter for the shell, mostly, and
		// always a quote for the parser.
		if s := w.source(word); strings.Contains(s, "'") {
			if strings.ContainsAny(s, "$`\\\"{}()\n") {
				w.fail(faultf("The single quotes in ${…%s} stand within double quotes, which is not read in the same way everywhere. Write it without them.", s))
			}
			return
		}
	}
	for _, p := range word.Parts {
		w.part(p, at, &fragments{}, nil)
	}
}
