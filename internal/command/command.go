package command

import "fmt"

// A Shell is what reads a text.
type Shell int

const (
	// Sh is a shell that may be dash or bash in its POSIX mode, or anything between:
	// what is read is judged in both readings.
	Sh Shell = iota
	// Bash is bash.
	Bash
	// Cmd is cmd.exe, and PowerShell both Windows PowerShell and pwsh.
	Cmd
	PowerShell
)

// Windows tells whether it is a shell of Windows.
func (s Shell) Windows() bool { return s == Cmd || s == PowerShell }

// A Script is what was found in a text.
type Script struct {
	// Invocations are all commands of the text, in the order they were found.
	// A text read in two dialects has most of them twice.
	Invocations []Invocation
	// Operators are the operators used, each once.
	Operators []Operator
	// Sets names the variables that are set somewhere.
	Sets map[string]bool
}

// An Invocation is one command, or one place where redirections or assignments
// stand without one.
type Invocation struct {
	// Words are the name of the command and its arguments, empty when there is none.
	Words []Word
	// Assigns are the variables set for the command, or in the shell when there is
	// no command.
	Assigns []Assign
	// Redirects are those written at the command.
	Redirects []Redirect
	// Via names the commands that run this one, outermost first: env, sh -c.
	Via []string
	// Place says where it stands.
	Place Place
	// Input says that its standard input is more than the null device, and Output
	// that its standard output goes to a file, a pipe or into a substitution.
	Input, Output bool
	// File says that it is a script in a file that a shell reads, with its arguments.
	File bool
	// Keyword says that it is a keyword of the shell, which is no command.
	Keyword bool
	// Function says that the name is a function that the text has certainly
	// defined before.
	Function bool
	// Pipes are its places in the pipelines it belongs to, outermost first.
	Pipes []Stage
	// Stdin is what it reads from its standard input, if that is known.
	Stdin *string
	// Writes are files that it is told to write, by an option or in a program of its own
	// language.
	Writes []Word
	// Within is the name of the function in whose body it stands.
	Within string
	// Dynamic says, when not empty, why it is not known what runs here.
	Dynamic string
}

// Name is the name of the command as written, without quotes: empty when there is
// none or it is not known.
func (i *Invocation) Name() string {
	if len(i.Words) == 0 || !i.Words[0].Known {
		return ""
	}
	return i.Words[0].Text
}

// A Stage is a place in a pipeline. Pipelines are numbered from 1, and the places in one
// from 0.
type Stage struct{ Pipeline, Stage int }

// Place is a set of places.
type Place uint

const (
	// InSubstitution is in $(…), backquotes or <(…).
	InSubstitution Place = 1 << iota
	// InFunction is in the body of a function.
	InFunction
	// InHereDocument is in a substitution of a here-document.
	InHereDocument
	// InBackground is in a command followed by &.
	InBackground
	// InText is in shell text that a command was given.
	InText
	// Possible runs only if something unknown turns out so.
	Possible
	// Indirect is what a program runs since an option, a setting or a variable says so, or
	// in another place: it does not have the terminal.
	Indirect
)

// A Word is one word of a command. (Many are copied, so that its flags stand together.)
type Word struct {
	// Text is what the command gets when Known; otherwise something like it, which
	// no decision to allow may rest on.
	Text  string
	Known bool
	// One says that the word is one word for certain. A known word is.
	One bool
	// guess says that the Text is what the word is, but for some part of it.
	guess bool
	// vanish says that there may be no word at all.
	vanish bool
	// pattern says that the word is not known only since file names that match the
	// Text are put in its place.
	pattern bool
	// globs says that names of files may be put in the place of what stands there as text.
	globs bool
	// number says that it is a number, or several.
	number bool
	// slash says that a slash is in it for certain, so that it is no option.
	slash bool
	// home says that the Text begins with a tilde that stands for a directory.
	home bool
	// file says that the word is a process substitution.
	file bool
	// From names commands whose output is in the word, or in the file that it names, by
	// the last elements of their names.
	From []string
	// May are texts that the word may be, when it is a variable that a loop goes through them
	// with. There may be others.
	May []string
	// prefix is how the word begins for certain.
	prefix string
	// suffix is how it ends for certain.
	suffix string
	// parameter is the name of the variable that the word is, and nothing else.
	parameter string
	// made is what the file named by a process substitution will hold, if known.
	made *string
	// holes are where in the Text the parts are that are not known.
	holes []hole
}

