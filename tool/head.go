package tool

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/einoshell/einoshell/internal/output"
)

// A head tells of the beginning of what a command prints on both streams while it runs: of lines that have
// ended, as Result.Output will have them.
type head struct {
	tell   func(string)
	hide   func(string) string
	screen output.Reducer
	room   int // characters that are still to be told
}

func (s *Shell) newHead(tell func(string)) *head {
	return &head{tell: tell, hide: s.secrets.Hide, screen: s.newScreen(), room: s.c.MaxOutputChars / 2}
}

// write takes in what comes next.
func (h *head) write(p []byte) {
	if h == nil {
		return
	}
	var b strings.Builder
	for len(p) > 0 && h.room > 0 {
		n := bytes.IndexByte(p, '\n') + 1
		if n == 0 {
			h.screen.Write(p)
			break
		}
		h.screen.Write(p[:n])
		p = p[n:]
		b.WriteString(h.line())
	}
	if b.Len() > 0 {
		h.tell(b.String())
	}
}

// line returns the line that has just ended. The first that there is no room for ends it all.
func (h *head) line() string {
	end, more := h.screen.Tail.End(h.room, true)
	h.screen.Tail.Seen()
	line := h.hide(output.Visible(output.Text(end)))
	n := utf8.RuneCountInString(line)
	if more || n > h.room {
		h.room = 0
		return ""
	}
	h.room -= n
	return line
}

// Rest is what there is to say of a command to a model that has seen told, the text that Request.Live
// was given, already: the rest of Output, both in at most Config.MaxOutputChars characters, and lines like those of Text, but for
// the exit code, and whatever Config.ResultFormat is. With an empty told it is the whole text.
func (r *Result) Rest(told string) (text string, truncated bool) {
	rest, all := strings.CutPrefix(r.Output, told)
	lost := r.OutputTruncated || !all
	if lost {
		rest = r.Output
	}
	var b strings.Builder
	b.WriteString(rest)
	for _, line := range []string{r.Note, r.cutShort(), r.hint} {
		if line == "" {
			continue
		}
		if n := b.Len(); n > 0 && b.String()[n-1] != '\n' {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	limit := max(r.maxChars-utf8.RuneCountInString(told), 0)
	text = b.String()
	if lost && utf8.RuneCountInString(text) <= limit { // the marker is due
		limit = max(utf8.RuneCountInString(text)-1, 0)
	}
	text, cut := output.Truncate(text, limit, r.more())
	return text, cut || lost
}

// cutShort is the line that says how a command was ended, if it was.
func (r *Result) cutShort() string {
	switch {
	case r.TimedOut:
		return fmt.Sprintf("[Command timed out after %ss]", seconds(r.Timeout))
	case r.Cancelled:
		return fmt.Sprintf("[Command cancelled after %ss]", seconds(r.Duration.Round(100*time.Millisecond)))
	}
	return ""
}
