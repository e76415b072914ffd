package tool

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever a model sends: no panic, and either a command or a refusal. What a
// plain object says in valid text is what encoding/json reads.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"command":"ls"}`, `{"cmd":["a","b"],"timeout_seconds":"1.5"}`, `"{\"command\":\"ls\"}"`,
		`{"command":"\ud83d\ude00\udc80\n","description":1}`, `{"command":"[\"a\",\"b c\"]"}`, `[]`, "{\"command\":\"\xff\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		args, note, wrong := readArguments(text, "command", "timeout_seconds")
		if wrong != "" {
			if args != nil || note != "" {
				t.Fatalf("%q: refused, and %v, %q", text, args, note)
			}
			return
		}
		command, wrong := args.script("command")
		if wrong != "" && command != "" {
			t.Fatalf("%q: refused, and %q", text, command)
		}
		if n, ok := args.number("timeout_seconds"); ok && n > 0 && duration(n) <= 0 {
			t.Fatalf("%q: %v seconds are %v", text, n, duration(n))
		}
		var plain struct{ Command string }
		if json.Unmarshal([]byte(text), &plain) != nil || strings.Contains(text, `"cmd"`) || strings.HasPrefix(strings.TrimSpace(command), `[`) ||
			strings.HasPrefix(strings.TrimSpace(plain.Command), `[`) {
			return
		}
		// encoding/json replaces what is not UTF-8 and halves of pairs, and
		// does not mind upper case.
		if utf8.ValidString(text) && !strings.Contains(strings.ToLower(text), `\ud`) && string(args["command"]) != "" && args["command"][0] == '"' && plain.Command != command {
			t.Fatalf("%q: %q, encoding/json reads %q", text, command, plain.Command)
		}
	})
}

func TestShellQuote(t *testing.T) {
	for in, want := range map[string]string{"": "''", "ls": "ls", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'", "~": "'~'", "a=b": "'a=b'", "*": "'*'", "é": "'é'", "-l": "-l", "\n": "'\n'"} {
		if got := shellQuote(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
