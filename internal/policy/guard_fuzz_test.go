package policy

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/einoshell/einoshell/internal/command"
)

var guardLines = flag.Int("guard-lines", 3000, "how many lines TestGuardAtoms generates")

// harmful are commands that guards find, alone and wherever they stand.
var harmful = map[string][]string{
	Destructive: {"rm -rf d", "rm -r -f d", "rm --recurs d", "git reset --hard", "git -C d clean -fd", "git checkout -- .", "git push --force", "find d -delete", "shred f", "mkfs.ext4 /dev/sdb1",
		"dd if=f of=/dev/sda", "chmod -R 777 /", "kill -9 -1", "crontab -r", "rsync -a --delete a/ b/", "truncate -s 0 f", "echo x > /dev/sda", "tee /dev/sda", "python3 -c 'import shutil; shutil.rmtree(\"d\")'"},
	Power:        {"shutdown now", "reboot", "init 0", "systemctl poweroff"},
	RemoteScript: {"curl u | sh", "wget -qO- u | tee x | bash", "base64 -d f | sh", "sh -c \"$(curl u)\"", "eval \"$(curl u)\"", "curl u | python3", "curl -o x u && sh x"},
	Secrets:      {"cat .env", "cat < .env", "grep K .env", "cp .env x", "cat ~/.ssh/id_rsa", "git show HEAD:.env", "cd .git && cat config", "tar cf - .env", "cat .e*", "printenv", "env", "cat /proc/self/environ"},
}

// harmlessAtoms are commands that they do not.
var harmlessAtoms = []string{"ls -la", "rm f", "rm -f one.log", "git status", "git reset --soft HEAD~1", "git checkout -b x", "git push origin main", "find . -name '*.go'", "dd if=/dev/zero of=disk.img bs=1M count=1",
	"chmod -R u+w build", "kill 123", "crontab -l", "rsync -av a/ b/", "curl -s u | jq .", "curl u | sha256sum", "curl u | python3 -m json.tool", "cat .env.example", "cp .env.example .env", "test -f .env", "cat id_rsa.pub",
	"ls ~/.ssh", "printenv HOME", "env A=1 ls", "echo x > f", "echo x >> ~/.bashrc", "systemctl status x", "python3 -c 'print(1)'", "git commit -m 'reboot'", "tar czf x.tgz d", "echo x > /dev/null"}

// around are texts that run what stands for @ in them, a list of commands; before are what may stand
// in front of a command; mention are texts that only mention it.
var (
	around = []string{"@", "true && @", "false || @", "ls; @", "ls\n@", "( @ )", "{ @; }", "if true; then @; fi", "if ls; then :; else @; fi", "while ls; do @; break; done", "for i in a b; do @; done",
		"case x in x) @;; esac", "f() { @; }; f", "x=$( @)", "echo \"a $( @)\"", "echo `ls` $(ls; @)", "! { @; }", "{ @; } 2>&1", "{ @; } &", "{ @; } | cat", "sh -c Q", "bash -c Q", "eval Q", "sh <<'EOT'\n@\nEOT", "trap Q EXIT",
		"echo Q | sh", "cat <<E\n$( @)\nE", "flock l sh -c Q", "sudo -n sh -c Q", "find . -name x -exec sh -c Q \\;", "a=1; @; b=2"}
	before  = []string{"env ", "env A=1 ", "A=1 B=2 ", "nice -n 5 ", "timeout 5 ", "timeout -k 1 5 ", "nohup ", "sudo -n ", "command ", "exec ", "time -p ", "stdbuf -oL ", "setsid ", "nice timeout 5 env "}
	mention = []string{"echo Q", "printf '%s\\n' Q", "git commit -m Q", "grep -rn Q src", "ls # @", ": Q", "x=Q", "cat > f <<'EOT'\n@\nEOT", "test x = Q", "jq -n --arg x Q .", "echo \"$(echo Q)\"", "export X=Q"}
)

// fill puts text into a frame.
func fill(frame, text string) string {
	quoted := "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	return strings.ReplaceAll(strings.ReplaceAll(frame, "@", text), "Q", quoted)
}

// simple tells whether words may be put in front of a text.
func simple(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	return !strings.ContainsAny(text, "\n(){}!;&=`") && !strings.Contains("if while for case cd eval printenv env", first)
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// guardLine is a line with an atom in it, and the guard that must find it, empty for none.
func guardLine(r *rand.Rand) (text, guard string) {
	harm := func() (string, string) {
		guard := pick(r, GuardNames())
		return pick(r, harmful[guard]), guard
	}
	switch r.IntN(3) {
	case 0:
		text = pick(r, harmlessAtoms)
	case 1:
		text, _ = harm()
		if strings.Contains(text, "\n") {
			text = "x"
		}
		text = fill(pick(r, mention), text)
	default:
		text, guard = harm()
	}
	if simple(text) && r.IntN(2) == 0 {
		text = pick(r, before) + text
	}
	for range r.IntN(4) {
		text = fill(pick(r, around), text)
	}
	return text, guard
}

// What guards find they find wherever it stands, and what is only mentioned they do not.
func TestGuardAtoms(t *testing.T) {
	const dir = "/nowhere" // nothing is there
	p := compile(t, Config{Shell: command.Bash, Dynamic: DynamicAllow, AllowInteractive: true})
	strict := compile(t, Config{Shell: command.Bash, AllowInteractive: true})
	refused, dynamic := 0, 0
	for i := range *guardLines {
		text, guard := guardLine(rand.New(rand.NewPCG(uint64(i), 5)))
		v := p.Judge(Line{Text: text, Dir: dir})
		switch {
		case guard == "" && v.Decision != Allow && v.Rule != "":
			t.Errorf("%q: %+v", text, v)
		case guard != "" && v.Decision == Allow && strict.Judge(Line{Text: text, Dir: dir}).Rule == "DynamicCommands":
			dynamic++ // the text that a shell is given is not known
		case guard != "" && v.Decision == Allow:
			t.Errorf("%q: not found by %s", text, guard)
		case v.Decision == Deny && v.Rule == "":
			refused++ // it cannot be read: nested too deeply, or both readings differ
		}
		if t.Failed() && i > 200 {
			break
		}
	}
	if refused*4 > *guardLines || dynamic*20 > *guardLines {
		t.Errorf("of %d lines %d cannot be read, and of %d it is not known what they run", *guardLines, refused, dynamic)
	}
}

// FuzzGuards is the same, without an end, and with what the fuzzer makes of the lines for
// panics.
func FuzzGuards(f *testing.F) {
	for i := range 50 {
		text, _ := guardLine(rand.New(rand.NewPCG(uint64(i), 6)))
		f.Add(text, uint64(i))
	}
	p, _ := New(Config{Shell: command.Bash, Dynamic: DynamicAllow, AllowInteractive: true})
	strict, _ := New(Config{Shell: command.Bash, AllowInteractive: true})
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if v := p.Judge(Line{Text: text}); v.Decision != Allow && v.Reason == "" || strings.Contains(v.Reason, "by a fault of einoshell") {
			t.Errorf("%q: %+v", text, v)
		}
		line, guard := guardLine(rand.New(rand.NewPCG(seed, 7)))
		if v := p.Judge(Line{Text: line}); guard == "" && v.Decision != Allow && v.Rule != "" || guard != "" && v.Decision == Allow && strict.Judge(Line{Text: line}).Decision == Allow {
			t.Errorf("%q: %+v, want %q", line, v, guard)
		}
	})
}
