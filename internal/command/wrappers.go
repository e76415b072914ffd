package command

import "strings"

// A wrapper is a command that runs the command in its arguments.
type wrapper struct {
	// short and long are its options, as getopt has them.
	short, long string
	// nothing lists options with which it runs nothing.
	nothing string
	// operands is how many words come before the command, and numbers says that
	// they are numbers.
	operands int
	numbers  bool
	// assigns says that NAME=value may come before the command, and mixed that options
	// may come behind those.
	assigns, mixed bool
	// pids says that with -p a process is changed instead, if there is nothing but
	// numbers.
	pids bool
	// check refuses words that are read differently elsewhere.
	check func(words []Word) bool
	// bare is what runs when there is no command.
	bare string
	// run does what the row does not say, with the options and what follows them.
	run func(w *walker, options []option, rest []Word, at where)
	// any takes the words as they are: the options are not getopt's.
	any func(w *walker, words []Word, at where)
}

// wrappers are the commands known to run others. An option that is not here makes what
// runs unknown.
var wrappers map[string]wrapper

func init() {
	wrappers = map[string]wrapper{
		// Of the shell itself.
		"command": {short: "pvV", nothing: "v V"},
		"builtin": {},
		"exec":    {short: "cla:", run: runExec},
		"coproc":  {},
		"jobs":    {short: "lnprsx:", any: runJobs},

		// What a command is run with.
		"env":       {short: "i0a:u:C:P:S:v", long: "ignore-environment null unset= chdir= split-string= argv0= block-signal[=] default-signal[=] ignore-signal[=] list-signal-handling debug", assigns: true, any: runEnv},
		"nohup":     {long: "help"},
		"nice":      {short: "n:0123456789", long: "adjustment=", any: runNice},
		"ionice":    {short: "c:n:p:P:tu:hV", long: "class= classdata= pid= pgid= ignore uid=", nothing: "p P u pid pgid uid h V"},
		"chrt":      {short: "bdefiormavpRGT:P:D:hV", long: "batch deadline ext fifo idle other rr max all-tasks verbose pid reset-on-fork sched-runtime= sched-period= sched-deadline=", nothing: "m max h V", operands: 1, numbers: true, pids: true},
		"taskset":   {short: "acphV", long: "all-tasks cpu-list pid", nothing: "h V", operands: 1, numbers: true, pids: true},
		"timeout":   {short: "k:s:vfp", long: "kill-after= signal= verbose foreground preserve-status", operands: 1, numbers: true},
		"time":      {short: "ahlf:o:pqvV", long: "append format= output= portability quiet verbose", nothing: "V"},
		"stdbuf":    {short: "i:o:e:", long: "input= output= error="},
		"setsid":    {short: "cfwhV", long: "ctty fork wait", nothing: "h V"},
		"flock":     {short: "sxeunw:E:oFvhV", long: "shared exclusive unlock nonblock nonblocking nb wait= timeout= conflict-exit-code= close no-fork verbose fcntl", nothing: "h V", run: runFlock},
		"strace":    {short: "a:b:cCdDe:E:fFhI:iknNo:O:p:P:qrs:S:tTu:U:vVwxX:yYzZA", long: "attach= columns= env= follow-forks output= output-append-mode output-separately quiet[=] stack-traces summary-only summary trace= user= string-limit= seccomp-bpf instruction-pointer relative-timestamps[=] syscall-times[=] absolute-timestamps[=] decode-fds[=] no-abbrev debug tips[=] kill-on-exit", nothing: "h V", run: runStrace},
		"unshare":   {short: "imnpuUCTfrcR:w:S:G:l:hV", long: "mount[=] uts[=] ipc[=] net[=] pid[=] user[=] cgroup[=] time[=] fork kill-child[=] mount-proc[=] mount-binfmt[=] map-user= map-group= map-root-user map-current-user map-auto map-subids map-users= map-groups= propagation= setgroups= keep-caps root= wd= setuid= setgid= monotonic= boottime= load-interp=", nothing: "h V", bare: "sh", check: clusterOfUnshare},
		"nsenter":   {short: "at:m::u::i::n::p::C::U::T::S:G:r::w::W:eFZchV", long: "all target= mount[=] uts[=] ipc[=] net[=] pid[=] cgroup[=] user[=] time[=] setuid= setgid= preserve-credentials root[=] env no-fork follow-context join-cgroup keep-caps", nothing: "h V", bare: "sh"},
		"chroot":    {long: "groups= userspec= skip-chdir", operands: 1, bare: "sh"},
		"setpriv":   {short: "dhV", long: "dump nnp clear-groups keep-groups init-groups groups= inh-caps= ambient-caps= bounding-set= list-caps no-new-privs rgid= egid= regid= ruid= euid= reuid= securebits= selinux-label= apparmor-profile= pdeathsig= ptracer= reset-env", nothing: "d dump list-caps h V"},
		"prlimit":   {short: "p:o:c::d::e::f::i::l::m::n::q::r::s::t::u::v::x::y::hV", long: "pid= output= noheadings raw verbose core[=] data[=] nice[=] fsize[=] sigpending[=] memlock[=] rss[=] nofile[=] msgqueue[=] rtprio[=] stack[=] cpu[=] nproc[=] as[=] locks[=] rttime[=]", nothing: "h V"},
		"setarch":   {any: runSetarch},
		"fakeroot":  {short: "ub:hv", long: "unknown-is-real fd-base=", nothing: "h v", bare: "sh"},
		"chronic":   {short: "ve"},
		"ifne":      {short: "n"},
		"tini":      {short: "p:svwgle:h", nothing: "h l"},
		"dumb-init": {short: "cr:vhV", long: "single-child rewrite= verbose", nothing: "h V"},

		// As somebody else.
		"sudo":    {short: "AbBEeHiKklnNPSsVvC:c:D:g:h:p:R:r:T:t:U:u:", long: "askpass background bell close-from= chdir= preserve-env[=] edit group= set-home host= login remove-timestamp reset-timestamp list non-interactive preserve-groups prompt= chroot= role= stdin shell type= command-timeout= other-user= user= validate no-update", nothing: "l list V K remove-timestamp v validate", assigns: true, mixed: true, run: runSudo},
		"doas":    {short: "Lnsu:C:a:", nothing: "L C", run: runSudo},
		"choom":   {short: "hn:p:V", long: "adjust= pid=", nothing: "h V"},
		"su":      {any: runSu},
		"runuser": {any: runSu},
		"gosu":    {operands: 1},
		"su-exec": {operands: 1},

		// With what they read, or for what they find.
		"xargs":    {short: "0rtpxoa:d:E:e::I:i::J:L:l::n:P:R:s:S:h", long: "null arg-file= delimiter= eof[=] replace[=] max-lines[=] max-args= open-tty interactive no-run-if-empty max-chars= verbose exit show-limits max-procs= process-slot-var=", run: runXargs},
		"find":     {any: runFind},
		"parallel": {any: runParallel},
		"watch":    {short: "bcCd::egn:ptrwxq:hvs:f", long: "beep color no-color differences[=] errexit chgexit interval= precise no-title no-rerun no-wrap exec equexit= follow shotsdir=", nothing: "h v", run: runWatch},
		"script":   {any: runScript},

		// In front of a command, and with options that are not known here.
		"ccache": {}, "shx": {}, "catchsegv": {}, "eatmydata": {}, "nocache": {}, "torsocks": {}, "proxychains": {}, "proxychains4": {}, "unbuffer": {}, "rlwrap": {},
		"zrun": {}, "faketime": {operands: 1}, "envdir": {operands: 1}, "envuidgid": {operands: 1}, "setuidgid": {short: "s", operands: 1},
		"s6-setuidgid": {operands: 1}, "lckdo": {short: "wW:neE:sxtq", operands: 1}, "cgexec": {short: "g:hb", long: "sticky", nothing: "h"},
		"caffeinate": {short: "dimsut:w:"}, "pkexec": {long: "user= disable-internal-agent keep-cwd"}, "dbus-run-session": {long: "config-file="},
		"ssh-agent": {short: "cDdksE:a:O:P:t:", nothing: "k"}, "uclampset": {short: "asRp:hm:M:vV", long: "all-tasks pid= system reset-on-fork verbose", nothing: "h V"},
		"sg": {any: runSg}, "newgrp": {any: runNewgrp}, "pee": {any: runPee},
		"ld.so": {}, "ld-linux.so.2": {}, "ld-linux-x86-64.so.2": {}, "ld-linux-aarch64.so.1": {}, "ld-musl-x86_64.so.1": {}, "ld-musl-aarch64.so.1": {},

		// Many commands in one file.
		"busybox": {any: runApplet},
		"toybox":  {any: runApplet},
	}
	// These run commands by a grammar that is not held here.
	for _, name := range []string{"aa-exec", "bwrap", "capsh", "chpst", "cpulimit", "entr", "firejail", "ltrace", "niceload", "numactl", "openvt", "perf", "proot", "run-parts",
		"runcon", "softlimit", "start-stop-daemon", "sudoedit", "systemd-run", "trickle", "valgrind", "xvfb-run"} {
		wrappers[name] = wrapper{any: func(w *walker, words []Word, at where) { w.mayRun(name, words, at) }}
	}
	for _, name := range []string{"sem", "env_parallel", "parset"} {
		wrappers[name] = wrapper{any: runParallel}
	}
	for _, name := range []string{"linux32", "linux64", "i386", "i486", "i586", "i686", "x86_64", "uname26"} {
		wrappers[name] = wrapper{any: runSetarch}
	}
}

