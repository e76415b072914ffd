package command

import "testing"

// hidden are texts that hid what they run, by kind. rm runs in each of them, in dash, in bash,
// or in bash in its POSIX mode.
var hidden = map[string][]string{
	"a here-document that ends early": {
		"echo $(cat <<'E'\nx\nE)\nrm y\nE\n)", "echo $(cat <<'E'\nE foo )\nrm y\nE\n)", "x=$(cat <<E\nE); rm y\nE\n)", "echo $(cat <<-E\n\tE)\nrm y\nE\n)",
		"cat <(cat <<'E'\nx\nE)\nrm y\nE\n)", "bash -c 'echo $(cat <<E\nx\nE)\nrm y\nE\n)'",
	},
	"a here-document in backquotes":                   {"echo `cat <<'E'\nx\n`\nrm y\n: `\nE\n`", "a=`cat <<'E'\n`; rm x; : `\nE\n`", "echo ${x:-`cat <<'E'\n`}\nrm x\n: ${y:-`\nE\n`}"},
	"a here-document behind the substitution":         {"echo a $(cat <<E)\nrm x\nE\n", "(echo a $(cat <<-E)\nrm x\nE\n)", "x=\"$(cat <<'E')\"\nrm x\nE", "echo $(cat <<rm)\nrm\nls"},
	"a folded parenthesis":                            {">'a[$(rm)]'; for f in *; do : $(\\\n(f)); done", "x='a[$(rm)]'; : \"$(\\\n\\\n(x))\"", "x='a[$(rm)]'; (\\\n(x))"},
	"a substitution in a file that is expanded twice": {">&'>(rm x)'", "echo x >&'<(rm x)'", ">&a'>(rm x)'"},
	"an option behind a name":                         {"declare e -A a; : ${a['$(rm x)']}", "declare -- -A a; : ${a['$(rm x)']}", "declare --A a; : ${a['$(rm x)']}", "declare --- -A a; : ${a['$(rm x)']}", "declare -Z -A a; : ${a['$(rm x)']}", "declare - -A a; : ${a['$(rm x)']}", "declare + -A a; : ${a['$(rm x)']}", "declare -AZ a; : ${a['$(rm x)']}", "declare e=1 -A a; : ${a['$(rm x)']}"},
	"a dash of an operator":                           {">&-rm x", "<&-rm x", "2>&-rm x", ">&-trap 'rm x' EXIT", "<&-'rm' x", ">&\\\n-rm x", "<&-$(echo rm) x"},
	"a folded delimiter":                              {"cat <<E\n\\\nE\nrm x\nE", "cat <<EF\nfoo\nE\\\nF\nrm x\nEF", "cat <<-EF\nfoo\n\tE\\\nF\nrm x\nEF", "cat <<E\nfoo\nE\\\n\nrm x\nE"},
	"quotes in arithmetic":                            {"false && : $(( ' ))\nrm x\n# ' ))", "false && : $(( \" ))\nrm x\n# \" ))", "cat <<E\n$((' ))\nE\nrm x\n# ' ))\nE", "declare -A a; echo $(( a['$(rm x)'] ))"},
	"time in POSIX mode":                              {"set -o posix\ntime -o f rm x", "bash --posix -c 'time -o f rm x'"},
	"another reading within":                          {"eval 'ti''me -o f rm x'"},
	"a history":                                       {"bash <<'E'\nset -o history -H\n: rm x\n!:1 y\nE", "bash -i <<'E'\n: rm x\n!:1 y\nE"},
	"a name in pieces": {
		"xy=ls; read x'y' <<E\nrm\nE\n$xy z", "xy=ls; export x''y=rm; $xy z", "xy=ls; readonly x''y=rm; $xy z", "xy=ls; unset x''y; $xy rm z",
		"xy=ls; f() { local x''y=rm; $xy z; }; f", "xy=ls; printf -vxy rm; $xy z", "xy=ls; declare x''y=rm; $xy z", "xy=ls; mapfile -t x''y <<< rm; $xy z",
		"xyz='ls y'; read x\"\"yz <<< 'rm x'; eval \"$xyz\"", "xy=evilZfoo; export I''FS=Z; $xy z",
	},
	"a pattern in a value": {"shopt -s extglob nullglob; x='@(zz)'; $x rm z"},
	"another echo": {
		"eval 'echo() { printf %s \"rm x\"; }'; echo ls | sh", "f() { echo ls | sh; }; echo() { printf 'rm x'; }; f", ". /dev/stdin <<'E'\necho() { printf 'rm x'; }\nE\necho ls | sh",
		"echo() { printf 'rm x'; }; export -f echo; bash -c 'echo ls | sh'", "PS4='rm x;'; BASH_XTRACEFD=1; set -x; echo ls | sh", "PS4='rm x;'; set -x; echo ls |& sh",
	},
	"another wc": {
		"wc() { printf %s 'a[$(rm x)]'; }; eval 'echo $(( $(wc -l) ))'", "wc(\\\n) { printf %s 'a[$(rm x)]'; }; x=$(wc -l); echo $((x))",
		"eval 'wc('') { printf %s \"a[\\$(rm x)]\"; }'; x=$(wc -l); echo $((x))", "v1='a[$(rm z)]'; x=$(seq '-fv%.0f' 1); echo $((x))",
	},
	"a script that is read by others": {
		"bash <<'X'\nselect i in a; do break; done\n: '\nrm x\n# '\nX", "bash <<'X'\nread y | ls\n: '\nrm x\n# '\nX", "sh <<'X'\nexec <<'E'\nrm x\nE\nX",
	},
	"other names of standard input": {
		"sh ../../../../../dev/stdin <<'E'\nrm x\nE", "sh ~/../../dev/stdin <<'E'\nrm x\nE", "cd /dev; sh stdin <<'E'\nrm x\nE", "cd /dev; . ./stdin <<'E'\nrm x\nE",
		"PATH=/dev:$PATH; . stdin <<'E'\nrm x\nE", "cd /dev/fd; sh 3 3<<'E'\nrm x\nE",
	},
	"startup files": {
		"BASH_ENV=/dev/stdin bash -c : <<'E'\nrm x\nE", "BASH_ENV=/dev/fd/3 bash -c : 3<<'E'\nrm x\nE", "ENV=/dev/stdin sh -i -c : <<'E'\nrm x\nE",
		"bash --rcfile /dev/stdin -i -c : <<'E'\nrm x\nE", "bash --rcfile <(echo 'rm x') -i -c :", "PROMPT_COMMAND='rm x' bash -i <<'E'\nls\nE",
	},
	"standard input is passed on": {"find . -maxdepth 0 -exec sh -s y \\; <<'E'\nrm x\nE", "echo x >f; xargs -I% -a f sh /dev/stdin <<'E'\nrm x\nE"},
	"exec comes later":            {"for i in 1 2; do sh -s y; exec <<'E'\nrm x\nE\ndone", "trap 'sh -s y' EXIT; exec <<'E'\nrm x\nE", "eval 'sh -s y'; exec <<'E'\nrm x\nE\neval 'sh -s y'"},
	"xargs appends":               {"echo rm x | xargs -I% -L1 env", "echo 'rm x' | xargs --replace=% --max-lines=1 env", "echo rm | xargs -I% --max-args=2 timeout 5", "echo '-exec rm x ;' | xargs -I% -L1 find . -maxdepth 0"},
	"other blanks":                {"env -S $'A=1\\vrm' x", "env -S 'A=1\vrm' x"},
	"a path that is an option":    {"printf '' >-c; printf '%s\\0' -c | find -files0-from - -exec sh {} 'rm x' \\;"},
	"lists in quotes": {
		"declare -a 'x=($(rm x))'", "declare -a x='($(rm x))'", "declare -A x='([$(rm x)]=1)'", "readonly -a 'x=($(rm x))'", "command declare -a 'x=($(rm x))'",
		"v=$(printf %s '($(rm x))'); declare -a \"x=$v\"", "x=(1); declare x='($(rm x))'", "declare -A a; declare a['$(rm x)']=1",
	},
	"integers": {
		"declare -i 'x=a[$(rm y)]'", "f() { x='a[$(rm y)]'; }; declare -i x; f", "eval 'declare -i x'; x='a[$(rm y)]'", "declare -i x; read x <<< 'a[$(rm y)]'",
		"declare -i x; for x in 'a[$(rm y)]'; do :; done", "declare -i x; printf -v x %s 'a[$(rm y)]'", "declare -i x; : ${x:='a[$(rm y)]'}", "declare -ai x; x=('a[$(rm y)]')",
		"RANDOM='a[$(rm x)]'", "OPTIND='a[$(rm x)]'", "for SECONDS in 'a[$(rm x)]'; do :; done", "read RANDOM <<< 'a[$(rm x)]'",
	},
	"variables that the shell sets": {
		": 'a[$(rm x)]'; echo $((_))", ": 'a[$(rm x)]'; echo $(($_))", "x=a['$(rm y)'] z=$((BASH_EXECUTION_STRING))", "[[ 'a[$(rm x)]' =~ .* ]]; echo $((BASH_REMATCH))",
		"read <<< 'a[$(rm x)]'; echo $((REPLY))", "shopt -s extdebug; f() { echo $((BASH_ARGV)); }; f 'a[$(rm x)]'",
	},
	"names of files": {": >'a[$(rm x)]'; for f in *; do echo $((f)); done", ": >'a[$(rm x)]'; for f in a*; do [[ $f -gt 0 ]]; done", ": >'a[$(rm x)]'; x=*; for f in $x; do echo $((f)); done"},
	"names put together": {
		"x0='a[$(rm x)]'; echo $((x$#))", "x1='a[$(rm x)]'; echo $((x$((1))))", "x1='a[$(rm x)]'; y=x; echo $((${y}1))", "xy='a[$(rm z)]'; p=x; q=y; echo $(($p$q))",
		"xy='a[$(rm z)]'; r=x; r+=y; echo $((r))", "xy='a[$(rm z)]'; let x\"y\"", "x0='a[$(rm z)]'; [[ x$# -eq 1 ]]", "V='a[$(rm x)]'; declare -u x; x=v; echo $((x))",
		"y=${HOME/*/'a[$(rm z)]'}; echo $((y))", "y=${PATH/*/v}; v='a[$(rm x)]'; echo $((y))", "a='b[$(rm y)]'; x=za; echo $((${x#z}))",
	},
	"tests that are not written out": {"x=$(echo -v); test \"$x\" 'a[$(rm z)]'", "for o in -v; do [ \"$o\" 'a[$(rm z)]' ]; done", "read x <<< -v; [ \"$x\" 'a[$(rm z)]' ]"},
	"arrays that are none any more":  {"declare -A a; unset a; : ${a['b[$(rm x)]']}", "a=(1); declare -A a; : ${a['b[$(rm x)]']}"},
	"prompts":                        {"PS4='\\044(rm x)'; set -x; ls", "PS4='$'; PS4+='(rm x)'; set -x; ls", "declare -n r=PS4; r='$(rm x)'; set -x; ls"},
	"names that get another meaning": {"BASH_CMDS[ls]=/bin/rm; ls x", "BASH_CMDS=([zz]=/bin/rm); zz x", "shopt -s expand_aliases; BASH_ALIASES[ls]=rm\nls x", "declare -A BASH_ALIASES=([ls]=rm)"},
	"arguments":                      {"f() { echo $(($1)); }; f 'a[$(rm x)]'", "set -- 'a[$(rm x)]'; echo $(($1))", "sh -c 'echo $(($1))' _ 'a[$(rm x)]'", "bash -c 'echo $(($1))' _ 'a[$(rm x)]'", "g() { f 'a[$(rm x)]'; }; f() { echo $(($1)); }; g", "f() { echo $(($1)); }; eval 'f \"a[\\$(rm x)]\"'"},
	"values that are expanded again": {"echo x >&'$(rm x)'", "x=$(printf '%s' '$(rm x)'); echo y >&$x"},
	"options of shells":              {"bash --rcfile f --init-file <(echo rm x) -i -c :", "SHELL=rm flock l -c x"},
	"words that are split, or not":   {"x='-v a[$(rm)]'; printf $x y", "e=' -exec rm {} ; '; find . $e", "export $(echo PS4='$(rm)'); set -x; ls"},
	"a delimiter within": {
		"cat <<E\n$(echo '\nE\nrm x\n#')\nE", "cat <<E\n`echo '\nE\nrm x\n#'`\nE", "cat <<E\n${x:-\"\nE\nrm x\n#\"}\nE", "cat <<E\n${x:-\nE\nrm x\n#}\nE", "cat <<E\n$(cat <<F\nE\nrm x\nF\n)\nE",
		"cat <<-E\n\t$(echo '\n\tE\nrm x\n#')\nE", "x=$(cat <<E\nE\\\n); rm y\nE\n)", "cat <(cat <<E\nE\\\n); rm y\nE\n)",
		"cat <<\"E\\\\F\"\nE\\F\nrm x\nE\\\\F\n", "cat <<\"E\\$F\"\nE$F\nrm x\nE\\$F\n", "cat <<$'\\x45'\nE\nrm x\n\\x45",
	},
	"a text in two places": {"bash -c 'echo ls | sh'; bash -c 'echo('') { printf \"rm x\"; }; export -f echo; bash -c \"echo ls | sh\"'"},
	"input that is moved": {
		": >f; { exec <<'E'\nrm x\nE\nsh -s y; } <f", ": >f; bash -c 'exec <<E\nrm x\nE\nsh -s y' <f", ": >f; sh -c 'exec <<E\nrm x\nE\n. /dev/stdin' <f",
		"for f in /dev/fd/3; do . $f 3<<'E'\nrm x\nE\ndone", "for f in /dev/fd/3; do bash --rcfile $f -ic : 3<<'E'\nrm x\nE\ndone", "sh \"$(printf /dev/fd/3)\" 3<<'E'\nrm x\nE",
		". /de?/fd/[3] 3<<'E'\nrm x\nE", "x=/dev/fd/3 BASH_ENV='$x' bash -c : 3<<'E'\nrm x\nE", "BASH_ENV='$(printf /dev/fd/3)' bash -c ls 3<<'E'\nrm x\nE",
		"printf \"ex'e'c <&3\\n\" | sh 3<<'E'\nrm x\nE", "echo \"e''xec <&3\" | bash 3<<'E'\nrm x\nE",
	},
	"words that are variables":          {"set -k; bash -c : BASH_ENV=/dev/fd/3 3<<'E'\nrm x\nE", "set -o keyword; bash -c ls BASH_ENV=/dev/fd/3 3<<'E'\nrm x\nE", "bash -kc 'bash -c ls BASH_ENV=/dev/fd/3' 3<<'E'\nrm x\nE"},
	"a word that looks like a variable": {"xx=1; x=$(printf '%s' '$(rm x)'); echo y >&\"$x\"x", "xx=1; x=$(printf '%s' '$(rm x)'); echo y >&$\"$x\"x", "xy=1; x=$(printf 'a[$(rm)]'); printf -v \"$x\"y z", "xy=1; x=$(printf '%s' '-va[$(rm)]'); printf $x'y' z"},
	"words of a coprocess":              {"coproc ls q=$(rm)", "coproc ls q=''$(rm x) >f r=1", "coproc ls >f r=$(rm x); wait"},
	"a home that is set":                {"export HO''ME='. -exec rm ; '; find $HOME -name x"},
	"a coprocess by name":               {"xy=ls; coproc x''y { :; }; wait; $xy rm z", "xy=ls; f() { coproc x''y (:); }; f; wait; $xy rm z"},
	"programs that print more than numbers": {
		"x='a[$(rm)]'; n=$(echo $x); echo $((n))", ": >'a[$(rm)]'; o=*; echo $(( $(echo $o) ))", "x='-fa[$(rm)]%g'; n=$(seq \"$x\" 1); echo $((n))", "for x in '-fa[$(rm)]%g'; do n=$(seq $x 1); echo $((n)); done",
		"x='substr a[$(rm)] 1 20 | 0'; n=$(expr $x + 1); echo $((n))", ": >'a[$(rm)]'; : >b; n=$(grep -c x *); echo $((n))", "echo 'x' >'a[$(rm)]'; echo x >b; n=$(grep -n x * | cut -d: -f1); echo $((n))",
		"echo x >'a[$(rm)]'; n=$(grep -c --recursive x); echo $((n))", "n=$(echo x | grep -c --label='a[$(rm)]' -cH x); echo $((n))", "echo 'a[$(rm)]' >f; n=$(echo 1 | tail -c20 f); echo $((n))",
		"echo 'a[$(rm)]' >f; n=$(echo 1 | head -n1 f); echo $((n))", "n=$(echo 1,2 | cut -d, -f1,2 --output-delimiter='+a[$(rm)]+'); echo $((n))", "n=$(pgrep -d'+a[$(rm)]+' .); echo $((n))",
		"mkdir -p 'd/a\na[$(rm)]'; n=$(du d | cut -f1); echo $((n))",
	},
	"parts of names": {
		"v='a[$(rm z)]'; y=zv; x=$y; echo $((${x#z}))", "v='a[$(rm z)]'; f() { x=$1; echo $((${x#z})); }; f zv", "v='a[$(rm z)]'; y=zv; x=$y; z=${x:1}; echo $((z))", "xy='a[$(rm z)]'; o=x; m=y; p=$o; q=$m; r=$p; r+=$q; echo $((r))",
		": >'a[$(rm)]'; o=*; y=$o; for f in $y; do echo $((f)); done", ": >'a[$(rm)]'; o=*; f() { echo $(($1)); }; f $o", ": >'a[$(rm)]'; o=*; set -- $o; echo $(($1))", ": >'a[$(rm)]'; o=*; a=($o); echo $((a))",
		": >'a[$(rm)]'; for f in $y*; do [[ f -gt 0 ]]; done", ": >'a[$(rm)]'; b=($y*); echo $((b))", ": >'a[$(rm)]'; set -- $y*; echo $(($1))",
		"if true; then declare -gA a; fi; a=('b[$(rm x)]' 1); for k in \"${!a[@]}\"; do echo $((k)); done",
	},
	"lists for what became an array": {
		"x[0]=1; declare x='($(rm y))'", "read -a x <<< 1; declare x='($(rm y))'", "mapfile x <<<1; declare x='($(rm x))'", ": ${x[0]:=1}; declare x='($(rm x))'", "printf -v 'x[0]' 1; declare x='($(rm x))'", "declare DIRSTACK='($(rm x))'",
		"for x in 1; do :; done; coproc x { :; }; declare x='($(rm x))'", "x[0]=1; x=\"$(printf '%s' '($(rm))')\"; declare x=\"$x\"",
	},
	"patterns for options of find":   {": >-exec; find . -maxdepth 0 [\"$x\"!a]exec rm \\;", ": >-exec; find . -maxdepth 0 -[!a]xec rm x \\;", ": >-exec; find . -maxdepth 0 [!a]exec rm x \\;"},
	"declarations that are computed": {"declare \"$(echo 'x[$(rm y)]=1')\"", "export \"$(echo \"PS4=\\$(rm y)\")\"; set -x; ls"},
}

