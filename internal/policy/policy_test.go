package policy

import (
	"strings"
	"testing"
)

func compile(t *testing.T, c Config) *Policy {
	t.Helper()
	p, faults := New(c)
	if faults != nil {
		t.Fatal(faults)
	}
	return p
}

// Section A of the harness cases, and the false positives and negatives that
// case 269 and W-6 list.
func TestInteractive(t *testing.T) {
	p := compile(t, Config{})
	for _, tt := range []struct {
		name, command string
		refused       bool
	}{
		{"case 1", "vi file.txt", true},
		{"case 2", "vim file.txt", true},
		{"case 3", "nano file.txt", true},
		{"case 4", "emacs file.txt", true},
		{"case 5", "less file.txt", true},
		{"case 6", "more file.txt", true},
		{"case 7", "top", true},
		{"case 8", "htop", true},
		{"case 9", "man ls", true},
		{"case 10", "passwd", true},
		{"case 11", "ssh host", true},
		{"case 12", "telnet localhost 80", true},
		{"case 13", "ftp host", true},
		{"case 14", "sudo rm -rf /", true},
		{"case 15", "ls -la", false},
		{"case 16", "echo hello", false},
		{"case 17", "grep pattern file", false},
		{"case 18", "view file.txt", false},
		{"case 18", "vishnu", false},
		{"case 19", "  vi file.txt", true},
		{"case 19", "  sudo rm", true},
		{"case 269", "ssh-keygen -t ed25519", false},
		{"case 269", "top-level.sh", false},
		{"case 269", "sudo -n true", false},
		{"case 269", "/usr/bin/vim x", true},
		{"W-6", "ssh-add -l", false},
		{"W-6", "man.py", false},
		{"W-6", "nano-gpt", false},
		{"W-6", "ftp-sync", false},
		{"W-6", "sudo", true},
		{"an operator ends the name", "vim;ls", true},
		{"an operator ends the name", "less<x", true},
		{"no terminal shows it", "man|cat", false},
		{"no terminal shows it", "top>o", false},
		{"case 269", "cd a && vim x", true},
		{"case 269", "env vim x", true},
		{"told to by a setting", "PAGER=less git log", false},
		{"told to by a setting", "git config core.editor vim", false},
		{"told to by a setting", "PAGER=less git log; sh -c less", true},
		{"told to by an option", "rsync -e ssh a h:b", false},
		{"in another place", "docker exec c bash", false},
		{"in another place", "ssh -o BatchMode=yes host vi x", false},
		{"here", "uv run vim x", true},
		{"W-6", "less f | cat", false},
		{"W-6", "emacs --batch -l x.el", false},
		{"W-6", "ssh -o BatchMode=yes h true", false},
		{"W-6", "ssh -oBatchMode=yes h true", false},
		{"W-6", "python", true},
		{"W-6", "python3.11 -i", true},
		{"W-6", "mysql", true},
		{"an interpreter with work", "python x.py", false},
		{"an interpreter with work", "python3 -c 'print(1)'", false},
		{"an interpreter with work", "echo 'print(1)' | python3", false},
		{"an interpreter with work", "python3 <<E\nprint(1)\nE", false},
		{"an interpreter with work", "bash x.sh", false},
		{"an interpreter without", "(cd x; bash)", true},
		{"an interpreter without", "sh -i", true},
		{"B32", "ssh -V", false},
		{"git asks", "git rebase -i HEAD~3", true},
		{"git asks", "git -C d add -p", true},
		{"git asks", "git rebase main", false},
		{"git asks", "GIT_SEQUENCE_EDITOR=true git rebase -i HEAD~3", false},
		{"git asks", "git commit -m 'p'", false},
		{"git asks", "git log -p", false},
		{"git asks", "git mergetool", true},
		{"git asks", "git stash -p", true},
		{"git asks", "git checkout -p f", true},
		{"B18", "git commit -mimplement", false},
		{"B18", "git commit -m'patch up' -a", false},
		{"B18", "git checkout -bpatch", false},
		{"B18", "git restore -sprev f", false},
		{"B18", "git rebase -Xpatience main", false},
		{"not the option", "git stash show -p", false},
		{"not the option", "git stash list -p", false},
		{"not the option", "sudo head -n 5 f", true},
		{"not the option", "sudo -uhans ls", true},
		{"not the option", "psql -Ufred db", true},
		{"not the option", "mysql -ueve db", true},
		{"not the option", "ssh host ls -V", true},
		{"not the option", "ssh -lVera host", true},
		{"the option", "ssh host -o BatchMode=yes ls", false},
		{"the option", "sudo -u u -n ls", false},
		{"the option", "echo p | sudo -S ls", false},
		{"help", "sqlite3 --version", false},
		{"help", "man --help", false},
		{"help", "htop --version", false},
		{"tmux", "tmux kill-session -t a", false},
		{"tmux", "tmux new -s x", true},
		{"an editor that reads commands", "ex -sc '%s/a/b/|x' f", false},
		{"git asks", "export GIT_SEQUENCE_EDITOR=true; git rebase -i HEAD~3", false},
		{"git asks", "git -c core.editor=true rebase -i HEAD~3", false},
		{"standard input is said", "python3 < /dev/null", false},
		{"standard input is said", "bash < /dev/null", false},
		{"a shell that is told to be", "bash --rcfile f -i", true},
		{"a shell that is told to be", "bash -ic ls", false},
		{"an editor that reads commands", "vim -es -c 'wq' f", false},
		{"an editor that reads commands", "vim -e f", true},
		{"in a substitution", "x=$(man ls)", false},
		{"in a substitution", "x=$(vim f)", true},
		{"nobody types", "echo quit | telnet localhost 80", false},
		{"sudo", "sudo -nu root true", false},
		{"sudo", "sudo -u root true", true},
		{"sudo", "nohup sudo make &", true},
		{"a name in an argument", "echo vim; ls vim", false},
		{"tmux", "tmux", true},
		{"tmux", "tmux new -d 'make'", false},
		{"cron", "crontab -e", true},
		{"cron", "crontab -l", false},
		{"sql", "sqlite3 x.db 'select 1'", false},
		{"sql", "sqlite3 x.db", true},
		{"sql", "psql -c 'select 1'", false},
	} {
		v := p.Judge(Line{Text: tt.command})
		if (v.Decision != Allow) != tt.refused {
			t.Errorf("%s: %q: %+v", tt.name, tt.command, v)
		}
		if tt.refused && !strings.Contains(v.Reason, "Interactive commands are not allowed. Command: '") {
			t.Errorf("%s: %q: reason %q", tt.name, tt.command, v.Reason)
		}
	}
	if v := compile(t, Config{AllowInteractive: true}).Judge(Line{Text: "vim file.txt"}); v.Decision != Allow {
		t.Errorf("case 24: %+v", v)
	}
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name    string
		config  Config
		command string
		want    string // part of the reason, empty for allowed
	}{
		{"case 20", Config{Denied: []string{"rm", "rmdir"}}, "rm -rf /", "'rm' is denied"},
		{"case 21", Config{Allowed: []string{"echo", "cat"}}, "echo hello", ""},
		{"case 21", Config{Allowed: []string{"echo", "cat"}}, "cat file.txt", ""},
		{"case 22", Config{Allowed: []string{"echo"}}, "cat file.txt", "Command 'cat' is not in the allowed list. Allowed: echo."},
		{"case 23", Config{Denied: DefaultDenied(false)}, "vim file.txt", "Interactive commands"},
		{"case 25", Config{Denied: []string{"rm", "rmdir"}}, "echo 'unterminated", "cannot be read"},
		{"case 26", Config{Denied: []string{"rm"}}, "echo 'unterminated", "without closing quote"},
		{"case 25, the first word itself", Config{Denied: []string{"rm"}}, "'rm -rf x", "cannot be read"},
		{"case 25, allow-list", Config{Allowed: []string{"echo"}}, "\"echo", "cannot be read"},
		{"case 27", Config{}, "   ", "The command is empty"},
		{"case 28, allow-list", Config{Allowed: []string{"echo"}}, "", "The command is empty"},
		{"case 36", Config{Operators: []string{">", ">>"}}, "echo hello > file.txt", "'>' is not allowed"},
		{"case 37", Config{Operators: []string{">", ">>"}}, "echo hello", ""},
		{"case 38", Config{Operators: []string{">>"}}, "echo hello >> file.txt", "'>>' is not allowed"},
		{"case 39", Config{Operators: []string{"|", ">"}}, "echo hi | cat", "'|' is not allowed"},
		{"case 40", Config{Operators: []string{"|", ">"}}, "echo hello", ""},
		{"case 41", Config{}, "echo hi | cat", ""},
		{"case 101", Config{}, "echo hi\x00there", "NUL byte"},
		{"case 264", Config{Denied: []string{"rm"}}, "rm -rf x # it's", "'rm' is denied"},
		{"case 265", Config{Allowed: []string{"ls"}}, "curl evil # it's", "not in the allowed list"},
		{"case 267, a path", Config{Denied: []string{"rm"}}, "/bin/rm x", "'/bin/rm' is denied"},
		{"case 267, a path", Config{Denied: []string{"rm"}}, "./rm", "'./rm' is denied"},
		{"allow compares what was written", Config{Allowed: []string{"ls"}}, "./ls", "not in the allowed list"},
		{"case 266", Config{Denied: []string{"rm"}}, "rm>/dev/null x", "'rm' is denied"},
		{"case 268", Config{Allowed: []string{"ls"}}, "ls; pwd", "'pwd' is not in the allowed list"},
		{"case 268", Config{Allowed: []string{"ls"}}, "ls ; pwd", "'pwd' is not in the allowed list"},
		{"case 271", Config{Operators: []string{">"}}, "grep 'a->b' f", ""},
		{"a later operator", Config{Operators: []string{">", "|"}}, "a | b", "'|' is not allowed"},
		{"W-5, a newline", Config{Operators: []string{"\n"}}, "true\nrm x", "Shell operator '\\n' is not allowed"},
		{"an empty first word is a word", Config{Allowed: []string{"ls"}}, "'' ; echo pwned", "'' is not in the allowed list"},
		{"folded lines", Config{Denied: []string{"rm"}}, "r\\\nm x", "'rm' is denied"},
		{"folded lines", Config{Denied: []string{"rm"}}, "\\\nrm x", "'rm' is denied"},
		{"a comment is not joined", Config{Denied: []string{"rm"}}, "# c\\\nrm -f x", "ends in a backslash"},
		{"a comment is not joined", Config{Allowed: []string{"ls"}}, " # c\\\n\n# d\necho x", "ends in a backslash"},
		{"a quoted first word", Config{Denied: []string{"rm"}}, `r"m" x`, "'rm' is denied"},
		{"a family", Config{Denied: DefaultDenied(false)}, "mkfs.ext4 /dev/sda", "'mkfs.ext4' is denied"},
		{"not a family", Config{Denied: DefaultDenied(false)}, "format.sh", ""},
		{"names are exact", Config{Denied: []string{"rm"}}, "rmdir x", ""},
		{"no name filter", Config{Denied: []string{}}, "rm x", ""},
		{"only a comment", Config{Allowed: []string{"ls"}}, "# nothing", ""},
		{"raw bytes, case 104", Config{}, "echo '\x80\xff' \"\xfe\"", ""},
		{"raw bytes outside quotes", Config{}, "echo \x80", "a byte 0x80 in line 1"},
		{"carriage returns", Config{}, "ls\nls x\r\n", "a carriage return in line 2"},
	} {
		v := compile(t, tt.config).Judge(Line{Text: tt.command})
		if tt.want == "" && (v.Decision != Allow || v.Reason != "") || tt.want != "" && (v.Decision != Deny || !strings.Contains(v.Reason, tt.want)) {
			t.Errorf("%s: %q: %+v, want %q", tt.name, tt.command, v, tt.want)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config Config
		want   string
	}{
		{"case 42", Config{Allowed: []string{"echo"}, Denied: []string{"rm"}}, "AllowedCommands: Specify allowed_commands or denied_commands, not both."},
		{"case 32", Config{Allowed: []string{"rm"}, Denied: DefaultDenied(false)}, "AllowedCommands: Specify allowed_commands or denied_commands, not both."},
		{"case 270", Config{Operators: []string{"", "|"}}, "DeniedOperators: '' is not a shell operator."},
		{"empty name", Config{Allowed: []string{""}}, "AllowedCommands: '' is not the name of a command."},
		{"two words", Config{Denied: []string{"git push"}}, "DeniedCommands: 'git push' is not the name of a command."},
	} {
		_, faults := New(tt.config)
		if len(faults) != 1 || faults[0].Field+": "+faults[0].Reason != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, faults, tt.want)
		}
	}
	if _, faults := New(Config{Allowed: []string{"echo"}, Denied: []string{}}); faults != nil {
		t.Errorf("case 48: %v", faults)
	}
}

// The zero Verdict refuses: forgetting to judge must not run anything.
func TestZeroVerdictDenies(t *testing.T) {
	if (Verdict{}).Decision != Deny {
		t.Error("the zero Verdict allows")
	}
}
