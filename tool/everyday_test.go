//go:build unix

package tool_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einoshell/einoshell/tool"
)

const everyday = "everyday.txt"

// No everyday command is refused where commands are confined, but for those that the built-in
// list names; with no list and all guards none is.
func TestEveryday(t *testing.T) {
	list := readScenarios(t, filepath.Join("../testdata/policy", everyday))
	if len(list) < 300 {
		t.Errorf("%d commands", len(list))
	}
	dir := t.TempDir() // nothing of theirs is there
	for _, tt := range []struct {
		name   string
		change func(*tool.Config)
		named  bool // the built-in lists may refuse: denied commands, and programs that want a terminal
	}{
		{"Default, confined", func(c *tool.Config) {}, true},
		{"no list, all guards", func(c *tool.Config) { c.DeniedCommands, c.AllowInteractive = []string{}, true }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := tool.Default(dir)
			c.AllowShell = false
			c.DynamicCommands = "allow" // what auto is where commands are confined
			c.Shell = []string{"bash", "-c"}
			tt.change(&c)
			sh, err := tool.New(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			refused, named := 0, 0
			for _, s := range list {
				v := sh.Check(s.command)
				switch {
				case v.Action == tool.ActionAllow:
				case tt.named && (strings.HasPrefix(v.Rule, "DeniedCommands: ") || v.Rule == "AllowInteractive"):
					named++
				default:
					refused++
					t.Errorf("%s: %s: %q: %s %s: %s", s.at, s.number, s.command, v.Action, v.Rule, v.Reason)
				}
			}
			t.Logf("%d of %d refused, and %d that the list names", refused, len(list), named)
		})
	}
}
