package command

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (w *walker) redirect(r *syntax.Redirect, at *where) Redirect {
	if r.N != nil && r.N.Value[0] == '{' {
		name := r.N.Value[1 : len(r.N.Value)-1]
		if !identifier(name) {
			w.dynamic("a redirection to "+show(r.N.Value)+" evaluates what is between the brackets", useNames, *at)
		}
		w.assign(name, value{}, *at)
	}
	red := Redirect{Op: r.Op.String()}
	stdin := r.N == nil && r.Op != syntax.RdrOut || r.N != nil && r.N.Value == "0"
	in := input{given: true, redirected: true}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		w.operator(Operator(red.Op))
		in.text, red.To.From = w.hereDocument(r, *at)
	case syntax.WordHdoc:
		w.operator("<<<")
		red.To = w.word(r.Word, *at)
		if red.To.Known {
			text := red.To.Text + "\n"
			in.text = &text
		}
	case syntax.DplIn, syntax.DplOut:
		red.To = w.word(r.Word, *at)
		if w.d == bash && closes(r.Word) {
			w.fail(faultf("%s%s is read by bash as closing a descriptor, with a word behind it. Write a space behind the dash.", red.Op, w.source(r.Word)))
		}
		if duplicates(red.To) {
			w.operator(Operator(red.Op))
			break
		}
		if r.Op == syntax.DplOut {
			w.operator("&>") // both streams into a file
		}
		w.operator(Operator(red.Op))
		// (bash expands the word a second time, quotes or not.)
		if name, ok := red.To.variable(); ok {
			w.vars.needed = append(w.vars.needed, use{name: name, at: *at, number: true})
		} else if !red.To.Known || strings.Contains(red.To.Text, "<(") || strings.Contains(red.To.Text, ">(") {
			w.dynamic(show(w.source(r.Word))+" is expanded twice by bash", "Write the file as > \"$f\" 2>&1.", *at)
		} else {
			w.document(red.To.Text, *at)
		}
	default:
		red.To = w.word(r.Word, *at)
		if red.To.Known && red.To.Text == "/dev/null" && !red.To.home {
			// Neither creates nor changes a file.
			in.given = false
			break
		}
		if red.To.made != nil {
			in.text = red.To.made
		}
		in.file = r.Op == syntax.RdrIn && !red.To.file && !w.noFile(red.To, *at)
		w.operator(Operator(red.Op))
	}
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		if r.N == nil {
			stdin = true
		}
	default:
		stdin = r.N != nil && r.N.Value == "0"
	}
	switch r.Op {
	case syntax.RdrAll, syntax.AppAll:
		at.output = true
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
		at.output = at.output || r.N == nil || r.N.Value == "1"
	}
	switch {
	case stdin:
		at.stdin = in
	case r.N != nil && in.given && (r.Op != syntax.RdrOut && r.Op != syntax.AppOut && r.Op != syntax.RdrClob && r.Op != syntax.DplOut):
		w.stdinMoved = true // there is something to read under another number
	}
	return red
}

// closes tells whether a word behind >& or <& begins with a dash and goes on: the dash belongs
// to the operator then, for bash.
func closes(word *syntax.Word) bool {
	lit, ok := word.Parts[0].(*syntax.Lit)
	if !ok {
		return false
	}
	rest, dash := strings.CutPrefix(strings.ReplaceAll(lit.Value, "\\\n", ""), "-")
	return dash && (rest != "" || len(word.Parts) > 1)
}

