//go:build linux

package tool_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
	"github.com/einoshell/einoshell/tool"
)

func init() { helpers["endings"] = endings }

// Whatever a command starts, however it ends, for root and for an ordinary user:
// what it started is gone when its call returns, by the silence of the file it
// beats into. Another command of the same Shell, and a process of the same user
// that is none of the Shell's, go on. (Cases 228-231 and 275, C9, C11, C19, C24.)
func TestEndings(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	for _, user := range []string{"root", "ordinary"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			cmd, uid := exec.Command(os.Args[0]), os.Getuid()
			if user == "root" {
				need.Root(t)
			} else if uid == 0 {
				cmd.Args, cmd.Path = asNobody(t, cmd)
				uid = 65534
			}
			cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER=endings")
			cells := 18
			if testing.Short() {
				cmd.Env, cells = append(cmd.Env, "EINOSHELL_TEST_SHORT=1"), 15
			}
			out, err := cmd.CombinedOutput()
			if want := fmt.Sprintf("%d cells of uid %d\n", cells, uid); err != nil || string(out) != want {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// endings runs the matrix as the user it runs as, and says what is wrong.
func endings() {
	dir, err := os.MkdirTemp("", "einoshell-test")
	check(err)
	defer os.RemoveAll(dir)
	s := helperShell(func(c *tool.Config) {
		c.KillGrace = time.Second / 2
		c.SpillBytes, c.StateDir = 1<<20, filepath.Join(dir, "state")
	})
	defer s.Close()

	const beat = `while :; do echo >> "$HB"; sleep 0.05; done`
	starts := map[string]string{
		"plain child":   `sh -c '` + beat + `' >/dev/null &`,
		"setsid daemon": `setsid sh -c '` + beat + `' >/dev/null 2>&1 </dev/null &`,
		"double fork":   `( (setsid sh -c '` + beat + `' >/dev/null 2>&1 &) & )`,
		"TERM-ignorer":  `setsid sh -c 'trap "" TERM HUP INT; ` + beat + `' >/dev/null 2>&1 &`,
		"pipe-holder":   `setsid sh -c 'while :; do echo >> "$HB"; echo held; sleep 0.05; done' &`,
		"1 GiB writer":  `sh -c 'i=0; while [ $i -lt 256 ]; do echo >> "$HB"; head -c 4M /dev/zero; i=$((i+1)); done; ` + beat + `' &`,
	}
	if os.Getenv("EINOSHELL_TEST_SHORT") != "" {
		delete(starts, "1 GiB writer")
	}
	const until = "\n" + `while ! [ -s "$HB" ]; do sleep 0.02; done; echo started`

	bystander := filepath.Join(dir, "bystander")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := s.Exec(ctx, tool.Request{Command: "HB=" + bystander + "; " + beat, Timeout: 5 * time.Minute})
		ended <- err
	}()
	defer func() { cancel(); check(<-ended) }()
	foreign := filepath.Join(dir, "foreign")
	cmd := exec.Command("sh", "-c", beat)
	cmd.Env = append(os.Environ(), "HB="+foreign)
	check(cmd.Start())
	defer func() { cmd.Process.Kill(); cmd.Wait() }()

	var wg sync.WaitGroup
	var mu sync.Mutex
	cells := 0
	for name, start := range starts {
		for i, ending := range []string{"exit", "timeout", "cancel"} {
			wg.Go(func() {
				complain := func(format string, args ...any) {
					fmt.Printf(name+", "+ending+": "+format+"\n", args...)
				}
				hb := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+ending)
				script := "export HB=" + hb + "\n" + start + until
				r := tool.Request{Timeout: time.Minute}
				if ending != "exit" {
					script += "; sleep 60"
				}
				if ending == "timeout" {
					r.Timeout = 4 * time.Second
				}
				r.Command = script
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if ending == "cancel" {
					time.AfterFunc(4*time.Second, cancel)
				}
				got, err := s.Exec(ctx, r)
				if err != nil {
					complain("%v", err)
					return
				}
				if [...]bool{!got.TimedOut && !got.Cancelled && *got.ExitCode == 0, got.TimedOut, got.Cancelled}[i] == false || strings.Contains(got.Note, "left") {
					complain("%+v", got)
				}
				if got.StdoutBytes < int64(len("started\n")) {
					complain("only %d bytes printed", got.StdoutBytes)
				}
				if name == "1 GiB writer" && ending != "exit" && got.StdoutBytes < 1<<20 {
					complain("only %d bytes printed", got.StdoutBytes)
				}
				if got.Duration > 30*time.Second {
					complain("took %v", got.Duration)
				}
				if !leak.Beats(foreign, 5*time.Second) {
					complain("a process of the same user does not beat any more")
				}
				if !leak.Beats(bystander, 5*time.Second) {
					complain("another command of the Shell does not beat any more")
				}
				if leak.Size(hb) == 0 || leak.Beats(hb, time.Second/2) {
					complain("%d beats, and more", leak.Size(hb))
				}
				mu.Lock()
				defer mu.Unlock()
				cells++
			})
		}
	}
	wg.Wait()
	fmt.Printf("%d cells of uid %d\n", cells, os.Getuid())
}
