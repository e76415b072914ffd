package tool_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	shelltool "github.com/einoshell/einoshell/tool"
)

// shell runs a command that may outlive the session. What it prints is in a file, and how it ended in another.
func Example_shell() {
	ctx := context.Background()
	c := shelltool.Default(os.TempDir())
	c.Tools = []string{"run_command", "shell"}
	c.StateDir, _ = os.MkdirTemp("", "state") // a program would leave this out
	defer os.RemoveAll(c.StateDir)
	sh, err := shelltool.New(ctx, c)
	if err != nil {
		fmt.Println(err)
		return
	}

	text := model(ctx, sh, "shell", `{"command":"echo begun; sleep 60; echo built","timeout":0.3}`)
	fmt.Println(masked(text, c.StateDir))

	// It goes on when the program ends. Whoever wants to can read its files, and end it.
	stop := regexp.MustCompile("`(.*)`").FindStringSubmatch(text)[1]
	status := regexp.MustCompile("Status: (.*)").FindStringSubmatch(text)[1]
	sh.Close()
	sh, _ = shelltool.New(ctx, c)
	defer sh.Close()
	fmt.Println(model(ctx, sh, "run_command", `{"command":"`+stop+`"}`))
	for text = ""; !strings.Contains(text, "143"); {
		text = model(ctx, sh, "run_command", `{"command":"cat `+status+`"}`)
	}
	fmt.Print(masked(text, c.StateDir))
	// Output:
	// begun
	// PID: N (use `kill -- -N` to stop the whole process tree)
	// Output: …/shell-X/output.log
	// Status: …/shell-X/status.json
	// {"pid": N, "exit_code": null}
	//
	// (no output)
	// [stdout]
	// {"pid": N, "exit_code": 143}
}

// masked is a text without what is another one each time.
func masked(text, state string) string {
	text = strings.ReplaceAll(text, state, "…")
	text = regexp.MustCompile(`shell-[0-9a-f]+`).ReplaceAllString(text, "shell-X")
	return regexp.MustCompile(`(PID: |kill -- -|"pid": )[0-9]+`).ReplaceAllString(text, "${1}N")
}
