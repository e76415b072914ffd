package command

import "strings"

// masked is the Text with one NUL in the place of each part that is not known.
func (word Word) masked() string {
	if word.Known {
		return word.Text
	}
	var b strings.Builder
	from := 0
	for _, h := range word.holes {
		if h.from < from || h.from > h.to || h.to > len(word.Text) {
			return "\x00"
		}
		b.WriteString(word.Text[from:h.from])
		b.WriteByte(0)
		from = h.to
	}
	if from == 0 {
		return "\x00"
	}
	b.WriteString(word.Text[from:])
	return b.String()
}

// unmasked is the word that a part of a masked text stands for.
func unmasked(text string) Word {
	if strings.Contains(text, "\x00") {
		return Word{Text: strings.ReplaceAll(text, "\x00", "…"), One: true, prefix: text[:strings.IndexByte(text, 0)]}
	}
	return known(text)
}
