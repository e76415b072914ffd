package tool

import (
	"sync"
	"time"
	"unicode/utf8"

	"github.com/einoshell/einoshell/internal/output"
)

// How much of one command's output becomes events: a burst, and a rate after
// it. Nobody can read as much. What is over it is counted in
// CommandOutput.Dropped, so that showing a command live costs the host the same
// whatever the command prints.
const (
	liveBurst = 1 << 20  // bytes
	liveRate  = 16 << 20 // bytes a second
)

// An allowance says how much may become events now. The zero allowance is a
// full one. It is safe for concurrent use.
type allowance struct {
	mu   sync.Mutex
	used int // of liveBurst
	at   time.Time
}

// take reports whether n more bytes may, and if so counts them.
func (a *allowance) take(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if !a.at.IsZero() {
		regained := now.Sub(a.at).Seconds() * liveRate
		a.used = int(max(0, float64(a.used)-regained))
	}
	a.at = now
	if a.used+n > liveBurst {
		return false
	}
	a.used += n
	return true
}

// A merge takes in both streams of a command line by line, in the order in which
// the lines end: what belongs to one line, or to one control sequence, stays
// together. As long as only one stream has printed anything, its screen is that
// of both. A merge is safe for concurrent use.
type merge struct {
	mu     sync.Mutex // also for the screens and parts of the captures
	only   *capture   // the one that has printed; nil for none
	mixed  bool
	screen output.Reducer
	head   *head // nil when nobody is told live
	spill  *output.Spill
	news   chan struct{} // closed when something comes; nil when nobody waits for it
}

// maxPart is the longest line that is kept together, in bytes.
const maxPart = 16 << 10

// write takes in p of c, and writes it to c's screen.
func (m *merge) write(c *capture, p []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c.bytes += int64(len(p))
	whole := c.lines.Add(p) // lines that end in p
	c.screen.Write(p)
	if m.news != nil {
		close(m.news)
		m.news = nil
	}
	switch {
	case m.only == nil:
		m.only = c
	case m.only != c && !m.mixed:
		m.mixed = true
		m.screen = m.only.screen.Clone()
		if !m.only.long {
			m.screen.DropLine() // it is in part
		}
	}
	if whole > 0 {
		m.add(c.part)
		m.add(p[:whole])
		c.part, c.long = c.part[:0], false
	}
	switch rest := p[whole:]; {
	case c.long:
		m.add(rest)
	case len(c.part)+len(rest) <= maxPart:
		c.part = append(c.part, rest...)
	default: // too long to be kept together
		m.add(c.part)
		m.add(rest)
		c.part, c.long = c.part[:0], true
	}
}

// add takes in what comes next of both.
func (m *merge) add(p []byte) {
	if m.mixed {
		m.screen.Write(p)
	}
	m.head.write(p)
	m.spill.Write(p)
}

// finish ends both streams.
func (m *merge) finish(captures ...*capture) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var last []byte // what is unfinished of each may be a secret together
	for _, c := range captures {
		c.screen.Flush()
		last = append(last, c.part...)
		c.part = nil
	}
	m.add([]byte(captures[0].redact.Secrets.Hide(string(last))))
	m.screen.Flush()
}

// show puts into r what there is of both streams, at most limit characters of each:
// where r is to have what is fresh, that. Of both in one it has whole lines, as long as
// there may come more. seen says that what is there is not fresh from now on.
func (m *merge) show(r *Result, stdout, stderr *capture, limit int, seen bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.Stdout, r.StdoutTruncated = stdout.shown(&stdout.screen, limit, r.fresh)
	r.Stderr, r.StderrTruncated = stderr.shown(&stderr.screen, limit, r.fresh)
	r.StdoutBytes, r.StderrBytes = stdout.bytes, stderr.bytes
	r.TotalLines = stdout.lines.Lines() + stderr.lines.Lines()
	switch {
	case m.mixed:
		r.Output, r.OutputTruncated = stdout.shown(&m.screen, limit, r.fresh)
	case m.only == stderr:
		r.Output, r.OutputTruncated = r.Stderr, r.StderrTruncated
	default:
		r.Output, r.OutputTruncated = r.Stdout, r.StdoutTruncated
	}
	if seen {
		for _, screen := range []*output.Reducer{&stdout.screen, &stderr.screen, &m.screen} {
			screen.Tail.Seen()
		}
	}
}

