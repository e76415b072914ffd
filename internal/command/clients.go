package command

import "strings"

// Programs that read a language of their own in which there are commands for the shell.

// statements are what is given by options, as operands and on the standard input, in lines.
func statements(u *usage, options string, from int, at where) []Word {
	var out []Word
	add := func(word Word) {
		if !word.Known {
			out = append(out, word)
			return
		}
		for line := range strings.SplitSeq(word.Text, "\n") {
			out = append(out, known(line))
		}
	}
	for _, o := range u.options {
		if lists(options, o.name) {
			add(o.value)
		}
	}
	for _, word := range u.operands[min(from, len(u.operands)):] {
		add(word)
	}
	if at.stdin.text != nil {
		add(known(*at.stdin.text))
	}
	return out
}

// runSqlite: .shell and .system run what follows, and a file that begins with | is a command.
func runSqlite(w *walker, u *usage, at where) {
	for _, line := range statements(u, "cmd", 1, at) {
		s := strings.TrimLeft(line.prefix, " \t")
		name, rest, _ := strings.Cut(s, " ")
		if len(name) < 3 || name[0] != '.' {
			continue
		}
		value := ending(line, strings.TrimLeft(rest, " "))
		piped, pipe := strings.CutPrefix(strings.TrimLeft(rest, ` "'`), "|")
		switch {
		case strings.HasPrefix(".shell", name) || strings.HasPrefix(".system", name):
			w.toldText("sqlite3 "+name, value, at)
		case pipe && lists(".output .once .import .read .o", name):
			w.toldText("sqlite3 "+name, ending(line, strings.TrimRight(piped, `"' `)), at)
		case value.Text != "" && lists(".output .once .o", name) && value.Text != "stdout" && value.Text != "off" && !strings.HasPrefix(value.Text, "-"):
			u.writes(value)
		}
	}
}

// runPsql: \! runs what follows.
func runPsql(w *walker, u *usage, at where) {
	for _, line := range statements(u, "c command", len(u.operands), at) {
		s := strings.TrimLeft(line.prefix, " \t")
		if text, ok := strings.CutPrefix(s, `\!`); ok {
			w.toldText(`psql \!`, ending(line, text), at)
		}
		for _, name := range []string{`\out`, `\o`, `\gx`, `\g`, `\write`, `\w`} {
			// (What is sent may stand before it.)
			if _, text, ok := strings.Cut(s, name); ok {
				if text, ok = strings.CutPrefix(strings.TrimLeft(text, " \t"), "|"); ok {
					w.toldText("psql "+name, ending(line, text), at)
				}
			}
		}
		if _, text, ok := strings.Cut(s, `\!`); ok && !strings.HasPrefix(s, `\!`) {
			w.toldText(`psql \!`, ending(line, text), at)
		}
	}
	for _, o := range u.options {
		if text, ok := strings.CutPrefix(o.value.prefix, "|"); ok && (o.name == "o" || o.name == "output") {
			w.toldText("psql -o", ending(o.value, text), at)
		}
	}
}

// runMysql: \! and system run what follows.
func runMysql(w *walker, u *usage, at where) {
	for _, line := range statements(u, "e execute", len(u.operands), at) {
		parts := strings.Split(line.prefix, ";")
		for i, s := range parts {
			part := known(s)
			if i == len(parts)-1 {
				part = ending(line, s)
			}
			s = strings.TrimLeft(s, " \t")
			for _, name := range []string{`\!`, "system ", "pager ", `\P `} {
				if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
					w.toldText("mysql "+strings.TrimSpace(name), ending(part, s[len(name):]), at)
				}
			}
		}
	}
}