// unwrap walks what words run.
func (row wrapper) unwrap(w *walker, words []Word, at where) {
	name := words[0].Text
	words = words[1:]
	if row.any != nil {
		row.any(w, words, at)
		return
	}
	options, rest, dashes, ok := getoptEnd(words, row.short, row.long)
	if row.check != nil && row.check(words) {
		rest, ok = words, false
	}
	if _, found := find(options, "p", "pid"); found && row.pids && ok {
		numbers := 0
		for _, word := range rest {
			if word.Known && number(word.Text) || word.One && !word.Known {
				numbers++
			}
		}
		if ok = numbers == len(rest) && numbers <= 2; ok {
			return
		}
	}
	if _, found := find(options, strings.Fields(row.nothing+" help version")...); found {
		return // whatever else there is
	}
	if !ok && row.numbers && len(rest) > 1 && rest[0].One && rest[1].Known && !number(rest[1].Text) && !strings.HasPrefix(rest[1].Text, "-") {
		// If it were an option, the word behind it would be the number.
		rest, ok = append([]Word{known("1")}, rest[1:]...), true
	}
	if !ok {
		w.unknownCommand(name, rest, at)
		return
	}
	var assigns []Assign
	if row.assigns {
		before := len(rest)
		switch {
		case row.mixed && (dashes || before > 0 && strings.HasPrefix(rest[0].prefix, "/")):
			// The command, whatever is in its name.
		default:
			if assigns, rest, ok = w.leadingAssigns(rest, at); !ok {
				w.unknownCommand(name, rest, at)
				return
			}
		}
		if row.mixed && len(rest) < before && len(rest) > 0 && strings.HasPrefix(rest[0].prefix, "-") {
			row.unwrap(w, append([]Word{known(name)}, rest...), at)
			return
		}
	}
	for range row.operands {
		if len(rest) == 0 {
			break
		}
		if !rest[0].One || row.numbers && !(rest[0].Known && number(rest[0].Text)) {
			w.unknownCommand(name, rest, at)
			return
		}
		rest = rest[1:]
	}
	if row.run != nil {
		row.run(w, options, rest, at)
		return
	}
	if len(rest) == 0 {
		if row.bare != "" {
			w.reads("SHELL")
			w.invoke([]Word{known(row.bare)}, nil, at)
		}
		return
	}
	w.invoke(rest, assigns, at)
}

