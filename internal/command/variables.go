package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variables are those of one text.
//
// One of them is constant when the text mentions its name once, but for $name and
// ${name}, and that is where it gets a constant value, in a place that is certainly
// run before. Since the name is looked for in the text and not in its tree, whatever
// could assign to it is covered; except when a name is put together at run time, which
// sets unsure.
type variables struct {
	used     bool              // one was
	unsure   bool              // one may have been changed under another name
	values   map[string]string // of constants
	mentions map[string]int
	// assigned holds all values that the text gives to a variable, as far as
	// arithmetic is concerned.
	assigned map[string]value
	// associative are certainly associative arrays: their subscripts are text.
	associative map[string]bool
	// times is how often a variable is set.
	times map[string]int
	// integer says that some variable has a value that is evaluated when it is set, and
	// cases that one has its letters changed.
	integer, cases bool
	// unsets says that some variable is unset.
	unsets bool
	// keys says that some array has subscripts that are text.
	keys bool
	// arrays are arrays, and lists have a value that would be a list for one.
	arrays, lists map[string]bool
	// texts says that shell text was run in this shell that defines functions.
	texts bool
	// functions are the names of functions that are defined, and calls what commands are
	// given.
	functions map[string]bool
	calls     map[string]value
	// may are texts that a loop puts into a variable.
	may map[string][]string
	// from are the commands whose output is in the value of a variable.
	from map[string][]string
	// needed are the variables whose value bash evaluates, and where it does.
	needed []use
}

// A value is what arithmetic would make of a value.
type value struct {
	unknown  bool
	appended bool     // it was put behind another
	letters  bool     // there are names in it that stand there as text
	names    []string // variables whose values it stands for, those named by the text included
}

// A use is one place where the value of a variable is evaluated.
type use struct {
	name string
	at   where
	// number says that it must be a number, for nothing else is understood.
	number bool
}

// value is what name holds, if that is known.
func (v *variables) value(name string) (string, bool) {
	s, ok := v.values[name]
	v.used = v.used || ok
	return s, ok
}

// doubtful tells whether something was taken for known that may not be.
func (v *variables) doubtful() bool {
	if !v.used {
		return false
	}
	for name := range v.values {
		if v.times[name] > 1 {
			return true
		}
	}
	return v.unsure || v.texts || v.times["IFS"] > 0 || v.times["HOME"] > 0 || v.times["PWD"] > 0 || v.times["OLDPWD"] > 0
}

// cut is a part of x, or what names of files may come of it.
func (x value) cut() value {
	names := make([]string, len(x.names))
	for i, name := range x.names {
		names[i] = strings.TrimSuffix(name, cutMark) + cutMark
	}
	x.names = names
	return x
}

// note puts name into one of the sets.
func note(set *map[string]bool, name string) {
	if *set == nil {
		*set = map[string]bool{}
	}
	(*set)[name] = true
}

// set notes a constant. text is the whole text.
func (v *variables) set(name, s, text string) {
	if len(s) > maxWordBytes || special(name) {
		return
	}
	if v.mentions == nil {
		v.mentions = mentions(text)
	}
	if v.mentions[name] != 1 || v.mentions["IFS"] > 0 {
		return
	}
	if v.values == nil {
		v.values = map[string]string{}
	}
	v.values[name] = s
}

// assign notes that a variable may get a value that was looked at in no other way.
func (w *walker) assign(name string, x value, at where) {
	w.vars.assign(name, x)
	if (expanded(name) || renames(name)) && handles(evaluatedValues) {
		w.dynamic("the value of "+name+" is run", "Do not set it.", at)
	}
	if x.unknown || x.letters || len(x.names) > 0 {
		w.environ(name, Word{Text: "…", One: true}, at)
	}
}

// assign notes that a variable may get a value.
func (v *variables) assign(name string, x value) {
	if v.assigned == nil {
		v.assigned = map[string]value{}
	}
	old := v.assigned[name]
	v.assigned[name] = join(old, x)
	if v.times == nil {
		v.times = map[string]int{}
	}
	v.times[name]++
}

// mentions counts the names in text, but for those in $name and ${name}.
func mentions(text string) map[string]int {
	text = strings.ReplaceAll(text, "\\\n", "")
	count := map[string]int{}
	for i := 0; i < len(text); {
		if !letter(text[i]) {
			i++
			continue
		}
		j := i
		for j < len(text) && letter(text[j]) {
			j++
		}
		switch {
		case i > 0 && text[i-1] == '$':
		case i > 1 && text[i-2:i] == "${" && j < len(text) && text[j] == '}':
		default:
			count[text[i:j]]++
		}
		i = j
	}
	return count
}

