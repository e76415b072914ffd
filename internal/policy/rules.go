package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/shlex"

	"github.com/einoshell/einoshell/internal/command"
)

// A Rule says what becomes of the commands that begin with the words of a pattern.
type Rule struct {
	// Pattern is those words: the name of a command, and arguments. One string with spaces
	// is split into words as a shell would. A word may be several between bars, of which one
	// has to be there, and * in it stands for anything.
	Pattern []string
	// Decision is Deny, Ask or Allow.
	Decision Decision
	// Reason is for whoever is refused.
	Reason string
	// Match are commands the rule must be for, and NotMatch such as it must not.
	Match, NotMatch []string
}

// A rule is one that is ready.
type rule struct {
	Rule
	text  string     // the pattern
	words [][]string // of each word the alternatives
	// windows says that it is for a shell of Windows: case means nothing, and options begin
	// with slashes, too.
	windows bool
}

// mostRuleWords is how many words a pattern may have.
const mostRuleWords = 32

// ready makes a rule ready, and says what is wrong with it.
func ready(r Rule, windows bool) (c rule, wrong string) {
	c.Rule = r
	pattern := r.Pattern
	if len(pattern) == 1 && strings.ContainsAny(pattern[0], " \t") {
		var err error
		if pattern, err = shlex.Split(pattern[0]); err != nil {
			return c, fmt.Sprintf("the pattern %s cannot be split into words: %v", show(r.Pattern[0]), err)
		}
	}
	c.text = strings.Join(pattern, " ")
	switch {
	case len(pattern) == 0:
		return c, "there is no pattern"
	case len(pattern) > mostRuleWords:
		return c, fmt.Sprintf("the pattern has more than %d words", mostRuleWords)
	case r.Decision != Deny && r.Decision != Ask && r.Decision != Allow:
		return c, "the action is not deny, ask or allow"
	}
	for i, word := range pattern {
		list := strings.Split(word, "|")
		for _, s := range list {
			switch {
			case s == "":
				return c, fmt.Sprintf("a word of the pattern %s is empty", show(c.text))
			case i == 0 && strings.ContainsAny(s, " \t\n"):
				return c, fmt.Sprintf("%s is not the name of a command", show(s))
			case i == 0 && (slices.Contains(keywords, s) || strings.Contains(s, "=")):
				return c, fmt.Sprintf("%s is never the name of a command", show(s))
			case i == 0 && s == "*" && r.Decision == Allow && len(pattern) == 1:
				return c, "an allow rule for all commands is none: leave the lists out instead"
			}
		}
		if windows && (i == 0 || r.Decision != Allow) {
			for j := range list {
				list[j] = strings.ToLower(list[j])
				if i == 0 && r.Decision != Allow && !strings.Contains(list[j], "*") {
					list[j] = command.WindowsName(list[j])
				}
			}
		}
		c.words = append(c.words, list)
	}
	c.windows = windows
	return c, ""
}

var keywords = []string{"if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in", "select", "function", "{", "}", "!", "[[", "]]"}

// rulesOf makes the rules of c ready, and says what is wrong with them.
func (p *Policy) rulesOf(c Config) (faults []Fault) {
	var numbers []int
	for i, given := range c.Rules {
		fault := func(format string, args ...any) {
			faults = append(faults, Fault{"Rules", fmt.Sprintf("rule %d: %s.", i+1, fmt.Sprintf(format, args...))})
		}
		r, wrong := ready(given, p.c.Shell.Windows())
		if wrong != "" {
			fault("%s", wrong)
			continue
		}
		if r.Decision == Allow {
			for _, name := range r.words[0] {
				if denied := p.deniedAs(name, &lookup{}); denied != "" {
					fault("it allows %s, which DeniedCommands denies: it would have no effect", show(name))
				}
			}
		}
		for _, example := range r.Match {
			if ok, wrong := p.tried(r, example); wrong != "" || !ok {
				fault("it does not match its example %s%s", show(example), wrong)
			}
		}
		for _, example := range r.NotMatch {
			if ok, wrong := p.tried(r, example); wrong != "" || ok {
				fault("it matches %s, which it must not%s", show(example), wrong)
			}
		}
		p.rules = append(p.rules, r)
		numbers = append(numbers, i+1)
	}
	for i, r := range p.rules {
		for _, other := range p.rules {
			if r.Decision == Allow && other.Decision == Deny && other.covers(r) {
				faults = append(faults, Fault{"Rules", fmt.Sprintf("rule %d: it allows what the rule %s denies: it would have no effect.", numbers[i], show(other.text))})
			}
		}
	}
	return faults
}

