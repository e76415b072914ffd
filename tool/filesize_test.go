//go:build linux

package tool_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/einoshell/einoshell/internal/need"
	"github.com/einoshell/einoshell/tool"
)

const (
	sizeExceeded = "\n[File-size limit exceeded: max_file_bytes=1024. Reduce file output before retrying.]"
	sizePerhaps  = "\n[Command failed with max_file_bytes=1024; file writes may have reached the per-file limit.]"
)

func limitedShell(t testing.TB, change func(*tool.Config)) *tool.Shell {
	t.Helper()
	return newShell(t, func(c *tool.Config) {
		c.MaxFileBytes = 1024
		c.Env.Set = map[string]string{"CUSTOM": "kept"}
		if change != nil {
			change(c)
		}
	})
}

func size(t testing.TB, s *tool.Shell, name string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(s.Dir(), name))
	if err != nil {
		t.Error(err)
		return -1
	}
	return info.Size()
}

// Section Q of the harness cases.
func TestFileSize(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &own); err != nil {
		t.Fatal(err)
	}
	for name, shell := range posixShells(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := limitedShell(t, func(c *tool.Config) { c.Shell = shell })
			if got := call(t, s, "head -c 128 /dev/zero >small; echo $CUSTOM"); got != "[stdout]\nkept\n" || size(t, s, "small") != 128 {
				t.Errorf("case 249: %q", got)
			}
			// Its own exit code: what was ended is not the shell.
			if got := call(t, s, "head -c 8192 /dev/zero >large; c=$?; echo $CUSTOM; exit $c"); !strings.HasSuffix(got, "kept\n\n[exit code: 153]"+sizeExceeded) && !strings.HasSuffix(got, "[exit code: 153]"+sizeExceeded) || size(t, s, "large") != 1024 {
				t.Errorf("case 250: %q", got)
			}
			if got := call(t, s, "echo $CUSTOM"); got != "[stdout]\nkept\n" {
				t.Errorf("case 250: %q", got)
			}
			if got := call(t, s, "exec yes >output"); got != "(no output)\n[exit code: -25]"+sizeExceeded || size(t, s, "output") != 1024 {
				t.Errorf("case 255: %q", got)
			}
			if got := call(t, s, "exit 3"); got != "(no output)\n[exit code: 3]"+sizePerhaps {
				t.Errorf("%q", got)
			}
			// The most a file may have is known to the byte, in either direction, in its children, and no
			// core is dumped.
			if got := call(t, s, `grep -E "^Max (file size|core file size)" /proc/self/limits | tr -s " "; sh -c 'grep "^Max file size" /proc/$$/limits | tr -s " "'`); got != "[stdout]\nMax file size 1024 1024 bytes \nMax core file size 0 0 bytes \nMax file size 1024 1024 bytes \n" {
				t.Errorf("case 254: %q", got)
			}
			id := begin(t, ctx, s, "head -c 128 /dev/zero >small2")
			if got := finished(t, ctx, s, id); got != "(no output yet)\n[status: finished]\n[exit code: 0]" || size(t, s, "small2") != 128 {
				t.Errorf("case 251: %q", got)
			}
			id = begin(t, ctx, s, "exec head -c 8192 /dev/zero >large2")
			if got := finished(t, ctx, s, id); got != "(no output yet)\n[status: finished]\n[exit code: -25]"+sizeExceeded || size(t, s, "large2") != 1024 {
				t.Errorf("case 252: %q", got)
			}
			id = begin(t, ctx, s, "sleep 60")
			if got := stop(t, ctx, s, id); got != "(no output)\n[stopped]\n[exit code: -15]" {
				t.Errorf("%q", got)
			}
			if got := call(t, s, "sleep 60", "timeout_seconds", 0.1); got != "[Command timed out after 0.1s]" {
				t.Errorf("%q", got)
			}
			r, err := s.Exec(ctx, tool.Request{Command: "exec yes >output"})
			if err != nil || r.Limit != "MaxFileBytes" || r.Signal != 25 {
				t.Errorf("%v, %+v", err, r)
			}
		})
	}
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &now); err != nil || now != own {
		t.Errorf("case 250: the host's own limit is %v, was %v", now, own)
	}
	s := newShell(t, nil)
	if got := call(t, s, "head -c 8192 /dev/zero >large"); got != "(no output)" || size(t, s, "large") != 8192 {
		t.Errorf("case 253: %q", got)
	}
}

