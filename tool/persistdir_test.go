//go:build unix

package tool_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/need"
	"github.com/einoshell/einoshell/tool"
)

// keptShell keeps the directory; its own is without links, and has a directory sub in it.
func keptShell(t testing.TB, change func(*tool.Config)) *tool.Shell {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	return newShell(t, func(c *tool.Config) {
		c.Dir, c.PersistDir = dir, true
		if change != nil {
			change(c)
		}
	})
}

// where is the directory that the next command outside of any Run runs in.
func where(t testing.TB, s *tool.Shell) string {
	t.Helper()
	return strings.TrimSuffix(strings.TrimPrefix(call(t, s, "pwd"), "[stdout]\n"), "\n")
}

// posixShells are those that a command is read by.
func posixShells(t testing.TB) map[string][]string {
	return map[string][]string{"dash": {need.Program(t, "dash"), "-c"}, "bash": {need.Program(t, "bash"), "-c"}}
}

// Sections J and K of the harness cases: what moves the directory and what does not.
func TestPersistDir(t *testing.T) {
	t.Parallel()
	for name, shell := range posixShells(t) {
		for _, tt := range []struct{ name, command, text, moved string }{
			{"cases 112 and 113", "cd sub", "(no output)", "sub"},
			{"case 114", "cd sub ; true", "(no output)", "sub"},
			{"case 115", "cd nonexistent && false", "", ""},
			{"case 116", "false", "(no output)\n[exit code: 1]", ""},
			{"only success moves", "cd sub; exit 3", "(no output)\n[exit code: 3]", ""},
			{"case 119", "echo hi", "[stdout]\nhi\n", ""},
			{"case 118", "echo \"$PWD/sub\"; echo __cwd__=$PWD/sub", "", ""},
			{"case 127 and W-21: an exit that succeeds moves, too", "cd sub && exit 0", "(no output)", "sub"},
			{"in a subshell", "(cd sub)", "(no output)", ""},
			{"set -e", "set -e; cd sub; true", "(no output)", "sub"},
			{"set -x is not the wrapper's", "set -x; cd sub", "[stderr]\n+ cd sub\n", "sub"},
			{"set -u", "set -u; cd sub", "(no output)", "sub"},
			{"set -v", "set -v; true", "(no output)", ""},
			{"set -v among others", "set -e -o verbose -u; true", "(no output)", ""},
			{"a v that is another's", "set -e; cd sub; echo a | grep -v b | sort --version-sort", "[stdout]\na\n", "sub"},
			{"set -v and cd", "set -o verbose; cd sub", "(no output)\n[the directory is not kept after a command with set -v]", ""},
			{"a comment at the end", "cd sub # there", "(no output)", "sub"},
			{"a backslash at the end", "cd sub && echo hi \\", "", "sub"},
			{"several lines", "cd sub\npwd >/dev/null\n", "(no output)", "sub"},
			{"a group in the background", "cd sub; sleep 0.2 & true", "(no output)", "sub"},
			{"case 124", "pwd() { printf '\\377\\376'; }; true", "(no output)", ""},
			{"case 126", "pwd() { echo sub; }; true", "(no output)", ""},
			{"pwd redefined", "cd sub; pwd() { echo /etc; }; true", "(no output)", "sub"},
			{"command redefined", "command() { echo /etc; }; cd sub", "(no output)", "sub"},
			{"cd redefined", "cd() { echo no; }; cd sub", "[stdout]\nno\n", ""},
			{"an alias for it", "alias pwd='echo /etc' command='echo /etc' unset='echo /etc'; cd sub", "(no output)", "sub"},
			{"PWD set", "PWD=/etc; cd sub; PWD=/etc", "(no output)", "sub"},
			{"exec", "cd sub && exec true", "(no output)", ""},
			{"descriptors closed", "cd sub; exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-", "(no output)", ""},
			{"a descriptor of its own", "cd sub; exec 8>out; echo mine >&8; cat ../sub/out", "[stdout]\nmine\n", "sub"},
			{"all descriptors of its own", "exec 4>out 5>out 6>out 7>out 8>out; cd sub; cat ../out", "(no output)", ""},
			{"a directory that is gone", "mkdir gone; cd gone; rmdir ../gone", "(no output)", ""},
			{"a trailing space, case 129", "mkdir 'a '; cd 'a '", "(no output)", "a "},
			{"a newline", "mkdir 'a\nb\n'; cd 'a\nb\n'", "(no output)", "a\nb\n"},
			{"set -e in a directory that is gone", "set -e; mkdir gone; cd gone; rmdir ../gone", "(no output)", ""},
			{"what cannot be unset", "readonly POSIXLY_CORRECT=; cd sub", "(no output)", ""},
			{"in a loop", "for d in sub; do cd $d; done", "(no output)", "sub"},
			{"signal", "cd sub; kill -TERM $$", "(no output)\n[exit code: -15]", ""},
			{"death of a child", "cd sub; sh -c 'kill -9 $$'", "", ""},
			{"an error of the shell", "cd sub; . /nowhere/x", "", ""},
		} {
			t.Run(name+", "+tt.name, func(t *testing.T) {
				t.Parallel()
				s := keptShell(t, func(c *tool.Config) { c.Shell = shell })
				got := call(t, s, tt.command)
				if tt.text != "" && got != tt.text {
					t.Errorf("%q, want %q", got, tt.text)
				}
				for _, wrapper := range []string{"POSIXLY", "unset -f", ">&8", "EXIT"} {
					if strings.Contains(got, wrapper) {
						t.Errorf("the wrapper is in %q", got)
					}
				}
				if got, want := where(t, s), filepath.Join(s.Dir(), tt.moved); got != want && got != want+"\n" {
					t.Errorf("in %q, want %q", got, want)
				}
				if files, _ := filepath.Glob(filepath.Join(s.Dir(), "*cwd*")); files != nil {
					t.Errorf("%v is left", files)
				}
			})
		}
	}
}

