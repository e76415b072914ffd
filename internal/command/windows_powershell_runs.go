package command

import (
	"slices"
	"strings"
)

// cmdlets are the commands of PowerShell that run others, or change what names stand for.
var cmdlets map[string]func(p *powershell, c cmdletCall, at spot)

func init() {
	alike := map[string]func(p *powershell, c cmdletCall, at spot){
		"invoke-expression iex":                              runExpression,
		"start-process saps start":                           runProcess,
		"foreach-object % foreach":                           runEach,
		"invoke-command icm start-job sajb start-threadjob":  runBlock,
		"set-alias sal new-alias nal import-alias ipal":      runSetAlias,
		"add-type invoke-wmimethod iwmi invoke-cimmethod":    runUnknown,
		"register-scheduledjob register-objectevent":         runUnknown,
		"new-scheduledtaskaction invoke-item ii new-service": runUnknown,
	}
	cmdlets = map[string]func(p *powershell, c cmdletCall, at spot){}
	for names, run := range alike {
		for _, name := range strings.Fields(names) {
			cmdlets[name] = run
		}
	}
}

// A cmdletCall is a cmdlet with its arguments: those with a name, and the others.
type cmdletCall struct {
	name   string
	named  map[string]Word
	others []Word
}

// parameters sorts arguments: values names the parameters that have a value. A name may be
// shortened. ok is false when one is not known.
func (c *cmdletCall) parameters(words []Word, values, switches string) (ok bool) {
	c.named = map[string]Word{}
	ok = true
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word.prefix == "" || word.prefix[0] != '-' || len(word.Text) < 2 {
			c.others = append(c.others, word)
			continue
		}
		name, value, attached := strings.Cut(strings.ToLower(word.Text[1:]), ":")
		begins := func(full string) bool { return strings.HasPrefix(full, name) }
		list := strings.Fields(values)
		if n := slices.IndexFunc(list, begins); n >= 0 {
			if attached && value != "" {
				c.named[list[n]] = Word{Text: word.Text[len(name)+2:], Known: word.Known, One: true}
			} else if i+1 < len(words) {
				i++
				c.named[list[n]] = words[i]
			}
		} else if !slices.ContainsFunc(strings.Fields(switches), begins) {
			ok = false
		}
	}
	return ok
}

// runs reads what a command is given to run.
func (p *powershell) runs(words []Word, at spot) {
	for _, word := range words[1:] {
		if lower := strings.ToLower(word.prefix); strings.HasPrefix(lower, "alias:") || strings.HasPrefix(lower, "function:") {
			p.dynamic(show(word.Text)+" may change what names stand for", useName, at)
		}
	}
	name := WindowsName(words[0].Text)
	read, found := cmdlets[name]
	if !found {
		p.run(asCommand(words), at)
		return
	}
	if at, ok := p.below(at, name); ok {
		if at, ok = p.deeper(at); ok {
			read(p, cmdletCall{name: name, others: words[1:]}, at)
		}
	}
}

func runUnknown(p *powershell, c cmdletCall, at spot) {
	p.dynamic("what "+c.name+" runs", useWindowsText, at)
}

// runExpression reads its argument as text.
func runExpression(p *powershell, c cmdletCall, at spot) {
	words := c.others
	if len(words) > 0 && len(words[0].Text) > 1 && strings.HasPrefix("-command", strings.ToLower(words[0].Text)) {
		words = words[1:]
	}
	if len(words) == 0 {
		p.dynamic("the text that "+c.name+" runs", useWindowsText, at)
		return
	}
	p.joined(c.name, words, PowerShell, at)
}

// runProcess runs a program: its arguments are put together to one text.
func runProcess(p *powershell, c cmdletCall, at spot) {
	words := c.others
	c.others = nil
	if !c.parameters(words, "filepath argumentlist args workingdirectory redirectstandardoutput redirectstandarderror redirectstandardinput verb windowstyle credential environment",
		"wait nonewwindow passthru loaduserprofile usenewenvironment") {
		p.dynamic("an option of "+c.name+" that is not known", useOptions, at)
	}
	list := c.others
	name, found := c.named["filepath"]
	if !found && len(list) > 0 {
		name, list = list[0], list[1:]
	}
	for _, option := range []string{"argumentlist", "args"} {
		if word, found := c.named[option]; found {
			list = append([]Word{word}, list...)
		}
	}
	var line cells
	for _, word := range list {
		line.add(' ', 0)
		for i := range len(word.Text) {
			f := byte(0)
			if !word.Known {
				f = changing
			}
			line.add(word.Text[i], f)
		}
	}
	if !name.Known || name.Text == "" {
		p.dynamic(show(name.Text)+" names the command", useName, at)
		return
	}
	words = append([]Word{name}, line.programWords()...)
	p.emit(Invocation{Words: words}, at)
	p.run(command{words: words, raw: string(line.b), sure: line.flags() == 0}, at)
}

// harmlessNames are members of objects that are no methods that do anything.
var harmlessNames = strings.Fields("name fullname length basename extension directory directoryname id path line value key count tostring trim toupper tolower matches groups " +
	"version status processname message")

// runEach runs a block for each object, or calls a method of it.
func runEach(p *powershell, c cmdletCall, at spot) {
	for i, word := range c.others {
		named := word.prefix != "" && word.prefix[0] == '-'
		after := ""
		if i > 0 {
			after = strings.ToLower(c.others[i-1].Text)
		}
		switch {
		case word.file || named || strings.HasPrefix(after, "-th") || strings.HasPrefix(after, "-ti") || strings.HasPrefix(after, "-inp"):
		case !word.Known:
			p.dynamic("the code that "+c.name+" runs", useWindowsText, at)
		case !slices.Contains(harmlessNames, strings.ToLower(word.Text)):
			p.dynamic("what the method "+show(word.Text)+" does", "Use a block of commands.", at)
		}
	}
}

// runBlock runs a block somewhere else: it was read where it stands.
func runBlock(p *powershell, c cmdletCall, at spot) {
	words := c.others
	c.others = nil
	c.parameters(words, "scriptblock filepath computername session argumentlist credential name initializationscript", "asjob")
	blocks := append(c.others[:len(c.others):len(c.others)], c.named["scriptblock"], c.named["initializationscript"])
	for _, word := range blocks {
		if word.Text != "" && !word.file {
			p.dynamic("the code that "+c.name+" runs", useWindowsText, at)
			return
		}
	}
}

// runSetAlias gives a command another name: it counts as run.
func runSetAlias(p *powershell, c cmdletCall, at spot) {
	words := c.others
	c.others = nil
	known := c.parameters(words, "name value description option scope", "force passthru")
	value, found := c.named["value"]
	if _, named := c.named["name"]; !found && len(c.others) > 0 {
		value = c.others[len(c.others)-1]
		found = named || len(c.others) > 1
	}
	if !known || !found || !value.Known || cmdlets[WindowsName(value.Text)] != nil || windowsRuns[WindowsName(value.Text)] != nil {
		p.dynamic("the alias changes what a name stands for", useName, at)
	}
	if value.Known {
		p.emit(Invocation{Words: []Word{value}}, at)
	}
}
