//go:build unix

package tool_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/einoshell/einoshell/tool"
)

// interleave times floor and ours in turn, b.N times, and reports the ratio of
// the medians: the machine's mood then hits both alike.
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
	median := func(d []time.Duration) float64 { return float64(d[len(d)/2]) }
	b.ReportMetric(median(o)/median(f), "x-floor")
	b.ReportMetric(median(f)/1e6, "floor-ms")
	b.ReportMetric(median(o)/1e6, "ours-ms")
}

// BenchmarkSpawn is run_command of true against what os/exec needs for it.
func BenchmarkSpawn(b *testing.B) {
	s := newShell(b, nil)
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
		func() { call(b, s, "true") })
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
