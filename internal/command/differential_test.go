//go:build unix

package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einoshell/einoshell/internal/need"
)

// The differential test: real shells run generated lines, with stub programs that note
// that they ran. What ran must have been found, or the line refused.

var (
	seed  = flag.Uint64("seed", 1, "where TestDifferential begins")
	minim = flag.Bool("minimise", true, "make a line that failed small")
)

// stubs are programs that only note that they ran. What else there is, is real.
var stubs = []string{"rm", "ls", "id", "mk"}

var real = []string{"sh", "dash", "bash", "env", "nice", "nohup", "timeout", "setsid", "stdbuf", "xargs", "find", "cat", "flock", "time", "script", "seq", "wc", "busybox", "true", "false"}

// A bench is where lines are run.
type bench struct {
	dir, programs, log string
	credential         *syscall.Credential
}

func newBench(t testing.TB) *bench {
	root := t.TempDir()
	b := &bench{programs: filepath.Join(root, "programs"), dir: filepath.Join(root, "dir"), log: filepath.Join(root, "log")}
	t.Cleanup(b.clean)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(b.programs, 0o755))
	must(os.Mkdir(b.dir, 0o777))
	must(os.WriteFile(b.log, nil, 0o666))
	for _, name := range stubs {
		// p says that it writes into a pipe.
		must(os.WriteFile(filepath.Join(b.programs, name), []byte("#!/bin/sh\n[ -p /dev/fd/1 ] && p=p\necho \"${0##*/} $p\" >>"+b.log+"\n"), 0o755))
	}
	for _, name := range real {
		if file, err := exec.LookPath(name); err == nil {
			must(os.Symlink(file, filepath.Join(b.programs, name)))
		}
	}
	if os.Getuid() == 0 {
		// The lines are harmless as far as we know.
		b.credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		for d := root; d != filepath.Clean(os.TempDir()) && len(d) > 1; d = filepath.Dir(d) {
			must(os.Chmod(d, 0o755))
		}
		must(os.Chmod(b.dir, 0o777))
		must(os.Chmod(b.log, 0o666))
	}
	return b
}

// ran is what a line did.
type ran struct {
	programs []string
	piped    []string // those that wrote into a pipe
	files    []string // made in the directory
}

// run runs text in a shell, and waits for all that it started.
func (b *bench) run(t testing.TB, shell []string, text string) ran {
	t.Helper()
	if err := os.Truncate(b.log, 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	file, err := exec.LookPath(shell[0])
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, file, append(slices.Clone(shell[2:]), "-c", text)...)
	cmd.Args[0] = shell[1]
	cmd.Dir = b.dir
	cmd.Env = []string{"PATH=" + b.programs, "HOME=" + b.dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: b.credential}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	hold, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	cmd.ExtraFiles = []*os.File{held}
	if err := cmd.Start(); err != nil {
		held.Close()
		if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.E2BIG) || ctx.Err() != nil {
			return ran{}
		}
		t.Fatal(err)
	}
	held.Close()
	cmd.Wait()
	hold.SetReadDeadline(time.Now().Add(time.Second))
	if _, err := io.Copy(io.Discard, hold); err != nil {
		b.clean()
	}
	log, err := os.ReadFile(b.log)
	if err != nil {
		t.Fatal(err)
	}
	var r ran
	for _, line := range strings.Split(string(log), "\n") {
		name, p, _ := strings.Cut(line, " ")
		if name != "" {
			r.programs = append(r.programs, name)
		}
		if p == "p" {
			r.piped = append(r.piped, name)
		}
	}
	entries, _ := os.ReadDir(b.dir)
	for _, e := range entries {
		r.files = append(r.files, e.Name())
		os.RemoveAll(filepath.Join(b.dir, e.Name()))
	}
	return r
}

