//go:build unix

package tool_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/einoshell/einoshell/tool"
)

// spillShell makes a Shell that keeps output in files below dir.
func spillShell(t *testing.T, change func(*tool.Config)) (s *tool.Shell, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "state")
	return newShell(t, func(c *tool.Config) {
		c.SpillBytes, c.StateDir, c.MaxOutputChars = 1<<20, dir, 1000
		if change != nil {
			change(c)
		}
	}), dir
}

// files returns the files below dir.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "lock" {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// What the text has no room for is in a file that it names (W-32, D18, case 240), and
// the next command can read it there.
func TestSpill(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, command, file, ends string
	}{
		{"little", "seq 1 500; exit 3", seq(1, 500), "500\n\n[exit code: 3]"},
		{"much", "seq 1 30000", seq(1, 30000), "30000\n"},
		{"as printed", `printf 'a\0b\r\033[31m\377\n'; seq 1 500`, "a\x00b\r\x1b[31m\xff\n" + seq(1, 500), "500\n"},
		{"both streams, whole lines", `printf 'on'; sleep 0.3; seq 1 500 >&2; sleep 0.3; printf 'e\nend'`, seq(1, 500) + "one\nend", "500\n"},
		{"one long line", "head -c 30000 /dev/zero | tr '\\0' x", strings.Repeat("x", 30000), "x"},
		{"timeout", "seq 1 500; sleep 60", seq(1, 500), "500\n\n[timeout_seconds can give a command more time, up to 600.0s]\n[Command timed out after 1.0s]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, dir := spillShell(t, func(c *tool.Config) {
				if tt.name == "timeout" {
					c.Timeout = time.Second
				}
			})
			got := call(t, s, tt.command)
			if n := utf8.RuneCountInString(got); n > 1000 || n < 999 {
				t.Errorf("%d characters", n)
			}
			m := regexp.MustCompile(`^\[\.\.\. output truncated, showing last (\d+) chars; all of it is in (.*)\]\n`).FindStringSubmatch(got)
			if m == nil || !strings.HasSuffix(got, tt.ends) {
				t.Fatalf("%.200q … %q", got, got[max(0, len(got)-50):])
			}
			if rest := got[len(m[0]):]; m[1] != fmt.Sprint(utf8.RuneCountInString(rest)) {
				t.Errorf("%s characters said, %d there", m[1], len(rest))
			}
			if text, err := os.ReadFile(m[2]); err != nil || string(text) != tt.file {
				t.Errorf("%v, %d bytes, want %d", err, len(text), len(tt.file))
			}
			info, err := os.Stat(m[2])
			if err != nil || info.Mode() != 0o600 || !strings.HasPrefix(m[2], dir) {
				t.Errorf("%v, %v, %s", err, info, m[2])
			}
			if got := call(t, s, "wc -c < "+m[2]); strings.TrimSpace(got) != fmt.Sprintf("[stdout]\n%d", len(tt.file)) {
				t.Errorf("%q", got)
			}
			s.Close()
			if left := files(t, dir); left != nil {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func seq(from, to int) string {
	var b strings.Builder
	for ; from <= to; from++ {
		fmt.Fprintln(&b, from)
	}
	return b.String()
}

// The same in Result, in the event, and in an object.
func TestSpillIsTold(t *testing.T) {
	s, _ := spillShell(t, func(c *tool.Config) { c.SpillBytes = 100_000 })
	var rec recorder
	ctx := s.WithEventSink(context.Background(), rec.sink)
	r, err := s.Exec(ctx, tool.Request{Command: "yes | head -c 150000; seq 1 500 >&2"})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("; the first 100000 of %d bytes are in %s]\n", 150_000+len(seq(1, 500)), r.OutputPath)
	if !strings.Contains(r.Text(), want) || r.OutputPathBytes != 100_000 || !r.Truncated {
		t.Errorf("%q, %d", r.Text()[:200], r.OutputPathBytes)
	}
	if text, err := os.ReadFile(r.OutputPath); err != nil || len(text) != 100_000 {
		t.Errorf("%v, %d bytes", err, len(text))
	}
	events := rec.all()
	if e, ok := events[len(events)-1].(tool.CommandFinished); !ok || e.OutputPath != r.OutputPath {
		t.Errorf("%+v", events[len(events)-1])
	}

	s, dir := spillShell(t, func(c *tool.Config) { c.ResultFormat = "json" })
	text := call(t, s, "seq 1 300")
	o := parse(t, text)
	if path, _ := o["output_path"].(string); o["output_truncated"] != true || !strings.HasPrefix(path, dir) || o["output_path_bytes"] != float64(len(seq(1, 300))) {
		t.Errorf("%s", text)
	}
	if n := utf8.RuneCountInString(text); n > 1000 {
		t.Errorf("%d characters", n)
	}
	o = parse(t, call(t, s, "echo hi"))
	if o["output_path"] != "" || o["output_path_bytes"] != 0.0 {
		t.Errorf("%v", o)
	}
}

// Where nothing is missing there is no file, where there is no room for its name
// the marker is the short one, and without SpillBytes all is as it was.
func TestNoSpill(t *testing.T) {
	t.Parallel()
	s, dir := spillShell(t, nil)
	for _, command := range []string{"echo hi", "seq 1 200", `for i in $(seq 1 20000); do printf '\r%100d' $i; done; printf '\rdone\n'`} {
		call(t, s, command)
	}
	if left := files(t, dir); left != nil {
		t.Errorf("files: %v", left)
	}
	s, dir = spillShell(t, func(c *tool.Config) { c.MaxOutputChars = 100 })
	if got := call(t, s, "seq 1 500"); !strings.HasPrefix(got, "[... output truncated, showing last 54 chars]\n") || len(got) != 100 {
		t.Errorf("%q", got)
	}
	r, err := s.Exec(context.Background(), tool.Request{Command: "seq 1 500"})
	if err != nil || r.OutputPath == "" || len(files(t, dir)) != 2 {
		t.Errorf("%v, %q", err, r.OutputPath)
	}
	s = newShell(t, func(c *tool.Config) { c.MaxOutputChars = 1000 })
	r, err = s.Exec(context.Background(), tool.Request{Command: "seq 1 500"})
	if err != nil || r.OutputPath != "" || !strings.HasPrefix(r.Text(), "[... output truncated, showing last 953 chars]\n") {
		t.Errorf("%v, %q, %.100q", err, r.OutputPath, r.Text())
	}
}

// Files belong to the Run, and the disk they take is bounded, with that of those
// that are being written: the oldest go.
func TestSpillOfRuns(t *testing.T) {
	t.Parallel()
	quiet := slog.New(slog.DiscardHandler)
	s, dir := spillShell(t, func(c *tool.Config) { c.SpillBytes, c.Logger = 100_000, quiet })
	ctx, run := s.NewRun(context.Background(), tool.RunOptions{ID: "../../x"})
	spill := func(ctx context.Context, n int) string {
		r, err := s.Exec(ctx, tool.Request{Command: fmt.Sprintf("head -c %d /dev/zero; sleep 0.5", n)})
		if err != nil {
			t.Error(err)
			return ""
		}
		return r.OutputPath
	}
	outside := spill(context.Background(), 5000)
	first := spill(ctx, 5000)
	sum := func() (sum int64) {
		for _, name := range files(t, filepath.Dir(first)) {
			if info, err := os.Stat(name); err == nil {
				sum += info.Size()
			}
		}
		return sum
	}
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() { spill(ctx, 200_000) })
	}
	most := int64(0)
	for range 50 {
		most = max(most, sum())
		time.Sleep(10 * time.Millisecond)
	}
	wg.Wait()
	last := spill(ctx, 5000)
	if kept := sum(); max(most, kept) > 8*(100_000+4096) || kept < 300_000 || most < 300_000 {
		t.Errorf("%d bytes are kept, there were %d", kept, most)
	}
	if _, err := os.Stat(first); err == nil {
		t.Error("the oldest is still there")
	}
	if last == "" || outside == "" || filepath.Dir(last) == filepath.Dir(outside) {
		t.Error("two Runs share a directory")
	}
	if filepath.Dir(filepath.Dir(last)) != dir {
		t.Errorf("%s is not where it should be", last)
	}
	run.Close()
	if _, err := os.Stat(last); err == nil {
		t.Error("the Run is closed and its file is there")
	}
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("the file of another Run: %v", err)
	}
}

