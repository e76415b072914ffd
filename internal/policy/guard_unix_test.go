//go:build unix

package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is there is looked at: files that are emptied, and names that patterns stand for.
func TestGuardsAndFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"full": "x", "empty": "", "conf/server.key": "k", "conf/server.pub": "k", ".env": "x"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := compile(t, Config{Dynamic: DynamicDeny})
	for text, guard := range map[string]string{
		": > full": Destructive, "> full": Destructive, "true >| full": Destructive, ": > empty": "", ": > new": "", ": >> full": "", "echo x > full": "", "> " + filepath.Join(dir, "full"): Destructive,
		"cp /dev/null full": Destructive, "cp /dev/null new": "", "cat < empty > full": "",
		"cat conf/*": Secrets, "cat */*.key": Secrets, "cat conf/*.pub": "", "cd conf && cat *": Secrets, "cat *": "", "cat [f]ull": "", "grep x *": "", "cat .*": Secrets, "cat c*/s*y": Secrets,
		"cat " + filepath.Join(dir, "c*", "*"): Secrets,
	} {
		v := p.Judge(Line{Text: text, Dir: dir})
		if want := "Guards: " + guard; guard == "" && v.Decision != Allow || guard != "" && v.Rule != want {
			t.Errorf("%s: %+v", text, v)
		}
	}
}

// What guards look at is bounded, however long a text is.
func TestGuardBounds(t *testing.T) {
	p := compile(t, Config{Dynamic: DynamicAllow, AllowInteractive: true})
	for _, text := range []string{
		strings.Repeat("sh;", 25_000), strings.Repeat("curl -o x u;sh y;", 5_000), "cat " + strings.Repeat("a*/b ", 25_000), "cat " + strings.Repeat("*/*/*/x ", 12_000), strings.Repeat("cd a;cat b;", 10_000),
		"find . " + strings.Repeat("-name a ", 5_000) + strings.Repeat("-exec cat {} ; ", 5_000), strings.Repeat("f(){ f|cat;};", 5_000), "cat " + strings.Repeat(" -C d", 12_000) + strings.Repeat(" x", 12_000),
		"cat " + strings.Repeat("a/../", 25_000), "cat " + strings.Repeat("x:y=", 25_000), "python3 -c '" + strings.Repeat("rm ", 25_000) + "'", strings.Repeat("echo a|tee x|", 5_000) + "cat",
	} {
		p.Judge(Line{Text: text, Dir: "/"})
	}
}
