package adapter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	shelltool "github.com/einoshell/einoshell/tool"
)

// In the stream of an ADK agent what comes at once is sent at once, what comes in pieces is joined, less and less often, what is too much is
// counted, and nothing is sent behind the end.
func TestCallEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []shelltool.Event
		var times []time.Duration
		begin := time.Now()
		c := &callEvents{room: callBytes, begin: begin, dropped: map[streamOf]int64{}, send: func(e shelltool.Event) error {
			sent = append(sent, e)
			times = append(times, time.Since(begin))
			return nil
		}}
		now := func() []shelltool.Event {
			c.mu.Lock() // which it holds when it sends
			defer c.mu.Unlock()
			return slices.Clone(sent)
		}
		head := shelltool.EventHead{CommandID: "a"}
		print := func(stream, text string) {
			c.put(shelltool.CommandOutput{EventHead: head, Stream: stream, Text: text, Bytes: len(text)})
		}
		c.put(shelltool.CommandStarted{EventHead: head, Command: strings.Repeat("é", 5000)})
		if s := now()[0].(shelltool.CommandStarted); len(s.Command) > shelltool.MaxEventText+3 || !strings.HasSuffix(s.Command, "é…") {
			t.Errorf("the command has %d bytes", len(s.Command))
		}
		print("stdout", "1")
		if len(now()) != 2 {
			t.Fatal("the first piece waits")
		}
		for i := range 10 {
			print("stdout", fmt.Sprint(i))
			print("stderr", "e")
		}
		if len(now()) != 2 {
			t.Errorf("%d events at once", len(now()))
		}
		time.Sleep(callPause)
		synctest.Wait()
		list := now()
		if len(list) != 4 || list[2].(shelltool.CommandOutput).Text != "0123456789" || list[3].(shelltool.CommandOutput).Text != "eeeeeeeeee" {
			t.Fatalf("%+v", list[2:])
		}
		for range 6000 { // ten minutes
			time.Sleep(100 * time.Millisecond)
			print("stdout", ".")
		}
		if n := len(now()); n > 100 {
			t.Errorf("%d events", n)
		}
		longest := time.Duration(0)
		for i := 5; i < len(times); i++ {
			longest = max(longest, times[i]-times[i-1]-times[i]/callPart)
		}
		if longest > 200*time.Millisecond {
			t.Errorf("%v longer than a tenth without an event", longest)
		}
		for range 20 {
			print("stderr", strings.Repeat("x", 1000))
		}
		print("stdout", "too much")
		c.put(shelltool.CommandFinished{EventHead: head})
		c.end()
		list = now()
		n := len(list)
		print("stdout", "late")
		c.put(shelltool.CommandFinished{EventHead: head})
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(now()) != n {
			t.Error("an event behind the end")
		}
		if _, ok := list[n-1].(shelltool.CommandFinished); !ok {
			t.Errorf("%T is the last", list[n-1])
		}
		got := map[string][2]int64{}
		for _, e := range list {
			if o, ok := e.(shelltool.CommandOutput); ok {
				s := got[o.Stream]
				got[o.Stream] = [2]int64{s[0] + int64(o.Bytes), s[1] + o.Dropped}
			}
		}
		if got["stdout"] != [2]int64{6011, 8} || got["stderr"][0]+got["stderr"][1] != 20_010 || got["stdout"][0]+got["stderr"][0] > callBytes {
			t.Errorf("%v", got)
		}

		// Where there is no agent, it is tried once.
		tries := 0
		c = &callEvents{room: callBytes, begin: begin, dropped: map[streamOf]int64{}, send: func(shelltool.Event) error {
			tries++
			return errors.New("no agent")
		}}
		c.put(shelltool.CommandStarted{EventHead: head})
		print("stdout", "x")
		c.end()
		if tries != 1 {
			t.Errorf("%d tries", tries)
		}
	})
}
