package command

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/einoshell/einoshell/internal/output"
)

// call walks a simple command.
func (w *walker) call(c *syntax.CallExpr, at where) {
	var assigns []Assign
	for _, a := range c.Assigns {
		set, _ := w.assignment(a, at, at.straight && len(c.Args) == 0 && len(at.redirs) == 0)
		assigns = append(assigns, set)
	}
	words := make([]Word, 0, len(c.Args))
	declares := len(c.Args) > 0 && (c.Args[0].Lit() == "export" || c.Args[0].Lit() == "readonly" || c.Args[0].Lit() == "local")
	for i, arg := range c.Args {
		if declares && i > 0 {
			// (dash does not split the value either.)
			if lit, ok := arg.Parts[0].(*syntax.Lit); ok {
				if name, _, assigns := strings.Cut(lit.Value, "="); assigns && identifier(name) {
					words = append(words, w.word(arg, at))
					continue
				}
			}
		}
		if plain, ok := plainLiteral(arg); ok && !(w.d == bash && hasBraces(arg)) {
			words = append(words, plain) // nearly all are, and so cost nothing
			continue
		}
		words = append(words, w.fields(arg, at)...)
	}
	if len(words) == 0 && len(c.Args) == 0 {
		if len(assigns) > 0 || len(at.redirs) > 0 {
			w.emit(Invocation{Assigns: assigns}, at)
		}
		return
	}
	w.invoke(words, assigns, at)
}

// emit adds an invocation.
func (w *walker) emit(i Invocation, at where) {
	i.Redirects = at.redirs
	i.Via = at.via
	i.Place = at.place
	i.Pipes, i.Within = at.pipes, at.function
	if i.Dynamic == "" && !w.stdinMoved {
		i.Stdin = at.stdin.text
	}
	i.Input, i.Output = at.stdin.given || at.stdin.redirected || w.stdinMoved, at.output
	w.script.Invocations = append(w.script.Invocations, i)
}

// dynamic adds something that runs what is not known, and what to do about it.
func (w *walker) dynamic(what, remedy string, at where) {
	w.vars.unsure = true
	at.redirs = nil
	w.emit(Invocation{Dynamic: what + ". " + remedy}, at)
}

// What to do about something that is not known.
const (
	useName    = "Write the name of the command out."
	useText    = `Write the text out in single quotes; what changes can be an argument: sh -c '… "$1"' sh "$x".`
	useNumbers = `Compare with [ "$n" -gt 3 ] and calculate with expr, which do not run anything.`
	useNames   = "Write the name of the variable out."
	useOptions = "Write its options out, with quotes around what changes."
)

// reads says that the values of variables decide what runs.
func (w *walker) reads(names ...string) { w.decisive = append(w.decisive, names...) }

// show quotes a part of the text for a message.
func show(s string) string { return output.Quote(s, 80) }

// invoke says that words are run as a command.
func (w *walker) invoke(words []Word, assigns []Assign, at where) {
	if len(words) == 0 || w.fault != nil {
		return
	}
	if len(at.via) > maxWrappers {
		w.fail(faultf("Too many commands run one another. Run the command itself."))
		return
	}
	name := words[0]
	if !name.Known && name.One && !name.file {
		// The directory is not known, the name is.
		if end := name.suffix[strings.LastIndexByte(name.suffix, '/')+1:]; len(end) < len(name.suffix) && end != "" && end != "." && end != ".." {
			name.Known, name.home = true, false
			words = append([]Word{name}, words[1:]...)
		}
	}
	if !name.Known {
		why := show(name.Text) + " names the command. " + useName
		if !handles(unknownNames) {
			why = ""
		}
		w.vars.unsure = true
		w.emit(Invocation{Words: words, Assigns: assigns, Dynamic: why}, at)
		if name.vanish && handles(unknownNames) {
			// If there is no such word, the next one is the name.
			for len(words) > 0 && words[0].vanish {
				words = words[1:]
			}
			at.place |= Possible
			w.invoke(words, nil, at)
		}
		return
	}
	if name.Text == "--" && len(at.via) > len(w.scope.via) {
		// Some take it for the end of the options, others for the command.
		w.unknownCommand(at.via[len(at.via)-1], words[1:], at)
		return
	}
	if name.home {
		// The directory is the user's, the name is not.
		name.Text = "~/" + path.Base(name.Text)
	}
	w.called(name.Text, words[1:])
	w.emit(Invocation{Words: words, Assigns: assigns, Function: w.functions[name.Text] && len(at.via) == len(w.scope.via)}, at)
	mine := len(w.script.Invocations) - 1
	if len(name.Text) > 256 {
		return
	}
	base := path.Base(name.Text)
	if run, ok := textCommands[base]; ok {
		run(w, words, w.below(at, base))
		return
	}
	if row, ok := wrappers[base]; ok {
		row.unwrap(w, words, w.below(at, base))
	}
	if row, ok := programs[base]; ok {
		writes := w.usesProgram(row, words, assigns, w.below(at, base))
		w.script.Invocations[mine].Writes = writes
	}
}

// called notes what a command is given: if it is set, or a function that is defined
// somewhere, that is what $1 and so on are.
func (w *walker) called(name string, words []Word) {
	if name != "set" && !w.scope.functions {
		return
	}
	var x value
	for _, word := range words {
		if variable, ok := word.variable(); ok {
			x = join(x, value{names: []string{variable}}.cut())
		} else {
			x = join(x, numeric(word))
		}
	}
	if name == "set" {
		w.vars.assign(arguments, x)
		return
	}
	if w.vars.calls == nil {
		w.vars.calls = map[string]value{}
	}
	w.vars.calls[name] = join(w.vars.calls[name], x)
}

// below is at for what name runs.
func (w *walker) below(at where, name string) where {
	at.via = append(at.via[:len(at.via):len(at.via)], name)
	at.redirs = nil
	at.straight = false
	return at
}
