//go:build linux && !race

package tool_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/need"
)

// prng is the one function of bcryptprimitives.dll that Go programs need, for a
// Wine that lacks it (before version 9).
const prng = `
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T n) { return RtlGenRandom(data, n); }
`

// The tests for Windows, in Wine.
func TestWindowsInWine(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for another system")
	}
	t.Parallel()
	wine := need.Program(t, "wine")
	server := need.Program(t, "wineserver")
	dir := t.TempDir()
	env := append(os.Environ(), "WINEPREFIX="+filepath.Join(dir, "prefix"), "WINEDEBUG=-all", "DISPLAY=", "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	try := func(in, name string, args ...string) error {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir, cmd.Env = in, env
		cmd.WaitDelay = time.Second // for those who keep its output open
		if out, err := cmd.CombinedOutput(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			return fmt.Errorf("%s %q: %w\n%s", name, args, err, out)
		}
		return nil
	}
	run := func(in, name string, args ...string) {
		t.Helper()
		if err := try(in, name, args...); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { run(dir, server, "-k", "-w") })
	run(dir, wine, "wineboot", "-i")
	dll := filepath.Join(dir, "prefix", "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(dll); err != nil {
		source := filepath.Join(dir, "prng.c")
		if err := os.WriteFile(source, []byte(prng), 0o600); err != nil {
			t.Fatal(err)
		}
		run(dir, need.Program(t, "x86_64-w64-mingw32-gcc"), "-shared", "-o", dll, source, "-ladvapi32")
	}
	for _, room := range []string{"internal/environ", "internal/output", "internal/policy", "internal/process", "internal/state", "tool"} {
		exe := filepath.Join(dir, "x.exe")
		begin := time.Now()
		run("..", "go", "test", "-c", "-o", exe, "./"+room)
		built := time.Now()
		// On a busy machine Wine fails to start a program now and then ("Internal error").
		// What is wrong with the program is wrong each time.
		err := try(filepath.Join("..", room), wine, exe)
		for again := 1; err != nil && again < 3; again++ {
			t.Logf("once more: %v", err)
			err = try(filepath.Join("..", room), wine, exe)
		}
		if err != nil {
			t.Error(err)
		}
		t.Logf("%s: built in %v, run in %v", room, built.Sub(begin).Round(time.Second/10), time.Since(built).Round(time.Second/10))
	}
}
