package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einoshell/einoshell/examples/internal/demo"
	"github.com/einoshell/einoshell/examples/internal/demo/demotest"
)

func needTools(t *testing.T, more ...string) {
	t.Helper()
	demotest.Need(t, append([]string{"go", "find", "sort", "cat"}, more...)...)
}

// hide takes programs out of PATH.
func hide(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, from := range filepath.SplitList(os.Getenv("PATH")) {
		entries, _ := os.ReadDir(from)
		for _, e := range entries {
			if !slices.Contains(names, e.Name()) {
				os.Symlink(filepath.Join(from, e.Name()), filepath.Join(dir, e.Name())) // the first of a name counts
			}
		}
	}
	t.Setenv("PATH", dir)
}

// temp is for what several tests share.
var temp string

func TestMain(m *testing.M) {
	var err error
	if temp, err = os.MkdirTemp("", "einoshell-devserver-test-"); err != nil {
		panic(err)
	}
	os.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -ldflags=-w") // linking is faster without debugging information
	code := m.Run()
	os.RemoveAll(temp)
	os.Exit(code)
}

var listening = regexp.MustCompile(`1 │ .* listening on http://(127\.0\.0\.1:\d+)/\n`)

// address returns where the server of a story said that it listens.
func address(t *testing.T, shown string) string {
	t.Helper()
	m := listening.FindStringSubmatch(shown)
	if m == nil {
		t.Fatalf("it did not listen:\n%s", shown)
	}
	return m[1]
}

// gone fails when anybody listens at an address.
func gone(t *testing.T, address string) {
	t.Helper()
	if c, err := net.DialTimeout("tcp", address, time.Second); err == nil {
		c.Close()
		t.Errorf("%s still listens", address)
	}
}

func contains(t *testing.T, shown string, parts ...string) {
	t.Helper()
	rest := shown
	for _, part := range parts {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Errorf("%q is not in its place in\n%s", part, shown)
			return
		}
		rest = after
	}
}

// The whole story, as go run tells it.
func TestStory(t *testing.T) {
	needTools(t, "curl")
	shown := demotest.Tell(t, example, "")
	at := address(t, shown)
	url := "http://" + at + "/today"
	contains(t, shown,
		"\n1 $ go build -o menu . && exec ./menu\n1 ├ in the background as ", "\n→ check_command {", "1 │ ", "listening on",
		"\n$ curl ", url+"\n", "  │ Pea soup, bread and an apple\n", "→ check_command {", "→ stop_command {", " closing\n1 └ stopped after ",
		"\n$ curl ", url+"\n", "└ exit code 7 in ",
		"\nagent: "+url+" answered \"Pea soup, bread and an apple\" and logged it. Since the server was stopped nobody answers there.\n")
	contains(t, shown, "1 │ ", " GET /today\n")
	gone(t, at)
}

// menu builds the server once, with another path: linking it takes most of a story's time.
var menu = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp(temp, "")
	if err == nil {
		err = example.Project.Write(dir)
	}
	main := filepath.Join(dir, "main.go")
	text, _ := os.ReadFile(main)
	if err == nil {
		err = os.WriteFile(main, bytes.Replace(text, []byte(pathBefore), []byte(pathAfter), 1), 0o600)
	}
	if err == nil {
		build := exec.Command("go", "build", "-o", "menu", ".")
		build.Dir = dir
		err = build.Run()
	}
	return filepath.Join(dir, "menu"), err
})

const pathBefore, pathAfter = "GET /today", "GET /tomorrow"

// built writes the project with a server that is built.
func built(t *testing.T) (dir string) {
	t.Helper()
	program, err := menu()
	if err != nil {
		t.Fatal(err)
	}
	dir = demotest.Project(t, example)
	demotest.Plant(t, dir, "main.go", pathBefore, pathAfter)
	demotest.Plant(t, dir, "README.md", startBefore, "exec "+program)
	return dir
}

const startBefore = "go build -o menu . && exec ./menu"

// No canned story passes this: the page has a random word, which is seen nowhere but in
// the answer, and the server has another path and is asked by another program.
func TestStoryIsNotCanned(t *testing.T) {
	for _, tt := range []struct {
		name, asks string
		hidden     []string
	}{{"wget", "wget", []string{"curl"}}, {"neither", "go run ./fetch", []string{"curl", "wget"}}} {
		t.Run(tt.name, func(t *testing.T) {
			needTools(t, strings.Fields(tt.asks)[0])
			hide(t, tt.hidden...)
			dir := built(t)
			word := demotest.Word(t, dir, "today.txt", "apple")
			shown := demotest.Tell(t, example, dir)
			at := address(t, shown)
			contains(t, shown, "1 │ ", tt.asks, " http://"+at+"/tomorrow\n", "  │ Pea soup, bread and an apple "+word+"\n",
				"agent: http://"+at+"/tomorrow answered \"Pea soup, bread and an apple "+word+"\" and logged it.")
			gone(t, at)
		})
	}
}

