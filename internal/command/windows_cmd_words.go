package command

import "strings"

// What is known of one byte of a line.
const (
	escaped  = 1 << iota // a caret stood before it
	variable             // a variable of the environment that holds no operator stands there
	changing             // anything may stand there, such as a variable of for
)

// cells are a part of a line, with its quotes and without its carets.
type cells struct{ b, f []byte }

func (l *cells) add(b, f byte) { l.b, l.f = append(l.b, b), append(l.f, f) }

func (l cells) from(i int) cells { return cells{l.b[i:], l.f[i:]} }

// flags are those of all bytes.
func (l cells) flags() (all byte) {
	for _, f := range l.f {
		all |= f
	}
	return all
}

// word is the word that l is, without its quotes.
func (l cells) word() Word {
	word := Word{One: true, Known: true}
	var text, prefix strings.Builder
	after, quoted := 0, false
	for i, b := range l.b {
		if b == '"' && l.f[i]&escaped == 0 {
			quoted = !quoted
			continue
		}
		text.WriteByte(b)
		if l.f[i] != 0 {
			word.Known = false
			word.One = word.One && (quoted || l.f[i] == escaped)
			after = text.Len()
		} else if word.Known {
			prefix.WriteByte(b)
		}
	}
	word.Text, word.prefix = text.String(), prefix.String()
	word.suffix = word.Text[after:]
	return word
}

// split cuts l where one of set stands outside quotes.
func (l cells) split(set string) (list []cells) {
	from, quoted := 0, false
	for i, b := range l.b {
		switch {
		case b == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(set, b) >= 0:
			if i > from {
				list = append(list, cells{l.b[from:i], l.f[from:i]})
			}
			from = i + 1
		}
	}
	if from < len(l.b) {
		list = append(list, l.from(from))
	}
	return list
}

// builtinWords are the arguments of a command of cmd.exe itself.
func (l cells) builtinWords() (words []Word) {
	for _, part := range l.split(blanks) {
		words = append(words, part.word())
	}
	return words
}

// programWords are the arguments that a program finds in a line, where a backslash may
// stand before a quote.
func (l cells) programWords() (words []Word) {
	var part cells
	quoted, begun := false, false
	end := func() {
		if begun {
			words = append(words, part.word())
		}
		part, begun = cells{}, false
	}
	for i := 0; i < len(l.b); i++ {
		b, f := l.b[i], l.f[i]
		switch {
		case (b == ' ' || b == '\t') && !quoted:
			end()
			continue
		case b == '\\':
			n := run(string(l.b[i:min(len(l.b), i+1024)]), `\`)
			if i+n < len(l.b) && l.b[i+n] == '"' {
				for range n / 2 {
					part.add('\\', 0)
				}
				if i += n - 1; n%2 == 1 {
					part.add('"', escaped)
					i++
				}
			} else {
				for j := range n {
					part.add('\\', l.f[i+j])
				}
				i += n - 1
			}
		case b == '"':
			quoted = !quoted
			part.add(b, 0)
		default:
			part.add(b, f)
		}
		begun = true
	}
	end()
	return words
}

// collect reads up to the end of a command, and takes the redirections out.
func (c *cmd) collect(redirs *[]Redirect, at *spot) (line cells) {
	quoted := false
	for c.more() {
		b := c.s[c.i]
		switch {
		case b == '\n' || !quoted && (b == '&' || b == '|' || b == ')' && c.open > 0):
			return line
		case !quoted && (b == '<' || b == '>'):
			n := len(line.b)
			fd := ""
			if n > 0 && line.b[n-1] >= '0' && line.b[n-1] <= '9' && line.f[n-1] == 0 && (n == 1 || strings.IndexByte(blanks, line.b[n-2]) >= 0) {
				fd = string(line.b[n-1:])
				line.b, line.f = line.b[:n-1], line.f[:n-1]
			}
			c.redirect(fd, redirs, at)
			line.add(' ', 0)
		default:
			c.cell(&line, &quoted, *at)
		}
	}
	return line
}

// word reads a word, up to one of end or to an operator.
func (c *cmd) word(end string, at spot) (word cells) {
	quoted := false
	for c.more() {
		b := c.s[c.i]
		if b == '\n' || !quoted && (strings.IndexByte(end, b) >= 0 || strings.IndexByte("&|<>", b) >= 0 || b == ')' && c.open > 0) {
			return word
		}
		c.cell(&word, &quoted, at)
	}
	return word
}

// cell reads what stands for itself, behind a caret, or between percent signs.
func (c *cmd) cell(line *cells, quoted *bool, at spot) {
	b := c.s[c.i]
	switch {
	case b == '%':
		c.percent(line, at)
		return
	case b == '^' && !*quoted:
		c.carets++
		if c.i++; !c.more() || c.s[c.i] == '\n' {
			c.odd(at) // the line goes on, or it should
			return
		}
		f := byte(escaped)
		if c.s[c.i] == '%' || at.delayed && c.s[c.i] == '!' {
			f = changing
		}
		line.add(c.s[c.i], f)
	case b == '!' && at.delayed:
		line.add(b, changing)
	default:
		if b == '"' {
			*quoted = !*quoted
		}
		line.add(b, 0)
	}
	c.i++
}

// harmless are variables of the environment whose values hold no operators: names of
// directories, numbers, and what Windows itself says.
var harmless = map[string]bool{}

func init() {
	for _, name := range strings.Fields("CD TEMP TMP USERPROFILE USERNAME USERDOMAIN APPDATA LOCALAPPDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMDATA PUBLIC " +
		"SYSTEMROOT SYSTEMDRIVE WINDIR COMPUTERNAME HOMEDRIVE HOMEPATH OS PROCESSOR_ARCHITECTURE NUMBER_OF_PROCESSORS ERRORLEVEL DATE TIME RANDOM PATH") {
		harmless[name] = true
	}
}

// percent reads a percent sign. %NAME% is replaced before anything else is read, so that
// its value may hold operators; %i is a variable of for, or itself.
func (c *cmd) percent(line *cells, at spot) {
	rest := c.s[c.i+1:]
	n := 0
	for n < len(rest) && (letter(rest[n]) || strings.IndexByte("_.()-$#", rest[n]) >= 0) {
		n++
	}
	flag, end := byte(changing), 1
	switch {
	case n == 0 || n == len(rest):
	case rest[n] == '%':
		name := strings.ToUpper(rest[:n])
		if end = n + 2; harmless[name] && !c.script.Sets[name] {
			flag = variable
			break
		}
		c.dynamic(show("%"+rest[:n]+"%")+" is replaced before the line is read, and may hold operators", useWindowsText, at)
	case rest[n] == ':' && strings.IndexByte(rest[n:], '%') >= 0:
		end = n + 2 + strings.IndexByte(rest[n:], '%')
		c.dynamic(show(c.s[c.i:c.i+end])+" is replaced before the line is read, and may hold operators", useWindowsText, at)
	}
	for _, b := range []byte(c.s[c.i : c.i+end]) {
		line.add(b, flag)
	}
	c.i += end
}
