package command

import "strings"

// An option is one that a command was given.
type option struct {
	name  string // without dashes
	value Word
}

// getopt splits the options off words, as getopt(3) does up to the first operand. short
// is its optstring: a colon behind a letter that has a value, two behind one whose value
// must be attached. long lists names, with = behind those that have a value and [=] where it
// must be attached; they may be abbreviated, and --help and --version belong to them. ok is false for what is not understood.
func getopt(words []Word, short, long string) (options []option, rest []Word, ok bool) {
	options, rest, _, ok = getoptEnd(words, short, long)
	return options, rest, ok
}

// getoptEnd is getopt, and says whether -- has ended the options.
func getoptEnd(words []Word, short, long string) (options []option, rest []Word, dashes, ok bool) {
	for len(words) > 0 {
		word := words[0]
		s := word.prefix
		if !word.Known && (!word.One || s == "" && !word.slash) {
			return options, words, false, false // it may be an option
		}
		if s == "" || s[0] != '-' || word.Known && s == "-" {
			return options, words, false, true
		}
		words = words[1:]
		switch {
		case word.Known && s == "--":
			return options, words, true, true
		case strings.HasPrefix(s, "--"):
			name, text, attached := strings.Cut(s[2:], "=")
			if !word.Known && !attached {
				return options, words, false, false
			}
			full, kind, found := longOption(name, long)
			if !found || attached && kind == 0 {
				return options, words, false, false
			}
			o := option{name: full}
			if attached {
				o.value = tail(word, text)
			} else if kind == 1 {
				if len(words) == 0 {
					return options, words, false, false
				}
				o.value, words = words[0], words[1:]
			}
			options = append(options, o)
		case s == "-":
			return options, words, false, false // and letters that are not known
		default:
			for i := 1; i < len(s); i++ {
				at := strings.IndexByte(short, s[i])
				if at < 0 || s[i] == ':' {
					return options, words, false, false
				}
				o := option{name: s[i : i+1]}
				wants := strings.HasPrefix(short[at+1:], ":")
				attached := strings.HasPrefix(short[at+1:], "::")
				if !wants {
					options = append(options, o)
					if i == len(s)-1 && !word.Known {
						return options, words, false, false // more letters follow
					}
					continue
				}
				if i == len(s)-1 && !word.Known {
					return options, words, false, false // there may be a value, or not
				}
				if i < len(s)-1 {
					o.value = tail(word, s[i+1:])
				} else if !attached {
					if len(words) == 0 {
						return options, words, false, false
					}
					o.value, words = words[0], words[1:]
				}
				if !o.value.One && wants && !(attached && i == len(s)-1) {
					return options, words, false, false
				}
				options = append(options, o)
				break
			}
		}
		if n := len(options); n > 0 && options[n-1].value.vanish {
			return options, words, false, false
		}
	}
	return options, words, false, true
}

// tail is the end of word that begins with text.
func tail(word Word, text string) Word {
	if word.Known {
		return known(text)
	}
	return Word{Text: text, One: true, prefix: text}
}

// longOption finds an option by its name or the beginning of it. kind is 1 when it has a
// value, 2 when that must be attached.
func longOption(name, long string) (full string, kind int, found bool) {
	if long != "" {
		long += " help version"
	}
	for candidate := range strings.FieldsSeq(long) {
		k := 0
		if c, ok := strings.CutSuffix(candidate, "[=]"); ok {
			candidate, k = c, 2
		} else if c, ok := strings.CutSuffix(candidate, "="); ok {
			candidate, k = c, 1
		}
		switch {
		case candidate == name:
			return candidate, k, true
		case name != "" && strings.HasPrefix(candidate, name):
			if found && kind != k {
				return "", 0, false
			}
			full, kind, found = candidate, k, true
		}
	}
	return full, kind, found
}

// find returns the value of the last option with one of names.
func find(options []option, names ...string) (value Word, found bool) {
	for _, o := range options {
		for _, name := range names {
			if o.name == name {
				value, found = o.value, true
			}
		}
	}
	return value, found
}
