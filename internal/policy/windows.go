package policy

import "strings"

// readWindows returns the first word of a line for cmd.exe or PowerShell without
// its quotes and escapes. ok is false when it is not known before it runs: a
// variable is in it, or a redirection comes first.
func readWindows(line string) (word string, ok bool) {
	const delimiters = " \t\r\n,;=" // cmd.exe takes the last three for spaces
	var b strings.Builder
	quoted, escaped := false, false
read:
	for _, c := range strings.TrimLeft(line, delimiters+"@(&") {
		switch {
		case escaped:
			b.WriteRune(c)
			escaped = false
		case c == '"':
			quoted = !quoted
		case quoted:
			b.WriteRune(c)
		case c == '^' || c == '`':
			escaped = true
		case strings.ContainsRune(delimiters+"&|<>()", c):
			break read
		default:
			b.WriteRune(c)
		}
	}
	word = b.String()
	return word, word != "" && !strings.ContainsAny(word, "%!$")
}

// programsWindows are the names the first word may mean: C:\x\FORMAT.COM is format,
// and a command that is built into the shell ends where its name does, as in
// rd/s and del.x.
func programsWindows(word string) []string {
	lower := strings.ToLower(word)
	name := lower[strings.LastIndexAny(lower, `\/:`)+1:]
	for _, extension := range []string{".exe", ".com", ".bat", ".cmd", ".ps1"} {
		name = strings.TrimSuffix(name, extension)
	}
	builtin := lower
	if i := strings.IndexAny(lower, `\/:.+[]`); i >= 0 {
		builtin = lower[:i]
	}
	return []string{name, builtin}
}
