package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/einoshell/einoshell/internal/leak"
)

// TestMain is a process that beats when it is told to.
func TestMain(m *testing.M) {
	if name := os.Getenv("HB"); name != "" && len(os.Args) > 1 {
		beat(name, os.Args[1])
		return
	}
	os.Exit(m.Run())
}

// beat lets a file grow, in this process, in one that it leaves behind, or in a
// command.
func beat(name, how string) {
	switch how {
	case "read":
		n, err := os.Stdin.Read(make([]byte, 1))
		fmt.Print(n, " ", err)
		return
	case "own":
		nothing := func([]byte) {}
		p, err := Start(context.Background(), Spec{Path: os.Args[0], Args: []string{os.Args[0]}, Text: "beat", Env: os.Environ(), Stdout: nothing, Stderr: nothing})
		if err == nil {
			p.Wait(context.Background(), time.Minute)
		}
		return
	case "spawn", "detach", "breakaway":
		cmd := exec.Command(os.Args[0], "beat")
		cmd.SysProcAttr = &syscall.SysProcAttr{}
		if how != "spawn" {
			cmd.SysProcAttr.CreationFlags = windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP
		}
		if how == "breakaway" {
			cmd.SysProcAttr.CreationFlags |= windows.CREATE_BREAKAWAY_FROM_JOB
		}
		if err := cmd.Start(); err != nil {
			os.WriteFile(name+refused, nil, 0o600)
		}
		return
	case "hang":
		time.Sleep(10 * time.Minute)
		return
	case "until":
		awaitBeat(name)
		return
	}
	for {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			f.Write([]byte("."))
			f.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// refused is what the name of a file ends in that says that nothing will beat.
const refused = ".refused"

// awaitBeat waits until something beats, or was refused to.
func awaitBeat(name string) {
	for range 1200 {
		if _, err := os.Stat(name + refused); err == nil || leak.Size(name) > 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

type capture struct {
	mu       sync.Mutex
	out, err strings.Builder
}

func (c *capture) spec(t *testing.T, text, hb string) Spec {
	sink := func(b *strings.Builder) Sink {
		return func(p []byte) { c.mu.Lock(); defer c.mu.Unlock(); b.Write(p) }
	}
	path, err := exec.LookPath("cmd.exe")
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		Path: path, Args: []string{"cmd.exe", "/c"}, Text: text, Dir: tempDir(t), Env: append(os.Environ(), "HB="+hb),
		Stdout: sink(&c.out), Stderr: sink(&c.err), Grace: time.Minute,
	}
}

// tempDir is t.TempDir, but for the failure to remove it: Wine lacks what Go
// removes whole directories with.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "einoshell-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		names, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, name := range append(names, dir) {
			os.Remove(name)
		}
	})
	return dir
}

func TestRun(t *testing.T) {
	for text, want := range map[string]struct {
		out, err string
		code     int
	}{
		`echo hi`:                         {"hi\r\n", "", 0},
		`echo "a b" c`:                    {"\"a b\" c\r\n", "", 0},
		`echo one& echo two 1>&2& exit 7`: {"one\r\n", "two \r\n", 7},
		`"%ComSpec%" /c echo "in quotes"`: {"\"in quotes\"\r\n", "", 0},
		`"` + os.Args[0] + `" read`:       {"0 EOF", "", 0}, // standard input is empty
		`exit /b 3`:                       {"", "", 3},
	} {
		var c capture
		p, err := Start(context.Background(), c.spec(t, text, "none"))
		if err != nil {
			t.Fatal(err)
		}
		st := p.Wait(context.Background(), time.Minute)
		if st != (Status{Known: true, Code: want.code}) || c.out.String() != want.out || c.err.String() != want.err {
			t.Errorf("%s: %+v, %q, %q", text, st, c.out.String(), c.err.String())
		}
	}
}

// However a command ends, all that it started is gone, at once; a bystander is
// not.
func TestTheJobIsEnded(t *testing.T) {
	self := `"` + os.Args[0] + `"`
	other := filepath.Join(tempDir(t), "other")
	bystander := exec.Command(os.Args[0], "beat")
	bystander.Env = append(os.Environ(), "HB="+other)
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { bystander.Process.Kill(); bystander.Wait() }()
	var wg sync.WaitGroup
	for name, script := range map[string]string{
		"child":         self + ` spawn`,
		"detached":      self + ` detach`,
		"asks to leave": self + ` breakaway`,
		"two shells":    `cmd /c cmd /c ` + self + ` spawn`,
	} {
		for ending, cause := range map[string]Cause{"exit": Exited, "timeout": TimedOut, "cancel": Cancelled} {
			hb := filepath.Join(tempDir(t), "hb")
			var c capture
			spec := c.spec(t, script, hb)
			if ending == "exit" {
				spec.Text += "&" + self + " until"
			} else {
				spec.Text += "&" + self + " hang"
			}
			wg.Go(func() {
				p, err := Start(context.Background(), spec)
				if err != nil {
					t.Error(err)
					return
				}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				timeout := time.Minute
				if ending != "exit" {
					awaitBeat(hb)
				}
				switch ending {
				case "cancel":
					cancel()
				case "timeout":
					timeout = time.Second / 10
				}
				begin := time.Now()
				st := p.Wait(ctx, timeout)
				if st.Cause != cause || st.Left || st.Known != (ending == "exit") {
					t.Errorf("%s, %s: %+v", name, ending, st)
				}
				if took := time.Since(begin); took > 30*time.Second {
					t.Errorf("%s, %s: took %v", name, ending, took)
				}
				_, err = os.Stat(hb + refused)
				if refused := err == nil; refused != (name == "asks to leave") || leak.Size(hb) == 0 != refused {
					t.Errorf("%s, %s: refused: %v, beats: %d; %q %q", name, ending, refused, leak.Size(hb), c.out.String(), c.err.String())
				}
				if leak.Beats(hb, time.Second/2) {
					t.Errorf("%s, %s: it still beats", name, ending)
				}
			})
		}
	}
	wg.Wait()
	if !leak.Beats(other, time.Second/2) {
		t.Error("a bystander was ended")
	}
}

// The handle of the job is all that holds it: with this program the command ends.
func TestTheJobEndsWithItsOwner(t *testing.T) {
	hb := filepath.Join(tempDir(t), "hb")
	owner := exec.Command(os.Args[0], "own")
	owner.Env = append(os.Environ(), "HB="+hb)
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if leak.Size(hb) > 2 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	owner.Process.Kill()
	owner.Wait()
	time.Sleep(time.Second)
	if leak.Size(hb) == 0 || leak.Beats(hb, time.Second/2) {
		t.Errorf("%d beats, and more", leak.Size(hb))
	}
}

// What cannot be started is an error and leaves nothing.
func TestStartFails(t *testing.T) {
	var c capture
	spec := c.spec(t, "echo hi", "none")
	spec.Dir = `C:\no\such\directory`
	if _, err := Start(context.Background(), spec); err == nil {
		t.Error("no error")
	}
}

// A Sink that takes its time loses nothing.
func TestSlowSink(t *testing.T) {
	var c capture
	spec := c.spec(t, `for /l %i in (1,1,300) do @echo 0123456789`, "none")
	fast := spec.Stdout
	first := true
	spec.Stdout = func(p []byte) {
		if first {
			time.Sleep(2 * time.Second)
		}
		first = false
		fast(p)
	}
	p, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if st := p.Wait(context.Background(), time.Minute); st.Cause != Exited || c.out.Len() != 300*12 {
		t.Errorf("%+v, %d bytes", st, c.out.Len())
	}
}
