package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/einoshell/einoshell/internal/output"
)

// arguments are those of a tool call, by name, not decoded yet.
type arguments map[string]json.RawMessage

// readArguments reads a JSON object. wrong says what a model has to change.
// Names are compared exactly; a name that is not known is refused, since one
// that was meant as a switch must not be passed over in silence, and so is one
// that is given twice, since readers of the call differ in which they see.
func readArguments(text string, known ...string) (args arguments, wrong string) {
	object := fmt.Sprintf("The arguments must be one JSON object with %s.", strings.Join(known, " and "))
	if !json.Valid([]byte(text)) {
		return nil, object
	}
	d := json.NewDecoder(strings.NewReader(text))
	if open, _ := d.Token(); open != json.Delim('{') {
		return nil, object
	}
	args = arguments{}
	for d.More() {
		key, _ := d.Token()
		name, _ := key.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, object
		}
		if !slices.Contains(known, name) {
			return nil, fmt.Sprintf("There is no argument %s. The arguments are %s.", output.Quote(name, 80), strings.Join(known, " and "))
		}
		if args.has(name) {
			return nil, fmt.Sprintf("The argument %s is given twice.", name)
		}
		args[name] = value
	}
	for name, value := range args {
		if string(value) == "null" {
			delete(args, name)
		}
	}
	return args, ""
}

func (a arguments) has(name string) bool { _, ok := a[name]; return ok }

// text returns the string called name, which must be there.
func (a arguments) text(name string) (s, wrong string) {
	raw := a[name]
	if len(raw) == 0 || raw[0] != '"' {
		return "", name + " must be given, as a string."
	}
	s, ok := unquote(raw)
	if !ok {
		return "", "The " + name + " contains characters that cannot be encoded for the operating system: " +
			"an escape that is one half of a surrogate pair. Write the character itself."
	}
	return s, ""
}

// number returns the number called name. One that is too large for a float64
// is infinite.
func (a arguments) number(name string) (n float64, ok bool) {
	n, err := strconv.ParseFloat(string(a[name]), 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// unquote decodes a JSON string that a decoder has found well-formed. It
// differs from encoding/json where that would change the command in silence:
// bytes that are not UTF-8 stay what they are, since a file name may hold them,
// and half a surrogate pair is not replaced. The halves U+DC80 to U+DCFF are
// how Python writes a byte that is not UTF-8; they become that byte. Any other
// half cannot be encoded: ok is false.
func unquote(raw []byte) (s string, ok bool) {
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw), true
	}
	b := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			b = append(b, raw[i])
			continue
		}
		i++
		switch c := raw[i]; c {
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			r := hex4(raw[i+1:])
			i += 4
			switch {
			case !utf16.IsSurrogate(r):
				b = utf8.AppendRune(b, r)
			case len(raw) > i+6 && raw[i+1] == '\\' && raw[i+2] == 'u' && utf16.DecodeRune(r, hex4(raw[i+3:])) != utf8.RuneError:
				b = utf8.AppendRune(b, utf16.DecodeRune(r, hex4(raw[i+3:])))
				i += 6
			case r >= 0xDC80 && r <= 0xDCFF:
				b = append(b, byte(r-0xDC00))
			default:
				return "", false
			}
		default: // a quote, a backslash or a slash
			b = append(b, c)
		}
	}
	return string(b), true
}

// hex4 reads the four hex digits raw starts with.
func hex4(raw []byte) rune {
	n, _ := strconv.ParseUint(string(raw[:4]), 16, 16)
	return rune(n)
}