// covers tells whether a pattern is the beginning of another.
func (r rule) covers(other rule) bool {
	return len(r.words) <= len(other.words) && slices.EqualFunc(r.words, other.words[:len(r.words)], func(mine, theirs []string) bool {
		return !slices.ContainsFunc(theirs, func(s string) bool {
			return !slices.ContainsFunc(mine, func(m string) bool { return m == s || wild(m, s) })
		})
	})
}

// tried tells whether a rule is for a command line.
func (p *Policy) tried(r rule, text string) (ok bool, wrong string) {
	script, err := command.Read(text, p.c.Shell)
	if err != nil {
		return false, ": " + err.Error()
	}
	look := &lookup{}
	for i := range script.Invocations {
		ok = ok || r.matches(p, &script.Invocations[i], look)
	}
	return ok, ""
}

// matches tells whether the rule is for an invocation: for certain when it allows, and possibly
// otherwise.
func (r rule) matches(p *Policy, inv *command.Invocation, look *lookup) bool {
	words := inv.Words
	if len(words) < len(r.words) && (r.Decision == Allow || len(words) == 0) || inv.Keyword || inv.Function || inv.File {
		return false
	}
	if r.Decision == Allow {
		for i, alternatives := range r.words {
			if !words[i].Known || !slices.ContainsFunc(alternatives, func(s string) bool {
				return wild(s, words[i].Text) || i == 0 && (r.windows && wild(s, strings.ToLower(words[i].Text)) || !r.windows && look.stands(words[i].Text, []string{s}))
			}) {
				return false
			}
		}
		return true
	}
	if !words[0].Known {
		return false // DynamicCommands decides
	}
	names := p.forms(nil, words[0].Text, look)
	if !slices.ContainsFunc(r.words[0], func(s string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return wild(s, name) || wild(base(s), name) || slices.Contains(removers, s) && name == "remove-item"
		})
	}) {
		return false
	}
	return r.after(words[1:])
}

// after tells whether what follows the name in the pattern may be found in words, one behind the
// other: only options, with a value or without, may stand in between.
func (r rule) after(words []command.Word) bool {
	pattern := r.words[1:]
	fits := func(alternatives []string, w command.Word) bool {
		if r.windows {
			w.Text = strings.ToLower(w.Text)
		}
		return fits(alternatives, w)
	}
	option := func(s string) bool { return strings.HasPrefix(s, "-") || r.windows && strings.HasPrefix(s, "/") }
	type state struct{ pattern, word int }
	seen := map[state]bool{}
	var try func(i, j int) bool
	try = func(i, j int) bool {
		for {
			if i == len(pattern) {
				return true
			}
			if j >= len(words) || seen[state{i, j}] {
				return false
			}
			seen[state{i, j}] = true
			w := words[j]
			if fits(pattern[i], w) {
				if !w.Known && !w.One || try(i+1, j+1) {
					return true
				}
			}
			if !option(w.Text) {
				return false
			}
			// It may have a value, which is taken for that when it is one word and not known.
			if j+1 < len(words) && !strings.Contains(w.Text, "=") && !option(words[j+1].Text) {
				if (words[j+1].Known || !words[j+1].One) && try(i, j+1) {
					return true
				}
				j++
			}
			j++
		}
	}
	return try(0, 0)
}

