//go:build unix

package command

import (
	"maps"
	"slices"
	"strings"
)

// seedLines are the lines of appendix 1 of the reports, and others that parsers and
// shells read differently.
var seedLines = []string{
	"ls # note \\\nrm x",
	"ls \r# $(rm x)",
	`echo "${a:-'$(rm x)'}"`,
	"cat <<E\n${a:-'$(rm x)'}\nE",
	"echo \"${a:-'`rm x`'}\"",
	"echo \"$\\\n(rm x)\"",
	"time -- rm x", "time -p -- rm x", "time time -- rm x",
	`[[ -v 'a[$(rm x)]' ]]`, `let 'a[$(rm x)]=1'`, `printf -v 'a[$(rm x)]' y`, `read 'a[$(rm x)]' <<< y`, `[[ 'a[$(rm x)]' -eq 0 ]]`,
	`v='a[$(rm x)]'; echo $((v))`, `v='a[$(rm x)]'; echo ${!v}`, `v='$(rm y)'; echo ${v@P}`,
	`$unset rm x`,
	"alias ll=rm\nll x",
	`echo $'a\'; rm x #'`,
	`[[ b > a ]]`, `(( n > 2 ))`, `ls &> f`,
	`{rm,-f,x}`, `$'\x72m' x`, `cat <(rm x)`,
	"echo x >\r& rm y", "echo \xff; rm x", "cat <<E\nrm x",
	"cat <<E\"O\"F\n$(rm x)\nEOF",
	"ls\rrm y",
	`echo "${a:-'}"; rm x; echo "'}"`,
	"trap 'rm x' EXIT", "PS4='$(rm x)'; set -x; ls", `BASH_ENV='$(rm x)' bash -c :`,
	"echo 'rm x' | sh", "sh <<E\nrm x\nE", "bash <<< 'rm x'", ". /dev/stdin <<E\nrm x\nE",
	"x=rm; $x y", "x=ls; x=rm; $x y", "f() { $1 x; }; f rm", "set -- rm x; \"$@\"",
	"env -S'rm x'", "timeout -k 2 5s rm x", "nice -n 5 rm x", "nice -5 rm x", "find . -exec rm {} +", "ls | xargs rm", "xargs -I{} sh -c 'rm {}' <<E\nx\nE",
	"exec <<E\nrm x\nE\nsh", "declare -n r='a[$(rm x)]'; echo $r", "hash -p /bin/echo zz; zz", "mapfile -C 'rm x #' -c 1 q <<< a",
}

// allSeeds are those and the ones that were found later.
var allSeeds = func() []string {
	all := slices.Clone(seedLines)
	for _, kind := range slices.Sorted(maps.Keys(hidden)) {
		all = append(all, hidden[kind]...)
	}
	return all
}()

func (g *generator) line() string {
	text := g.list(3)
	if g.r.IntN(3) == 0 {
		text = pick(g, allSeeds...)
		if g.r.IntN(2) == 0 {
			text += pick(g, "\n", "; ", " && ", " | ") + g.command(2)
		}
	}
	for range g.r.IntN(3) {
		text = g.mutate(text)
	}
	if strings.Contains(text, "/") && !safe(text) {
		return "ls"
	}
	return text
}

// safe tells whether the only absolute paths in text are harmless.
func safe(text string) bool {
	for _, s := range []string{"/dev/null", "/dev/stdin", "/dev/fd/0", "/bin/echo"} {
		text = strings.ReplaceAll(text, s, "")
	}
	return !strings.Contains(text, "/")
}

// mutate changes a text in one place.
func (g *generator) mutate(text string) string {
	i := g.r.IntN(len(text) + 1)
	switch g.r.IntN(5) {
	case 0, 1: // something in between
		return text[:i] + pick(g, "\\\n", "'", "\"", "$", "`", "{", "}", "(", ")", "#", "\r", " ", ";", "&", "|", "<", ">", "\t", "\v", "\f", "\xa0", "\u00a0", "!", "~", "[", "]",
			"*", "?", "=", " -- ", "\n", "\\", "$(", "${", "((", "[[ ", " ]]", "))", "$'", "$\"", "<<E", "\nE\n", "<(", "&>", ">&", ">|", "2>", " # ", "x=", "$x", "$y", "\"$x\"", "rm", " rm x ", "if ", " then ", "do ", "done", "esac", "\xff", "\x01",
			"eval ", "time ", "coproc ", "function ", "f() ", "@", ":", ",") + text[i:]
	case 2: // without something
		j := min(len(text), i+1+g.r.IntN(4))
		return text[:i] + text[j:]
	case 3: // something twice
		j := min(len(text), i+1+g.r.IntN(8))
		return text[:j] + text[i:]
	default: // blanks to where the parser's buffer ends
		return strings.Repeat(" ", 1015+g.r.IntN(12)) + text
	}
}