// A command that removes the place, or a disk that is full, costs the file and
// nothing else; the host is told.
func TestSpillFails(t *testing.T) {
	var log strings.Builder
	s, dir := spillShell(t, func(c *tool.Config) {
		c.Logger, c.Guards = slog.New(slog.NewTextHandler(&log, nil)), map[string]tool.GuardAction{}
	})
	call(t, s, "seq 1 500")
	// Removed, it is made again.
	r, err := s.Exec(context.Background(), tool.Request{Command: "rm -r " + dir + "; seq 1 500"})
	if err != nil || r.OutputPath == "" || log.Len() > 0 {
		t.Errorf("%v, %+v, %s", err, r, log.String())
	}
	r, err = s.Exec(context.Background(), tool.Request{Command: "rm -r " + dir + "; : > " + dir + "; seq 1 500; exit 3"})
	if err != nil || r.OutputPath != "" || !strings.HasPrefix(r.Text(), "[... output truncated, showing last 953 chars]\n") || *r.ExitCode != 3 {
		t.Errorf("%v, %+v", err, r)
	}
	if err := os.Remove(dir); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "output is not kept") || !strings.Contains(log.String(), r.CommandID) {
		t.Errorf("logged: %s", log.String())
	}
	ctx, run := s.NewRun(context.Background(), tool.RunOptions{})
	defer run.Close()
	if r, err = s.Exec(ctx, tool.Request{Command: "seq 1 500"}); err != nil || r.OutputPath == "" {
		t.Errorf("another Run: %v", err)
	}
}

// What is missing is told also where no marker tells it: what is left fits.
func TestSpillOfWhatWasOverwritten(t *testing.T) {
	s, dir := spillShell(t, nil)
	got := call(t, s, `echo "the disk is broken"; head -c 5000 /dev/zero | tr '\0' .; printf '\r\033[2Kdone\n'; exit 1`)
	if !strings.HasPrefix(got, "[stdout]\ndone\n\n[not all of the output is shown; all of it is in "+dir) || !strings.HasSuffix(got, ".txt]\n[exit code: 1]") {
		t.Errorf("%q", got)
	}
	// A file that would have nothing is not made.
	s, dir = spillShell(t, func(c *tool.Config) { c.MaxOutputChars = 5 })
	r, err := s.Exec(context.Background(), tool.Request{Command: "exit 3"})
	if err != nil || r.OutputPath != "" || !r.Truncated {
		t.Errorf("%v, %+v", err, r)
	}
	if _, err := os.Stat(dir); err != nil || len(files(t, dir)) != 0 {
		t.Errorf("%v, %v", err, files(t, dir))
	}
}
