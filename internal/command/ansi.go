package command

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// decodeANSI is the text of $'…' in bash. ok is false for what is not the same in all
// its versions and locales.
func decodeANSI(s string) (text string, ok bool) {
	simple := map[byte]byte{'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11, '\\': '\\', '\'': '\'', '"': '"', '?': '?'}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		c := s[i]
		if r, found := simple[c]; found {
			b.WriteByte(r)
			i++
			continue
		}
		digits, base, most := "01234567", 8, 3
		switch c {
		case 'x':
			i, digits, base, most = i+1, "0123456789abcdefABCDEF", 16, 2
		case 'u':
			i, digits, base, most = i+1, "0123456789abcdefABCDEF", 16, 4
		case 'U':
			i, digits, base, most = i+1, "0123456789abcdefABCDEF", 16, 8
		}
		n := 0
		for n < most && i+n < len(s) && strings.IndexByte(digits, s[i+n]) >= 0 {
			n++
		}
		r, err := strconv.ParseUint(s[i:i+n], base, 32)
		if err != nil || r == 0 || r >= utf8.RuneSelf {
			return "", false
		}
		b.WriteByte(byte(r))
		i += n
	}
	return b.String(), true
}
