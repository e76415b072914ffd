//go:build unix

package tool_test

import (
	"context"
	"strings"
	"testing"

	"github.com/einoshell/einoshell/tool"
)

// Live has lines that have ended, in order, to half of MaxOutputChars and not a line in part; Rest has what is left, in what is left.
func TestLiveAndRest(t *testing.T) {
	for _, tt := range []struct {
		name, command, live, rest string
		truncated                 bool
	}{
		{"all of it", "echo one; echo two", "one\ntwo\n", "", false},
		{"the last line has not ended", "echo one; printf two", "one\n", "two", false},
		{"one line too many", "printf '%044d\\n' 1; printf '%044d\\n' 2; echo 3; echo 4", strings.Repeat("0", 43) + "1\n", strings.Repeat("0", 43) + "2\n3\n4\n", false},
		{"a line that is too long", "printf '%060d\\n' 1; echo 2", "", strings.Repeat("0", 59) + "1\n2\n", false},
		{"both streams, by lines", "printf out; printf err >&2; sleep 0.1; echo put; sleep 0.1; echo or >&2", "output\nerror\n", "", false},
		{"a failure has no words here", "echo one; exit 3", "one\n", "", false},
		{"too much", "seq 1 99", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n", "[... output truncated, showing last 7 chars]\n\n98\n99\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, func(c *tool.Config) { c.MaxOutputChars, c.SpillBytes = 100, 0 })
			var live strings.Builder
			r, err := s.Exec(context.Background(), tool.Request{Command: tt.command, Live: func(text string) {
				if !strings.HasSuffix(text, "\n") {
					t.Errorf("a line in part: %q", text)
				}
				live.WriteString(text)
			}})
			if err != nil {
				t.Fatal(err)
			}
			rest, truncated := r.Rest(live.String())
			if live.String() != tt.live || rest != tt.rest || truncated != tt.truncated {
				t.Errorf("live %q\nrest %q, truncated %v", live.String(), rest, truncated)
			}
			if whole, _ := r.Rest(""); !tt.truncated && whole != tt.live+tt.rest {
				t.Errorf("without Live it is %q", whole)
			}
		})
	}
}

// A sink of a call takes the place of that of the call around it, and stands beside the others.
func TestCallSink(t *testing.T) {
	s := newShell(t, nil)
	heard := map[string]int{}
	sink := func(name string) func(tool.Event) { return func(tool.Event) { heard[name]++ } }
	outer := s.WithCallSink(s.WithEventSink(context.Background(), sink("all")), sink("outer"))
	for _, ctx := range []context.Context{outer, s.WithCallSink(outer, sink("inner")), s.WithCallSink(outer, nil)} {
		if _, err := s.Exec(ctx, tool.Request{Command: "true"}); err != nil {
			t.Fatal(err)
		}
	}
	if heard["all"] != 6 || heard["outer"] != 2 || heard["inner"] != 2 {
		t.Errorf("%v", heard)
	}
}
