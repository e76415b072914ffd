package output

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote returns s between quotes on one line, in the style pydantic-ai-harness
// shows commands in: single quotes, or double ones when s holds a single quote
// and no double one. Control and invisible characters are escaped, and s is
// cut after limit characters, so that quoting a command cannot flood a message
// or imitate one.
func Quote(s string, limit int) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for i, r := range s {
		if limit == 0 {
			b.WriteString("…")
			break
		}
		limit--
		switch {
		case r == quote || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], replacement):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}