// hideBefore is how many characters in front of what is shown are looked at for secrets that
// reach into it.
const hideBefore = 4096

// shown returns the last limit characters of what a terminal would show, and whether
// there were more. Without what it does not show there may be secrets again.
func (c *capture) shown(screen *output.Reducer, limit int, fresh bool) (string, bool) {
	end, more := screen.Tail.End(limit+hideBefore, fresh)
	all := c.redact.Secrets.Hide(output.Visible(output.Text(end)))
	last := output.Last(all, limit)
	return last, more || len(last) < len(all)
}

// printed is how many bytes of both streams there were.
func (m *merge) printed(stdout, stderr *capture) (int64, int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return stdout.bytes, stderr.bytes
}

// sync has the file with the output written, and returns it.
func (m *merge) sync() (path string, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spill.Sync()
}

// wait returns a channel that is closed when something comes, nil when something has
// come that was not looked at.
func (m *merge) wait(captures ...*capture) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range captures {
		if c.screen.Tail.Fresh() > 0 {
			return nil
		}
	}
	if m.news == nil {
		m.news = make(chan struct{})
	}
	return m.news
}

// A capture takes in one stream of a command.
type capture struct {
	stream  string
	em      *emitter
	live    *allowance // shared by the streams of a command
	merge   *merge     // likewise
	part    []byte     // the line that has not ended yet, unless it is
	long    bool       // longer than maxPart
	bytes   int64      // as printed
	lines   output.LineCounter
	screen  output.Reducer
	decode  output.Decoder
	redact  output.Redactor
	dropped int64 // bytes that became no event, not told of yet
}

func (s *Shell) newCapture(em *emitter, live *allowance, both *merge, stream string) *capture {
	return &capture{stream: stream, em: em, live: live, merge: both, screen: s.newScreen(), redact: output.Redactor{Secrets: s.secrets}}
}

// newScreen returns what holds MaxOutputChars characters: of four bytes at most.
func (s *Shell) newScreen() output.Reducer {
	return output.Reducer{Tail: output.NewTail(4 * s.c.MaxOutputChars)}
}

// write is the stream's Sink. What it passes on has no secrets in it, and as many bytes.
func (c *capture) write(p []byte) { c.take(c.redact.Write(p)) }

func (c *capture) take(p []byte) {
	if len(p) == 0 {
		return
	}
	c.merge.write(c, p)
	if !c.em.listened() {
		return
	}
	if !c.live.take(len(p)) {
		c.dropped += int64(c.decode.Reset() + len(p))
		return
	}
	if c.dropped > 0 { // behind the gap, begin with a whole character
		for i := 0; i < utf8.UTFMax-1 && len(p) > 0 && !utf8.RuneStart(p[0]); i++ {
			p = p[1:]
			c.dropped++
		}
	}
	var events []func(EventHead) Event
	for len(p) > 0 {
		// With the rest of a character before it, still MaxEventText at most.
		n := min(len(p), MaxEventText-utf8.UTFMax)
		held := c.decode.Held()
		text := c.decode.Decode(p[:n])
		events = c.add(events, text, held+n-c.decode.Held())
		p = p[n:]
	}
	c.em.send(events...)
}

// flush ends the stream.
func (c *capture) flush() {
	c.take(c.redact.Flush())
	if !c.em.listened() {
		return
	}
	held := c.decode.Held()
	events := c.add(nil, c.decode.Flush(), held)
	if c.dropped > 0 {
		events = append(events, c.event("", 0))
	}
	c.em.send(events...)
}

// add appends the events for text, which stands for n bytes. What is not UTF-8
// grows when it is decoded, so there may be several.
func (c *capture) add(events []func(EventHead) Event, text string, n int) []func(EventHead) Event {
	output.Chunks(text, MaxEventText, func(piece string) {
		events = append(events, c.event(piece, n))
		n = 0
	})
	return events
}

// event makes one piece; the first after a gap tells of it.
func (c *capture) event(text string, n int) func(EventHead) Event {
	dropped := c.dropped
	c.dropped = 0
	return func(h EventHead) Event {
		return CommandOutput{EventHead: h, Stream: c.stream, Text: text, Bytes: n, Dropped: dropped}
	}
}
