package command

import (
	"flag"
	"runtime"
	"strings"
	"testing"
	"time"
)

var lines = flag.Int("lines", 0, "how many lines TestDifferential tries, instead of a few; TestBounds is at its full size")

// Whatever is long or deep is read or refused in bounded time and memory.
// With -lines they are as long as a command may be.
func TestBounds(t *testing.T) {
	size := 1 << 16
	switch {
	case *lines > 0:
		size = 1 << 20
	case testing.Short() || raced:
		size = 1 << 14
	}
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	nest := func(open, inner, end string) string {
		n := size / (len(open) + len(end))
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	for name, text := range map[string]string{
		"commands":             fill("true;"),
		"different commands":   different(size),
		"chains":               "true" + fill("&&true"),
		"pipes":                "true" + fill("|true"),
		"words":                "echo" + fill(" x"),
		"unknown words":        "echo" + fill(" $x"),
		"one word":             "echo " + fill("x"),
		"backslashes":          "echo " + fill(`\x`),
		"quotes":               "echo " + fill(`''`),
		"subshells":            nest("(", "true", ")"),
		"open":                 fill("("),
		"braces open":          fill("{ "),
		"groups":               nest("{ ", "true", ";}"),
		"substitutions":        "echo " + nest("$(", "true", ")"),
		"quoted substitutions": "echo " + nest(`"$(`, "true", `)"`),
		"parameters":           "echo " + nest("${x:-", "true", "}"),
		"arithmetic":           "echo $((" + nest("(", "1", ")") + "))",
		"sums":                 "echo $((1" + fill("+1") + "))",
		"unary":                "echo $((" + fill("- ") + "1))",
		"ternary":              "echo $((" + fill("1?1:") + "1))",
		"assignments":          "echo $((" + fill("a=") + "1))",
		"ifs":                  fill("if "),
		"elifs":                "if true; then true; " + fill("elif true; then true; ") + "fi",
		"whiles":               fill("while "),
		"cases":                fill("case x in x) "),
		"functions":            fill("f(){ "),
		"backquotes":           fill("`"),
		"negations":            fill("! "),
		"times":                fill("time "),
		"time dashes":          fill("time -- ") + "x",
		"coprocs":              fill("coproc ") + "x",
		"tests":                "[[ " + fill("! ") + "x ]]",
		"test lists":           "[[ x" + fill("&&x") + " ]]",
		"test groups":          "[[ " + nest("( ", "x", " )") + " ]]",
		"wrappers":             fill("env ") + "x",
		"sudo":                 fill("sudo -n ") + "x",
		"evals":                fill("eval ") + "x",
		"here-documents":       fill("cat <<E\n"),
		"one line of them":     "cat " + fill("<<E "),
		"here-documents ended": fill("cat <<E\nE\n"),
		"comments":             fill("# x\n"),
		"folded comments":      fill("' # \\\n'"),
		"dollars":              fill("'$\\\n'"),
		"bad bytes":            "echo '" + fill("\r") + "'",
		"brace lists":          "echo " + fill("{a,b}"),
		"sequences":            "echo " + fill("{1..9}"),
		"a long sequence":      "echo {1..1000000000}",
		"nested braces":        "echo " + nest("{a,", "b", "}"),
		"variables":            assignments(size),
		"doubling":             doubling(),
		"a long variable":      "x=" + strings.Repeat("y", 60000) + strings.Repeat("; echo $x$x$x$x", 50000),
		"evals of a variable":  "x='" + strings.Repeat("true;", 10000) + "'" + strings.Repeat("; eval \"$x\"", 50000),
		"different evals":      evals(size),
		"finds":                "find ." + fill(" -exec"),
		"aliases":              fill("alias a=b;"),
		"values":               "v=1;" + fill("v=$v;") + "echo $((v))",
		"a chain of values":    chain(size),
		"subscripts":           "echo $((" + nest("a[", "1", "]") + "))",
		"redirections":         "x " + fill(">f "),
		"process substitution": "x " + nest("<(", "x", ")"),
		"functions defined":    fill("f() { :;};"),
		"options":              "env " + fill("-i "),
		"a cluster":            "env -" + fill("i"),
		"words of a shell":     "sh -c x " + fill("y "),
		"shells":               fill("sh -c ") + "x",
		"producers":            producers(30),
		"values computed":      fill("x=$(a);"),
		"values declared":      "export " + fill("x=$(a) "),
		"names that vanish":    fill("$y "),
		"long brace words":     "q {1..256}" + fill("x"),
	} {
		for _, shell := range []Shell{Sh, Bash} {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			begin := time.Now()
			script, err := Read(text, shell)
			took := time.Since(begin)
			runtime.ReadMemStats(&after)
			stack := after.StackInuse - before.StackInuse
			what := "refused"
			if err == nil {
				what = "read"
			} else if strings.HasPrefix(err.Error(), panicked) || len(err.Error()) > 2000 {
				t.Errorf("%s: %.200s", name, err)
			}
			if testing.Verbose() {
				t.Logf("%-22s %v %7v %4d MiB, stack %d KiB: %s", name, shell, took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20, int64(stack)>>10, what)
			}
			// (They take a second at most; this is for the ones that never end.)
			if took > 20*time.Second {
				t.Errorf("%s: took %v", name, took)
			}
			if stack > 16<<20 && after.StackInuse > before.StackInuse {
				t.Errorf("%s: %d MiB of stack", name, stack>>20)
			}
			runtime.KeepAlive(script)
		}
	}
}

func producers(n int) string {
	text := "ls"
	for range n {
		text = "echo $(" + text + ") | cat"
	}
	return text
}

func different(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString("c" + itoa(i) + "\n")
	}
	return b.String()
}

func assignments(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString("v" + itoa(i) + "=x\n")
	}
	return b.String()
}

func chain(size int) string {
	var b strings.Builder
	b.WriteString("v0=1\n")
	for i := 1; b.Len() < size; i++ {
		b.WriteString("v" + itoa(i) + "=$((v" + itoa(i-1) + "))\n")
	}
	return b.String()
}

func doubling() string {
	var b strings.Builder
	b.WriteString("v0=xxxxxxxxxx\n")
	for i := 1; i < 60; i++ {
		b.WriteString("v" + itoa(i) + "=$v" + itoa(i-1) + "$v" + itoa(i-1) + "\n")
	}
	return b.String() + "$v59"
}

func evals(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString("eval 'x" + itoa(i) + "'\n")
	}
	return b.String()
}

func itoa(i int) string {
	const digits = "abcdefghij"
	s := ""
	for ; i > 0 || s == ""; i /= 10 {
		s = digits[i%10:i%10+1] + s
	}
	return s
}
