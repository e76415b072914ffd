//go:build unix

package state

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/leak"
	"github.com/einoshell/einoshell/internal/need"
)

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// D19: a private directory, names nobody can guess, no link is followed.
func TestFilesArePrivate(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a", "b")
	r, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if m := mode(t, root); m != os.ModeDir|0o700 {
		t.Errorf("root: %v", m)
	}
	if left, _ := os.ReadDir(root); len(left) != 0 {
		t.Errorf("the probe left %v", left)
	}
	d, err := r.NewDir()
	if err != nil {
		t.Fatal(err)
	}
	if m := mode(t, d.path); m != os.ModeDir|0o700 {
		t.Errorf("directory: %v", m)
	}
	names := map[string]bool{}
	for range 10 {
		f, err := d.Create()
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if m := mode(t, f.Name()); m != 0o600 {
			t.Errorf("file: %v", m)
		}
		names[f.Name()] = true
	}
	if len(names) != 10 {
		t.Errorf("%d names", len(names))
	}
	target := filepath.Join(t.TempDir(), "target")
	if err := os.WriteFile(target, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(d.path, "link")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.Remove(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(d.path); err == nil {
		t.Error("it is still there")
	}
	if text, _ := os.ReadFile(target); string(text) != "x" {
		t.Errorf("removing followed a link: %q", text)
	}
}

// A root that cannot be trusted or used is an error, not a fallback.
func TestOpenFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	shared := t.TempDir()
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		file:                       "not a directory",
		filepath.Join(file, "x"):   "not a directory",
		shared:                     "may be written by others",
		"/proc/einoshell-test/dir": "",
	} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	for _, name := range []string{"a\nb", "a\x1b[31m", "a\xff"} {
		if _, err := Open(filepath.Join(t.TempDir(), name)); err == nil || !strings.Contains(err.Error(), "characters") {
			t.Errorf("%q: %v", name, err)
		}
	}
	below := filepath.Join(shared, "mine")
	if _, err := Open(below); err == nil || !strings.Contains(err.Error(), "is below "+shared+", which may be written by everybody") {
		t.Errorf("%v", err)
	}
	// A group of one's own may write above, but not to the root itself.
	if err := os.Chmod(shared, 0o775); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(below); err != nil {
		t.Errorf("below a directory of the group: %v", err)
	}
	if _, err := Open(shared); err == nil {
		t.Error("a directory of the group is a root")
	}
	if err := os.Chmod(shared, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(below); err != nil {
		t.Errorf("below a sticky directory: %v", err)
	}
}

// What another user can put something else in the place of.
func TestOpenOfOthers(t *testing.T) {
	need.Root(t)
	other := t.TempDir()
	if err := os.Chown(other, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(other); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("%v", err)
	}
	if _, err := Open(filepath.Join(other, "mine")); err == nil || !strings.Contains(err.Error(), "which belongs to another user") {
		t.Errorf("%v", err)
	}
	theirs := filepath.Join(t.TempDir(), "root")
	if _, err := Open(theirs); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(theirs, "run-0123456789abcdef")
	if err := errors.Join(os.Mkdir(run, 0o700), os.Chown(run, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	before := leak.Descriptors(t)
	if _, err := Open(theirs); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(run); err != nil {
		t.Errorf("another user's directory was swept: %v", err)
	}
	if after := leak.Descriptors(t); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
	// By a link the other can change, one arrives where he can change nothing.
	mine := t.TempDir()
	if err := os.Symlink(mine, filepath.Join(other, "link")); err != nil {
		t.Fatal(err)
	}
	r, err := Open(filepath.Join(other, "link"))
	if err != nil || r.path != mine {
		t.Errorf("%v, %+v", err, r)
	}
}

// What a command does to its own files keeps them from going no longer than to
// the end of their owner.
func TestRemoveWhatWasChanged(t *testing.T) {
	root := t.TempDir()
	for name, change := range map[string]func(path string) error{
		"a directory that cannot be changed": func(path string) error {
			sub := filepath.Join(path, "a", "b")
			err := os.MkdirAll(sub, 0o700)
			return errors.Join(err, os.WriteFile(filepath.Join(sub, "x"), nil, 0o600), os.Chmod(sub, 0o500), os.Chmod(filepath.Dir(sub), 0))
		},
		"a directory that cannot be entered": func(path string) error { return os.Chmod(path, 0) },
		"gone":                               os.RemoveAll,
		"another in its place": func(path string) error {
			return errors.Join(os.RemoveAll(path), os.Symlink(root, path))
		},
	} {
		r, err := Open(root)
		if err != nil {
			t.Fatal(err)
		}
		d, err := r.NewDir()
		if err != nil {
			t.Fatal(err)
		}
		if err := change(d.path); err != nil {
			t.Fatal(err)
		}
		if err := d.Remove(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(root); len(left) != 0 {
			t.Errorf("%s: left: %v", name, left)
		}
	}
	// What is swept is locked by a file that no link leads away from.
	planted, target := filepath.Join(root, "run-00000000000000ff"), filepath.Join(t.TempDir(), "target")
	if err := errors.Join(os.Mkdir(planted, 0o777), os.Symlink(target, filepath.Join(planted, lockName))); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("a link was followed")
	}
	if err := os.RemoveAll(planted); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(root, "run-0123456789abcdef")
	if err := os.MkdirAll(filepath.Join(left, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(left, "a", "x"), nil, 0), os.Chmod(filepath.Join(left, "a"), 0), os.Chmod(left, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(left); err == nil {
		t.Error("it was not swept")
	}
}

// The same as an ordinary user, whom modes keep out, and as one in a sandbox that
// knows no number but this user's, where nobody can tell whose / is.
func TestOrdinaryUser(t *testing.T) {
	need.Root(t)
	dir, err := os.MkdirTemp("", "einoshell-test")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(filepath.Join(dir, "tmp"), 0o777), os.Chmod(filepath.Join(dir, "tmp"), 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "test")
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = "/", append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	tests := "-test.run=TestRemoveWhatWasChanged|TestFilesArePrivate|TestComeAndGo"
	if out, err := run(path, tests); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	sandbox := []string{"-U", "--map-user=1000", "--map-group=1000"}
	if _, err := run("unshare", append(sandbox, "true")...); err != nil {
		t.Log("no user namespaces")
	} else if out, err := run("unshare", append(sandbox, path, tests)...); err != nil {
		t.Errorf("in a user namespace: %v\n%s", err, out)
	}
}

// What a killed process left goes with the next Open. What a living one has,
// this one or another, stays, and so does all that is not ours.
func TestSweep(t *testing.T) {
	root := t.TempDir()
	start := func() (*exec.Cmd, string) {
		cmd := exec.Command(os.Args[0], "-test.run=TestHelperOwner", "-test.v")
		cmd.Env = append(os.Environ(), "EINOSHELL_TEST_ROOT="+root)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if path, ok := strings.CutPrefix(lines.Text(), "owns "); ok {
				return cmd, path
			}
		}
		t.Fatal("no owner")
		return nil, ""
	}
	living, livings := start()
	killed, killeds := start()
	defer func() { living.Process.Kill(); living.Wait() }()

	r, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	mine, err := r.NewDir()
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Remove()
	others := []string{"notes.txt", "run-", "run-me", "run-0123456789abcdeg", "run-0123456789abcde", "run-00", "RUN-0123456789abcdef", "run-0123456789ABCDEF"}
	for _, name := range others {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := t.TempDir()
	link := "run-0123456789abcdef"
	if err := os.Symlink(elsewhere, filepath.Join(root, link)); err != nil {
		t.Fatal(err)
	}

	killed.Process.Kill()
	killed.Wait()
	if _, err := os.Stat(filepath.Join(killeds, "file")); err != nil {
		t.Fatalf("it left nothing: %v", err)
	}
	if _, err := Open(root); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(killeds); err == nil {
		t.Error("what the killed one left is still there")
	}
	for _, path := range []string{filepath.Join(livings, "file"), mine.path, elsewhere} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	for _, name := range append(others, link) {
		if _, err := os.Lstat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
}

var owned *Dir

// TestHelperOwner is a process that owns a directory until it is killed.
func TestHelperOwner(t *testing.T) {
	root := os.Getenv("EINOSHELL_TEST_ROOT")
	if root == "" {
		t.Skip("only for TestSweep")
	}
	r, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.NewDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.path, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	owned = d // the lock goes with what nobody has any more
	os.Stdout.WriteString("owns " + d.path + "\n")
	time.Sleep(time.Minute) // a select without cases would be a deadlock, and its end
}

// A root that is removed is made again.
func TestRootIsRemoved(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	r, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	d, err := r.NewDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Remove(); err != nil {
		t.Error(err)
	}
}

func TestDefaultPath(t *testing.T) {
	t.Setenv("HOME", "/home/u")
	for value, want := range map[string]string{
		"/s": "/s/einoshell", "": "/home/u/.local/state/einoshell", "relative": "/home/u/.local/state/einoshell",
	} {
		t.Setenv("XDG_STATE_HOME", value)
		if got, err := DefaultPath(); err != nil || got != want && os.PathSeparator == '/' && !strings.Contains(got, "Library") {
			t.Errorf("%q: %q, %v", value, got, err)
		}
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "")
	if got, err := DefaultPath(); err == nil {
		t.Errorf("without a home: %q", got)
	}
	t.Setenv("HOME", "relative")
	if got, err := DefaultPath(); err == nil {
		t.Errorf("with a relative home: %q", got)
	}
}

// A folder is this user's alone, stays when others are swept, and its root is made anew when it was
// removed.
func TestNewFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "root")
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, lose := range []bool{false, true} {
		if lose {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		folder, err := r.NewFolder("shell-")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(folder)
		if err != nil || !info.IsDir() || !strings.HasPrefix(filepath.Base(folder), "shell-") {
			t.Fatalf("%v, %v", info, err)
		}
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%v", info.Mode())
		}
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if folder, err := r.NewFolder("shell-"); err == nil {
		t.Errorf("%s in a file", folder)
	}
}