// A text with a trap meets no trap of ours: the directory stays, and that is said.
func TestPersistDirWithTraps(t *testing.T) {
	t.Parallel()
	for name, shell := range posixShells(t) {
		s := keptShell(t, func(c *tool.Config) { c.Shell = shell })
		for command, want := range map[string]string{
			"trap":                            "(no output)",
			"trap -- 'echo bye' EXIT; cd sub": "[stdout]\nbye\n\n[the directory is not kept after a command with trap]",
			"f() { trap; }; f":                "(no output)",
			`\trap; command trap`:             "(no output)",
		} {
			if got := call(t, s, command); got != want {
				t.Errorf("%s, %s: %q", name, command, got)
			}
			if got := where(t, s); got != s.Dir() {
				t.Errorf("%s, %s: in %q", name, command, got)
			}
		}
	}
	s := keptShell(t, func(c *tool.Config) { c.Shell = []string{need.Program(t, "bash"), "-c"} })
	for _, command := range []string{
		"cd sub; pwd() { echo /etc; }; readonly -f pwd",
		"cd sub; readonly POSIXLY_CORRECT=; command() { echo /etc; }",
		"cd sub; unset() { echo /etc; }; command() { echo /etc; }",
		"cd sub; builtin() { echo /etc; }; enable -n pwd",
		"cd sub; BASH_XTRACEFD=1; set -x",
	} {
		got := call(t, s, command)
		if in := where(t, s); in != s.Dir() && in != s.Dir()+"/sub" || strings.Contains(got, "POSIXLY_CORRECT=") && !strings.Contains(command, "POSIXLY") || strings.Contains(got, "unset -f") {
			t.Errorf("%s: %q, in %q", command, got, in)
		}
		call(t, s, "cd "+s.Dir())
	}
}

// Case 117: without PersistDir nothing moves.
func TestCase117(t *testing.T) {
	s := keptShell(t, func(c *tool.Config) { c.PersistDir = false })
	call(t, s, "cd sub")
	if got := where(t, s); got != s.Dir() {
		t.Errorf("in %q", got)
	}
}

// Cases 130, 139, H1 and W-17: a directory that is gone is said once, and the next command runs where
// the Run began.
func TestPersistDirGone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lose func(dir string) error
		want string
	}{
		"renamed": {func(dir string) error { return os.Rename(dir, dir+"2") }, "was removed"},
		"removed": {os.Remove, "was removed"},
		"a file":  {func(dir string) error { os.Remove(dir); return os.WriteFile(dir, nil, 0o600) }, "is no longer a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			s := keptShell(t, nil)
			call(t, s, "cd sub")
			if err := tt.lose(filepath.Join(s.Dir(), "sub")); err != nil {
				t.Fatal(err)
			}
			rec := &recorder{}
			got := callCtx(t, s.WithEventSink(context.Background(), rec.sink), s, "touch x; pwd")
			if want := "Command not run: The previous directory " + tt.want + "; now in " + s.Dir() + "."; got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if d := rec.denied(t); d.Kind != tool.DeniedDirectory {
				t.Errorf("%+v", d)
			}
			if got := where(t, s); got != s.Dir() {
				t.Errorf("in %q", got)
			}
			if _, err := os.Stat(filepath.Join(s.Dir(), "x")); err == nil {
				t.Error("it ran")
			}
		})
	}
}

