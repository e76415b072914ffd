package adapter

import (
	"context"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/schema"

	shelltool "github.com/einoshell/einoshell/tool"
)

// callBytes is how much output of one tool call goes into the event stream of an ADK agent. Eino keeps that
// until the end of the run, and saves it in checkpoints.
const callBytes = 16_000

// Output that comes in pieces is joined: what waits is sent after callPause, or after a part of the time that the
// call has taken so far, whichever is longer, so that there are few events however long it takes.
const (
	callPause = 50 * time.Millisecond
	callPart  = 10
)

// callEvents puts the events of one tool call into the event stream of the ADK agent that makes it. Not after the call: an
// event behind the last message of an agent that is a tool of another would be taken for its answer. (The end of a tool that streams
// its result is not heard of; what it runs is over before that, as its events are.)
type callEvents struct {
	send func(shelltool.Event) error

	mu      sync.Mutex
	over    bool
	room    int // for output, in bytes
	begin   time.Time
	last    time.Time // when output was sent
	timer   *time.Timer
	waiting []shelltool.CommandOutput // at most one of each stream
	dropped map[streamOf]int64        // bytes that there was no room for
}

func newCallEvents(ctx context.Context, agent adkAgent) *callEvents {
	c := &callEvents{room: callBytes, begin: time.Now(), dropped: map[streamOf]int64{}}
	if agent == agenticAgent {
		c.send = func(e shelltool.Event) error { return send[*schema.AgenticMessage](ctx, e) }
	} else {
		c.send = func(e shelltool.Event) error { return send[*schema.Message](ctx, e) }
	}
	return c
}

func send[M adk.MessageType](ctx context.Context, e shelltool.Event) error {
	return adk.TypedSendEvent(ctx, &adk.TypedAgentEvent[M]{Output: &adk.TypedAgentOutput[M]{CustomizedOutput: e}})
}

// put takes in an event.
func (c *callEvents) put(e shelltool.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	switch e := e.(type) {
	case shelltool.CommandOutput:
		c.output(e)
	case shelltool.CommandStarted:
		e.Command = clip(e.Command)
		c.now(e)
	case shelltool.CommandDenied:
		e.Command, e.Reason = clip(e.Command), clip(e.Reason)
		c.now(e)
	case shelltool.CommandFinished:
		c.flush()
		for _, name := range streams {
			key := streamOf{e.CommandID, name}
			if n := c.dropped[key]; n > 0 {
				delete(c.dropped, key)
				c.now(shelltool.CommandOutput{EventHead: e.EventHead, Stream: name, Dropped: n})
			}
		}
		c.now(e)
	}
}

// output takes in a piece of output, as far as there is room for it.
func (c *callEvents) output(e shelltool.CommandOutput) {
	key := streamOf{e.CommandID, e.Stream}
	if len(e.Text) > c.room || c.dropped[key] > 0 {
		c.room = 0
	}
	if c.room == 0 {
		c.dropped[key] += e.Dropped + int64(e.Bytes)
		return
	}
	c.room -= len(e.Text)
	if e.Dropped > 0 {
		c.flush()
	}
	i := slices.IndexFunc(c.waiting, func(w shelltool.CommandOutput) bool { return w.CommandID == e.CommandID && w.Stream == e.Stream })
	if i >= 0 && len(c.waiting[i].Text)+len(e.Text) > shelltool.MaxEventText {
		c.flush()
		i = -1
	}
	if i < 0 {
		c.waiting = append(c.waiting, e)
	} else {
		c.waiting[i].Text += e.Text
		c.waiting[i].Bytes += e.Bytes
	}
	wait := time.Until(c.last.Add(max(callPause, time.Since(c.begin)/callPart)))
	switch {
	case wait <= 0:
		c.flush()
	case c.timer == nil:
		c.timer = time.AfterFunc(wait, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.flush()
		})
	}
}

// flush sends the output that waits.
func (c *callEvents) flush() {
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	for _, e := range c.waiting {
		c.now(e)
	}
	if len(c.waiting) > 0 {
		c.last = time.Now()
	}
	c.waiting = nil
}

func (c *callEvents) now(e shelltool.Event) {
	if !c.over && c.send(e) != nil { // no agent is there
		c.over = true
	}
}

// end says that the call is over.
func (c *callEvents) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flush()
	c.over = true
}

// clip returns the beginning of a text that may be long.
func clip(s string) string {
	if len(s) <= shelltool.MaxEventText {
		return s
	}
	n := shelltool.MaxEventText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
