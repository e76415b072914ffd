//go:build unix

package tool_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einoshell/einoshell/tool"
)

// Whoever asks while a command ends gets its output, and the file with all of it.
func TestChecksWhileACommandEnds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShell(t, func(c *tool.Config) { c.SpillBytes, c.StateDir, c.MaxOutputChars = 1<<20, t.TempDir(), 20_000 })
	for range 5 {
		id := begin(t, ctx, s, "seq 30000")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for text := ""; !strings.Contains(text, "[status: finished]"); {
					text = look(t, ctx, s, id, "wait_seconds", 5)
				}
				_, name, _ := strings.Cut(look(t, ctx, s, id), "; all of it is in ")
				name, _, _ = strings.Cut(name, "]")
				if info, err := os.Stat(name); err != nil || info.Size() != 168_894 {
					t.Errorf("%v, %v", err, info)
				}
			})
		}
		wg.Wait()
		stop(t, ctx, s, id)
	}
}

// A file that was named stays until others need its room, and is not named then.
func TestFileOfBackgroundCommand(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShell(t, func(c *tool.Config) { c.SpillBytes, c.StateDir, c.MaxOutputChars = 100_000, t.TempDir(), 1000 })
	id := begin(t, ctx, s, "seq 1000 1196; sleep 1") // what is cut is cut only by the lines behind it
	name := ""
	until(t, "a file", func() bool {
		_, name, _ = strings.Cut(look(t, ctx, s, id), "; all of it is in ")
		name, _, _ = strings.Cut(name, "]")
		return name != ""
	})
	if text := finished(t, ctx, s, id); !strings.Contains(text, "; all of it is in "+name+"]") {
		t.Errorf("%.300q", text)
	}
	if _, err := os.Stat(name); err != nil {
		t.Error(err)
	}
	for range 12 {
		finished(t, ctx, s, begin(t, ctx, s, "seq 100000"))
	}
	if text := look(t, ctx, s, id); strings.Contains(text, name) {
		t.Errorf("%.300q", text)
	}
}

// What waits for input when it is stopped does not go on with what comes behind.
func TestStopIsNoEndOfInput(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	s := newShell(t, func(c *tool.Config) { c.Dir, c.Tools = dir, allTools })
	for range 20 {
		id := begin(t, ctx, s, "echo up; read answer; echo x > went; sleep 30", "stdin", true)
		look(t, ctx, s, id, "wait_seconds", 20)
		if text := stop(t, ctx, s, id); text != "[stdout]\nup\n\n[stopped]\n[exit code: -15]" {
			t.Errorf("%q", text)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "went")); err == nil {
		t.Error("it went on")
	}
	id := begin(t, ctx, s, "sleep 100")
	for _, want := range []string{"reads no input. Start it with stdin true.]", "unknown command ID"} {
		if text := use(t, ctx, s, "send_input", "command_id", id, "end_input", true); !strings.Contains(text, want) {
			t.Errorf("%q", text)
		}
		stop(t, ctx, s, id)
	}
}

// A sink that ends its goroutine, as a test's FailNow does, harms no command, and keeps
// nobody waiting.
func TestSinkThatExitsInTheBackground(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, when := range []string{"started", "finished"} {
		s := newShell(t, func(c *tool.Config) { c.MaxBackground = 1 })
		sink := s.WithEventSink(ctx, func(e tool.Event) {
			switch e.(type) {
			case tool.CommandStarted:
				if when == "started" {
					runtime.Goexit()
				}
			case tool.CommandFinished:
				if when == "finished" {
					runtime.Goexit()
				}
			}
		})
		done := make(chan struct{})
		go func() {
			defer close(done)
			use(t, sink, s, "start_command", "command", "echo a; exit 3")
		}()
		<-done
		until(t, "another start", func() bool {
			return startedText.MatchString(use(t, ctx, s, "start_command", "command", "sleep 100"))
		})
		s.Close()
	}
}

// Two that wait for what is new: who gets nothing of it goes on waiting.
func TestTwoWaitForNewOutput(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShell(t, nil)
	id := begin(t, ctx, s, "sleep 0.5; echo a; sleep 1; echo b; sleep 100")
	texts := make([]string, 2)
	var wg sync.WaitGroup
	for i := range texts {
		wg.Go(func() { texts[i] = look(t, ctx, s, id, "wait_seconds", 20, "new_output_only", true) })
	}
	wg.Wait()
	if all := strings.Join(texts, ""); strings.Count(all, "\na\n") != 1 || strings.Count(all, "\nb\n") != 1 {
		t.Errorf("%q", texts)
	}
}

// A place is free as soon as anybody hears that a command has ended.
func TestPlaceIsFreeAfterTheEnd(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShell(t, func(c *tool.Config) { c.MaxBackground, c.SpillBytes, c.StateDir = 1, 1<<20, t.TempDir() })
	for range 20 {
		id := begin(t, ctx, s, "seq 60000")
		for text := ""; !strings.Contains(text, "[status: finished]"); {
			text = look(t, ctx, s, id, "wait_seconds", 5)
		}
	}
}

// Closing, contexts that are done and new Runs at the same time.
func TestRunsOfAShellThatCloses(t *testing.T) {
	t.Parallel()
	for range 50 {
		s := newShell(t, nil)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				ctx, cancel := context.WithCancel(context.Background())
				ctx, run := s.NewRun(ctx, tool.RunOptions{})
				go cancel()
				s.Exec(context.WithoutCancel(ctx), tool.Request{Command: "true"})
				run.Close()
			})
		}
		wg.Go(func() { s.Close() })
		wg.Wait()
	}
}

// The memory that the commands hold which can be looked at, those that have ended included.
func TestMemoryOfBackgroundCommands(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("takes some seconds, and memory of its own")
	}
	ctx := context.Background()
	s := newShell(t, func(c *tool.Config) { c.MaxOutputChars = 10_000 })
	inUse := func() uint64 {
		var m runtime.MemStats
		for range 3 {
			runtime.GC()
			time.Sleep(10 * time.Millisecond)
		}
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := inUse()
	const n = 70
	for i := range n {
		id := begin(t, ctx, s, fmt.Sprintf("yes '%d \U0001F600\U0001F600\U0001F600' | head -n 20000; yes '\U0001F601' | head -n 60000 >&2", i))
		finished(t, ctx, s, id)
	}
	perChar := float64(inUse()-before) / 64 / 10_000
	t.Logf("%.1f bytes for each character of MaxOutputChars", perChar)
	if perChar > 14 {
		t.Errorf("%.1f bytes for each character of MaxOutputChars", perChar)
	}
	s.Close()
}
