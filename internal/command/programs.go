package command

import (
	"slices"
	"strings"
)

// A program is one that runs others, or writes files, if an option says so or a text in
// a language of its own.
type program struct {
	grammar
	// text, words and unknown list options by which it runs their value: as shell text, as a
	// program with arguments, and as something that cannot be told from the value. writes lists
	// those whose value is a file that is written.
	text, words, unknown, writes string
	// subs are commands of its own, which come first.
	subs map[string]program
	// command says that behind so many operands comes a command, dashes that a -- comes
	// before it, assigns that NAME=value may, package that its name may end in a version,
	// and elsewhere that it has no terminal of ours.
	command, dashes, assigns, packages, elsewhere bool
	operands                                      int
	// texts says that every operand is shell text.
	texts bool
	// run does what the row does not say, and raw says that it reads the words itself.
	run func(w *walker, u *usage, at where)
	raw bool
}

// A usage is one use of a program.
type usage struct {
	name     string
	words    []Word // behind the name
	assigns  []Assign
	options  []option
	operands []Word
	// written are the files that it is told to write.
	written []Word
}

// usesProgram walks what a program runs by its options and returns what it writes. As
// nothing runs unless it is told to, what is not understood is of no concern here.
func (w *walker) usesProgram(p program, words []Word, assigns []Assign, at where) []Word {
	u := &usage{name: at.via[len(at.via)-1], words: words[1:], assigns: assigns}
	p.look(w, u, at)
	return u.written
}

func (p program) look(w *walker, u *usage, at where) {
	if p.raw {
		p.run(w, u, at)
		return
	}
	p.first = p.first || p.subs != nil || p.command && !p.dashes
	u.options, u.operands = p.split(u.words)
	for _, o := range u.options {
		switch {
		case lists(p.text, o.name):
			w.toldText(u.told(o), o.value, at)
		case lists(p.words, o.name):
			w.toldWords(o.value, at)
		case lists(p.unknown, o.name):
			w.toldUnknown(u.told(o), at)
		case lists(p.writes, o.name) && !o.bare():
			u.writes(o.value)
		}
	}
	if len(p.subs) > 0 && len(u.operands) > 0 {
		if sub, found := p.subs[u.operands[0].Text]; found && u.operands[0].Known {
			u.name += " " + u.operands[0].Text
			u.words = u.operands[1:]
			sub.look(w, u, at)
			return
		}
	}
	if p.run != nil {
		p.run(w, u, at)
	}
	if p.texts {
		for _, text := range u.operands {
			// npm:x stands for npm run x.
			if by, name, script := strings.Cut(text.prefix, ":"); script && lists("npm pnpm yarn bun", by) {
				w.invoke([]Word{known(by), known("run"), ending(text, name)}, nil, told(at))
				continue
			}
			w.toldText(u.name, text, at)
		}
	}
	if p.command {
		p.behind(w, u, at)
	}
}

// behind walks the command behind the operands.
func (p program) behind(w *walker, u *usage, at where) {
	rest := u.operands
	if i := slices.IndexFunc(u.words, func(word Word) bool { return word.Known && word.Text == "--" }); p.dashes && i >= 0 {
		rest = u.words[i+1:]
	} else {
		rest = rest[min(p.operands, len(rest)):]
		if len(rest) > 0 && p.operands > 0 && rest[0].Known && rest[0].Text == "--" {
			rest = rest[1:]
		}
	}
	var assigns []Assign
	if p.assigns {
		assigns, rest, _ = w.leadingAssigns(rest, at)
	}
	if len(rest) == 0 || rest[0].Known && strings.HasPrefix(rest[0].Text, "-") {
		return // (What is in an image may have options of its own.)
	}
	if p.packages && rest[0].Known {
		if name := unversioned(rest[0].Text); name != rest[0].Text {
			rest = append([]Word{known(name)}, rest[1:]...)
		}
	}
	if p.elsewhere {
		at.place |= Indirect
	}
	w.invoke(rest, assigns, at)
}

// unversioned is the name of a package without its version; the @ of a scope begins it.
func unversioned(name string) string {
	if i := strings.LastIndexByte(name, '@'); i > 0 && !strings.ContainsAny(name[i:], "/:") {
		return name[:i]
	}
	return name
}

// lists tells whether name is one of the names.
func lists(names, name string) bool {
	return names != "" && slices.Contains(strings.Fields(names), name)
}

// told names an option in a message.
func (u *usage) told(o option) string {
	if len(o.name) == 1 {
		return u.name + " -" + o.name
	}
	return u.name + " --" + o.name
}

// writes notes a file that is written, unless it is where output goes anyway.
func (u *usage) writes(file Word) {
	if file.Known && slices.Contains([]string{"", "-", "/dev/stdout", "/dev/stderr", "/dev/null", "/dev/tty"}, file.Text) {
		return
	}
	u.written = append(u.written, file)
}

// told is at for what a program was told to run: it reads what the program gives it.
func told(at where) where {
	at.place |= Indirect
	at.stdin = input{given: true}
	return at
}

// toldText walks shell text that a program was told to run.
func (w *walker) toldText(who string, text Word, at where) {
	if text.Known && strings.TrimSpace(text.Text) == "" {
		return
	}
	w.runText(who, "sh", []Word{text}, told(at))
}

// toldWords walks a command that is split at spaces.
func (w *walker) toldWords(value Word, at where) {
	w.invoke(spaced(value), nil, told(at))
}

// toldUnknown says that an option has a program run that is not known.
func (w *walker) toldUnknown(who string, at where) {
	w.dynamic("what "+who+" has run cannot be told from it", useOptionless, at)
}

// useOptionless is what to do about an option that has something unknown run.
const useOptionless = "Leave it out."
