package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cloudwego/eino/adk/filesystem"

	"github.com/einoshell/einoshell/examples/internal/demo/demotest"
)

// The whole story, as go run tells it: with the file tools, and with execute, whose text has Eino's words for a failure.
func TestStory(t *testing.T) {
	demotest.Need(t, "go")
	shown := demotest.Tell(t, example, "")
	for _, part := range []string{
		"$ go test ./...\n  │ --- FAIL: TestTotal", "└ exit code 1 in ", "→ grep ", "→ read_file ", "→ edit_file ", "│ ok  \tshop", "agent: All tests pass now.\n",
	} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in\n%s", part, shown)
		}
	}
}

// Two mistakes, of several that there could be.
func TestStoryIsNotCanned(t *testing.T) {
	demotest.Need(t, "go")
	dir := demotest.Project(t, example)
	demotest.Plant(t, dir, "discount.go", "price - voucher", "price * voucher")
	demotest.Tell(t, example, dir)
	if got := demotest.Read(t, dir, "discount.go"); !strings.Contains(got, "price - voucher") {
		t.Errorf("%s", got)
	}
	demotest.Plant(t, dir, "total.go", "price * quantity", "price")
	demotest.Stuck(t, example, dir)
}

// The files do not leave their directory.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(dir, "inside")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../secret", filepath.Join(inside, "link")); err != nil {
		t.Skip(err)
	}
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, ctx := files{inside, root}, context.Background()
	if err := f.Write(ctx, &filesystem.WriteRequest{FilePath: inside + "/a/b.txt", Content: "one\ntwo\none\n"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../secret", dir + "/secret", "link", "a/../../secret"} {
		if c, err := f.Read(ctx, &filesystem.ReadRequest{FilePath: name}); err == nil {
			t.Errorf("%s: %v", name, c)
		}
		if err := f.Write(ctx, &filesystem.WriteRequest{FilePath: name, Content: "y"}); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if c, err := f.Read(ctx, &filesystem.ReadRequest{FilePath: "a/b.txt", Offset: 2, Limit: 1}); err != nil || c.Content != "two\n" {
		t.Errorf("%v, %v", c, err)
	}
	if err := f.Edit(ctx, &filesystem.EditRequest{FilePath: "a/b.txt", OldString: "one", NewString: "1"}); err == nil {
		t.Error("one of two was replaced")
	}
	if err := f.Edit(ctx, &filesystem.EditRequest{FilePath: "a/b.txt", OldString: "two", NewString: "2"}); err != nil {
		t.Error(err)
	}
	if list, err := f.GrepRaw(ctx, &filesystem.GrepRequest{Pattern: "^O", CaseInsensitive: true, Glob: "*.txt"}); err != nil || len(list) != 2 || list[1].Line != 3 {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := f.GlobInfo(ctx, &filesystem.GlobInfoRequest{Pattern: "**/*.txt", Path: "/"}); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := f.LsInfo(ctx, &filesystem.LsInfoRequest{Path: "."}); err != nil || len(list) != 2 || !list[0].IsDir {
		t.Errorf("%v, %v", list, err)
	}
}

// An interrupt in the middle ends the agent and its command.
func TestInterrupt(t *testing.T) {
	demotest.Need(t, "go")
	demotest.Interrupt(t, example, "", "$ go test")
}
