package output

import (
	"fmt"
	"unicode/utf8"
)

// minKeep is how many characters must be left for a marker that names a file:
// the last line, which says how a command ended.
const minKeep = 64

// Truncate returns s when it has at most limit characters (Unicode code
// points). Otherwise it keeps the end, where errors and the exit code stand,
// behind a marker that says how many characters follow it, and where more is to
// be found unless more is empty. The marker counts inside the limit; where the
// limit has no room for more it is left out, and where it has none for the
// marker, the bare end is returned. The second result says whether anything was
// cut.
//
// The arithmetic is that of pydantic-ai-harness: the count is found with the
// limit's own number of digits, and one more character is taken when it still
// fits, so at a digit boundary the result is one character short of limit.
func Truncate(s string, limit int, more string) (string, bool) {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s, false
	}
	keep := room(limit, more)
	if more != "" && keep < minKeep {
		more = ""
		keep = room(limit, "")
	}
	if keep == 0 {
		return Last(s, limit), true
	}
	return marker(keep, more) + Last(s, keep), true
}

// room is how many characters fit behind a marker.
func room(limit int, more string) int {
	length := func(k int) int { return utf8.RuneCountInString(marker(k, more)) }
	keep := max(0, limit-length(limit))
	if keep+1+length(keep+1) <= limit {
		keep++
	}
	return keep
}

func marker(k int, more string) string {
	if more != "" {
		more = "; " + more
	}
	return fmt.Sprintf("[... output truncated, showing last %d chars%s]\n", k, more)
}

// Last returns the last n characters of s, all of it when it has fewer.
func Last(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}

// First returns the first n characters of s, all of it when it has fewer.
func First(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
