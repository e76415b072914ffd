package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	shelltool "github.com/einoshell/einoshell/tool"
)

// A display shows what an agent says and what its commands print, as it
// happens.
type display struct {
	mu      sync.Mutex
	w       io.Writer
	colour  bool
	midLine bool   // the last output did not end its line
	stream  string // of the last output
}

func newDisplay(w io.Writer, colour bool) *display { return &display{w: w, colour: colour} }

const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	grey   = "90"
)

// paint puts s in a colour, if there are colours.
func (d *display) paint(colour, s string) string {
	if !d.colour || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// line writes a line of its own.
func (d *display) line(colour, s string) {
	if d.midLine {
		fmt.Fprintln(d.w)
		d.midLine = false
	}
	fmt.Fprintln(d.w, d.paint(colour, s))
}

// message shows what somebody says.
func (d *display) message(who, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.line(bold, "\n"+who+": "+clean(text))
}

// event shows one event.
func (d *display) event(e shelltool.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := e.(type) {
	case shelltool.CommandStarted:
		d.line(cyan, "$ "+strings.ReplaceAll(clean(e.Command), "\n", "\n> "))
	case shelltool.CommandOutput:
		d.output(e)
	case shelltool.CommandFinished:
		colour, how := green, "done"
		switch {
		case e.TimedOut:
			colour, how = red, "timed out"
		case e.Cancelled:
			colour, how = red, "cancelled"
		case e.ExitCode == nil:
			colour, how = red, fmt.Sprintf("ended by signal %d", e.Signal)
		case *e.ExitCode != 0:
			colour, how = yellow, fmt.Sprintf("exit code %d", *e.ExitCode)
		}
		d.line(colour, fmt.Sprintf("  └ %s in %s", how, e.Duration.Round(time.Millisecond)))
	case shelltool.CommandDenied:
		d.line(red, "  ✗ not run: "+clean(e.Command)+"\n    "+clean(e.Reason))
	}
}

// output shows a piece of output, each line of it behind a bar.
func (d *display) output(e shelltool.CommandOutput) {
	if e.Dropped > 0 {
		d.line(grey, fmt.Sprintf("  │ … %d bytes not shown …", e.Dropped))
	}
	if d.midLine && d.stream != e.Stream {
		fmt.Fprintln(d.w)
		d.midLine = false
	}
	d.stream = e.Stream
	colour := ""
	if e.Stream == shelltool.Stderr {
		colour = yellow
	}
	for line := range strings.Lines(clean(e.Text)) {
		if !d.midLine {
			fmt.Fprint(d.w, d.paint(grey, "  │ "))
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