// What was hidden is found, or refused.
func TestHidden(t *testing.T) {
	for kind, texts := range hidden {
		for _, text := range texts {
			script, err := Read(text, Bash)
			if err != nil {
				continue
			}
			ok := false
			for i := range script.Invocations {
				ok = ok || script.Invocations[i].Dynamic != "" || script.Invocations[i].Name() == "rm" || script.Invocations[i].Name() == "/bin/rm"
			}
			if !ok && kind != "another reading within" {
				t.Errorf("%s: %q", kind, text)
			}
			if script, err := Read(text, Sh); err == nil {
				ok := false
				for i := range script.Invocations {
					ok = ok || script.Invocations[i].Dynamic != "" || script.Invocations[i].Name() == "rm" || script.Invocations[i].Name() == "/bin/rm"
				}
				if !ok {
					t.Errorf("%s: sh: %q", kind, text)
				}
			}
		}
	}
}

// What is known is not refused, though it looks like what is not.
func TestKnown(t *testing.T) {
	for _, text := range []string{
		"export A=$B", "export VERSION=$(git describe --tags)", "export PATH=$PATH:/x", "readonly X=$(cmd)", "export A=${B:-c}",
		"command -v \"$tool\" >/dev/null || exit 1", "hash \"$prog\"", "wait $!", "wait \"$!\"", "pids=\"$pids $!\"; for p in $pids; do wait $p; done", "wait $(jobs -p)",
		"n=$(wc -l < f | tr -d ' '); echo $((n * 2))", "n=$(grep -c foo f); echo $((n + 1))", "size=$(stat -c %s f); echo $((size / 1024)) KB", "size=$(du -sk dir | cut -f1); echo $((size))",
		"L=$(grep -n 'func main' main.go | cut -d: -f1); sed -n \"${L},$((L+20))p\" main.go", "start=$(date +%s%N); echo $(( (start) / 1000000 ))ms", "echo $((10#$(date +%m)))",
		"num=$(getconf _NPROCESSORS_ONLN); make -j$((num + 1))", "n=$(expr 1 + 2); echo $((n))", "i=$(echo 3); echo $((i))", "ver=1.2.3; patch=${ver##*.}; echo $((patch + 1))",
		"f() { echo $(($1 + $2)); }; f 1 2", "echo $(( $1 + 1 ))", "f() { local n=${2:-0}; echo $((n+1)); }; f 1 3", "x=${1:-3}; echo $((x+1))", "N=${N:-3}; echo $((N))",
		"\"$HOME/go/bin/gopls\" version", "$HOME/.local/bin/uv --version", "\"$PWD/bin/app\" --version", "\"$JAVA_HOME/bin/java\" -version", "\"$(go env GOPATH)/bin/golangci-lint\" run",
		"timeout \"$T\" go test ./...", "find \"$A\" \"$B\" -type f", "sh \"$script\"", ". ./env.sh", "sh -s < script.sh", "bash -s -- arg < script.sh",
		"cat <<E\n$(ls) \\\n x\nE", "git commit -m \"$(cat <<'E'\nmsg (with parentheses)\nE\n)\"", "set -euo pipefail", "PS1='$ '; export PS1", "export ENV=\"${1:-dev}\"",
		"i=0; while [ $i -lt 3 ]; do i=$((i+1)); done", "for i in $(seq 1 5); do echo $((i*2)); done", "printf \"$X\\n\"", "unset x; [ -n \"$x\" ]", "trap 'ls' EXIT; i=$((i+1))", "OPTIND=1",
	} {
		for _, shell := range []Shell{Sh, Bash} {
			script, err := Read(text, shell)
			if err != nil {
				t.Errorf("%v: %q: %v", shell, text, err)
				continue
			}
			for _, i := range script.Invocations {
				if i.Dynamic != "" {
					t.Errorf("%v: %q: %s", shell, text, i.Dynamic)
				}
			}
		}
	}
	for _, text := range []string{
		"arr=(a b c); for i in \"${!arr[@]}\"; do echo \"${arr[$i]}\"; done", "[[ \"$(id -u)\" -ne 0 ]]", "[[ $1 -gt 3 ]]", "[[ $(git rev-list --count HEAD) == 10 ]]", "declare -A m; m[$k]=1; echo \"${m[$k]}\"",
		"local n=$1", "declare -r X=1", "x+=(1 2)", "exec {fd}>log; echo x >&$fd", "arr=(1 2); echo ${arr[0]} ${#arr[@]} ${arr[@]:1:2}", "pids+=($!); for p in \"${pids[@]}\"; do wait \"$p\"; done",
	} {
		script, err := Read(text, Bash)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, i := range script.Invocations {
			if i.Dynamic != "" {
				t.Errorf("%q: %s", text, i.Dynamic)
			}
		}
	}
}