// duplicates tells whether >& or <& with this word copies or closes a descriptor.
func duplicates(to Word) bool {
	if !to.Known || to.Text == "" {
		return false
	}
	s := to.Text
	if s[len(s)-1] == '-' {
		s = s[:len(s)-1]
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

var leadingTabs = regexp.MustCompile(`(?m)^\t+`)

// hereDocument walks the body of one and returns it, if it is known, and the commands whose
// output is in it.
func (w *walker) hereDocument(r *syntax.Redirect, at where) (known *string, from []string) {
	quoted := false
	for _, part := range r.Word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			// (The parser keeps the backslash.)
			for _, c := range p.Value {
				quoted = quoted || c == '\\'
			}
		default:
			quoted = true
		}
	}
	if r.Hdoc == nil || len(r.Hdoc.Parts) == 0 {
		// (It has no position.)
		if end := int(r.Word.End().Offset()); at.until > 0 && (end > at.until || at.until > len(w.text) || !strings.Contains(w.text[end:at.until], "\n")) {
			w.fail(outside())
		}
		empty := ""
		return &empty, nil
	}
	w.mark(r.Hdoc, true, quoted, at)
	if fault := w.delimiter(r, quoted, at); fault != nil {
		w.fail(fault)
		return nil, nil
	}
	lit, only := r.Hdoc.Parts[0].(*syntax.Lit)
	only = only && len(r.Hdoc.Parts) == 1
	var body string
	switch {
	case quoted && only:
		body = lit.Value
	case quoted:
		// Whatever the parser sees in it is text.
		if at.backquoted {
			return nil, nil
		}
		body = w.source(r.Hdoc)
		body = body[:strings.LastIndexByte(body, '\n')+1] // the last line is the delimiter
	default:
		at.place |= InHereDocument
		f := fragments{}
		w.quotedParts(r.Hdoc.Parts, at, &f, true)
		if f.unknown || r.Op == syntax.DashHdoc && !only {
			return nil, f.from
		}
		body = f.text.String()
	}
	if r.Op == syntax.DashHdoc {
		body = leadingTabs.ReplaceAllString(body, "")
	}
	return &body, nil
}

// outside says that a here-document stands behind the substitution it belongs to: dash takes it
// for empty, and its lines for commands.
func outside() *Fault {
	return faultf("A here-document stands behind the end of the substitution it is in, which is not read in the same way everywhere. Put the parenthesis behind it.")
}

// delimiter looks for lines of a here-document at which some shell would end it and the
// parser does not.
func (w *walker) delimiter(r *syntax.Redirect, quoted bool, at where) *Fault {
	if at.backquoted {
		return faultf("A here-document in backquotes is not read in the same way everywhere. Use $(…).")
	}
	var end strings.Builder
	for _, p := range r.Word.Parts {
		text, sure := "", true
		switch p := p.(type) {
		case *syntax.Lit:
			text = strings.ReplaceAll(p.Value, `\`, "")
		case *syntax.SglQuoted:
			text, sure = p.Value, !p.Dollar
		case *syntax.DblQuoted:
			text = w.source(p)
			text = strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`)
			sure = !strings.ContainsAny(text, "\\$`\"")
		default:
			sure = false
		}
		if !sure {
			return faultf("The delimiter of a here-document, %s, is not read in the same way everywhere. Use a plain word.", show(w.source(r.Word)))
		}
		end.WriteString(text)
	}
	delimiter := end.String()
	from, to := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	if !r.Hdoc.Pos().IsValid() || from > to || to > len(w.text) {
		return faultf("A here-document cannot be read with certainty. Write it in another way.")
	}
	if at.until > 0 && from >= at.until {
		return outside()
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
	folded := body
	if !quoted {
		// Shells fold lines first, and know nothing of what the lines are a part of.
		folded = strings.ReplaceAll(strings.ReplaceAll(body, `\\`, "\x02"), "\\\n", "\x03")
	}
	for line := range strings.Lines(folded) {
		plain := strip(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\x03", ""))
		if !quoted && (plain == delimiter || strings.Contains(line, "\x03") && !strings.HasSuffix(line, "\n")) {
			return faultf("A line of the here-document is its delimiter, or folded so that it may be. Choose another delimiter.")
		}
		// bash ends one in a substitution at a line that begins with the delimiter and has
		// a parenthesis in it.
		if at.place&InSubstitution != 0 && strings.HasPrefix(plain, delimiter) && strings.Contains(plain, ")") {
			return faultf("A line of the here-document begins as its delimiter does, and holds a parenthesis. Choose another delimiter.")
		}
	}
	return nil
}
