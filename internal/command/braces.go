package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hasBraces tells whether bash may make several words of word.
func hasBraces(word *syntax.Word) bool {
	open, between := false, false
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			if i := strings.IndexByte(lit.Value, '{'); i >= 0 {
				open = true
			}
			between = between || strings.Contains(lit.Value, ",") || strings.Contains(lit.Value, "..")
		}
	}
	return open && between
}

// braced walks a word with braces. They make words before anything else is looked
// at, which is done here where the word consists of literals and quotes; of others it
// is said that they are not known.
func (w *walker) braced(word *syntax.Word, at where) []Word {
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.Contains(p.Value, `\`) {
				return w.unbraced(word, at)
			}
		case *syntax.SglQuoted:
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if _, ok := q.(*syntax.Lit); !ok {
					return w.unbraced(word, at)
				}
			}
		default:
			return w.unbraced(word, at)
		}
	}
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), word.Parts...)}
	if !syntax.SplitBraces(split) {
		return w.unbraced(word, at)
	}
	expanded, ok := expand(split.Parts, 0)
	if !ok {
		return w.unbraced(word, at)
	}
	var out []Word
	for _, parts := range expanded {
		f := &fragments{}
		for _, p := range parts {
			w.part(p, at, f, nil)
		}
		if !f.empty() {
			out = append(out, f.word())
		}
	}
	return out
}

// unbraced walks a word that braces make any words of.
func (w *walker) unbraced(word *syntax.Word, at where) []Word {
	for _, p := range word.Parts {
		w.part(p, at, &fragments{}, nil)
	}
	return []Word{{Text: w.source(word)}}
}

// expand returns the words that parts are, by the braces in them.
func expand(parts []syntax.WordPart, depth int) ([][]syntax.WordPart, bool) {
	if depth > maxNesting {
		return nil, false
	}
	words := [][]syntax.WordPart{nil}
	for _, p := range parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			for i := range words {
				words[i] = append(words[i], p)
			}
			continue
		}
		var choices [][]syntax.WordPart
		if b.Sequence {
			if choices, ok = sequence(b); !ok {
				return nil, false
			}
		} else {
			for _, e := range b.Elems {
				inner, ok := expand(e.Parts, depth+1)
				if !ok {
					return nil, false
				}
				choices = append(choices, inner...)
			}
		}
		if len(words)*len(choices) > maxWords {
			return nil, false
		}
		var next [][]syntax.WordPart
		for _, before := range words {
			for _, c := range choices {
				next = append(next, append(before[:len(before):len(before)], c...))
			}
		}
		words = next
	}
	return words, true
}

// sequence is {1..5}. What is not small and plain is not known.
func sequence(b *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	if len(b.Elems) != 2 {
		return nil, false
	}
	from, err1 := strconv.Atoi(b.Elems[0].Lit())
	to, err2 := strconv.Atoi(b.Elems[1].Lit())
	plain := func(n int, w *syntax.Word) bool { return strconv.Itoa(n) == w.Lit() }
	if err1 != nil || err2 != nil || !plain(from, b.Elems[0]) || !plain(to, b.Elems[1]) {
		return nil, false
	}
	step := 1
	if to < from {
		step = -1
	}
	var out [][]syntax.WordPart
	for n := from; ; n += step {
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: strconv.Itoa(n)}})
		if n == to {
			return out, true
		}
		if len(out) > maxWords {
			return nil, false
		}
	}
}
