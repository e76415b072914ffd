package adapter

import (
	"context"
	"sync"

	"github.com/cloudwego/eino/schema"

	shelltool "github.com/einoshell/einoshell/tool"
)

// streamKey finds the stream that the next run of a Handler is for.
type streamKey struct{ *Handler }

// A stream has the events of one run for a reader.
type stream struct {
	queue  *queue
	writer *schema.StreamWriter[shelltool.Event]

	mu     sync.Mutex
	begun  bool // a run is there, and ends it
	ended  bool
	forget func() bool // does not look at the context any more
}

// streamBuffer is how many events a reader may be late without anything being joined or dropped.
const streamBuffer = 16

// Stream returns a context and a reader of the events of the run that is started with it (or with one that descends
// from it), in order and while they happen, as OnEvent has them. It ends with io.EOF when the run does, which is when its Run is closed or parked, and
// when ctx is done before there was one. Use it for one run. A reader that does not read holds up no command, and costs
// what OnEvent's bounds say; one that has had enough closes.
func (h *Handler) Stream(ctx context.Context) (context.Context, *schema.StreamReader[shelltool.Event]) {
	reader, writer := schema.Pipe[shelltool.Event](streamBuffer)
	reader.SetAutomaticClose() // for one that is forgotten
	closed := false
	s := &stream{writer: writer, queue: newQueue(func(e shelltool.Event) { closed = closed || writer.Send(e, nil) }, h.shell.Logger())}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget = context.AfterFunc(ctx, func() {
		if s.begin() { // so that no run does
			s.end()
		}
	})
	return context.WithValue(ctx, streamKey{h}, s), reader
}

// begin reports whether a run may have the stream: the first one.
func (s *stream) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.begun
	s.begun = true
	s.forget() // a run ends by itself
	return first
}

// end ends the stream behind the events that there are.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		s.queue.close(s.writer.Close)
	}
}
