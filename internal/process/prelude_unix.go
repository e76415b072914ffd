//go:build unix

package process

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A prelude is what a shell is told before the text of a command, and the descriptors it
// needs for that: a gate, at which it waits until its limits are set, and a descriptor on which
// it says at its end where it is. The zero prelude says nothing.
type prelude struct {
	gate, open *os.File // the shell reads from gate; open is written to
	dir, tell  *os.File // the shell writes to tell
	dirFD      int
	word       string // stands in front of what it says, and not of what others may say there
	limits     Limits
}

// gateFD is the gate's descriptor. The shell closes it before it does anything else.
const gateFD = 9

// newPrelude makes what spec needs. It must be closed.
func newPrelude(spec Spec) (p *prelude, err error) {
	p = &prelude{limits: Limits{spec.FileSize}}
	defer func() {
		if err != nil {
			p.close()
			p.closeDir()
		}
	}()
	if p.limits.any() {
		if p.gate, p.open, err = os.Pipe(); err != nil {
			return p, err
		}
	}
	if spec.KeepDir {
		if p.dir, p.tell, err = newPipe(); err != nil {
			return p, err
		}
		if p.dirFD = unused(spec.Text); p.dirFD == 0 {
			p.tell.Close()
			p.tell = nil // it says nothing
		}
		p.word = rand.Text()[:8] + " "
		if p.tell != nil { // nobody is to wait where something has filled it (on Linux)
			if conn, err := p.tell.SyscallConn(); err == nil {
				conn.Control(func(fd uintptr) { unix.SetNonblock(int(fd), true) })
			}
		}
	}
	return p, nil
}

// unused is a descriptor that text does not use, or zero when there is none: what is said on one that it does would be in
// a file of its own. (Some shells know only those of one digit; 3 is the loader's, and 9 the gate's.)
func unused(text string) int {
	for fd := 8; fd > loaderFD; fd-- {
		digit := strconv.Itoa(fd)
		uses := func(s string) bool { return strings.Contains(text, s) }
		if !uses(digit+">") && !uses(digit+"<") && !uses("&"+digit) && !uses("fd/"+digit) {
			return fd
		}
	}
	return 0
}

// pass gives the shell its ends.
func (p *prelude) pass(attr *os.ProcAttr) {
	put := func(fd int, f *os.File) {
		for len(attr.Files) <= fd {
			attr.Files = append(attr.Files, nil)
		}
		attr.Files[fd] = f
	}
	if p.gate != nil {
		put(gateFD, p.gate)
	}
	if p.tell != nil {
		put(p.dirFD, p.tell)
	}
}

// whereabouts is what the shell does at its end: it says on descriptor % where it is, and
// nothing else can be seen of that. What the text has defined (a function called pwd, one called
// unset, an alias, set -x) has no part in it: with POSIXLY_CORRECT bash takes special builtins for
// what they are, as other shells always do.
// (The descriptor may be another file by now. dash goes by the name that the directory had when it came there, until it goes there again.)
const whereabouts = `POSIXLY_CORRECT=; \unset -f command pwd && \command [ -p /dev/fd/% ] && \command cd -P . && { \command printf "WORD"; \command pwd -P; } >&% || \:`

// fixes is how a text may make something of that fail so that the shell's exit code is another one:
// what cannot be set or unset any more. A process of its own then says where the shell is. (Spec.DirApart knows
// what is written in another way.)
var fixes = regexp.MustCompile(`readonly|declare|typeset|source|eval|(^|[^\w.])\.\s`)

// telling is whereabouts behind text.
func (p *prelude) telling(spec Spec) string {
	tell := strings.NewReplacer("%", strconv.Itoa(p.dirFD), "WORD", p.word).Replace(whereabouts)
	if spec.DirApart || fixes.MatchString(spec.Text) {
		return "(" + tell + ") >/dev/null 2>&1"
	}
	return "{ " + tell + "; } >/dev/null 2>&1"
}

// arguments returns the arguments and the environment of a shell that is to read text.
func (p *prelude) arguments(spec Spec, text string, env []string, sys *syscall.SysProcAttr) (args, environ []string) {
	if p.tell != nil {
		// On the line of the text, whose lines keep their numbers so.
		text = "trap '" + p.telling(spec) + "' EXIT; " + text
	}
	if p.gate == nil {
		return arguments(spec, text, sys), env
	}
	fd := strconv.Itoa(gateFD)
	// When this program ends before it has opened the gate, nothing is run.
	gate := "read -r EINOSHELL_GATE <&" + fd + " || exit 125; unset EINOSHELL_GATE; exec " + fd + "<&-; "
	late, env := Late(env)
	if late == "" && len(spec.Args) == 2 {
		return arguments(spec, gate+text, sys), env
	}
	// Something is run before the shell reads its text: only behind the gate.
	args = []string{spec.Args[0], "-c", gate + late + `exec "$@"`, spec.Args[0], spec.Path}
	return append(append(args, spec.Args[1:]...), text), env
}

// loads are the variables that have programs load code or run others when they start. (Those with other names
// no shell can set.)
var loads = regexp.MustCompile(`^(BASH_ENV|ENV|(LD|DYLD)_[A-Za-z0-9_]*)=`)

// Late takes those out of env. late is shell text that sets them.
func Late(env []string) (late string, rest []string) {
	for _, entry := range env {
		if loads.MatchString(entry) {
			name, value, _ := strings.Cut(entry, "=")
			late += "export " + name + "=" + quote(value) + "; "
		} else {
			rest = append(rest, entry)
		}
	}
	return late, rest
}

// quote returns s as one word of a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// admit sets the limits of the shell that waits, and lets it go on.
func (p *prelude) admit(pid int) error {
	if p.gate == nil {
		return nil
	}
	if err := p.limits.Set(pid); err != nil {
		return err
	}
	_, err := io.WriteString(p.open, "\n")
	if errors.Is(err, unix.EPIPE) {
		err = nil // it was ended meanwhile
	}
	return err
}

// close closes what is of no use any more once the shell runs.
func (p *prelude) close() {
	for _, f := range []*os.File{p.gate, p.open, p.tell} {
		if f != nil {
			f.Close()
		}
	}
}

func (p *prelude) closeDir() {
	if p.dir != nil {
		p.dir.Close()
	}
}

// mostSaid is how much of what is said there is kept: more than a path has.
const mostSaid = 64 << 10

// where returns where the shell has said it is.
func (p *prelude) where() string {
	if p.dir == nil {
		return ""
	}
	var said []byte
	drain(p.dir, make([]byte, 4096), func(b []byte) {
		said = append(said, b...)
		said = said[max(0, len(said)-mostSaid):]
	})
	i := strings.LastIndex(string(said), p.word)
	text, whole := strings.CutSuffix(string(said), "\n")
	if i < 0 || !whole {
		return ""
	}
	return text[i+len(p.word):]
}
