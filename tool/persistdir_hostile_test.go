//go:build unix

package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/einoshell/einoshell/tool"
)

// What a text does with the descriptor on which its shell says where it is moves nothing, is not written to, and costs no time.
func TestPersistDirAgainstOthers(t *testing.T) {
	t.Parallel()
	for name, shell := range posixShells(t) {
		for _, tt := range []struct{ name, command, moved string }{
			{"a file of the text's own is on it", ". ./lock.sh; cd sub", ""},
			{"something else says so, and nothing behind it", "cd sub; n=8; exec sh -c \"echo /etc >&$n\"", ""},
			{"something else says so before", "n=8; sh -c \"echo /etc >&$n\"; cd sub", "sub"},
			{"without an end of the line", "n=8; sh -c \"printf /etc >&$n\"; cd sub", "sub"},
			{"it is full", "n=8; sh -c \"yes 2>/dev/null | head -c 300000 >&$n\" 2>/dev/null; cd sub", ""},
			{"the directory has another name by now", "cd -P sub && mv ../sub ../old && mkdir ../sub", "old"},
			{"quotes hide that the shell may not set something", "\"read\"\"only\" POSIXLY_CORRECT=1; cd sub", ""},
		} {
			t.Run(name+", "+tt.name, func(t *testing.T) {
				t.Parallel()
				s := keptShell(t, func(c *tool.Config) { c.Shell, c.Timeout, c.DynamicCommands = shell, 10*time.Second, "allow" })
				lock := filepath.Join(s.Dir(), "lock")
				if err := os.WriteFile(filepath.Join(s.Dir(), "lock.sh"), []byte("exec 8>"+lock+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				if text := call(t, s, tt.command); text != "(no output)" || time.Since(begin) > 8*time.Second {
					t.Errorf("%q after %v", text, time.Since(begin))
				}
				if got, want := where(t, s), filepath.Join(s.Dir(), tt.moved); got != want {
					t.Errorf("it is in %s, want %s", got, want)
				}
				if text, _ := os.ReadFile(lock); len(text) > 0 {
					t.Errorf("the file has %q", text)
				}
			})
		}
		t.Run(name+", set -v by a variable", func(t *testing.T) {
			t.Parallel()
			s := keptShell(t, func(c *tool.Config) { c.Shell = shell })
			text := call(t, s, "o=v; set -$o; cd sub\necho hi")
			if strings.Contains(text, "POSIXLY") || !strings.Contains(text, "[the directory is not kept after a command with set -v]") {
				t.Errorf("%q", text)
			}
			if text := call(t, s, "set -- $PWD; cd sub"); text != "(no output)" || where(t, s) != filepath.Join(s.Dir(), "sub") {
				t.Errorf("positional parameters: %q, %s", text, where(t, s))
			}
		})
	}
}
