// Policycheck says what a policy makes of commands, and runs none.
//
//	printf '%s\n' 'make test' 'cd a && rm -rf b' | policycheck
//
// Commands are the lines of standard input, or with -0 what is between NUL bytes. For each
// there is a line on standard output, with four fields between tabs: allow, ask or deny; the
// rule that decided; the reason; the commands in it, between spaces, with ? for one that is
// not known before it runs. In them a backslash, a tab, a newline, other control characters,
// bytes that are not UTF-8 and spaces within the name of a command are written \\, \t, \n and
// \xNN. It ends with 0 when all commands were judged, and with 2 and nothing on standard
// output when it was called in a wrong way.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	shelltool "github.com/einoshell/einoshell/tool"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, in io.Reader, out, diagnostics io.Writer) int {
	sh, delimiter, err := configure(args, diagnostics)
	if errors.Is(err, flag.ErrHelp) {
		return 2
	}
	if err != nil {
		fmt.Fprintln(diagnostics, "policycheck:", err)
		return 2
	}
	defer sh.Close()
	if err := check(sh, in, out, delimiter); err != nil {
		fmt.Fprintln(diagnostics, "policycheck:", err)
		return 1
	}
	return 0
}

// configure makes a Shell that runs nothing, and says what ends a command.
func configure(args []string, diagnostics io.Writer) (*shelltool.Shell, byte, error) {
	flags := flag.NewFlagSet("policycheck", flag.ContinueOnError)
	flags.SetOutput(diagnostics)
	nul := flags.Bool("0", false, "commands end with NUL bytes, not with newlines")
	preset := flags.String("preset", "default", "the policy that the other flags change: default")
	allow := flags.String("allow", "", "the only commands that may run, between commas")
	deny := flags.String("deny", "", "commands that may not run, between commas; without it the built-in list")
	operators := flags.String("operators", "", "operators that may not be used, between commas; \\n is a newline")
	guards := flags.String("guards", "all", "guards that are on, between commas: all, none, or "+strings.Join(shelltool.Guards(), ", "))
	var rules []shelltool.Rule
	flags.Func("rule", "a rule: allow, ask or deny, and a pattern; may be given several times", func(s string) error {
		action, pattern, _ := strings.Cut(s, " ")
		rules = append(rules, shelltool.Rule{Pattern: []string{pattern}, Action: shelltool.Action(action)})
		return nil
	})
	interactive := flags.Bool("interactive", false, "commands that want a terminal may run")
	shell := flags.String("shell", "sh", "the shell that reads the commands: sh or bash")
	dynamic := flags.String("dynamic", "deny", "what becomes of commands that are not known before they run: deny, ask, allow or auto")
	confined := flags.Bool("confined", false, "judge as if commands ran in a sandbox that limits what they write")
	dir := flags.String("dir", ".", "the directory that commands run in")
	if err := flags.Parse(args); err != nil {
		return nil, 0, err
	}
	if flags.NArg() > 0 {
		return nil, 0, fmt.Errorf("%q is not understood: commands are read from standard input", flags.Arg(0))
	}
	if *preset != "default" {
		return nil, 0, fmt.Errorf("-preset %q is not known", *preset)
	}
	c := shelltool.Default(*dir)
	c.AllowShell = false // nothing is to run
	switch *shell {
	case "sh":
		c.Shell = []string{"/bin/sh", "-c"}
	case "bash":
		c.Shell = []string{"bash", "-c"}
	default:
		return nil, 0, fmt.Errorf("-shell %q is neither sh nor bash", *shell)
	}
	c.AllowedCommands = list(*allow)
	flags.Visit(func(f *flag.Flag) {
		if f.Name == "deny" {
			c.DeniedCommands = append([]string{}, list(*deny)...) // empty is none, nil the built-in list
		}
	})
	if *guards != "all" {
		c.Guards = map[string]shelltool.GuardAction{}
		for _, name := range list(*guards) {
			if name != "none" {
				c.Guards[name] = shelltool.GuardDeny
			}
		}
	}
	c.DeniedOperators = list(strings.ReplaceAll(*operators, `\n`, "\n"))
	c.AllowInteractive, c.Rules = *interactive, rules
	c.DynamicCommands = *dynamic
	if *confined && *dynamic == "auto" && len(c.AllowedCommands) == 0 {
		c.DynamicCommands = "allow" // what auto is in a sandbox
	}
	sh, err := shelltool.New(context.Background(), c)
	delimiter := byte('\n')
	if *nul {
		delimiter = 0
	}
	return sh, delimiter, err
}

// list splits a list at its commas. Empty entries are kept for the Shell to complain about,
// but for the empty list.
func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// check judges what is read from in.
func check(sh *shelltool.Shell, in io.Reader, out io.Writer, delimiter byte) error {
	r, w := bufio.NewReader(in), bufio.NewWriter(out)
	for {
		command, err := r.ReadString(delimiter)
		if err != nil && err != io.EOF {
			return err
		}
		if err == io.EOF && command == "" {
			return w.Flush()
		}
		v := sh.Check(strings.TrimSuffix(command, string(rune(delimiter))))
		var names []string
		for _, name := range v.Commands {
			names = append(names, escape(name, true))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", v.Action, escape(v.Rule, false), escape(v.Reason, false), strings.Join(names, " "))
		if err := w.Flush(); err != nil || command[len(command)-1] != delimiter {
			return err
		}
	}
}

// escape writes s so that it is one field on one line, and with spaces one word.
func escape(s string, spaces bool) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == utf8.RuneError && n == 1 || unicode.IsControl(r) || r == ' ' && spaces:
			for i := range n {
				fmt.Fprintf(&b, `\x%02x`, s[i])
			}
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
