package adapter

import (
	"bytes"
	"context"
	"encoding/gob"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/schema"

	shelltool "github.com/einoshell/einoshell/tool"
)

// callBytes is how much output of one tool call goes into the event stream of an ADK agent, which holds what is not read.
const callBytes = 16_000

// Output that comes in pieces is joined: what waits is sent after callPause, or after a part of the time that the
// call has taken so far, whichever is longer, so that there are few events however long it takes.
const (
	callPause = 50 * time.Millisecond
	callPart  = 10
)

// callEvents puts the events of one tool call into the event stream of the ADK agent that makes it. Not after the call: an
// event behind the last message of an agent that is a tool of another would be taken for its answer. (Of a tool that streams
// its result, the call lasts as long as what it runs, and in an agent that is not the run itself until it has returned the stream.)
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

// newCallEvents makes that of a call in ctx. path are the names of the agents and of the tool.
func newCallEvents(ctx context.Context, agent adkAgent, path []string) *callEvents {
	c := &callEvents{room: callBytes, begin: time.Now(), dropped: map[streamOf]int64{}}
	name, steps := path[len(path)-2], sync.OnceValue(func() []adk.RunStep { return steps(path) })
	if agent == agenticAgent {
		c.send = func(e shelltool.Event) error { return send[*schema.AgenticMessage](ctx, name, steps(), e) }
	} else {
		c.send = func(e shelltool.Event) error { return send[*schema.Message](ctx, name, steps(), e) }
	}
	return c
}

// send sends an event as one that comes from within a tool: Eino then does not keep it among what the agent itself has said,
// which it saves in checkpoints, with four kilobytes for each event.
func send[M adk.MessageType](ctx context.Context, agent string, path []adk.RunStep, e shelltool.Event) error {
	return adk.TypedSendEvent(ctx, &adk.TypedAgentEvent[M]{
		AgentName: agent, RunPath: path, Output: &adk.TypedAgentOutput[M]{CustomizedOutput: e},
	})
}

// steps makes a path, for which Eino has no other way than that of its checkpoints.
func steps(path []string) []adk.RunStep {
	list := make([]adk.RunStep, len(path))
	for i, name := range path {
		var b bytes.Buffer
		err := gob.NewEncoder(&b).Encode(struct{ AgentName string }{name})
		if err == nil {
			err = list[i].GobDecode(b.Bytes())
		}
		if err != nil { // in another version of Eino
			return []adk.RunStep{{}} // which is no agent, either
		}
	}
	return list
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
