package command

import (
	"testing"

	"github.com/einoshell/einoshell/internal/environ"
)

// What a text may not set without being looked at is not inherited either.
func TestEnvironmentIsNotInherited(t *testing.T) {
	names := map[string][]string{"PS4": nil, "BASH_ENV": nil, "GIT_CONFIG_KEY_0": nil}
	for name, s := range environment {
		names[name] = s.loads
	}
	for name, loads := range names {
		if len(loads) == 0 {
			loads = []string{"x"}
		}
		for _, value := range loads {
			if !environ.Runs(name, value+"x") {
				t.Errorf("%s=%s is inherited", name, value)
			}
		}
	}
}