// W-17: what is said of a directory that an ordinary user may not enter any more.
func TestPersistDirForbidden(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	if os.Getuid() == 0 {
		cmd.Args, cmd.Path = asNobody(t, cmd)
	}
	cmd.Env = append(os.Environ(), "EINOSHELL_TEST_HELPER=a kept directory that is forbidden", "TMPDIR=/tmp", "HOME=/", "XDG_STATE_HOME=")
	out, err := cmd.CombinedOutput()
	const want = "(no output)\n(no output)\nCommand not run: The previous directory can no longer be entered: permission denied; now in DIR.\n[stdout]\nDIR\n\n(no output)\n"
	if err != nil || string(out) != want {
		t.Errorf("%v, %q", err, out)
	}
}

// Cases 133 to 140: each Run has its own, and one that begins where another is goes on there.
func TestPersistDirOfRuns(t *testing.T) {
	t.Parallel()
	s := keptShell(t, nil)
	ctx := context.Background()
	one, run1 := s.NewRun(ctx, tool.RunOptions{ID: "A"})
	defer run1.Close()
	two, run2 := s.NewRun(ctx, tool.RunOptions{})
	defer run2.Close()
	if got := callCtx(t, one, s, "cd sub"); got != "(no output)" {
		t.Errorf("%q", got)
	}
	sub := s.Dir() + "/sub"
	if run1.Dir() != sub || run2.Dir() != s.Dir() || where(t, s) != s.Dir() || callCtx(t, two, s, "pwd") != "[stdout]\n"+s.Dir()+"\n" {
		t.Errorf("%s, %s, %s", run1.Dir(), run2.Dir(), where(t, s))
	}
	// Case 140: a call that is cancelled moves nothing.
	cancelled, cancel := context.WithCancel(one)
	time.AfterFunc(100*time.Millisecond, cancel)
	callCtx(t, cancelled, s, "cd ..; sleep 20")
	run1.Close()
	again, run3 := s.NewRun(ctx, tool.RunOptions{ID: "A", Dir: run1.Dir()})
	defer run3.Close()
	if got := callCtx(t, again, s, "pwd; cd .."); got != "[stdout]\n"+sub+"\n" || run3.Dir() != s.Dir() {
		t.Errorf("%q, %s", got, run3.Dir())
	}
}

// A Run of which the directory is a link keeps its name.
func TestPersistDirBehindLink(t *testing.T) {
	t.Parallel()
	s := keptShell(t, nil)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(s.Dir(), link); err != nil {
		t.Fatal(err)
	}
	ctx, run := s.NewRun(context.Background(), tool.RunOptions{Dir: link})
	defer run.Close()
	for command, want := range map[string]string{"true": link, "cd sub": link + "/sub", "cd sub; cd ..": link, "cd /": "/"} {
		callCtx(t, ctx, s, "cd "+link)
		if callCtx(t, ctx, s, command); run.Dir() != want {
			t.Errorf("%s: %s, want %s", command, run.Dir(), want)
		}
	}
}

// Case 132 and W-44: of commands at the same time the one that ends last counts. Those in the background begin there
// and move nothing.
func TestPersistDirAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := keptShell(t, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		call(t, s, "cd sub; sleep 1")
	}()
	time.Sleep(300 * time.Millisecond)
	call(t, s, "cd /")
	if got := where(t, s); got != "/" {
		t.Errorf("case 132: %q", got)
	}
	<-done
	if got := where(t, s); got != s.Dir()+"/sub" {
		t.Errorf("case 132: %q", got)
	}
	ctx := context.Background()
	id := begin(t, ctx, s, "pwd; cd /")
	if got := finished(t, ctx, s, id); !strings.HasPrefix(got, "[stdout]\n"+s.Dir()+"/sub\n") {
		t.Errorf("%q", got)
	}
	if got := where(t, s); got != s.Dir()+"/sub" {
		t.Errorf("%q", got)
	}
}