func letter(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// identifier tells whether s is the name of a variable.
func identifier(s string) bool {
	for i := range len(s) {
		if !letter(s[i]) || i == 0 && '0' <= s[0] && s[0] <= '9' {
			return false
		}
	}
	return s != ""
}

// special tells whether the shell itself gives name a value, or a meaning to the one
// it is given.
func special(name string) bool {
	switch name {
	case "IFS", "PWD", "OLDPWD", "OPTIND", "OPTARG", "LINENO", "PPID", "RANDOM", "SRANDOM", "SECONDS", "UID", "EUID", "GROUPS",
		"DIRSTACK", "FUNCNAME", "HISTCMD", "HISTCONTROL", "PIPESTATUS", "SHELLOPTS", "BASHOPTS", "REPLY", "HOME", "_",
		"EPOCHSECONDS", "EPOCHREALTIME", "COMP_WORDBREAKS", "HOSTTYPE", "OSTYPE", "MACHTYPE", "SHLVL", "MAPFILE", "COPROC":
		return true
	}
	return strings.HasPrefix(name, "BASH")
}

// array tells whether name is an array of the shell itself.
func array(name string) bool {
	switch name {
	case "DIRSTACK", "FUNCNAME", "GROUPS", "PIPESTATUS", "MAPFILE", "COPROC":
		return true
	}
	return strings.HasPrefix(name, "BASH_") || strings.HasPrefix(name, "COMP")
}

// evaluating tells whether bash evaluates what name is set to.
func evaluating(name string) bool {
	switch name {
	case "RANDOM", "SRANDOM", "SECONDS", "OPTIND", "HISTCMD":
		return true
	}
	return false
}

// shellSet tells whether the shell sets name to something that is not a number.
func shellSet(name string) bool {
	switch name {
	case "LINENO", "RANDOM", "SRANDOM", "SECONDS", "UID", "EUID", "PPID", "SHLVL", "OPTIND", "EPOCHSECONDS", "EPOCHREALTIME", "BASHPID", "BASH_SUBSHELL", "HISTCMD", "HOME":
		return false
	}
	return special(name)
}

// expanded tells whether the value of name is expanded as if it were in double quotes by
// shells, at some time. (Others are only by interactive ones, which are not run.)
func expanded(name string) bool { return name == "PS4" || name == "BASH_ENV" }

// renames tells whether setting name gives the names of commands another meaning.
// or where the shell prints what it runs.
func renames(name string) bool {
	return name == "BASH_ALIASES" || name == "BASH_CMDS" || name == "BASH_XTRACEFD"
}

// assignment walks NAME=value. It returns false for an array.
func (w *walker) assignment(a *syntax.Assign, at where, constant bool) (Assign, bool) {
	name := a.Name.Value
	if a.Index != nil {
		note(&w.vars.arrays, name)
		w.subscript(name, a.Index, at)
	}
	if a.Array != nil {
		x := value{}
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				w.subscript(name, e.Index, at)
			}
			if e.Value != nil {
				for _, f := range w.fields(e.Value, at) {
					if f.Known || f.globs {
						x = join(x, numeric(f))
					} else {
						x = join(x, w.wordValue(e.Value).cut())
					}
				}
			}
		}
		note(&w.vars.arrays, name)
		w.assign(name, x, at)
		return Assign{Name: name, Value: Word{Text: w.source(a)}}, false
	}
	v := w.word(a.Value, at)
	if a.Append {
		w.vars.assign(name, value{appended: true})
	}
	if _, runs := environment[name]; a.Append && (runs || expanded(name)) {
		v.Known = false
	}
	w.setVariable(name, v, a.Value, at)
	if constant && w.scope.constant && v.Known && !v.home && a.Index == nil && !a.Append {
		w.vars.set(name, v.Text, w.text)
	}
	return Assign{Name: name, Value: v}, true
}

// setVariable notes that name gets a value, and what comes of that.
func (w *walker) setVariable(name string, v Word, node *syntax.Word, at where) {
	x := w.wordValue(node)
	if node == nil || v.Known {
		x = numeric(v)
	}
	w.vars.assign(name, x)
	if len(v.From) > 0 && len(w.vars.from[name]) < mostFrom {
		if w.vars.from == nil {
			w.vars.from = map[string][]string{}
		}
		w.vars.from[name] = append(w.vars.from[name], v.From...)
	}
	if !v.Known && v.prefix == "" || strings.HasPrefix(v.prefix, "(") {
		note(&w.vars.lists, name)
	}
	switch {
	case expanded(name) && handles(evaluatedValues):
		switch {
		case !v.Known || strings.Contains(v.Text, `\`) || name == "BASH_ENV" && v.Text != "" && v.Text != "/dev/null":
			w.dynamic("the value of "+name+" is run", "Do not set it.", at)
		default:
			w.document(v.Text, at)
		}
	case renames(name):
		w.dynamic("the value of "+name+" gives names another meaning", "Do not set it.", at)
	case strings.HasPrefix(name, "BASH_FUNC_"):
		w.dynamic("the value of "+show(name)+" is a function for bash", "Do not set it.", at)
	default:
		w.environ(name, v, at)
	}
}

func join(a, b value) value {
	return value{a.unknown || b.unknown, a.appended || b.appended, a.letters || b.letters, append(a.names, b.names...)}
}
