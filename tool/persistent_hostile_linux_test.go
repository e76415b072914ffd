package tool_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
	"github.com/einoshell/einoshell/tool"
)

// pkill -f, the way in which models stop servers, means the supervisor too, which has the command's text in its arguments: the status is
// published all the same.
func TestPersistentStoppedByPkill(t *testing.T) {
	t.Parallel()
	need.Program(t, "pkill")
	s := persistentShell(t, nil)
	ctx := context.Background()
	h := persist(t, ctx, s, "sleep 301.25; echo over", "mode", "background")
	use(t, ctx, s, "run_command", "command", "pkill -f 'sleep 301[.]25'")
	until(t, "the status", func() bool { return strings.TrimSpace(fileText(t, h.status)) == h.published("143") })
}

// The end of the Shell does not wait for who waits for a command that outlives it.
func TestCloseDuringACheck(t *testing.T) {
	t.Parallel()
	s := persistentShell(t, nil)
	ctx := context.Background()
	h := persist(t, ctx, s, "sleep 60", "mode", "background")
	checked := make(chan string)
	go func() {
		checked <- use(t, ctx, s, "check_command", "command_id", strconv.Itoa(h.pid), "wait_seconds", 100)
	}()
	time.Sleep(300 * time.Millisecond)
	begin := time.Now()
	s.Close()
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("Close took %v", took)
	}
	<-checked
}

// A command whose supervisor was killed, and which has no mark any more, is found by its number and its start.
func TestPersistentStopOfWhatHides(t *testing.T) {
	t.Parallel()
	s := persistentShell(t, func(c *tool.Config) { c.MaxBackground = 1 })
	ctx := context.Background()
	h := persist(t, ctx, s, "exec env -i /bin/sleep 302", "mode", "background")
	until(t, "sleep", func() bool {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", h.pid))
		return string(name) == "sleep\n"
	})
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", h.pid))
	if err != nil {
		t.Fatal(err)
	}
	supervisor, _ := strconv.Atoi(strings.Fields(string(stat))[3])
	syscall.Kill(supervisor, syscall.SIGKILL)
	time.Sleep(300 * time.Millisecond)
	if text := use(t, ctx, s, "shell", "command", "true"); !strings.Contains(text, "no more may at a time") {
		t.Errorf("it does not count any more: %q", text)
	}
	if text := use(t, ctx, s, "stop_command", "command_id", strconv.Itoa(h.pid)); !strings.Contains(text, "[stopped]") {
		t.Errorf("%q", text)
	}
	leak.AssertGroupGone(t, h.pid)
}

// What a command puts in the place of the status holds its supervisor up for no time.
func TestPersistentStatusInTheWay(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]string{
		"FIFO": `mkfifo "$d/status.tmp"`, "link": `ln -s "$d/victim" "$d/status.tmp"`, "directory": `mkdir "$d/status.tmp"; echo >"$d/status.tmp/x"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := persistentShell(t, func(c *tool.Config) { c.DeniedCommands = []string{} })
			h := persist(t, context.Background(), s, `d=$(readlink /proc/$$/fd/1); d=${d%/*}; `+put+`; exit 3`)
			if !strings.HasSuffix(h.json, `"exit_code": 3}`) || strings.TrimSpace(fileText(t, h.status)) != h.published("3") {
				t.Errorf("%s, %s", h.json, fileText(t, h.status))
			}
			if _, err := os.Stat(strings.TrimSuffix(h.status, "status.json") + "victim"); err == nil {
				t.Error("it was written through the link")
			}
		})
	}
}