// What the shell would run before its text runs behind the gate, too, and the environment is what
// it would be.
func TestFileSizeCoversWhatRunsBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := filepath.Join(dir, "env")
	if err := os.WriteFile(env, []byte("yes >"+dir+"/from-env; FROM_ENV=read"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := limitedShell(t, func(c *tool.Config) {
		c.Shell = []string{need.Program(t, "bash"), "-c"}
		c.Env.Set = map[string]string{"BASH_ENV": env, "LD_X": "a 'b'\n"}
		c.PersistDir = true
	})
	if got := call(t, s, `mkdir d; cd d; echo "$FROM_ENV $BASH_ENV $LD_X"; echo "$0 $# $EINOSHELL_GATE"`); !strings.Contains(got, "[stdout]\nread "+env+" a 'b'\n\n"+need.Program(t, "bash")+" 0 \n") {
		t.Errorf("%q", got)
	}
	if info, err := os.Stat(dir + "/from-env"); err != nil || info.Size() != 1024 {
		t.Errorf("%v, %v", info, err)
	}
	if got := call(t, s, "pwd"); !strings.Contains(got, "[stdout]\n"+s.Dir()+"/d\n") {
		t.Errorf("%q", got)
	}
	// With options, and with a text that is too long for an argument.
	s = limitedShell(t, func(c *tool.Config) {
		c.Shell = []string{need.Program(t, "bash"), "-e", "-c"}
		c.PersistDir = true
	})
	if got := call(t, s, "x='"+strings.Repeat("9", 200_000)+"'; mkdir d; cd d; echo ${#x}; yes >out; echo never"); !strings.HasPrefix(got, "[stdout]\n200000\n") || !strings.HasSuffix(got, "[exit code: 153]"+sizeExceeded) || size(t, s, "d/out") != 1024 {
		t.Errorf("%q", got[max(0, len(got)-300):])
	}
}

// A limit that the program has itself is not widened, as root and as an ordinary user, and the file with the output of a
// command in the background has no more either.
func TestFileSizeIsNeverWidened(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"as it is", "nobody"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER=file size")
		if who == "nobody" {
			need.Root(t)
			cmd.Args, cmd.Path = asNobody(t, cmd)
		}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "[stdout]\nMax file size 500 500 bytes \n" {
			t.Errorf("%s: %v, %q", who, err, out)
		}
	}
	ctx := context.Background()
	s := limitedShell(t, func(c *tool.Config) { c.SpillBytes, c.MaxOutputChars, c.StateDir = 1<<20, 500, t.TempDir() })
	id := begin(t, ctx, s, "seq 1 10000; sleep 0.1")
	if got := finished(t, ctx, s, id); !strings.Contains(got, "the first 1024 of 48894 bytes are in ") {
		t.Errorf("%q", got)
	}
	if got := call(t, s, "seq 1 10000"); !strings.Contains(got, "all of it is in ") {
		t.Errorf("%q", got)
	}
}

// Case 246 to 248: what is no limit is an error, and with the other two it is kept.
func TestFileSizeConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []tool.Config{
		{MaxFileBytes: -1},
		{MaxFileBytes: 1, Shell: []string{"/bin/sh"}},
	} {
		c.AllowShell, c.Dir = true, t.TempDir()
		if _, err := tool.New(context.Background(), c); err == nil || !strings.Contains(err.Error(), "MaxFileBytes: max_file_bytes") {
			t.Errorf("case 246: %v", err)
		}
	}
	s := keptShell(t, func(c *tool.Config) { c.MaxFileBytes = 1 })
	if got := call(t, s, "cd sub"); got != "(no output)" || where(t, s) != s.Dir()+"/sub" {
		t.Errorf("case 248: %q", got)
	}
	if got := call(t, s, "exec printf ab >out"); !strings.HasSuffix(got, "[File-size limit exceeded: max_file_bytes=1. Reduce file output before retrying.]") || size(t, s, "sub/out") != 1 {
		t.Errorf("case 248: %q", got)
	}
}

// A host that dies before the gate is open has started nothing: see internal/process. Here many limited commands at
// the same time each get theirs.
func TestFileSizeOfManyAtOnce(t *testing.T) {
	t.Parallel()
	s := limitedShell(t, nil)
	done := make(chan string)
	for i := range 20 {
		go func() { done <- call(t, s, fmt.Sprintf("exec yes >out%d", i)) }()
	}
	for range 20 {
		select {
		case got := <-done:
			if got != "(no output)\n[exit code: -25]"+sizeExceeded {
				t.Errorf("%q", got)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("they hang")
		}
	}
}
