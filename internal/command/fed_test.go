package command

import "testing"

// What a shell would read from a standard input that is not known is not known before it
// runs; what only reads it is.
func TestFed(t *testing.T) {
	dynamic := func(text string, shell Shell) bool {
		t.Helper()
		script, err := ReadFed(text, shell)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, i := range script.Invocations {
			if i.Dynamic != "" {
				return true
			}
		}
		return false
	}
	for _, shell := range []Shell{Sh, Bash} {
		for _, text := range []string{
			"sh", "bash -s", "sh -", "cat | sh", "env sh", "sudo -n sh", "{ sh; }", "f() { sh; }; f", "exec sh", "sh & wait", "sh -c sh", "bash -i", ". /dev/stdin",
			"read x; $x", "read x; eval $x", "xargs sh -c", "xargs -I% sh -c %", "parallel", "at now", "at -f /dev/stdin now", "su", "sg x", "newgrp x", "newgrp - x",
			"ssh -o BatchMode=yes h", "ssh h sh", "pwsh -", "pwsh -c -", "busybox sh", "docker exec -i x sh",
		} {
			if !dynamic(text, shell) {
				t.Errorf("%v: %q is known", shell, text)
			}
		}
		for _, text := range []string{
			"cat", "sort -u", "python3 x.py", "python3", "node repl.js", "while read l; do echo $l; done", "tee f", "grep x", "git apply", "sh x.sh", "sh < f", "sh </dev/null",
			"sh -c 'cat > f'", "ssh h cat", "at -f x.sh now", "xargs echo", "jq .", "mysql -e 'select 1'",
		} {
			if dynamic(text, shell) {
				t.Errorf("%v: %q is not known", shell, text)
			}
		}
	}
}