// Pattern tells whether the word is not known only since the names of files that match the
// Text are put in its place.
func (word Word) Pattern() bool { return word.pattern }

// Prefix is how the word begins for certain.
func (word Word) Prefix() string { return word.prefix }

// A hole is a part of a text.
type hole struct{ from, to int }

// An Assign is a variable that is set.
type Assign struct {
	Name  string
	Value Word
}

// A Redirect is one redirection.
type Redirect struct {
	// Op is the operator: < > >> >| <> &> &>> << <<- <<< <& >&.
	Op string
	// To is the file, or the descriptor for <& and >&.
	To Word
}

// An Operator is a token of the shell's grammar.
type Operator string

// A Fault is why a text is not read.
type Fault struct {
	// Reason says to a model what is wrong, and what to change.
	Reason string
}

func (f *Fault) Error() string { return f.Reason }

func faultf(format string, args ...any) *Fault { return &Fault{fmt.Sprintf(format, args...)} }

// panicked begins the reason of a Fault that should not be.
const panicked = "The command cannot be read, by a fault of einoshell"

// Bounds of one text, so that no text costs more than its length and these.
const (
	// maxNesting is how deep substitutions, compound commands and shell texts
	// within texts may be nested, together.
	maxNesting = 40
	// maxTexts is how deep shell text in shell text may be nested.
	maxTexts = 8
	// maxCount is how many different ones there may be.
	maxCount = 1000
	// maxWrappers is how many commands may run one another in a chain.
	maxWrappers = 16
	// maxWords is how many words braces may make of one.
	maxWords = 256
	// maxWordBytes is how long a word made of variables may become.
	maxWordBytes = 64 << 10
	// spareBytes is how much shell text in shell text may be read besides as much as
	// the whole text is long, four times.
	spareBytes = 64 << 10
)

// Read reads text as the shell would, with nothing on standard input. The error is a
// *Fault.
func Read(text string, shell Shell) (script *Script, err error) {
	return read(text, shell, input{})
}

// ReadFed is Read for a text that runs with something on standard input that is not
// known: what a shell would read from there is not known before it runs. (On Windows it
// is Read.)
func ReadFed(text string, shell Shell) (script *Script, err error) {
	return read(text, shell, input{given: true})
}

func read(text string, shell Shell, stdin input) (script *Script, err error) {
	if shell.Windows() {
		return ReadWindows(text, shell)
	}
	defer func() {
		if wrong := recover(); wrong != nil {
			// A fault of this package or of the parser must not let a text pass, nor
			// end the program of the user.
			script, err = nil, faultf("%s: %v. Write it in another way.", panicked, wrong)
		}
	}()
	room := new(struct { // in one piece: most texts need no more
		reader      reader
		script      Script
		invocations [4]Invocation
		operators   [4]Operator
	})
	room.script.Invocations, room.script.Operators = room.invocations[:0], room.operators[:0]
	r := &room.reader
	r.script, r.budget = &room.script, 4*len(text)+spareBytes
	switch shell {
	case Bash:
		err = r.text(text, bash, scope{host: true, constant: true, stdin: stdin})
	default:
		s := scope{host: true, constant: true, sh: true, stdin: stdin}
		if !plain(text) && handles(bothReadings) {
			err = r.text(text, posix, s)
		}
		if err == nil {
			err = r.text(text, bash, s)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"ENV", "PS0", "PS1", "PS2", "PROMPT_COMMAND"} {
		if r.interactive && r.script.Sets[name] {
			r.script.Invocations = append(r.script.Invocations, Invocation{Dynamic: "an interactive shell runs the value of " + name + ". Leave the -i out."})
		}
	}
	for _, name := range r.decisive {
		if r.script.Sets[name] {
			r.script.Invocations = append(r.script.Invocations, Invocation{Dynamic: name + " names a program that is run. Do not set it."})
			break
		}
	}
	return r.script, nil
}
