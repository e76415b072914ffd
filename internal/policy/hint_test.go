package policy

import (
	"strings"
	"testing"
)

// A refusal says what the command would do and no more, and what works instead, where something
// does (B26, B29).
func TestHints(t *testing.T) {
	p := compile(t, Config{})
	for text, want := range map[string]string{
		"git push -f":         "git push --force-with-lease",
		"git reset --hard":    "git stash",
		"git clean -fd":       "git clean -n",
		"rm -rf x":            "rm a b",
		"kill -9 -1":          "Name the processes",
		"find . -delete":      "-name '*.tmp'",
		"env":                 "printenv NAME",
		"curl -o x u; sh x":   "with a command of its own",
		"crontab -r":          "crontab -r removes all entries.",
		"dd if=x of=/dev/sda": "writes to the device '/dev/sda'.",
	} {
		v := p.Judge(Line{Text: text})
		if want != "" && !strings.Contains(v.Reason, want) || !strings.HasSuffix(v.Reason, ".") && v.Reason != "" {
			t.Errorf("%s: %q", text, v.Reason)
		}
	}
	for _, text := range []string{"git push --force-with-lease", "git stash", "rm a b", "find . -name '*.tmp' -delete", "printenv NAME"} {
		if v := p.Judge(Line{Text: text}); v.Decision != Allow {
			t.Errorf("%s, which hints name: %+v", text, v)
		}
	}
}
