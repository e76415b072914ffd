package output

import (
	"fmt"
	"unicode/utf8"
)

// Truncate returns s when it has at most limit characters (Unicode code
// points). Otherwise it keeps the end, where errors and the exit code stand,
// behind a marker that says how many characters follow it. The marker counts
// inside the limit; where the limit has no room for it, the bare end is
// returned. The second result says whether anything was cut.
//
// The arithmetic is that of pydantic-ai-harness: the count is found with the
// limit's own number of digits, and one more character is taken when it still
// fits, so at a digit boundary the result is one character short of limit.
func Truncate(s string, limit int) (string, bool) {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s, false
	}
	keep := max(0, limit-len(marker(limit)))
	if keep+1+len(marker(keep+1)) <= limit {
		keep++
	}
	if keep == 0 {
		return Last(s, limit), true
	}
	return marker(keep) + Last(s, keep), true
}

func marker(k int) string {
	return fmt.Sprintf("[... output truncated, showing last %d chars]\n", k)
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
