package command

import (
	"slices"
	"strings"
)

// A windows reads one text for a shell of Windows, and those in it. What it finds is what
// Read finds in a text for a shell of Unix.
type windows struct {
	script    *Script
	budget    int // bytes of shell text that may still be read
	pipelines int
	fault     *Fault
}

// A spot is where in a text a command stands.
type spot struct {
	via           []string
	place         Place
	texts, depth  int
	input, output bool
	pipes         []Stage
	delayed       bool // cmd.exe puts values in the place of !NAME!
}

// What to do about something in a text for Windows that is not known.
const (
	useWindowsText = "Write out what is to be run."
	usePlain       = "Write it in a plainer way."
)

// ReadWindows reads text as a shell of Windows would: Cmd or PowerShell. The error is a
// *Fault.
func ReadWindows(text string, shell Shell) (script *Script, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			script, err = nil, faultf("%s: %v. Write it in another way.", panicked, wrong)
		}
	}()
	w := &windows{script: &Script{}, budget: 4*len(text) + spareBytes}
	w.read(text, shell, spot{})
	if w.fault != nil {
		return nil, w.fault
	}
	return w.script, nil
}

func (w *windows) read(text string, shell Shell, at spot) {
	if shell == PowerShell {
		p := &powershell{windows: w, s: plainQuotes.Replace(text)}
		p.list(at, 0)
		return
	}
	// (cmd.exe drops carriage returns, wherever they stand.)
	c := &cmd{windows: w, s: strings.ReplaceAll(text, "\r", "")}
	c.list(at, false)
}

// nested reads text that a command is given to run.
func (w *windows) nested(text string, shell Shell, at spot) {
	if at.texts++; at.texts > maxTexts {
		w.fail(faultf("Shell text is nested more than %d times. Run it without so many shells.", maxTexts))
	}
	// (Even an empty text costs something.)
	if w.budget -= len(text) + 16; w.budget < 0 {
		w.fail(faultf("The command holds too much shell text within shell text. Split it, or put it in a script file."))
	}
	if w.fault != nil {
		return
	}
	at.place |= InText
	if shell == PowerShell {
		at.delayed = false
	}
	w.read(text, shell, at)
}

// text reads what who runs, if it is known: if not, it is at most something like text.
func (w *windows) text(who, text string, sure bool, shell Shell, at spot) {
	if sure {
		w.nested(text, shell, at)
		return
	}
	w.dynamic("the text that "+who+" runs", useWindowsText, at)
	at.place |= Possible
	fault := w.fault
	w.nested(text, shell, at)
	w.fault = fault // (it is but a guess)
}

func (w *windows) fail(f *Fault) {
	if w.fault == nil {
		w.fault = f
	}
}

// deeper is at one level down. ok is false when it is too deep.
func (w *windows) deeper(at spot) (_ spot, ok bool) {
	if at.depth++; at.depth > maxNesting {
		w.fail(tooDeep())
	}
	return at, w.fault == nil
}

// below is at for what name runs. ok is false when too many commands run one another.
func (w *windows) below(at spot, name string) (_ spot, ok bool) {
	if len(at.via) > maxWrappers {
		w.fail(faultf("Too many commands run one another. Run the command itself."))
	}
	at.via = append(at.via[:len(at.via):len(at.via)], name)
	return at, w.fault == nil
}

func (w *windows) operator(op Operator) {
	if !slices.Contains(w.script.Operators, op) {
		w.script.Operators = append(w.script.Operators, op)
	}
}

// sets notes that a variable is set. Their names have no case.
func (w *windows) sets(name string) { note(&w.script.Sets, strings.ToUpper(name)) }

// emit adds an invocation.
func (w *windows) emit(i Invocation, at spot) {
	i.Via, i.Place, i.Pipes = at.via, at.place, at.pipes
	i.Input, i.Output = at.input, at.output
	w.script.Invocations = append(w.script.Invocations, i)
}

// dynamic adds something that runs what is not known, and what to do about it.
func (w *windows) dynamic(what, remedy string, at spot) {
	why := what + ". " + remedy
	if n := len(w.script.Invocations); n > 0 && w.script.Invocations[n-1].Dynamic == why {
		return // said once, it is enough
	}
	w.emit(Invocation{Dynamic: why}, at)
}

// piped notes that what was found since mark, within the pipelines outer, is a stage of one more,
// and writes into a pipe.
func (w *windows) piped(mark int, outer []Stage, own Stage) {
	n := len(outer)
	for i := mark; i < len(w.script.Invocations); i++ {
		inv := &w.script.Invocations[i]
		if inv.Output = true; len(inv.Pipes) <= n || inv.Pipes[n] != own {
			inv.Pipes = slices.Insert(slices.Clone(inv.Pipes), min(n, len(inv.Pipes)), own)
		}
	}
}

// WindowsName is what a name stands for where case and extensions mean nothing:
// C:\x\FORMAT.COM is format.
func WindowsName(name string) string {
	name = strings.ToLower(name)
	name = strings.TrimRight(name[strings.LastIndexAny(name, `\/:`)+1:], ". ")
	for _, extension := range []string{".exe", ".com", ".bat", ".cmd", ".ps1"} {
		name = strings.TrimSuffix(name, extension)
	}
	return name
}

// strangeName tells whether a name holds what shells may take for a blank or drop.
func strangeName(name string) bool {
	return strings.ContainsFunc(name, func(c rune) bool {
		return c < ' ' || c == 0x7f || c >= 0x80 && c <= 0xa0 || c == 0xad || c >= 0x2000 && c <= 0x206f || c == 0x3000 || c == 0xfeff || c == 0xfffd
	})
}
