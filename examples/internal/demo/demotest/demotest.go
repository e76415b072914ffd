// Package demotest is what the tests of the examples share.
package demotest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einoshell/einoshell/examples/internal/demo"
	"github.com/einoshell/einoshell/internal/need"
)

// NoEnv is an environment without variables.
func NoEnv(string) string { return "" }

// Need skips a test where a program is missing that a script uses.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, name := range programs {
		need.Program(t, name)
	}
}

// Project writes the project of an example into a new directory.
func Project(t testing.TB, e demo.Example) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	if err := e.Project.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Read returns what is in a file.
func Read(t testing.TB, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Plant replaces one text in a file.
func Plant(t testing.TB, dir, name, old, new string) {
	t.Helper()
	text := Read(t, dir, name)
	if !strings.Contains(text, old) {
		t.Fatalf("%s does not hold %q", name, old)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Replace(text, old, new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Word plants a random word behind a text and returns it.
func Word(t testing.TB, dir, name, behind string) string {
	t.Helper()
	word := rand.Text()
	Plant(t, dir, name, behind, behind+" "+word)
	return word
}

// Tell runs an example in dir, or where that is empty in a directory of its own, and returns what is shown
// of a story that comes out well.
func Tell(t testing.TB, e demo.Example, dir string) string {
	t.Helper()
	shown, err := tell(t, e, dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	return shown
}

// Stuck is Tell for a story that does not.
func Stuck(t testing.TB, e demo.Example, dir string) string {
	t.Helper()
	shown, err := tell(t, e, dir)
	if !errors.Is(err, demo.ErrStuck) {
		t.Errorf("%v\n%s", err, shown)
	}
	return shown
}

func tell(t testing.TB, e demo.Example, dir string) (string, error) {
	var out bytes.Buffer
	err := e.Run(t.Context(), in(dir), NoEnv, demo.NewDisplay(&out, false))
	return out.String(), err
}

// in are the arguments for a directory.
func in(dir string) []string {
	if dir == "" {
		return nil
	}
	return []string{"-dir", dir}
}

// Interrupt runs an example until a text is shown, and returns all that was shown.
func Interrupt(t testing.TB, e demo.Example, dir, at string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := &watcher{text: at, then: cancel}
	if err := e.Run(ctx, in(dir), NoEnv, demo.NewDisplay(w, false)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v\n%s", err, w.String())
	}
	return w.String()
}

// A watcher waits for a text. (A Display writes one thing at a time.)
type watcher struct {
	bytes.Buffer
	text string
	then func()
}

func (w *watcher) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if strings.Contains(w.String(), w.text) {
		w.then()
	}
	return n, err
}

// Repairs runs an example whose script is that of package shop: the whole story, as go run tells it, and one that is interrupted.
func Repairs(t *testing.T, e demo.Example) {
	Need(t, "go", "find", "grep", "sed", "sort", "cat")
	shown := Tell(t, e, "")
	for _, part := range []string{"Total(250, 4) = 254, want 1000", "└ exit code 1 in ", "│ ok  \tshop"} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in\n%s", part, shown)
		}
	}
	if !strings.HasSuffix(shown, "\nagent: All tests pass now.\n") { // behind what the commands did
		t.Errorf("%s", shown)
	}
	Interrupt(t, e, "", "$ go test")
}