// unknownCommand says that name runs what is not known. The words are where it may
// stand.
func (w *walker) unknownCommand(name string, words []Word, at where) {
	what := "the end"
	if len(words) > 0 {
		what = show(words[0].Text)
	}
	w.dynamic("what "+name+" runs depends on what is read at "+what, useOptions, at)
	w.possibly(words, at)
}

// possibly walks words among which a command is.
func (w *walker) possibly(words []Word, at where) {
	at.place |= Possible
	for i, word := range words {
		if word.Known && !strings.HasPrefix(word.Text, "-") {
			w.invoke(words[i:], nil, at)
			return
		}
	}
}

// leadingAssigns splits words NAME=value off.
func (w *walker) leadingAssigns(words []Word, at where) (assigns []Assign, rest []Word, ok bool) {
	for len(words) > 0 {
		name, text, found := strings.Cut(words[0].prefix, "=")
		if !found || strings.HasPrefix(name, "/") && at.via[len(at.via)-1] == "sudo" {
			// A word that is not known may be one, or the command: which is told to
			// the caller by it being the first.
			return assigns, words, words[0].Known || words[0].One
		}
		if !words[0].One {
			return assigns, words, false
		}
		v := tail(words[0], text)
		assigns = append(assigns, Assign{Name: name, Value: v})
		w.setVariable(name, v, nil, at)
		words = words[1:]
	}
	return assigns, nil, true
}

// number tells whether s may be a number, a duration, a mask or a list.
func number(s string) bool {
	if s == "inf" || s == "infinity" {
		return true
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "0x"), "0X")
	digits := len(s) > 0 && strings.Trim(s, "f") == "" // a mask
	for i, c := range s {
		digits = digits || '0' <= c && c <= '9'
		if !strings.ContainsRune("0123456789abcdefABCDEF.,-+smhd:", c) || i == 0 && c > '9' && len(s) > 1 && !digits && !strings.ContainsRune("abcdefABCDEF", c) {
			return false
		}
	}
	return digits
}

// withUnknown is words with more at the end that are not known.
func withUnknown(words []Word) []Word {
	return append(words[:len(words):len(words)], Word{Text: "…", vanish: true})
}
