package adapter

import (
	"context"
	"log/slog"
	"testing"

	shelltool "github.com/einoshell/einoshell/tool"
)

// What waits for a stuck listener is bounded, in small pieces as in large ones,
// for each command by itself, and everything missed is counted.
func TestQueueIsBounded(t *testing.T) {
	hang := make(chan struct{})
	var sent, dropped, ends int64
	q := newQueue(func(e shelltool.Event) {
		<-hang
		switch e := e.(type) {
		case shelltool.CommandOutput:
			sent += int64(e.Bytes)
			dropped += e.Dropped
		case shelltool.CommandFinished:
			ends++
		}
	}, slog.Default())
	var total int64
	put := func(command, stream, text string) {
		total += int64(len(text))
		q.put(shelltool.CommandOutput{EventHead: shelltool.EventHead{CommandID: command}, Stream: stream, Text: text, Bytes: len(text)})
	}
	for range 50_000 {
		put("a", shelltool.Stdout, "x")
		put("a", shelltool.Stderr, "y")
	}
	q.mu.Lock()
	n := len(q.entries)
	q.mu.Unlock()
	if n > pendingOutput/entryCost {
		t.Errorf("%d entries wait", n)
	}
	put("b", shelltool.Stdout, "another command is not cut short")
	for _, id := range []string{"a", "b"} {
		q.put(shelltool.CommandFinished{EventHead: shelltool.EventHead{CommandID: id}})
	}
	close(hang)
	if err := q.flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if sent+dropped != total || dropped == 0 || ends != 2 {
		t.Errorf("%d sent and %d dropped of %d, %d ends", sent, dropped, total, ends)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.output) != 0 || len(q.dropped) != 0 || len(q.entries) != 0 {
		t.Errorf("left over: %v, %v, %d entries", q.output, q.dropped, len(q.entries))
	}
}
