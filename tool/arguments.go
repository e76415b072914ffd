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

// aliases are names that models use for an argument though they were told
// another.
var aliases = map[string]string{"cmd": "command", "id": "command_id"}

// harmless are names that models add of their own accord to say why they do
// something. Nothing depends on them.
var harmless = []string{
	"comment", "description", "explanation", "intent", "justification", "note",
	"purpose", "reason", "reasoning", "summary", "thought", "thoughts", "title",
}

// readArguments reads the JSON object with the arguments of a call, or a JSON
// string that holds one: some models encode twice. wrong says what a model has
// to change; note, what was passed over. Names are compared exactly. A name
// that is not known and not harmless is refused, since one that was meant as a
// switch must not be passed over, and so is one that is given twice, since
// readers of the call differ in which they see.
func readArguments(text string, known ...string) (args arguments, note, wrong string) {
	names := strings.Join(known, " and ")
	object, there := "The arguments must be one JSON object with "+names+".", "The arguments are "+names+"."
	switch len(known) {
	case 0:
		object, there = "The arguments must be an empty JSON object.", "There are none."
	case 1:
		there = "The only one is " + names + "."
	}
	if !json.Valid([]byte(text)) {
		return nil, "", object
	}
	if trimmed := strings.TrimSpace(text); trimmed[0] == '"' {
		text, _ = unquote([]byte(trimmed))
		if !json.Valid([]byte(text)) {
			return nil, "", object
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	if open, _ := d.Token(); open != json.Delim('{') {
		return nil, "", object
	}
	args = arguments{}
	var ignored []string
	for d.More() {
		key, _ := d.Token()
		name, _ := key.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, "", object
		}
		if slices.Contains(harmless, name) && !slices.Contains(known, name) {
			ignored = append(ignored, name)
			continue
		}
		if !slices.Contains(known, name) && !slices.Contains(known, aliases[name]) {
			return nil, "", fmt.Sprintf("There is no argument %s. %s", output.Quote(name, 80), there)
		}
		if _, twice := args[name]; twice {
			return nil, "", fmt.Sprintf("The argument %s is given twice.", name)
		}
		args[name] = value
	}
	for alias, name := range aliases {
		switch {
		case !args.has(alias): // also for one that is known to this tool: nothing to do
		case !args.has(name):
			args[name] = args[alias]
		case string(args[alias]) != string(args[name]):
			return nil, "", fmt.Sprintf("Both %s and %s are given, and they differ. Give %s.", name, alias, name)
		}
		delete(args, alias)
	}
	if ignored != nil {
		note = "[ignored: " + strings.Join(ignored, ", ") + "]"
	}
	return args, note, ""
}

// has reports whether an argument is given: null and blank strings are not.
func (a arguments) has(name string) bool {
	raw := string(a[name])
	return raw != "" && raw != "null" && strings.Trim(raw, `" `) != ""
}

// script returns the shell script called name. It must be there, as a string,
// or as the list of words of one command: those are quoted, so that each is
// one word for the shell, too.
func (a arguments) script(name string) (s, wrong string) {
	wrong = name + " must be given, as a string."
	raw := a[name]
	if len(raw) == 0 {
		return "", wrong
	}
	if raw[0] == '"' {
		s, ok := unquote(raw)
		if !ok {
			return "", "The " + name + " contains characters that cannot be encoded for the operating system: " +
				"an escape that is one half of a surrogate pair. Write the character itself."
		}
		raw = json.RawMessage(strings.TrimSpace(s))
		if !bytes.HasPrefix(raw, []byte(`["`)) || !json.Valid(raw) {
			return s, ""
		}
		// No command begins so: it is a list, encoded twice.
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return "", wrong
	}
	words := make([]string, len(list))
	for i, item := range list {
		word, ok := "", false
		if item[0] == '"' {
			word, ok = unquote(item)
		}
		if !ok {
			return "", wrong
		}
		words[i] = word
	}
	if len(words) == 1 {
		return words[0], "" // a script in a list, not a program whose name has spaces
	}
	for i, word := range words {
		words[i] = shellQuote(word)
	}
	return strings.Join(words, " "), ""
}

// shellQuote returns word as one word of a POSIX shell.
func shellQuote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,+@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// number returns the number called name, which may be written as a string. One
// that is too large for a float64 is infinite.
func (a arguments) number(name string) (n float64, ok bool) {
	raw := []byte(a[name])
	if len(raw) > 0 && raw[0] == '"' {
		text, ok := unquote(raw)
		raw = []byte(strings.TrimSpace(text))
		if !ok || !json.Valid(raw) { // which keeps NaN, Inf and 0x10 out
			return 0, false
		}
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// boolean returns the truth value called name, which may be written as a string. It is
// false when it is not given.
func (a arguments) boolean(name string) (value, ok bool) {
	if !a.has(name) {
		return false, true
	}
	switch strings.ToLower(strings.Trim(string(a[name]), `" `)) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
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

// text returns the string called name.
func (a arguments) text(name string) (s string, ok bool) {
	raw := a[name]
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return unquote(raw)
}
