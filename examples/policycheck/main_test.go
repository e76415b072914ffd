package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestPolicycheck(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		in   string
		code int
		out  string // of each line what comes before the second tab, and the last field
	}{
		{"nothing", nil, "", 0, ""},
		{"the built-in list", nil, "ls\nrm x\n", 0, "allow||ls deny|DeniedCommands: rm|rm"},
		{"a blank line is judged", nil, "\nls", 0, "deny|| allow||ls"},
		{"no list", []string{"-deny", ""}, "rm x", 0, "allow||rm"},
		{"a list", []string{"-deny", "a,b"}, "b\nrm", 0, "deny|DeniedCommands: b|b allow||rm"},
		{"allowed", []string{"-allow", "ls,cat"}, "ls | cat\nls; id", 0, "allow||ls cat deny|AllowedCommands|ls id"},
		{"allowed, and none denied", []string{"-allow", "ls", "-deny", ""}, "ls", 0, "allow||ls"},
		{"both lists", []string{"-allow", "ls", "-deny", "rm"}, "ls", 2, ""},
		{"operators", []string{"-operators", `>,\n`}, "a >f\na 2>&1\n", 0, "deny|DeniedOperators: >|a allow||a"},
		{"an operator that is none", []string{"-operators", "->"}, "a", 2, ""},
		{"NUL", []string{"-0", "-operators", `\n`}, "a\nb\x00c", 0, `deny|DeniedOperators: \n|a b allow||c`},
		{"a NUL within", nil, "a\x00b", 0, "deny||"},
		{"a carriage return belongs to it", nil, "ls\r\n", 0, "deny||"},
		{"both readings", nil, "echo $'a\\'; rm x #'", 0, `deny|DeniedCommands: rm|echo rm`},
		{"bash", []string{"-shell", "bash"}, "echo $'a\\'; rm x #'", 0, "allow||echo"},
		{"zsh", []string{"-shell", "zsh"}, "ls", 2, ""},
		{"unknown", nil, "$x y", 0, "deny|DynamicCommands|? y"},
		{"unknown, ask", []string{"-dynamic", "ask"}, "$x y", 0, "ask|DynamicCommands|? y"},
		{"unknown, allow", []string{"-dynamic", "allow"}, "$x y", 0, "allow||? y"},
		{"unknown, confined", []string{"-dynamic", "auto", "-confined"}, "$x y", 0, "allow||? y"},
		{"unknown, confined with a list", []string{"-dynamic", "auto", "-confined", "-allow", "y"}, "$x y", 0, "deny|DynamicCommands|? y"},
		{"unknown, in doubt", []string{"-dynamic", "perhaps"}, "ls", 2, ""},
		{"interactive", nil, "vim f", 0, "deny|AllowInteractive|vim"},
		{"interactive, allowed", []string{"-interactive"}, "vim f", 0, "allow||vim"},
		{"strange names", []string{"-0"}, "'a b'; '\t\\'; \"x\ny\"; '\xff'; é; '\u0085'", 0, `allow||a\x20b \t\\ x\ny \xff é \xc2\x85`},
		{"guards", []string{"-guards", "none"}, "ls", 0, "allow||ls"},
		{"all guards", []string{"-guards", "all", "-deny", ""}, "rm -rf x\nrm -r x\ncat .env", 0, "deny|Guards: destructive|rm ask|Guards: destructive|rm deny|Guards: secrets|cat"},
		{"a guard", []string{"-guards", "secrets", "-deny", ""}, "rm -rf x\ncat .env", 0, "allow||rm deny|Guards: secrets|cat"},
		{"a rule", []string{"-rule", "deny git push", "-rule", "ask make"}, "git -C d push\nmake\ngit pull", 0, "deny|Rules: git push|git ask|Rules: make|make allow||git"},
		{"a rule that is none", []string{"-rule", "forbid git"}, "ls", 2, ""},
		{"a guard that is none", []string{"-guards", "secret"}, "ls", 2, ""},
		{"a preset", []string{"-preset", "default"}, "ls", 0, "allow||ls"},
		{"a preset that is not there", []string{"-preset", "strict"}, "ls", 2, ""},
		{"an operand", []string{"ls"}, "", 2, ""},
		{"a flag that is none", []string{"-x"}, "", 2, ""},
		{"a directory that is none", []string{"-dir", "/no/such"}, "ls", 2, ""},
	} {
		var out, diagnostics bytes.Buffer
		code := run(tt.args, strings.NewReader(tt.in), &out, &diagnostics)
		var got []string
		for line := range strings.Lines(out.String()) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(fields) != 4 || (fields[2] == "") != (fields[0] == "allow") {
				t.Errorf("%s: %q", tt.name, line)
				continue
			}
			got = append(got, fields[0]+"|"+fields[1]+"|"+fields[3])
		}
		if code != tt.code || strings.Join(got, " ") != tt.out {
			t.Errorf("%s: %d, %q, want %d, %q\n%s", tt.name, code, strings.Join(got, " "), tt.code, tt.out, diagnostics.String())
		}
		if (code == 2) != (diagnostics.Len() > 0) || code == 2 && out.Len() > 0 {
			t.Errorf("%s: %d, %q on stderr", tt.name, code, diagnostics.String())
		}
	}
}
