package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
)

// What left the group is ended wherever the host runs: as the first process of a
// PID namespace, as the second, which has the number that belongs to the kernel
// elsewhere, and where /proc/loadavg is not the kernel's.
func TestInNamespaces(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	need.Root(t)
	need.Program(t, "unshare")
	need.Program(t, "setsid")
	fake := filepath.Join(t.TempDir(), "loadavg")
	if err := os.WriteFile(fake, []byte("0.00 0.00 0.00 1/1 5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	self := os.Args[0] + " -test.run=TestHelperInNamespace -test.count=1"
	for name, args := range map[string][]string{
		"first":           {"-pf", "--mount-proc", "--kill-child", "sh", "-c", "exec " + self},
		"second":          {"-pf", "--mount-proc", "--kill-child", "sh", "-c", self + "; exit $?"},
		"another loadavg": {"-m", "sh", "-c", "mount --bind " + fake + " /proc/loadavg && exec " + self},
	} {
		dir := t.TempDir()
		cmd := exec.Command("unshare", args...)
		cmd.Env = append(os.Environ(), "EINOSHELL_TEST_NAMESPACE="+name, "EINOSHELL_TEST_DIR="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "ran")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHelperInNamespace(t *testing.T) {
	name := os.Getenv("EINOSHELL_TEST_NAMESPACE")
	if name == "" {
		t.Skip("only for TestInNamespaces")
	}
	switch name {
	case "first", "second":
		if want := map[string]int{"first": 1, "second": 2}[name]; os.Getpid() != want {
			t.Fatalf("this is %d", os.Getpid())
		}
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
	default:
		if n, ok := lastPID(); ok {
			t.Errorf("the last process is %d, it says", n)
		}
	}
	dir := os.Getenv("EINOSHELL_TEST_DIR")
	for i, script := range []string{"", "; sleep 60"} {
		var c capture
		hb := filepath.Join(dir, "hb"+strconv.Itoa(i))
		spec := c.spec(t, `setsid sh -c 'while :; do (echo >> "$HB" &); sleep 0.05; done' & while ! test -s "$HB"; do sleep 0.02; done`+script)
		spec.Env = append(spec.Env, "HB="+hb)
		spec.Mark = fmt.Sprint("namespace", i)
		p, err := Start(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if st := p.Wait(context.Background(), time.Second); st.Left {
			t.Errorf("%+v", st)
		}
		if leak.Size(hb) == 0 || leak.Beats(hb, time.Second/2) {
			t.Errorf("%d beats, and more", leak.Size(hb))
		}
	}
	// And none of it stays a zombie of this process.
	for _, pid := range pids() {
		if s, ok := readStat(pid); ok && s.ppid == os.Getpid() && !s.runs() && name != "another loadavg" {
			t.Errorf("left: %+v", s)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "ran"), nil, 0o600); err != nil {
		t.Error(err)
	}
}