// What goes wrong is not said to have gone well, and leaves nothing running.
func TestStoryThatFails(t *testing.T) {
	needTools(t, "curl")
	readme := func(start string) func(*testing.T) string {
		return func(t *testing.T) string {
			dir := demotest.Project(t, example)
			demotest.Plant(t, dir, "README.md", startBefore, start)
			return dir
		}
	}
	for _, tt := range []struct {
		name    string
		project func(*testing.T) string
		want    string
	}{
		{"does not compile", func(t *testing.T) string {
			dir := demotest.Project(t, example)
			demotest.Plant(t, dir, "main.go", "w.Write(page)", "w.Write(pgae)")
			return dir
		}, "undefined: pgae\n"},
		{"exits at once", readme("echo no oven >&2; exit 3"), "1 └ exit code 3 after "},
		{"answers with an error", func(t *testing.T) string {
			dir := built(t)
			if err := os.Remove(filepath.Join(dir, "today.txt")); err != nil {
				t.Fatal(err)
			}
			return dir
		}, "agent: The server does not answer as it should:\n"},
		{"may not be started", readme("rm -rf menu"), "agent: I do not know how to go on from here. The last thing I saw was:\nCommand not run: "},
		{"does not say how", readme(""), "agent: I do not know how to go on from here."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shown := demotest.Stuck(t, example, tt.project(t))
			contains(t, shown, tt.want)
			if strings.Contains(shown, "nobody answers there") {
				t.Errorf("%s", shown)
			}
			if listening.MatchString(shown) {
				gone(t, address(t, shown))
			}
		})
	}
}

// What no server does on command: the script is not fooled by it.
func TestScript(t *testing.T) {
	needs := []demo.Step{
		{Tool: demo.RunCommand, Args: map[string]any{"command": list}, Result: "[stdout]\n./README.md\n./main.go\n"},
		{Tool: demo.RunCommand, Args: map[string]any{"command": "cat README.md main.go"}, Result: "[stdout]\nStart it with: x\n\"GET /a\"\n"},
		{Tool: demo.RunCommand, Args: map[string]any{"command": look}, Result: "[stdout]\n/bin/curl\n"},
		{Tool: demo.StartCommand, Args: map[string]any{"command": "x"}, Result: "Started background command: 'x'\nID: 0a"},
	}
	check := func(result string) demo.Step { return demo.Step{Tool: checkCommand, Result: result} }
	fetch := func(result string) demo.Step {
		return demo.Step{Tool: demo.RunCommand, Args: map[string]any{"command": curl.command + " http://127.0.0.1:1/a"}, Result: result}
	}
	listens, logged := check("[stderr]\non http://127.0.0.1:1/\n\n[status: running]"), check("[stderr]\nGET /a\n\n[status: running]")
	page, stopped := fetch("[stdout]\nsoup\n"), demo.Step{Tool: stopCommand, Result: "(no output)\n[stopped]\n[exit code: -15]"}
	none := check("(no new output)\n[status: running]")
	for _, tt := range []struct {
		name  string
		steps []demo.Step
		tool  string // of the next move
		done  bool
	}{
		{"nothing yet", []demo.Step{none}, checkCommand, false},
		{"something else", []demo.Step{check("[stderr]\nwarming up\n\n[status: running]")}, checkCommand, false},
		{"it never listens", slices.Repeat([]demo.Step{none}, patience), "", false},
		{"it listens", []demo.Step{none, listens}, demo.RunCommand, false},
		{"it has ended since", []demo.Step{check("[stderr]\non http://127.0.0.1:1/\n\n[status: finished]\n[exit code: 0]")}, "", false},
		{"an empty page", []demo.Step{listens, fetch("(no output)")}, "", false},
		{"a page", []demo.Step{listens, page}, checkCommand, false},
		{"not logged yet", []demo.Step{listens, page, none}, checkCommand, false},
		{"never logged", append([]demo.Step{listens, page}, slices.Repeat([]demo.Step{none}, patience)...), "", false},
		{"logged", []demo.Step{listens, page, none, logged}, stopCommand, false},
		{"it cannot be stopped", []demo.Step{listens, page, logged, {Tool: stopCommand, Result: "[Error: unknown command ID '0a']"}}, "", false},
		{"stopped", []demo.Step{listens, page, logged, stopped}, demo.RunCommand, false},
		{"somebody still answers", []demo.Step{listens, page, logged, stopped, page}, "", false},
		{"with an error", []demo.Step{listens, page, logged, stopped, fetch("[stderr]\nError 500\n\n[exit code: 22]")}, "", false},
		{"or not in time", []demo.Step{listens, page, logged, stopped, fetch("(no output)\n[Command timed out after 300.0s]")}, "", false},
		{"nobody answers", []demo.Step{listens, page, logged, stopped, fetch("[stderr]\nNo server\n\n[exit code: 7]")}, "", true},
	} {
		if m := next(append(slices.Clone(needs), tt.steps...)); m.Tool != tt.tool || m.Done != tt.done {
			t.Errorf("%s: %+v", tt.name, m)
		}
	}
}

// An interrupt ends the server.
func TestInterrupt(t *testing.T) {
	needTools(t)
	shown := demotest.Interrupt(t, example, built(t), "listening on http://127")
	gone(t, address(t, shown))
}
