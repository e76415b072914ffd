package command

// A reader reads one text and those in it.
type reader struct {
	script    *Script
	budget    int                  // bytes of shell text that may still be read
	read      map[string]innerText // shell texts in the text that were read
	pipelines int
	// interactive says that a shell is told to be.
	interactive bool
	// decisive are variables whose values decide what runs.
	decisive []string
	fault    *Fault
}

// An innerText is a shell text in the text.
type innerText struct {
	at         int // how many invocations were found before
	vars       *variables
	stdinMoved bool
}

// A scope is where a text stands.
type scope struct {
	host  bool // variables nobody assigned are the host's
	texts int  // shell texts around it
	// functions says that there may be some in this shell, constant that values may be
	// taken for known, moved that exec may have changed what the shell reads, and sh that
	// the shell is one that may read the text as dash does.
	functions, constant, moved, sh bool
	depth                          int
	via                            []string
	place                          Place
	stdin                          input
	pipes                          []Stage
	function                       string
	// output says that the standard output goes somewhere.
	output bool
}

// text reads a text in dialect d.
func (r *reader) text(text string, d dialect, s scope) error {
	r.readText(text, d, s)
	if r.fault != nil {
		return r.fault
	}
	return nil
}

func (r *reader) fail(f *Fault) {
	if r.fault == nil {
		r.fault = f
	}
}

// readText reads a text. It returns its variables, nil when it cannot be read, and whether it
// changes what the shell reads.
func (r *reader) readText(text string, d dialect, s scope) (vars *variables, stdinMoved bool) {
	if r.budget -= len(text); r.budget < 0 {
		r.fail(faultf("The command holds too much shell text within shell text. Split it, or put it in a script file."))
		return nil, false
	}
	clean, at := text, []int(nil)
	if handles(strangeBytes) {
		clean, at = replaceStrange(text)
	}
	comments, dollars := suspects(clean)
	file, fault := parse(clean, d)
	if fault != nil {
		if len(at) > 0 {
			fault = strangeFault(text, at[0])
		}
		r.fail(fault)
		return nil, false
	}
	mark, operators, pipelines := len(r.script.Invocations), len(r.script.Operators), r.pipelines
	s.functions = s.functions || defines(text)
	var w *walker
	for again := true; again; {
		w = &walker{reader: r, text: clean, given: text, d: d, scope: s, asks: len(at)+len(comments)+len(dollars) > 0, stdinMoved: s.moved}
		w.stmts(file.Stmts, where{place: s.place, via: s.via, stdin: s.stdin, output: s.output, straight: true, depth: s.depth, pipes: s.pipes, function: s.function})
		w.settle(where{place: s.place, via: s.via, pipes: s.pipes})
		if r.fault != nil {
			return nil, false
		}
		// What was taken for granted may not hold, for all that the text does: then it is
		// walked once more without.
		again = false
		if s.constant && w.vars.doubtful() {
			s.constant, again = false, true
		}
		if !s.moved && w.stdinMoved {
			s.moved, again = true, true
		}
		if again {
			r.script.Invocations = r.script.Invocations[:mark]
			r.script.Operators = r.script.Operators[:operators]
			r.pipelines = pipelines
			for key, t := range r.read {
				if t.at >= mark {
					delete(r.read, key)
				}
			}
		}
	}
	for i, s := range innermost(w.spans, at) {
		if !s.quoted {
			r.fail(strangeFault(text, at[i]))
			return nil, false
		}
	}
	for _, s := range innermost(w.spans, comments) {
		if !s.quoted {
			r.fail(faultf("A comment that ends in a backslash is not read in the same way everywhere. Remove the backslash."))
			return nil, false
		}
	}
	for _, s := range innermost(w.spans, dollars) {
		if !s.literal {
			r.fail(faultf("A line is folded behind a dollar sign or a parenthesis. Write what follows on the same line."))
			return nil, false
		}
	}
	for name := range w.vars.assigned {
		note(&r.script.Sets, name)
	}
	return &w.vars, w.stdinMoved
}

func strangeFault(text string, at int) *Fault {
	line := 1
	for _, c := range text[:at] {
		if c == '\n' {
			line++
		}
	}
	if text[at] == '\r' {
		return faultf("There is a carriage return in line %d. End lines with a newline alone.", line)
	}
	return faultf("There is a byte %#02x in line %d, outside quotes. Remove it, or write it with printf.", text[at], line)
}