// clean ends all that still runs in the directory: some lines have no end.
func (b *bench) clean() {
	for range 3 {
		links, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, link := range links {
			if dir, err := os.Readlink(link); err == nil && strings.TrimSuffix(dir, " (deleted)") == b.dir {
				pid, _ := strconv.Atoi(strings.Split(link, "/")[2])
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// A shell of the test.
var shells = []struct {
	argv []string // file, name, options
	kind Shell
}{
	{[]string{"dash", "sh"}, Sh},
	{[]string{"bash", "sh"}, Sh},
	{[]string{"bash", "bash"}, Bash},
}

// refused tells whether a policy that allows nothing unknown refuses text.
func refused(text string, kind Shell) (*Script, string) {
	script, err := Read(text, kind)
	if err != nil {
		return nil, err.Error()
	}
	for _, i := range script.Invocations {
		if i.Dynamic != "" {
			return nil, i.Dynamic
		}
	}
	return script, ""
}

// wrong says what text did that was not found; empty for nothing.
func (b *bench) wrong(t testing.TB, text string, shell int) string {
	script, why := refused(text, shells[shell].kind)
	if strings.HasPrefix(why, panicked) {
		return why
	}
	if why != "" || strings.Contains(text, "\x00") {
		return ""
	}
	var found []string
	for _, i := range script.Invocations {
		found = append(found, path.Base(i.Name()))
		if i.File {
			found = append(found, "sh", "bash", "dash") // a stub that a shell reads goes by the shell's name
		}
		if slices.Contains([]string{"sh", "bash", "dash"}, path.Base(i.Name())) {
			for _, word := range i.Words[1:] {
				if strings.HasPrefix(word.Text, "-") && strings.ContainsAny(word.Text, "li") {
					return "" // a login shell runs /etc/profile, an interactive one writes its history
				}
				found = append(found, path.Base(word.Text)) // a stub, as a script in a file
			}
		}
	}
	r := b.run(t, shells[shell].argv, text)
	for _, name := range r.programs {
		if !slices.Contains(found, name) {
			return fmt.Sprintf("%s ran, found were %q", name, found)
		}
	}
	uses := func(ops ...Operator) bool {
		return slices.ContainsFunc(ops, func(op Operator) bool { return slices.Contains(script.Operators, op) })
	}
	makesFiles := slices.ContainsFunc(found, func(name string) bool { return name == "flock" || name == "script" || name == "time" })
	if len(r.files) > 0 && !makesFiles && !uses(">", ">>", ">|", "<>", "&>", "&>>") {
		return fmt.Sprintf("%q was made, operators were %q", r.files, script.Operators)
	}
	if len(r.piped) > 0 && !uses("|", "|&", "$(", "`", "<(", ">(", ">&") {
		return fmt.Sprintf("%q wrote into a pipe, operators were %q", r.piped, script.Operators)
	}
	return ""
}

// minimise makes text shorter as long as something is wrong with it.
func (b *bench) minimise(t testing.TB, text string, shell int) string {
	for n := len(text) / 2; n > 0; {
		shorter := false
		for i := 0; i+n <= len(text); {
			try := text[:i] + text[i+n:]
			if b.wrong(t, try, shell) != "" {
				text, shorter = try, true
			} else {
				i += n
			}
		}
		if !shorter || n > len(text) {
			n /= 2
		}
	}
	return text
}

func (b *bench) check(t testing.TB, text string, shell int) bool {
	t.Helper()
	why := b.wrong(t, text, shell)
	if why != "" {
		// What an earlier line left behind must not count.
		b.clean()
		why = b.wrong(t, text, shell)
	}
	if why == "" {
		return true
	}
	if *minim {
		small := b.minimise(t, text, shell)
		t.Errorf("%s: %q: %s\n(from %q)", shells[shell].argv[1:], small, b.wrong(t, small, shell), text)
	} else {
		t.Errorf("%s: %q: %s", shells[shell].argv[1:], text, why)
	}
	return false
}

func needShells(t testing.TB) {
	need.Program(t, "dash")
	need.Program(t, "bash")
}

// TestDifferential tries the lines that are known to be read in several ways, and some
// that are generated.
func TestDifferential(t *testing.T) {
	needShells(t)
	b := newBench(t)
	for _, text := range allSeeds {
		for shell := range shells {
			b.check(t, text, shell)
		}
	}
	n := 600
	if testing.Short() || raced {
		n = 150
	}
	if *lines > 0 {
		n = *lines
	}
	ran := 0
	for i := range n {
		g := newGenerator(*seed + uint64(i))
		text := g.line()
		shell := int(g.r.IntN(len(shells)))
		if _, why := refused(text, shells[shell].kind); why == "" {
			ran++
		}
		if !b.check(t, text, shell) && *lines == 0 {
			break
		}
	}
	t.Logf("%d of %d generated lines were run", ran, n)
}

// FuzzDifferential is the same, without an end.
func FuzzDifferential(f *testing.F) {
	needShells(f)
	f.Add(uint64(1))
	b := newBench(f)
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := newGenerator(seed)
		b.check(t, g.line(), int(g.r.IntN(len(shells))))
	})
}

// A line made of harmless parts is not refused.
func TestHarmless(t *testing.T) {
	n := 5000
	if testing.Short() || raced {
		n = 1000
	}
	for i := range n {
		g := newGenerator(uint64(i))
		text := g.harmless(3)
		for _, kind := range []Shell{Sh, Bash} {
			if _, why := refused(text, kind); why != "" {
				t.Fatalf("%q: %s", text, why)
			}
		}
	}
}

// off1 switches one handling off for a test.
func off1(t *testing.T, h handling) {
	off = h
	t.Cleanup(func() { off = 0 })
}

var switchOff = flag.Uint("off", 0, "the handling that TestSwitchedOff switches off, as a bit")

// TestSwitchedOff shows that the generated lines would find what a handling is for. It
// runs when -off names one.
func TestSwitchedOff(t *testing.T) {
	if *switchOff == 0 {
		t.Skip("-off is not given")
	}
	needShells(t)
	off1(t, handling(*switchOff))
	b := newBench(t)
	begin := time.Now()
	for i := uint64(0); time.Since(begin) < 5*time.Minute; i++ {
		g := newGenerator(*seed + i)
		text := g.line()
		shell := int(g.r.IntN(len(shells)))
		why := b.wrong(t, text, shell)
		if why != "" {
			b.clean()
			why = b.wrong(t, text, shell)
		}
		if why != "" {
			small := b.minimise(t, text, shell)
			t.Logf("found after %v, %d lines: %s: %q: %s", time.Since(begin).Round(time.Second/10), i+1, shells[shell].argv[1:], small, b.wrong(t, small, shell))
			return
		}
	}
	t.Errorf("not found within 5 minutes")
}

// A generator makes lines out of a grammar.
type generator struct{ r *rand.Rand }

func newGenerator(seed uint64) *generator { return &generator{rand.New(rand.NewPCG(seed, 20))} }

func pick[T any](g *generator, list ...T) T { return list[g.r.IntN(len(list))] }
