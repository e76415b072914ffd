//go:build unix

package tool_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/einoshell/einoshell/tool"
)

// interleave times floor and ours in turn, b.N times, and reports the ratio of
// the lower quartiles: the machine's mood then hits both alike, and what others
// do on it only ever adds. (With two processors, a writer and a reader of a pipe
// that meet on one take three times as long; medians then tell which of the two
// met more often.)
func interleave(b *testing.B, floor, ours func()) {
	b.Helper()
	floor()
	ours()
	var f, o []time.Duration
	for b.Loop() {
		begin := time.Now()
		floor()
		middle := time.Now()
		ours()
		f, o = append(f, middle.Sub(begin)), append(o, time.Since(middle))
	}
	slices.Sort(f)
	slices.Sort(o)
	quartile := func(d []time.Duration) float64 { return float64(d[len(d)/4]) }
	b.ReportMetric(quartile(o)/quartile(f), "x-floor")
	b.ReportMetric(quartile(f)/1e6, "floor-ms")
	b.ReportMetric(quartile(o)/1e6, "ours-ms")
}

// BenchmarkSpawn is run_command of true against what os/exec needs for it.
func BenchmarkSpawn(b *testing.B) { benchmarkSpawn(b, nil) }

// BenchmarkSpawnKept is the same where the directory is kept, and BenchmarkSpawnLimited where the size of
// files is limited.
func BenchmarkSpawnKept(b *testing.B) {
	benchmarkSpawn(b, func(c *tool.Config) { c.PersistDir = true })
}

func BenchmarkSpawnLimited(b *testing.B) {
	benchmarkSpawn(b, func(c *tool.Config) { c.MaxFileBytes = 1 << 20 })
}

func benchmarkSpawn(b *testing.B, change func(*tool.Config)) {
	run := runTool(b, newShell(b, change))
	interleave(b,
		func() {
			cmd := exec.Command("/bin/sh", "-c", "true")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		},
		func() {
			if _, err := run.InvokableRun(context.Background(), `{"command":"true"}`); err != nil {
				b.Fatal(err)
			}
		})
}

// BenchmarkCapture is the capture of 1 GiB, without a listener, against the
// same pipe read into a buffer that is thrown away.
func BenchmarkCapture(b *testing.B) {
	s := newShell(b, nil)
	benchmarkCapture(b, s, context.Background())
}

// BenchmarkCaptureListened is the same with a listener for the events.
func BenchmarkCaptureListened(b *testing.B) {
	s := newShell(b, nil)
	benchmarkCapture(b, s, s.WithEventSink(context.Background(), func(tool.Event) {}))
}

// BenchmarkSpill is 1 GiB kept in a file and shown live, against a shell that
// writes it to one.
func BenchmarkSpill(b *testing.B) {
	dir := b.TempDir()
	s := newShell(b, func(c *tool.Config) { c.SpillBytes, c.StateDir = 1<<30, filepath.Join(dir, "state") })
	file := filepath.Join(dir, "file")
	interleave(b,
		func() {
			if err := exec.Command("/bin/sh", "-c", "head -c 1G /dev/zero > "+file).Run(); err != nil {
				b.Fatal(err)
			}
			if err := os.Remove(file); err != nil {
				b.Fatal(err)
			}
		},
		func() {
			ctx, run := s.NewRun(context.Background(), tool.RunOptions{})
			defer run.Close() // with its file
			callCtx(b, s.WithEventSink(ctx, func(tool.Event) {}), s, "head -c 1G /dev/zero")
		})
}

// BenchmarkFirstByte is the time from when a command writes its first byte until
// a listener has it, in milliseconds; the writer tells when in what it writes.
func BenchmarkFirstByte(b *testing.B) {
	s := newShell(b, nil)
	var took []time.Duration
	ctx := s.WithEventSink(context.Background(), func(e tool.Event) {
		if out, ok := e.(tool.CommandOutput); ok {
			var sec, nano int64
			if _, err := fmt.Sscanf(out.Text, "%d.%d", &sec, &nano); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(time.Unix(sec, nano)))
		}
	})
	for b.Loop() {
		callCtx(b, ctx, s, "date +%s.%N; sleep 0.05")
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "median-ms")
	b.ReportMetric(float64(took[len(took)*99/100])/1e6, "p99-ms")
}

// BenchmarkEnd is the time from when a command's time is up until its call
// returns with all of it gone, beyond the grace: a tree that ignores SIGTERM in
// a session of its own.
func BenchmarkEnd(b *testing.B) {
	const timeout, grace = time.Second / 2, time.Second / 2
	s := newShell(b, func(c *tool.Config) { c.KillGrace = grace })
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		callCtx(b, context.Background(), s, `trap "" TERM; setsid sh -c "sleep 99; sleep 99" & sleep 99; sleep 99`, "timeout_seconds", timeout.Seconds())
		took = append(took, time.Since(begin)-timeout-grace)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "median-ms")
	b.ReportMetric(float64(took[len(took)-1])/1e6, "max-ms")
}

// BenchmarkSpawnLargeHeap is a spawn while the host has 4 GiB in use, against
// one while it has not.
func BenchmarkSpawnLargeHeap(b *testing.B) {
	s := newShell(b, nil)
	spawn := func(n int) (d []time.Duration) {
		for range n {
			begin := time.Now()
			call(b, s, "true")
			d = append(d, time.Since(begin))
		}
		slices.Sort(d)
		return d
	}
	const n = 300
	for b.Loop() {
		spawn(20)
		small := spawn(n)
		heap := make([]byte, 4<<30)
		for i := 0; i < len(heap); i += 4096 {
			heap[i] = 1
		}
		large := spawn(n)
		runtime.KeepAlive(heap)
		heap = nil
		debug.FreeOSMemory()
		again := spawn(n)
		floor := (small[n/2] + again[n/2]) / 2
		b.ReportMetric(float64(large[n/2])/float64(floor), "x-floor")
	}
}

func benchmarkCapture(b *testing.B, s *tool.Shell, ctx context.Context) {
	const command = "head -c 1G /dev/zero"
	buf := make([]byte, 128<<10)
	interleave(b,
		func() {
			r, w, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			cmd := exec.Command("/bin/sh", "-c", command)
			cmd.Stdout = w
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			w.Close()
			for {
				if _, err := r.Read(buf); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
		},
		func() { callCtx(b, ctx, s, command) })
}
