package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/einoshell/einoshell/examples/internal/demo/demotest"
)

func needTools(t *testing.T) {
	t.Helper()
	demotest.Need(t, "go", "find", "grep", "sed", "sort", "cat")
}

// The whole story, as go run tells it.
func TestStory(t *testing.T) {
	needTools(t)
	shown := demotest.Tell(t, example, "")
	for _, part := range []string{
		"$ go test ./...\n  │ --- FAIL: TestTotal", "Total(250, 4) = 254, want 1000", "└ exit code 1 in ", "│ ok  \tshop", "agent: All tests pass now.\n",
	} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in\n%s", part, shown)
		}
	}
	if strings.Contains(shown, "\x1b") {
		t.Error("colours without a terminal")
	}
}

// No canned story passes this: a random word in a document must be shown, and
// a second mistake must be mended, each as one of several that it could be.
func TestStoryIsNotCanned(t *testing.T) {
	needTools(t)
	for _, ops := range [][2]string{{"+", "+"}, {"-", "*"}, {"%", "+"}} {
		dir := demotest.Project(t, example)
		word := demotest.Word(t, dir, "README.md", "# shop")
		demotest.Plant(t, dir, "total.go", "price + quantity", "price "+ops[0]+" quantity")
		demotest.Plant(t, dir, "shop_test.go", "{5, 0, 0}", "{5, 2, 10}") // % by zero is another story
		demotest.Plant(t, dir, "discount.go", "price - voucher", "price "+ops[1]+" voucher")
		total, discount := demotest.Read(t, dir, "total.go"), demotest.Read(t, dir, "discount.go")

		shown := demotest.Tell(t, example, dir)
		if !strings.Contains(shown, "│ # shop "+word+"\n") {
			t.Errorf("%q was not shown in\n%s", word, shown)
		}
		if demotest.Read(t, dir, "total.go") == total || demotest.Read(t, dir, "discount.go") == discount {
			t.Errorf("not both files changed:\n%s", shown)
		}
		check := exec.Command("go", "test", "./...")
		check.Dir = dir
		if text, err := check.CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, text, shown)
		}
	}
}

// A mistake the script cannot mend is not said to be mended.
func TestStoryThatFails(t *testing.T) {
	needTools(t)
	dir := demotest.Project(t, example)
	demotest.Plant(t, dir, "total.go", "price + quantity", "price")
	shown := demotest.Stuck(t, example, dir)
	if strings.Contains(shown, "All tests pass now") || !strings.Contains(shown, "agent: I cannot read Total.") {
		t.Errorf("%s", shown)
	}
}

// An interrupt in the middle ends the agent and its command.
func TestInterrupt(t *testing.T) {
	needTools(t)
	demotest.Interrupt(t, example, "", "$ go test")
}
