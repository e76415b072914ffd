//go:build unix

package tool_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	shelltool "github.com/einoshell/einoshell/tool"
)

// A command for Go code: what it printed, how it ended, or why it was refused.
func ExampleShell_Exec() {
	ctx := context.Background()
	sh, err := shelltool.New(ctx, shelltool.Default(os.TempDir()))
	if err != nil {
		panic(err)
	}
	defer sh.Close()

	r, err := sh.Exec(ctx, shelltool.Request{Command: "echo hello; exit 2"})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%q, exit code %d\n", r.Stdout, *r.ExitCode)

	_, err = sh.Exec(ctx, shelltool.Request{Command: "rm -rf build"})
	if denied := (*shelltool.DeniedError)(nil); errors.As(err, &denied) {
		fmt.Println(denied.Kind, denied.Rule)
	}
	// Output:
	// "hello\n", exit code 2
	// policy DeniedCommands: rm
}
