package command

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// found lists the commands in text, with a question mark for what is not known.
func found(t *testing.T, text string, shell Shell) string {
	t.Helper()
	script, err := Read(text, shell)
	if err != nil {
		return "! " + err.Error()
	}
	var names []string
	for i := range script.Invocations {
		inv := &script.Invocations[i]
		name := inv.Name()
		if inv.Dynamic != "" {
			name = "?"
		}
		if name != "" && !inv.File && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// Every row of the table: what is run, with each kind of option, and what is not.
func TestWrappers(t *testing.T) {
	tested := map[string]bool{}
	for _, tt := range []struct{ text, want string }{
		{"command rm x", "command rm"},
		{"command -p rm x", "command rm"},
		{"command -- rm x", "command rm"},
		{"command -v rm", "command"},
		{"command -pV rm", "command"},
		{"command -z rm", "command ? rm"},
		{"builtin eval 'rm x'", "builtin eval rm"},
		{"exec rm x", "exec rm"},
		{"exec -a name rm x", "exec rm"},
		{"exec -cl rm x", "exec rm"},
		{"exec >f", "exec"},
		{"coproc rm x", "rm"},
		{"jobs -x rm x", "jobs rm"},
		{"jobs -l", "jobs"},

		{"env rm x", "env rm"},
		{"env A=1 B='x y' rm x", "env rm"},
		{"env -i A=1 rm x", "env rm"},
		{"env - rm x", "env rm"},
		{"env -u A rm x", "env rm"},
		{"env -uA rm x", "env rm"},
		{"env --unset=A rm x", "env rm"},
		{"env --unset A rm x", "env rm"},
		{"env --uns A rm x", "env rm"},
		{"env -C / -- rm x", "env rm"},
		{"env -S 'rm x'", "env rm"},
		{"env -S'rm x'", "env rm"},
		{"env -iS 'A=1 rm x' y", "env rm"},
		{"env --split-string='-i rm x'", "env rm"},
		{"env -S '${X} x'", "env ?"},
		{"env --block-signal rm x", "env rm"},
		{"env", "env"},
		{"env --help rm", "env"},
		{"env --unknown rm x", "env ? rm"},
		{"env $X rm x", "env ? rm"},
		{`env "$X" rm x`, "env ? rm"},
		{`env "A=$X" rm x`, "env rm"},
		{"env A=$X rm x", "env ? rm"},
		{"nohup rm x", "nohup rm"},
		{"nohup -- rm x", "nohup rm"},
		{"nice rm x", "nice rm"},
		{"nice -n 5 rm x", "nice rm"},
		{"nice -n5 rm x", "nice rm"},
		{"nice -5 rm x", "nice rm"},
		{"nice --5 rm x", "nice rm"},
		{"nice --adjustment=5 rm x", "nice rm"},
		{"nice --adj 5 rm x", "nice rm"},
		{`nice -n "$N" rm x`, "nice rm"},
		{"nice -n $N rm x", "nice ? rm"},
		{"nice", "nice"},
		{"ionice -c3 rm x", "ionice rm"},
		{"ionice -c 2 -n 0 -t rm x", "ionice rm"},
		{"ionice -p 1", "ionice"},
		{"chrt -f 10 rm x", "chrt rm"},
		{"chrt -p 1", "chrt"},
		{"chrt -b rm x", "chrt ? rm"},
		{"taskset 0x3 rm x", "taskset rm"},
		{"taskset -c 0,1 rm x", "taskset rm"},
		{"taskset -p 1", "taskset"},
		{"timeout 5 rm x", "timeout rm"},
		{"timeout -k 2 5s rm x", "timeout rm"},
		{"timeout -k2 -s KILL 5s rm x", "timeout rm"},
		{"timeout --kill-after=2 --preserve-status 1.5m rm x", "timeout rm"},
		{"timeout --sig KILL 5 rm x", "timeout rm"},
		{"timeout -v 5 env nice rm x", "timeout env nice rm"},
		{"timeout $T rm x", "timeout ? rm"},
		{"timeout rm x", "timeout ? rm"},
		{"/usr/bin/time -f %e -o log rm x", "/usr/bin/time rm"},
		{"/usr/bin/time --format=%e -ap rm x", "/usr/bin/time rm"},
		{"stdbuf -oL rm x", "stdbuf rm"},
		{"stdbuf -o 0 -e0 --input=L rm x", "stdbuf rm"},
		{"setsid rm x", "setsid rm"},
		{"setsid -cfw rm x", "setsid rm"},
		{"flock l rm x", "flock rm"},
		{"flock -n -w 1 -E 3 l rm x", "flock rm"},
		{"flock l -c 'rm x'", "flock rm"},
		{"flock --timeout 3 l --command 'rm x'", "flock rm"},
		{"flock 9", "flock"},
		{"flock l -c \"$X\"", "flock ?"},
		{"strace rm x", "strace rm"},
		{"strace -f -e trace=file -o log rm x", "strace rm"},
		{"strace -o '|rm x' ls", "strace rm ls"},
		{"strace -p 1", "strace"},
		{"unshare -r rm x", "unshare rm"},
		{"unshare --mount --propagation private -- rm x", "unshare rm"},
		{"unshare -r", "unshare sh"},
		{"nsenter -t 1 -m rm x", "nsenter rm"},
		{"nsenter --target 1 --net=/x rm x", "nsenter rm"},
		{"chroot . rm x", "chroot rm"},
		{"chroot --userspec=a:b . rm x", "chroot rm"},
		{"chroot .", "chroot sh"},
		{"setpriv --reuid 1 --clear-groups rm x", "setpriv rm"},
		{"prlimit --nofile=3 rm x", "prlimit rm"},
		{"prlimit -n3 -p 1", "prlimit"},
		{"setarch x86_64 -R rm x", "setarch rm"},
		{"setarch -R rm x", "setarch rm"},
		{"linux32 rm x", "linux32 rm"},
		{"fakeroot -- rm x", "fakeroot rm"},
		{"chronic -v rm x", "chronic rm"},
		{"ifne rm x", "ifne rm"},
		{"tini -g -- rm x", "tini rm"},
		{"dumb-init -c rm x", "dumb-init rm"},

		{"sudo rm x", "sudo rm"},
		{"sudo -n -u u rm x", "sudo rm"},
		{"sudo -nuu rm x", "sudo rm"},
		{"sudo --user=u -E A=1 -- rm x", "sudo rm"},
		{"sudo -H A=1 rm x", "sudo rm"},
		{"sudo -s rm x", "sudo rm"},
		{"sudo -s", "sudo sh"},
		{"sudo -i", "sudo sh"},
		{"sudo -s rm '$x'", "sudo ? rm"},
		{"sudo -l rm", "sudo"},
		{"sudo -v", "sudo"},
		{"doas -n -u u rm x", "doas rm"},
		{"doas -s", "doas sh"},
		{"su -c 'rm x'", "su rm"},
		{"su - u -c 'rm x'", "su rm"},
		{"su u -s /bin/bash --command='rm x'", "su /bin/bash rm"},
		{"su u -- -c 'rm x'", "su sh rm"},
		{"su u", "su sh"},
		{"su u -s /bin/zsh -c 'rm x'", "su /bin/zsh ? rm"},
		{"runuser -u u -- rm x", "runuser rm"},
		{"runuser -u u rm x", "runuser rm"},
		{"runuser u -c 'rm x'", "runuser rm"},
		{"gosu u rm x", "gosu rm"},
		{"su-exec u:g rm x", "su-exec rm"},

		{"xargs", "xargs echo"},
		{"xargs rm", "xargs rm"},
		{"xargs -0 -n 1 -P4 rm -f", "xargs rm"},
		{"xargs -EX rm", "xargs rm"},
		{"xargs -e rm", "xargs rm"},
		{"xargs -I{} rm {}", "xargs rm"},
		{"xargs -I % sh -c 'rm %'", "xargs sh ? rm"},
		{"xargs -i {}", "xargs ?"},
		{"xargs -a f --max-args=1 rm", "xargs rm"},
		{"xargs env", "xargs env ?"},
		{"xargs sh -c 'rm \"$@\"' _", "xargs sh rm"},
		{"xargs sh -c", "xargs sh ?"},
		{"xargs sh", "xargs sh ?"},
		{"find . -name x", "find"},
		{"find . -exec rm {} +", "find rm"},
		{"find . -execdir rm {} \\;", "find rm"},
		{"find . -ok rm {} \\; -okdir ls {} ';'", "find rm ls"},
		{"find . -name -exec -exec rm {} +", "find -exec rm"},
		{"find . -exec {} \\;", "find ?"},
		{"find . -exec sh -c 'rm {}' \\;", "find sh ? rm"},
		{"find . -exec sh -c 'rm \"$1\"' _ {} \\;", "find sh rm"},
		{"find $X -name x", "find ? x"},
		{`find "$X" -name '*.go'`, "find"},
		{`find "$X" rm ';'`, "find ? rm"},
		{`find . -name "$X"`, "find"},
		{"find . -name *.go", "find"},
		{"find *", "find ?"},
		{"parallel rm ::: a b", "parallel rm"},
		{"parallel -j 2 'rm -f' ::: a", "parallel rm"},
		{"parallel 'rm {}' ::: a", "parallel ? rm"},
		{"parallel ::: a", "parallel ?"},
		{"watch -n 1 'rm x; ls'", "watch rm ls"},
		{"watch -n1 rm x", "watch rm"},
		{"watch -x rm x", "watch rm"},
		{"script -c 'rm x' f", "script rm"},
		{"script -qc 'rm x' /dev/null", "script rm"},
		{"script f -c 'rm x'", "script rm"},
		{"script -q /dev/null rm x", "script sh rm x"}, {"script -q -t 0 f rm x", "script sh f rm"},
		{"busybox rm x", "busybox rm"},
		{"busybox sh -c 'rm x'", "busybox sh rm"},
		{"busybox --list", "busybox"},
		{"toybox rm x", "toybox rm"},
		{"watch -dn rm", "watch rm"}, {"watch -d rm x", "watch rm"},
		{"taskset -p 1 rm 0", "taskset rm"}, {"taskset -p ff 700", "taskset"}, {"taskset ff rm x", "taskset rm"},
		{"chrt -p 10 rm -1", "chrt rm"}, {"chrt -p -f 10 700", "chrt"},
		{"prlimit -p 0 rm x", "prlimit rm"},
		{"nsenter --wdns rm", "nsenter ? rm"},
		{"chronic --help rm", "chronic ? rm"},
		{"fakeroot --faked rm true", "fakeroot ? rm"}, {"fakeroot -l '$(rm)' true", "fakeroot ? $(rm)"},
		{"strace -o \"|$x rm\" ls", "strace ? ls"},
		{"xargs -I{} -L1 sh -c", "xargs sh ?"}, {"xargs -J % rm %", "xargs ? rm"},
		{"env -S 'rm x' -S 'ls'", "env ?"}, {"env -S -u -v rm", "env ? rm"}, {"env - -u A rm", "env ? A"}, {"env -P /bin -a x rm", "env rm"},
		{"sudo A=1 -u u rm x", "sudo rm"}, {"sudo A=1 -- rm x", "sudo rm"}, {"sudo /a=b/rm x", "sudo /a=b/rm"}, {"sudo -- c=d/rm ls", "sudo c=d/rm"},
		{"sudo -s $'r\nm'", "sudo ? r\nm"}, {"sudo -e f", "sudo ? f"},
		{"su root -w -- x -c rm", "su rm"}, {"su -c -c u -- rm", "su ?"}, {"runuser -u u xargs -P rm", "runuser ? xargs echo"}, {"su u -c rm -c ls", "su rm ls"},
		{"parallel -m rm ls ::: a", "parallel rm"}, {"parallel -i X rm ::: a", "parallel ? X"}, {"parallel --v rm ::: a", "parallel ? rm"}, {"parallel -- ls rm", "parallel ? ls"},
		{"SHELL=rm flock l -c true", "flock true ?"}, {"export SHELL=rm; sudo -n -s ls", "export sudo ls ?"},
		{"unshare -mR rm x", "unshare ? rm"}, {"timeout 5 -- rm", "timeout ? rm"},
		{"timeout \"$T\" make x", "timeout make"}, {"timeout \"${T}s\" make", "timeout make"}, {"timeout \"$T\" 5 rm", "timeout ? 5"},
		{"choom -n 1 -- rm x", "choom rm"}, {"lckdo -w l rm x", "lckdo rm"}, {"ssh-agent -t 5 rm x", "ssh-agent rm"}, {"uclampset -m 1 rm x", "uclampset rm"},
		{"dbus-run-session -- rm x", "dbus-run-session rm"}, {"cgexec -g a:b rm x", "cgexec rm"}, {"caffeinate -i rm x", "caffeinate rm"}, {"pkexec --user u rm x", "pkexec rm"},
		{"sg g -c 'rm x'", "sg rm"}, {"sg g 'rm x'", "sg rm"}, {"sg g", "sg sh"}, {"newgrp g", "newgrp sh"}, {"echo 'rm x' | newgrp - g", "echo newgrp sh rm"}, {"pee 'rm x' 'ls | id'", "pee rm ls id"},
		{"sem rm x", "sem rm"}, {"env_parallel rm ::: a", "env_parallel rm"}, {"parset v rm ::: a", "parset v"},
		{"i386 rm x", "i386 rm"}, {"linux64 rm x", "linux64 rm"}, {"uname26 rm x", "uname26 rm"},
		{"i486 rm x", "i486 rm"}, {"i586 rm x", "i586 rm"}, {"i686 rm x", "i686 rm"}, {"x86_64 rm x", "x86_64 rm"},
	} {
		name, _, _ := strings.Cut(tt.text, " ")
		tested[name[strings.LastIndex(name, "/")+1:]] = true
		if got := found(t, tt.text, Bash); got != tt.want {
			t.Errorf("%s\n  got  %s\n  want %s", tt.text, got, tt.want)
		}
	}
	for _, name := range []string{"ccache", "shx", "catchsegv", "eatmydata", "nocache", "torsocks", "proxychains", "proxychains4", "unbuffer", "rlwrap", "zrun",
		"ld.so", "ld-linux.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-musl-x86_64.so.1", "ld-musl-aarch64.so.1"} {
		tested[name] = true
		if got := found(t, name+" rm x", Bash) + ", " + found(t, name+" -z rm x", Bash); got != name+" rm, "+name+" ? rm" {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, name := range []string{"faketime", "envdir", "envuidgid", "setuidgid", "s6-setuidgid"} {
		tested[name] = true
		if got := found(t, name+" y rm x", Bash); got != name+" rm" {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, name := range []string{"aa-exec", "bwrap", "capsh", "chpst", "cpulimit", "entr", "firejail", "ltrace", "niceload", "numactl", "openvt", "perf", "proot", "run-parts",
		"runcon", "softlimit", "start-stop-daemon", "sudoedit", "systemd-run", "trickle", "valgrind", "xvfb-run"} {
		tested[name] = true
		if got := found(t, name+" -z rm x", Bash); got != name+" ? rm" {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wrappers)) {
		if !tested[name] {
			t.Errorf("no test for the row %s", name)
		}
	}
}

// Commands that run shell text, or evaluate their arguments.
func TestTextCommands(t *testing.T) {
	tested := map[string]bool{}
	for _, tt := range []struct{ text, want string }{
		{"sh -c 'rm x'", "sh rm"},
		{"sh -ec 'rm x' a b", "sh rm"},
		{"sh -c -e 'rm x'", "sh rm"},
		{"bash -lc 'rm x'", "bash rm"},
		{"bash --norc -o pipefail -c 'rm x'", "bash rm"},
		{"bash +e -c 'rm x'", "bash rm"},
		{"bash --rcfile f -c 'rm x'", "bash rm"},
		{"bash x.sh", "bash"},
		{"bash \"$X\"", "bash"},
		{"bash \"$X/x.sh\" a", "bash"},
		{"bash $X", "bash ?"},
		{"bash \"$X\" 'rm x'", "bash ?"},
		{"bash -c \"$X\"", "bash ?"},
		{"bash -c", "bash"},
		{"bash <<< 'rm x'", "bash rm"},
		{"bash <<E\nrm x\nE", "bash rm"},
		{"bash <<E\nrm $x\nE", "bash ?"},
		{"bash <<'E'\nread y\nrm x\nE", "bash read rm ?"},
		{"bash -s a <<< 'rm x'", "bash rm"},
		{"bash /dev/stdin <<< 'rm x'", "bash rm"},
		{"bash <(echo rm x)", "echo bash rm"},
		{"bash <(curl u)", "curl bash ?"},
		{"bash < f", "bash"},
		{"bash < /dev/null", "bash"},
		{"curl u | bash", "curl bash ?"},
		{"echo 'rm x' | bash", "echo bash rm"},
		{"echo -n 'rm x' | cat | bash", "echo cat bash rm"},
		{"printf '%s\\n' 'rm x' ls | bash", "printf bash rm ls"},
		{"printf 'rm x\\n' | bash", "printf bash rm"},
		{"echo 'a\\tb' | bash", "echo bash ?"},
		{"echo() { printf 'rm x'; }; echo ls | bash", "printf echo bash ?"},
		{"cat <<E | bash\nrm x\nE", "cat bash rm"},
		{"(bash) <<< 'rm x'", "bash ?"},
		{"dash -c 'rm x'", "dash rm"}, {"ash -c 'rm x'", "ash rm"}, {"rbash -c 'rm x'", "rbash rm"},
		{"zsh -c 'rm x'", "zsh ? rm"}, {"ksh -c 'rm x'", "ksh ? rm"}, {"fish -c 'rm x'", "fish ? rm"}, {"ksh93 -c ls", "ksh93 ? ls"},
		{"mksh -c ls", "mksh ? ls"}, {"lksh -c ls", "lksh ? ls"}, {"yash -c ls", "yash ? ls"}, {"csh -c ls", "csh ? ls"}, {"tcsh -c ls", "tcsh ? ls"},
		{"rc -c ls", "rc ? ls"}, {"es -c ls", "es ? ls"}, {"pwsh -c ls", "pwsh ? ls"}, {"posh -c ls", "posh ? ls"}, {"hush -c ls", "hush ? ls"},

		{"eval rm x", "eval rm"},
		{"eval 'rm' \"x; ls\"", "eval rm ls"},
		{"eval -- rm x", "eval rm"},
		{"eval \"$X\"", "eval ?"},
		{"x='rm y'; eval \"$x\"", "eval rm"},
		{"trap 'rm x' EXIT", "trap rm"},
		{"trap -- 'rm x' EXIT INT", "trap rm"},
		{"trap - EXIT", "trap"},
		{"trap '' INT", "trap"},
		{"trap \"$X\" EXIT", "trap ?"},
		{"alias l='ls -l'", "alias ls"},
		{"alias l", "alias"},
		{"alias s='sudo -n'", "alias ?"},
		{"alias q='echo \"'", "alias ?"},
		{"alias if=ls", "alias ?"},
		{"source ./f", "source"},
		{". \"$X\"", "."},
		{". /dev/stdin <<< 'rm x'", ". rm"},
		{"source <(echo rm x)", "echo source rm"},
		{"fc -s", "fc ?"},
		{"hash -p /bin/rm ls", "hash ?"}, {"hash -r", "hash"},
		{"enable -f x y", "enable ?"}, {"enable -n echo", "enable ?"}, {"enable", "enable"},
		{"set -euo pipefail", "set"}, {"set -H", "set ?"}, {"set -o history", "set ?"}, {"set -- \"$X\"", "set"}, {"set -x a", "set"},
		{"complete -C 'rm x' y", "complete ?"}, {"compgen -W '$(rm)'", "compgen ?"}, {"compgen -c", "compgen"}, {"bind -x y", "bind ?"},

		{"test -v 'a[$(rm)]'", "test ?"}, {"test -v x", "test"}, {"test -f \"$X\"", "test"},
		{"[ -v \"$X\" ]", "["}, {"X=$(id); [ -v \"$X\" ]", "id [ ?"}, {"[ \"$X\" = y ]", "["},
		{"let 'a[$(rm)]=1'", "? let"}, {"let x=1+2", "let"},
		{"printf -v 'a[$(rm)]' x", "printf ?"}, {"printf -v x y", "printf"}, {"printf \"$X\\n\"", "printf"}, {"printf '%s' \"$X\"", "printf"},
		{"X=$(id); printf \"$X\" 'a[$(rm)]'", "id printf ?"},
		{"wait $!", "wait"}, {"p=$!; wait $p", "wait"}, {"wait -p 'a[$(rm)]' $!", "wait ?"}, {"p=$(id); wait $p", "id wait ?"},
		{"unset x", "unset"}, {"unset 'a[$(rm)]'", "unset ?"}, {"unset -f x", "unset"},
		{"read -r x y", "read"}, {"read 'a[$(rm)]'", "read ?"}, {"IFS= read -r x < f", "read"}, {"read -a 'a[$(rm)]'", "read ?"},
		{"getopts ab o", "getopts"}, {"getopts ab 'a[$(rm)]'", "getopts ?"},
		{"mapfile -t x < f", "mapfile"}, {"mapfile -C 'rm x' y", "mapfile ?"}, {"readarray x", "readarray"},
		{"command export \"$X\"", "command export ?"}, {"export A=1 B", "export"}, {"export \"A=$(id)\"", "id export"}, {"export $X", "? export"},
		{"export PS4='$(rm)'", "rm export"}, {"readonly A=1", "readonly"}, {"local x=1", "local"},
		{"declare x", "declare"}, {"declare 'a[$(rm)]=1'", "? declare"}, {"declare -n r=x", "declare"}, {"declare -n r='a[$(rm)]'", "? declare"},
		{"declare -i n='a[$(rm)]'", "? declare"}, {"declare -A m; m[$k]=1; echo \"${m[$k]}\"", "declare echo"}, {"typeset x=1", "typeset"},
	} {
		name, _, _ := strings.Cut(tt.text, " ")
		tested[name] = true
		want := strings.Fields(tt.want)
		got := strings.Fields(found(t, tt.text, Bash))
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(slices.DeleteFunc(got, func(s string) bool { return s == ":" }), want) {
			t.Errorf("%s\n  got  %s\n  want %s", tt.text, got, want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(textCommands)) {
		if !tested[name] {
			t.Errorf("no test for %s", name)
		}
	}
}
