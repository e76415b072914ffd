// Package need is for tests that need something a machine may not have: they
// are skipped by its name, unless the environment variable EINOSHELL_REQUIRE, a
// list with commas, has it.
package need

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Program returns the path of a program.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name)
	}
	return path
}

// Missing ends the test: skipped, or failed when name is required.
func Missing(t testing.TB, name string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("EINOSHELL_REQUIRE"), ","), name) {
		t.Fatalf("%s is required and missing", name)
	}
	t.Skipf("no %s", name)
}

// Root needs the test to run as root.
func Root(t testing.TB) {
	t.Helper()
	if os.Getuid() != 0 {
		Missing(t, "root")
	}
}
