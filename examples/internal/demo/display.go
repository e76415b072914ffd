package demo

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	shelltool "github.com/einoshell/einoshell/tool"
)

// A Display shows what an agent says and does and what its commands print, as it
// happens.
type Display struct {
	mu       sync.Mutex
	w        io.Writer
	colour   bool
	commands map[string]command // those that run, by their id
	numbers  int                // given so far
	midLine  bool               // the last output did not end its line
	last     [2]string          // the command and the stream of the last output
}

// A command is how a running command is shown.
type command struct {
	// number stands before all that comes of it. It is zero for one in the foreground
	// that runs beside none but numbered ones.
	number     int
	background bool
}

// NewDisplay returns a Display that writes to w.
func NewDisplay(w io.Writer, colour bool) *Display {
	return &Display{w: w, colour: colour, commands: map[string]command{}}
}

const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	grey   = "90"
)

// paint puts s in a colour, if there are colours.
func (d *Display) paint(colour, s string) string {
	if !d.colour || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// line writes a line of its own.
func (d *Display) line(colour, s string) {
	if d.midLine {
		fmt.Fprintln(d.w)
		d.midLine = false
	}
	fmt.Fprintln(d.w, d.paint(colour, s))
}

// Message shows what somebody says.
func (d *Display) Message(who, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.line(bold, "\n"+who+": "+clean(text))
}

// Call shows a call of a tool that starts nothing, of which there are no events.
func (d *Display) Call(tool, arguments string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.line(cyan, "→ "+clean(tool+" "+arguments))
}

// Event shows one event.
func (d *Display) Event(e shelltool.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := e.(type) {
	case shelltool.CommandStarted:
		d.started(e)
	case shelltool.CommandOutput:
		d.output(e)
	case shelltool.CommandFinished:
		c := d.commands[e.CommandID]
		delete(d.commands, e.CommandID)
		colour, how := green, "done"
		switch {
		case e.TimedOut:
			colour, how = red, "timed out"
		case e.Stopped:
			colour, how = grey, "stopped" // which is how it is to end
		case e.Cancelled:
			colour, how = red, "cancelled"
		case e.ExitCode == nil:
			colour, how = red, fmt.Sprintf("ended by signal %d", e.Signal)
		case *e.ExitCode != 0:
			colour, how = yellow, fmt.Sprintf("exit code %d", *e.ExitCode)
		}
		after := " in "
		if c.background {
			after = " after "
		}
		d.line(colour, c.margin()+"└ "+how+after+e.Duration.Round(time.Millisecond).String())
	case shelltool.CommandDenied:
		d.line(red, "  ✗ not run: "+clean(e.Command)+"\n    "+clean(e.Reason))
	}
}

// started shows the start of a command, and gives it a number when it needs one to be
// told from others.
func (d *Display) started(e shelltool.CommandStarted) {
	c := command{background: e.Background}
	numbered := e.Background
	for _, other := range d.commands {
		numbered = numbered || other.number == 0
	}
	prompt := "$ "
	if numbered {
		d.numbers++
		c.number = d.numbers
		prompt = c.margin() + prompt
	}
	d.commands[e.CommandID] = c
	d.line(cyan, prompt+strings.ReplaceAll(clean(e.Command), "\n", "\n"+strings.Repeat(" ", len(prompt)-2)+"> "))
	if e.Background {
		// On a line of its own, which no command can imitate, with the name that calls have for it.
		d.line(grey, c.margin()+"├ in the background as "+e.CommandID)
	}
}

// margin stands before a line of the command.
func (c command) margin() string {
	if c.number == 0 {
		return "  "
	}
	return fmt.Sprintf("%-2d", c.number)
}

// output shows a piece of output, each line of it behind a bar.
func (d *Display) output(e shelltool.CommandOutput) {
	bar := d.commands[e.CommandID].margin() + "│ "
	if e.Dropped > 0 {
		d.line(grey, fmt.Sprintf("%s… %d bytes not shown …", bar, e.Dropped))
	}
	from := [2]string{e.CommandID, e.Stream}
	if d.midLine && d.last != from {
		fmt.Fprintln(d.w)
		d.midLine = false
	}
	d.last = from
	colour := ""
	if e.Stream == shelltool.Stderr {
		colour = yellow
	}
	for line := range strings.Lines(clean(e.Text)) {
		if !d.midLine {
			fmt.Fprint(d.w, d.paint(grey, bar))
		}
		text, ended := strings.CutSuffix(line, "\n")
		if colour != "" {
			text = d.paint(colour, text)
		}
		fmt.Fprint(d.w, text)
		if ended {
			fmt.Fprintln(d.w)
		}
		d.midLine = !ended
	}
}

// clean makes untrusted text safe for a terminal: without it a command, or what
// it prints, could move the cursor and rewrite what is on the screen.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '·'
	}, s)
}

// colours reports whether w is a terminal whose user wants colours.
func colours(w io.Writer, env func(string) string) bool {
	f, ok := w.(*os.File)
	if !ok || env("NO_COLOR") != "" || env("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