// H6: the policy judges with the directory where the command would run, and so does Check.
func TestH6PersistDirAndPolicy(t *testing.T) {
	t.Parallel()
	s := keptShell(t, nil)
	ctx, run := s.NewRun(context.Background(), tool.RunOptions{})
	defer run.Close()
	for _, tt := range []struct{ cd, command string }{
		{"/", "cat etc/shadow"},
		{"/", "cd etc && cat shadow"},
		{"/etc", "cat shadow"},
		{"/usr/..", "cat etc/shadow"},
	} {
		callCtx(t, ctx, s, "cd "+s.Dir())
		if a := run.Check(tt.command).Action; a != tool.ActionAllow {
			t.Errorf("%s: %s here", tt.command, a)
		}
		callCtx(t, ctx, s, "cd "+tt.cd)
		if a := run.Check(tt.command).Action; a == tool.ActionAllow {
			t.Errorf("%s: %s in %s", tt.command, a, tt.cd)
		}
		if got := callCtx(t, ctx, s, tt.command); !strings.HasPrefix(got, "Command not run: ") {
			t.Errorf("%s: %q", tt.command, got)
		}
	}
}

// H16: what comes of a command says where the next one runs.
func TestH16NextDir(t *testing.T) {
	t.Parallel()
	s := keptShell(t, nil)
	rec := &recorder{}
	ctx := s.WithEventSink(context.Background(), rec.sink)
	r, err := s.Exec(ctx, tool.Request{Command: "cd sub"})
	if err != nil || r.Dir != s.Dir() || r.NextDir != s.Dir()+"/sub" {
		t.Errorf("%v, %+v", err, r)
	}
	all := rec.all()
	if f := all[len(all)-1].(tool.CommandFinished); f.NextDir != r.NextDir {
		t.Errorf("%+v", f)
	}
	s = keptShell(t, func(c *tool.Config) { c.ResultFormat = "json" })
	if got := call(t, s, "cd sub"); !strings.Contains(got, `"working_directory":"`+s.Dir()+`","next_directory":"`+s.Dir()+`/sub"`) {
		t.Errorf("%s", got)
	}
}

// What cannot be had is an error.
func TestPersistDirConfig(t *testing.T) {
	t.Parallel()
	_, err := tool.New(context.Background(), tool.Config{AllowShell: true, Dir: t.TempDir(), PersistDir: true, Shell: []string{"/bin/sh"}})
	if err == nil || !strings.Contains(err.Error(), "PersistDir: persist_cwd needs a POSIX shell") {
		t.Errorf("%v", err)
	}
}

// Group H, as far as it is about what one command leaves to the next: the directory, and nothing else. Each
// text is its own, whatever is unfinished in it.
func TestReportsOfGroupH(t *testing.T) {
	t.Parallel()
	for name, shell := range posixShells(t) {
		s := keptShell(t, func(c *tool.Config) { c.Shell = shell })
		for _, tt := range []struct{ name, command, want string }{
			{"H2", "cat <<E\na", "Command not run: "},
			{"H2, next", "echo next", "[stdout]\nnext\n"},
			{"H3", "cat <<'E'\na\nE", "[stdout]\na\n"},
			{"H3", "cat <<'E'\na\nE\n", "[stdout]\na\n"},
			{"H4", "set -e\nfalse\necho never", "(no output)\n[exit code: 1]"},
			{"H4, next", "false; echo on", "[stdout]\non\n"},
			{"H5", "exit 3", "(no output)\n[exit code: 3]"},
			{"H9", "exec >&-", "(no output)"},
			{"H9", "exec 1>&- 2>&-; cd sub", "(no output)"},
			{"H9, next", "pwd", "[stdout]\n" + s.Dir() + "/sub\n"},
			{"H10", "cat <<E\nx; if y\nE", "[stdout]\nx; if y\n"},
			{"H17", "echo() { printf 'mine\\n'; }; alias cat='echo no'; X=1; export X; umask 077", "(no output)"},
			{"H17, next", "echo \"a$X\" | cat; umask", "[stdout]\na\n"},
		} {
			if got := call(t, s, tt.command); !strings.HasPrefix(got, tt.want) || strings.HasSuffix(tt.want, "\n") && tt.name != "H17, next" && got != tt.want {
				t.Errorf("%s, %s: %q, want %q", name, tt.name, got, tt.want)
			}
		}
	}
}
