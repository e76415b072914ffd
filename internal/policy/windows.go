package policy

import "strings"

// readWindows returns the first word of a line for cmd.exe or PowerShell without
// its quotes and escapes. ok is false when it is not known before it runs: a
// variable is in it.
func readWindows(line string) (word string, ok bool) {
	const delimiters = " \t\r\n,;=" // cmd.exe takes the last three for spaces
	var b strings.Builder
	quoted, escaped := false, false
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
			return b.String(), known(b.String())
		default:
			b.WriteRune(c)
		}
	}
	return b.String(), known(b.String())
}

func known(word string) bool { return !strings.ContainsAny(word, "%!$") }

// programWindows is the name of the program in the first word: C:\x\FORMAT.COM is
// format.
func programWindows(word string) string {
	name := strings.ToLower(word[strings.LastIndexAny(word, `\/:`)+1:])
	for _, extension := range []string{".exe", ".com", ".bat", ".cmd", ".ps1"} {
		name = strings.TrimSuffix(name, extension)
	}
	return name
}