func (g *generator) list(depth int) string {
	var b strings.Builder
	b.WriteString(g.command(depth))
	for range g.r.IntN(3) {
		b.WriteString(pick(g, "; ", "\n", " && ", " || ", " | ", " & ", " |& ", "\n# c \\\n", " # c\n", "\n\n", ";\n", " \\\n && "))
		b.WriteString(g.command(depth))
	}
	return b.String()
}

// program is the name of a stub, in one of its spellings.
func (g *generator) program() string {
	n := pick(g, stubs...)
	i := g.r.IntN(len(n) + 1)
	switch g.r.IntN(16) {
	case 0:
		return "'" + n + "'"
	case 1:
		return `"` + n + `"`
	case 2:
		return n[:i] + "''" + n[i:]
	case 3:
		return `\` + n
	case 4:
		return n[:i] + "\\\n" + n[i:]
	case 5:
		return "$'" + n + "'"
	case 6:
		return "$x" + n
	case 7:
		return n[:i] + "$(true)" + n[i:]
	case 8:
		return n[:i] + "${e}" + n[i:]
	case 9:
		return "{" + n + ",x}"
	case 10:
		return "$\"" + n + "\""
	case 11:
		return "$y " + n
	}
	return n
}

func (g *generator) word(depth int) string {
	if depth <= 0 {
		return pick(g, "x", "-f", "'a b'", `"c"`, "$x", `"$x"`, "*", "~", "a=b", "--", "{}", "'$(rm x)'", "a#b")
	}
	inner := func() string { return g.list(depth - 1) }
	switch g.r.IntN(24) {
	case 0:
		return "$(" + inner() + ")"
	case 1:
		return `"$(` + inner() + `)"`
	case 2:
		return "`" + g.simple() + "`"
	case 3:
		return `"` + "`" + g.simple() + "`" + `"`
	case 4:
		return "${x:-$(" + inner() + ")}"
	case 5:
		return `"${x:-$(` + inner() + `)}"`
	case 6:
		return `"${x` + pick(g, ":-", "-", ":+", "#", "%", "/", ":=", "##") + `'` + pick(g, "$(", "a$(") + g.simple() + `)'}"`
	case 7:
		return "$((1+$(" + inner() + ")))"
	case 8:
		return pick(g, "<(", ">(") + inner() + ")"
	case 9:
		return "\"$\\\n(" + g.simple() + ")\""
	case 10:
		return pick(g, "$'", "$\"", "'", "\"") + pick(g, "a", `a\`, "a;", `\\`) + pick(g, "'", "\"") + pick(g, "", "; "+g.simple()+" #'")
	case 11:
		return "{a,$(" + g.simple() + ")}"
	case 12:
		return `"${x:-"$(` + g.simple() + `)"}"`
	case 13:
		return `"${x:-` + pick(g, "'", `\'`, `"`, `\}`, "`", "}") + `}"`
	case 14:
		return pick(g, "$((v))", "${v@P}", "${!v}", "$((a[v]))", "${a[v]}", "$[v]", "${x:v}", `"${!v}"`, "$((x + v))")
	}
	return g.word(0)
}

func (g *generator) simple() string { return g.program() + " " + g.word(0) }

// quoted is text as one word, if it has no single quotes.
func (g *generator) quoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func (g *generator) redirect() string {
	return pick(g, ">f", "> f", ">>f", ">|f", "2>f", "&>f", "2>&1", ">&2", ">/dev/null", "<x", "<>f", ">&f", "<&-", "3>f", "{n}>f", "< <(ls)", "> >(id)", "<<< z", "&>>f", ">&$x", "2>\\\nf")
}

func (g *generator) command(depth int) string {
	if depth <= 0 {
		return g.simple()
	}
	inner := func() string { return g.list(depth - 1) }
	switch g.r.IntN(46) {
	case 0:
		return "(" + inner() + ")"
	case 1:
		return "{ " + inner() + "\n}"
	case 2:
		return "if " + inner() + "\nthen " + inner() + "\nfi"
	case 3:
		return "for i in a b; do " + inner() + "\ndone"
	case 4:
		return "case x in " + pick(g, "x", "(x", "*", "'x'") + ") " + inner() + "\n;; esac"
	case 5:
		return pick(g, "f() { ", "f () ( ", "function f { ") + inner() + pick(g, "\n}; f x", "\n); f", "\n}\nf $(id)")
	case 6:
		return "! " + g.command(depth-1)
	case 7:
		return pick(g, "time ", "time -p ", "time -- ", "time -p -- ", "time time -- ", "time ! ") + g.command(depth-1)
	case 8:
		return "eval " + g.quoted(inner())
	case 9:
		return pick(g, "sh -c ", "bash -c ", "dash -c ", "sh -ec ", "sh -c -e ", "bash --norc -c ", "sh +e -c ", "bash -o errexit -c ") + g.quoted(inner()) + pick(g, "", " a b")
	case 10:
		return "trap " + g.quoted(g.simple()) + " EXIT"
	case 11:
		return g.wrapper() + g.simple()
	case 12:
		return g.wrapper() + g.wrapper() + g.simple()
	case 13:
		return g.wrapper() + "sh -c " + g.quoted(inner())
	case 14:
		return pick(g, "cat", "sh", "bash", "bash -s", "env sh", "ls") + " " + pick(g, "<<E", "<<-E", "<<'E'", `<<E"E"`, "<<\\E", "<<E$x") + pick(g, "", " x", "; "+g.simple(), " | "+g.simple()) + "\n" +
			pick(g, g.simple(), "$("+g.simple()+")", "`"+g.simple()+"`", "${x:-'$("+g.simple()+")'}", "\\$("+g.simple()+")", "$\\\n("+g.simple()+")", "\t"+g.simple(), "E "+g.simple()) + "\n" + pick(g, "E", "\tE", "EE", "E$x", "E\\\n")
	case 15:
		return pick(g, "echo ", "printf '%s\\n' ", "printf ", "cat <<< ") + g.quoted(g.simple()) + " | " + pick(g, "sh", "bash", "cat | sh", "sh -s", "env bash", "sh -", "xargs -I{} sh -c {}", "dash /dev/stdin")
	case 16:
		return pick(g, "bash", ".", "source", "sh") + " " + pick(g, "<(echo "+g.quoted(g.simple())+")", "/dev/stdin <<< "+g.quoted(g.simple()))
	case 17:
		return "x=" + g.program() + pick(g, "; ", "\n", " && ") + pick(g, "$x y", "${x} y", "\"$x\" y", "f$x", "eval $x", "eval \"$x\"", "x=ls; $x", "echo $x")
	case 18:
		return pick(g, "v='a[$(", "v=x; x='a[$(", "w=v; v='a[$(", "export v='a[$(", "v=$(printf '%s' 'a[$(") + g.simple() + pick(g, ")]'", ")]')") + "; " +
			pick(g, "echo $((v))", "echo ${!v}", "(( v ))", "let v", "echo ${x:v}", "echo ${a[v]}", "[[ v -eq 0 ]]", "[[ $v -eq 0 ]]", "a[v]=1", "for ((v;0;)); do :; done", "declare -i q=v", "declare -n q=$v; echo $q", "x=$((w))", "test -v $v", "q=$((${v}))", "echo $((v+1))", "unset \"$v\"", "read $v <<< 1", "printf -v $v 1", "declare $v=1", "sh -c 'echo $((v))'", "bash -c 'echo $((v))'", "eval 'echo $((v))'")
	case 19:
		return "v='$(" + g.simple() + ")'; echo " + pick(g, "${v@P}", "\"${v@P}\"", "${v}", "${v@Q}", "$v")
	case 20:
		return pick(g, "[[ -v ", "let ", "printf -v ", "read ", "test -v ", "unset ", "declare ", "[ -v ", "getopts x ", "mapfile ", "[[ 1 -eq ", "typeset -x ", "export ", "read -r -a ", "wait -p ") + pick(g, "'a[$("+g.simple()+")]'", "\"a[\\$("+g.simple()+")]\"", "'a[$("+g.simple()+")]=1'", "a[$("+g.simple()+")]", `a['$(`+g.simple()+`)']`) + pick(g, "", " ]]", " y", " ]", " <<< y")
	case 21:
		return "alias " + pick(g, "q=", "ls=", "q='", "q=\"x") + pick(g, stubs...) + pick(g, "", "'", " x'", "\"", ";'", " '") + pick(g, "\n", "; ") + pick(g, "q", "ls", "q rm", "id") + " x"
	case 22:
		return pick(g, "[[ ", "(( ", "[ ") + pick(g, "b > a", "n > 2", "b < a", "x -eq 1", "x = $("+g.simple()+")", "! x", "b >a && c", "a | "+g.simple(), "( x )") + pick(g, " ]]", " ))", " ]")
	case 23:
		return g.simple() + " " + g.redirect()
	case 24:
		return g.redirect() + " " + g.command(depth-1)
	case 25:
		return pick(g, "A=1 ", "A=$(id) ", "A=1 B=2 ", "PS4='$(rm x)' ", "BASH_ENV='$(id)' ", "x+=1 ", "a[0]=1 ") + g.simple()
	case 26:
		return "ls " + pick(g, "\r", "\v", "\f", "\u00a0", "\xa0", "\x01") + pick(g, "# ", "", ";", "&") + pick(g, "$(", "", "\n") + g.simple() + pick(g, ")", "")
	case 27:
		return pick(g, "$y ", "$y$z ", "${y} ", "$(true) ", "\"$y\" ", "$@ ", "\"$@\" ", "''", "`true` ", "${y:-} ") + g.simple()
	case 28:
		return pick(g, "{", "x{", "'{'", "\\{") + pick(g, stubs...) + pick(g, ",", "..") + pick(g, stubs...) + pick(g, ",x", "") + pick(g, "}", "} x", "")
	case 29:
		return "coproc " + g.command(depth-1)
	case 30:
		return "while " + g.list(depth-1) + "; do " + pick(g, "break", "break; "+g.simple(), g.simple()+"; break") + "; done"
	case 31:
		return "echo " + g.word(depth) + " " + g.word(depth)
	case 32:
		return "echo $'" + pick(g, `a\'`, `\\`, `a`, `\x27`, `a\\\'`) + "; " + g.simple() + pick(g, " #'", "'", " '")
	case 33:
		return "echo x " + pick(g, "# ", "#", " #a ", "x# ") + pick(g, "c \\\n", "c\n", "'\n", "c \\\\\n", "$(\n") + g.simple()
	case 34:
		return pick(g, "set -x; PS4=", "PS4=", "export PS4=") + g.quoted("$("+g.simple()+")") + "; set -x; ls"
	case 35:
		return pick(g, "find . ", "find . -maxdepth 0 ", "find $y . ", "find \"$y\" ") + pick(g, "-exec ", "-ok ", "-execdir ", "-name x -o -exec ", "-exec true \\; -exec ", "$y -exec ") + g.simple() + pick(g, " \\;", " {} +", " ';'", " {} \\;")
	case 36:
		return "ls | xargs " + pick(g, "", "-n 1 ", "-n1 ", "-I{} ", "-I {} ", "-i ", "-0 ", "-P2 -n 1 ", "--max-args=1 ", "--max-args 1 ", "-E x ", "-EX ", "-e ", "-l ", "-d, ", "-r ") + pick(g, g.simple(), "sh -c "+g.quoted(g.simple()), "env "+g.simple(), "{}")
	case 37:
		return pick(g, "command ", "command -p ", "command -v ", "builtin ", "exec ", "exec -a q ", "command -- ", "exec -c ", "command exec ", "builtin eval ", "command eval ", "jobs -x ") + g.simple()
	case 38:
		return "exec " + pick(g, "<<E\n"+g.simple()+"\nE\nsh", ">f; ls", "3<<E\n"+g.simple()+"\nE\nsh <&3", "3< <(echo "+g.quoted(g.simple())+"); sh <&3")
	case 39:
		return "select i in a; do " + g.simple() + "; break; done <<< 1"
	case 40:
		return pick(g, "set -o posix", "shopt -s expand_aliases", "shopt -s extglob", "set -e", "set +x", "shopt -s nullglob", "IFS=r") + pick(g, "\n", "; ") + g.command(depth-1)
	case 41:
		return "{ " + g.simple() + "; sh; } " + pick(g, "<<E\n"+g.simple()+"\nE", "<<< "+g.quoted(g.simple()))
	}
	var b strings.Builder
	b.WriteString(g.program())
	for range g.r.IntN(3) {
		b.WriteString(" " + g.word(depth))
	}
	return b.String()
}

func (g *generator) wrapper() string {
	return pick(g, "env ", "env -i PATH=\"$PATH\" ", "env -u A ", "env A=1 ", "env - PATH=\"$PATH\" ", "env -- ", "env -S '", "env -v ", "nohup ", "nice ", "nice -n 1 ", "nice -n1 ", "nice -1 ", "nice --adjustment=1 ", "nice --adj 1 ",
		"timeout 5 ", "timeout -k 1 5 ", "timeout -k1 5s ", "timeout --kill-after=1 5 ", "timeout --sig KILL 5 ", "timeout -v -s TERM 5 ", "setsid ", "setsid -w ", "setsid -fw ", "stdbuf -oL ", "stdbuf -o L -e0 ", "stdbuf --output=L ",
		"flock l ", "flock -n l ", "flock -w 1 l ", "flock l -c '", "command ", "exec ", "time ", "busybox ", "env env ", "timeout $y 5 ", "env $y ", "nice $y ", "env \"$y\" ", "env A=$y ", "env \"A=$y\" ", "xargs -a x ", "command env ")
}

// harmless is a line that nothing is unknown in.
func (g *generator) harmless(depth int) string {
	name := func() string { return pick(g, "ls", "'ls'", `"id"`, "i''d", `\mk`, "./x", "/bin/echo", "git", "go") }
	word := func() string {
		if depth > 0 && g.r.IntN(3) == 0 {
			return pick(g, `"$( `+g.harmless(depth-1)+`)"`, "$( "+g.harmless(depth-1)+")", `"${x:-$(id)}"`, "`id`")
		}
		return pick(g, "x", "-f", "'a b'", `"c $x"`, "$x", `"$x"`, "*.go", "~/x", "a=b", "--", "'$(rm x)'", "a#b", "'rm -rf x'", `"it's"`, `\$x`, "{}", "${x}", "$((1+2))", "$?", "'a;b|c'", "\"a\tb\"", "é", "@{u}", "HEAD^", "a:b", "%s", "[x]", "!", "x=~y")
	}
	simple := func() string {
		s := name()
		for range g.r.IntN(4) {
			s += " " + word()
		}
		return s
	}
	if depth <= 0 {
		return simple()
	}
	inner := func() string { return g.harmless(depth - 1) }
	switch g.r.IntN(22) {
	case 0:
		return "( " + inner() + " )"
	case 1:
		return "{ " + inner() + "\n}"
	case 2:
		return "if " + inner() + "\nthen " + inner() + "\nelse " + inner() + "\nfi"
	case 3:
		return "for i in a b; do " + inner() + "\ndone"
	case 4:
		return "case $x in a|b) " + inner() + "\n;; *) " + inner() + "\n;; esac"
	case 5:
		return "f() { " + inner() + "\n}\nf"
	case 6:
		return inner() + pick(g, "; ", "\n", " && ", " || ", " | ", " &\n", " # it's\n") + inner()
	case 7:
		return simple() + pick(g, " >f", " 2>&1", " >/dev/null 2>&1", " <x", " >>\"$x\"")
	case 8:
		return pick(g, "env ", "env A=1 ", "nice -n 5 ", "timeout 5 ", "timeout -k 1s 5m ", "nohup ", "time ", "xargs ", "command ", "exec ", "setsid ", "sudo -n ", "stdbuf -oL ") + simple()
	case 9:
		return pick(g, "sh -c ", "eval ", "bash -c ", "sh -ec ") + g.quoted("ls -l; id | wc -l")
	case 10:
		return "{ cat <<'E'\n" + pick(g, "`rm x`", "$(rm x) it's", "\"") + "\nE\n}"
	case 11:
		return "{ cat <<E\n" + pick(g, "plain", "$x", "$(id)", "it's", "\\$x") + "\nE\n}"
	case 12:
		return "x=1; ls $x"
	case 13:
		return "i=0\nwhile [ $i -lt 3 ]; do " + inner() + "\ni=$((i+1))\ndone"
	case 14:
		return "find . -name '*.go' -exec " + "ls {} " + pick(g, "+", `\;`)
	case 15:
		return "trap 'ls x' EXIT"
	case 16:
		return "A=1 B=\"$x\" " + simple()
	case 17:
		return "{ ! " + simple() + "\n}"
	case 18:
		return "awk '{print $1}' f | sed 's/a/b/' | sort -u"
	case 19:
		return "x=$( " + inner() + "); echo \"$x\""
	}
	return simple()
}
