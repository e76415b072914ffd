package policy

import (
	"strings"
	"testing"

	"github.com/einoshell/einoshell/internal/command"
)

// The verdict of commands as they come, with names looked up on the PATH.
func BenchmarkVerdict(b *testing.B) {
	dir := b.TempDir()
	script := strings.Repeat("for f in *.go; do\n  go vet \"./$f\" || echo \"failed: $f\" >> log # a remark\ndone\n", 14000)
	for _, bb := range []struct{ name, text string }{
		{"word", "ls"},
		{"typical", `cd src && go test ./... 2>&1 | tail -20`},
		{"quoted", `git commit -m "$(cat <<'E'` + "\nA message with 'quotes' and $dollars\nE\n)\""},
		{"loop", `for f in a b c; do grep -n "x $f" "$f.txt" | sort -u > "$f.out" || true; done`},
		{"wrapped", `env A=1 timeout -k 5 60 xargs -n 1 sh -c 'echo "$0"; ls -l' < list`},
		{"1MiB", script[:1<<20-1] + "'"},
		{"1MiB of a script", script[:strings.LastIndex(script[:1<<20], "done")+4]},
	} {
		for name, shell := range map[string]command.Shell{"sh": command.Sh, "bash": command.Bash} {
			b.Run(bb.name+"/"+name, func(b *testing.B) {
				p, _ := New(Config{Denied: DefaultDenied(false), Shell: shell, Dynamic: DynamicDeny})
				b.SetBytes(int64(len(bb.text)))
				b.ReportAllocs()
				for b.Loop() {
					p.Judge(Line{Text: bb.text, Dir: dir, Path: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"})
				}
			})
		}
	}
}