// fits tells whether a word is, or may be, one of the alternatives.
func fits(alternatives []string, w command.Word) bool {
	return slices.ContainsFunc(alternatives, func(s string) bool {
		if w.Known {
			return wild(s, w.Text)
		}
		return strings.HasPrefix(s, w.Prefix()) || strings.Contains(s, "*")
	})
}

// wild tells whether s matches a pattern in which * stands for anything.
func wild(pattern, s string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == s
	}
	s, ok := strings.CutPrefix(s, first)
	if !ok {
		return false
	}
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(s, part)
		}
		_, s, ok = strings.Cut(s, part)
		if !ok {
			return false
		}
		rest = more
	}
}

// judgeRules is what the rules that deny and ask make of a script.
func (p *Policy) judgeRules(script *command.Script, look *lookup) Verdict {
	worst := Verdict{Decision: Allow}
	for _, r := range p.rules {
		if r.Decision >= worst.Decision {
			continue
		}
		for i := range script.Invocations {
			inv := &script.Invocations[i]
			if !r.matches(p, inv, look) {
				continue
			}
			does := "does not allow"
			if r.Decision == Ask {
				does = "wants an approval for"
			}
			reason := fmt.Sprintf("The rule %s %s %s.", show(r.text), does, show(text(inv)))
			if r.Reason != "" {
				reason += " " + strings.TrimSuffix(r.Reason, ".") + "."
			} else if r.Decision == Deny {
				reason += " Reach the goal without it."
			}
			worst = Verdict{Decision: r.Decision, Rule: "Rules: " + r.text, Reason: reason}
			break
		}
	}
	return worst
}

// lifted tells whether a rule allows an invocation, and none wants an approval for it: then
// nothing else that would want one does. One that is not known before it runs is looked at as the command
// that runs it.
func (p *Policy) lifted(all *facts, index int, look *lookup) bool {
	if len(p.rules) == 0 || p.changed(all) != "" {
		return false
	}
	inv := &all.script.Invocations[index]
	if inv.Dynamic != "" && len(inv.Words) == 0 {
		if index = all.runner(index); index < 0 {
			return false
		}
		inv = &all.script.Invocations[index]
	}
	if all.defines(inv.Name()) {
		return false
	}
	ok := false
	for _, r := range p.rules {
		if r.matches(p, inv, look) {
			if r.Decision != Allow {
				return false
			}
			ok = true
		}
	}
	return ok
}

// changed is a variable that the text sets and that decides what a name stands for, empty for
// none.
func (p *Policy) changed(all *facts) string {
	list := settings
	if p.c.Shell.Windows() {
		list = slices.Concat(settings, settingsOnWindows)
	}
	for _, name := range list {
		if all.script.Sets[name] {
			return name
		}
	}
	return ""
}

// Lifted tells whether rules allow all of a command, so that what would ask for it as a whole does
// not. Of files that are written and variables that are set rules say nothing.
func (p *Policy) Lifted(l Line) bool {
	if len(p.rules) == 0 {
		return false
	}
	script, err := l.read(p.c.Shell)
	if err != nil {
		return false
	}
	all, look, some := newFacts(script), &lookup{dir: l.Dir, path: l.Path, again: true}, false
	for i := range script.Invocations {
		inv := &script.Invocations[i]
		if len(inv.Assigns) > 0 || len(inv.Writes) > 0 || slices.ContainsFunc(inv.Redirects, writesFile) {
			return false
		}
		if len(inv.Words) == 0 && inv.Dynamic == "" || inv.Keyword {
			continue
		}
		if !p.lifted(all, i, look) {
			return false
		}
		some = true
	}
	return some
}

// writesFile tells whether a redirection makes or changes a file.
func writesFile(r command.Redirect) bool {
	copies := r.Op == ">&" && r.To.Known && strings.Trim(r.To.Text, "0123456789-") == ""
	return slices.Contains(writing, r.Op) && !copies && !(r.To.Known && slices.Contains(harmless, strings.TrimPrefix(r.To.Text, "/dev/")))
}
