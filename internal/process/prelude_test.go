//go:build linux

package process

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/leak"
)

// The descriptor is one that the text does not name, as long as there is one.
func TestUnusedDescriptor(t *testing.T) {
	for text, want := range map[string]int{"": 8, "exec 8>x": 7, "echo 87654": 8, "cat <&8 7<x >/dev/fd/6": 5, "8> 7> 6> 5> 4>": 0} {
		if got := unused(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// What is set behind the gate is what it was, whatever is in it, and the rest is left as it is.
func TestLate(t *testing.T) {
	late, rest := Late([]string{"A=1", "LD_PRELOAD=a'b\n$(c)\\", "LDX=2", "LD_A.B=4", "ENV=", "BASH_ENV=x y", "DYLD_A=3"})
	if got := strings.Join(rest, " "); got != "A=1 LDX=2 LD_A.B=4" {
		t.Errorf("%q", got)
	}
	out, err := exec.Command("/bin/sh", "-c", late+`printf '%s|' "$LD_PRELOAD" "$ENV" "$BASH_ENV" "$DYLD_A"`).Output()
	if want := "a'b\n$(c)\\||x y|3|"; err != nil || string(out) != want {
		t.Errorf("%v, %q, want %q", err, out, want)
	}
}

// A command that waits at its gate has done nothing, and does nothing when nobody is left to open it.
func TestNobodyOpensTheGate(t *testing.T) {
	var c capture
	spec := c.spec(t, "echo ran")
	spec.Loads, spec.FileSize = true, 1000
	pre, err := newPrelude(spec)
	if err != nil {
		t.Fatal(err)
	}
	args, env := pre.arguments(spec, spec.Text, spec.Env, nil)
	cmd := exec.Command(spec.Path, args[1:]...)
	cmd.Env = env
	cmd.ExtraFiles = make([]*os.File, gateFD-2)
	cmd.ExtraFiles[gateFD-3] = pre.gate
	out := &strings.Builder{}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	if text, _ := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/stat"); strings.Contains(string(text), ") Z ") {
		t.Error("it does not wait")
	}
	pre.close()
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 125 || out.String() != "" {
		t.Errorf("%v, %q", err, out)
	}
}

// What cannot be limited is not run, and leaves nothing.
func TestLimitThatCannotBeSet(t *testing.T) {
	before := leak.Descriptors(t)
	for range 3 {
		if err := (Limits{FileSize: 1}).Set(1 << 30); err == nil {
			t.Error("a process that is none was limited")
		}
		var c capture
		spec := c.spec(t, "echo ran")
		spec.Loads, spec.FileSize, spec.KeepDir, spec.Dir = true, 1, true, "/nowhere"
		if _, err := Start(context.Background(), spec); err == nil {
			t.Error("no error")
		}
	}
	if after := leak.Descriptors(t); after != before {
		t.Errorf("%d descriptors, were %d", after, before)
	}
}
