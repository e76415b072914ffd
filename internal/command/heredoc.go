package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// delimiter looks for lines of a here-document at which some shell would end it and the
// parser does not.
func (w *walker) delimiter(r *syntax.Redirect, quoted bool, at where) *Fault {
	if at.backquoted {
		return faultf("A here-document in backquotes is not read in the same way everywhere. Use $(…).")
	}
	var end strings.Builder
	for _, p := range r.Word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			end.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			end.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				end.WriteString(w.source(q))
			}
		default:
			end.WriteString(w.source(p))
		}
	}
	delimiter := end.String()
	from, to := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	if !r.Hdoc.Pos().IsValid() || from > to || to > len(w.text) {
		return faultf("A here-document cannot be read with certainty. Write it in another way.")
	}
	for from > 1 && w.text[from-2:from] == "\\\n" {
		from -= 2 // (the parser leaves them out at the beginning)
	}
	body := w.text[from:to]
	if i := strings.LastIndexByte(body, '\n'); i >= 0 {
		body = body[:i+1]
	} else {
		body = ""
	}
	strip := func(line string) string {
		if r.Op == syntax.DashHdoc {
			return strings.TrimLeft(line, "\t")
		}
		return line
	}
	if !quoted {
		// Shells fold lines first.
		folded := strings.ReplaceAll(strings.ReplaceAll(body, `\\`, "\x02"), "\\\n", "\x03")
		for line := range strings.Lines(folded) {
			plain := strip(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\x03", ""))
			if strings.Contains(line, "\x03") && (plain == delimiter || strip(strings.TrimLeft(plain, "\t")) == delimiter || !strings.HasSuffix(line, "\n")) {
				return faultf("A line of the here-document is folded so that it may end it. Choose another delimiter.")
			}
		}
	}
	if at.place&InSubstitution != 0 {
		// bash ends it at a line that begins with the delimiter and has a parenthesis in it.
		for line := range strings.Lines(body) {
			if strings.HasPrefix(strip(line), delimiter) && strings.Contains(line, ")") {
				return faultf("A line of the here-document begins as its delimiter does, and holds a parenthesis. Choose another delimiter.")
			}
		}
	}
	return nil
}
