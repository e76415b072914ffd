package command

import (
	"slices"
	"strings"
)

// A grammar is how a program reads its options.
type grammar struct {
	// short and long are those that have a value, and those whose beginning they might be
	// taken for, as getopt has them.
	short, long string
	// first says that options end at the first operand, exact that long ones are not
	// abbreviated, and single that they have one dash.
	first, exact, single bool
}

// split takes options off words as getopt does. But it is for programs that run nothing
// unless they are told to: an option that the grammar does not have is one without a value,
// and a word that is not known is an operand.
func (g grammar) split(words []Word) (options []option, operands []Word) {
	all := words
	for len(words) > 0 {
		word := &words[0]
		s := word.prefix
		words = words[1:]
		switch {
		case word.Known && s == "--":
			return options, append(operands, words...)
		case !word.Known && s == "-":
		case len(s) < 2 || s[0] != '-':
			if g.first {
				return options, all[len(all)-len(words)-1 : len(all) : len(all)] // (There is none before.)
			}
			if operands == nil {
				operands = make([]Word, 0, len(words)+1)
			}
			operands = append(operands, *word)
		case s[1] == '-' || g.single:
			name, text, attached := strings.Cut(strings.TrimPrefix(s[1:], "-"), "=")
			full, kind, found := name, 0, true
			if !attached && !word.Known {
				continue
			}
			if g.exact {
				kind = g.kind(name)
			} else if full, kind, found = longOption(name, g.long); !found {
				full, kind = name, 0
			}
			o := option{name: full}
			if attached {
				o.value = ending(*word, text)
			} else if kind == 1 {
				if len(words) == 0 {
					return options, operands
				}
				o.value, words = words[0], words[1:]
			}
			options = append(options, o)
		default:
			options = slices.Grow(options, min(len(s)-1, 4)) // -rf
			for i := 1; i < len(s); i++ {
				o := option{name: s[i : i+1]}
				at := strings.IndexByte(g.short, s[i])
				if at >= 0 && s[i] != ':' && strings.HasPrefix(g.short[at+1:], ":") {
					optional := strings.HasPrefix(g.short[at+1:], "::")
					switch {
					case i < len(s)-1 || !word.Known:
						o.value = ending(*word, s[i+1:])
					case !optional && len(words) == 0:
						return options, operands
					case !optional:
						o.value, words = words[0], words[1:]
					}
					i = len(s)
				}
				options = append(options, o)
			}
		}
	}
	return options, operands
}

// kind is 1 for an option that has a value and 0 for any other, by its whole name.
func (g grammar) kind(name string) int {
	for candidate := range strings.FieldsSeq(g.long) {
		if c, ok := strings.CutSuffix(candidate, "="); ok && c == name && !strings.HasSuffix(c, "[") {
			return 1
		}
	}
	return 0
}

// ending is the end of a word, of which text is the part known for certain.
func ending(word Word, text string) Word {
	end := tail(word, text)
	if i := len(word.prefix) - len(text); !word.Known && strings.HasPrefix(word.Text, word.prefix) {
		end.Text, end.guess = word.Text[i:], word.guess
		for _, h := range word.holes {
			end.holes = append(end.holes, hole{h.from - i, h.to - i})
		}
	}
	return end
}

// bare tells whether an option was given without a value.
func (o option) bare() bool { return !o.value.Known && !o.value.One && o.value.Text == "" }

// spaced are the words of a value that a program splits at spaces.
func spaced(value Word) []Word {
	if value.Known {
		if strings.ContainsAny(value.Text, `'"\`) {
			if words, ok := splitText(value); ok {
				return words
			}
		}
		return knownWords(strings.Fields(value.Text))
	}
	end := strings.LastIndexByte(value.prefix, ' ')
	words := knownWords(strings.Fields(value.prefix[:max(end, 0)]))
	if len(words) == 0 {
		return []Word{value}
	}
	return withUnknown(words)
}

func knownWords(list []string) []Word {
	words := make([]Word, 0, len(list))
	for _, s := range list {
		words = append(words, known(s))
	}
	return words
}
