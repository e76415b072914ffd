package job

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/einoshell/einoshell/internal/process"
)

// The files in the folder of a supervised command.
const (
	LogName    = "output.log"
	StatusName = "status.json"
	statusTemp = "status.tmp"
	statusOld  = "status.old" // what stood in its place
)

// The descriptors by which the command says that it is there, and waits until it may begin.
// Before it does it closes them.
const (
	gateFD  = 8
	readyFD = 9
)

// supervisor is the shell that waits for the command and publishes how it has ended. It sets no variable
// before that: one that is exported would be the command's, too. The command is
// run in the foreground, since what a shell runs in the background ignores SIGINT for ever, and
// in a substitution, by which it says its number: the substitution ends with the command,
// as that has nothing of it open any more. (The traps, which are no command's, are for a pkill -f that means the command, whose
// text the supervisor has in its arguments, too, and for bash, which ends itself when what
// it waits for is ended by SIGINT. What the command has put in the way of the status is moved away: opening a FIFO would take for ever.) $1 is setsid, $2 the shell, $3 mv, $4 the folder, $5 inner, and
// the rest is the command.
const supervisor = `set +e; trap : HUP INT TERM USR1 USR2 PIPE ALRM; p=$("$1" "$2" -c "$5" "$2" "$@"); c=$?
case $p in '' | *[!0-9]*) exit "$c" ;; esac
umask 077
if [ -e "$4/` + statusTemp + `" ] || [ -h "$4/` + statusTemp + `" ]; then "$3" -f "$4/` + statusTemp + `" "$4/` + statusOld + `"; fi
printf '{"pid": %s, "exit_code": %s}\n' "$p" "$c" >"$4/` + statusTemp + `" && "$3" -f "$4/` + statusTemp + `" "$4/` + StatusName + `"
exit "$c"`

// inner becomes the command, in a session of its own. When the program ends before it has
// opened the gate, the command is not run.
const inner = `printf '%s\n' "$$"; exec >>"$4/` + LogName + `" 2>&1 </dev/null
printf '%s\n' "$$" >&9; read -r EINOSHELL_GATE <&8 || exit 125
unset EINOSHELL_GATE; exec 8<&- 9>&-; shift 5
`

// Tools are the programs that a supervisor is made of, by their absolute paths.
type Tools struct{ Sh, Setsid, Mv string }

// FindTools finds them. The error names what is missing.
func FindTools() (Tools, error) {
	if err := process.SessionsSupported(); err != nil {
		return Tools{}, err
	}
	t := Tools{Sh: "/bin/sh"}
	for name, path := range map[string]*string{"setsid": &t.Setsid, "mv": &t.Mv} {
		for _, candidate := range []string{name, "/usr/bin/" + name, "/bin/" + name} {
			if found, err := exec.LookPath(candidate); err == nil && filepath.IsAbs(found) {
				*path = found
				break
			}
		}
		if *path == "" {
			return Tools{}, fmt.Errorf("the program %s is missing", name)
		}
	}
	return t, nil
}

// A SupervisedSpec says what to supervise.
type SupervisedSpec struct {
	Tools
	Folder string // exists; the log and the status are put there
	// Args are the command: the path of its program, and all of its arguments.
	Args  []string
	Files []*os.File // its descriptors from 3 on, five at most
	Dir   string     // absolute
	Env   []string   // the whole environment, each name once
	Mark  string     // as in process.Spec
	// Before is shell text that is run right before the command, once Gate has returned.
	Before string
	// Gate is called with the number of the command before that begins. When it fails, nothing
	// begins. It may be nil.
	Gate func(pid int) error
}

// A Supervised is a command that outlives this program, with a shell that waits for it and publishes how it
// has ended. Nothing ends it that is not asked to. It is safe for concurrent use.
type Supervised struct {
	// Log is the file that the command prints to, open for reading. Whoever has it may close it.
	Log *os.File

	pid     int
	begun   uint64
	session *process.Session
	done    chan struct{}
	gone    chan struct{}
	ended   chan struct{} // has one in it when something was ended

	// Once done is closed:
	code  int
	known bool
	over  time.Time
}

// A SupervisorError says that the supervisor has ended before the command was there.
type SupervisorError struct {
	Code   int // -1 when it is not known
	Folder string
}

func (e *SupervisorError) Error() string {
	return fmt.Sprintf("Shell supervisor exited with %d; logs: %s", e.Code, e.Folder)
}

// ErrFolder says that nothing can be put into the folder of a command. It wraps the reason.
var ErrFolder = errors.New("the folder of the command")

// readyPatience is how long the command may take to be there.
const readyPatience = 30 * time.Second

// Supervise starts a command. Unless it fails, the first status is published when it returns,
// and the command begins. The error is a *SupervisorError, ErrFolder, that of ctx, that of Gate, or the
// operating system's; nothing is left running then.
func Supervise(ctx context.Context, spec SupervisedSpec) (s *Supervised, err error) {
	log, err := os.OpenFile(filepath.Join(spec.Folder, LogName), os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFolder, err)
	}
	var open []*os.File
	defer func() {
		for _, f := range open {
			f.Close()
		}
		if err != nil {
			log.Close()
		}
	}()
	gateR, gateW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	open = append(open, gateR, gateW)
	readyR, readyW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	open = append(open, readyR)
	files := make([]*os.File, readyFD-3+1)
	copy(files, spec.Files)
	files[gateFD-3], files[readyFD-3] = gateR, readyW

	args := []string{spec.Sh, "-c", supervisor, spec.Sh, spec.Setsid, spec.Sh, spec.Mv, spec.Folder, inner + spec.Before + `exec "$@"`}
	session, err := process.StartSession(ctx, process.SessionSpec{
		Path: spec.Sh, Args: append(args, spec.Args...), Dir: spec.Dir, Env: spec.Env, Mark: spec.Mark, Files: files,
	})
	readyW.Close() // what is read ends with the supervisor
	if err != nil {
		return nil, err
	}
	s = &Supervised{Log: log, session: session, done: make(chan struct{}), gone: make(chan struct{}), ended: make(chan struct{}, 1)}
	if err = s.begin(ctx, spec, readyR, gateW); err != nil {
		session.Kill()
		select {
		case <-session.Exited():
			session.Reap()
		default: // in the kernel's hands
		}
		return nil, err
	}
	go s.attend()
	return s, nil
}

// begin waits for the command, publishes the first status and lets it begin.
func (s *Supervised) begin(ctx context.Context, spec SupervisedSpec, ready, gate *os.File) error {
	ready.SetReadDeadline(time.Now().Add(readyPatience))
	defer context.AfterFunc(ctx, func() { ready.SetReadDeadline(time.Now()) })()
	line, err := bufio.NewReader(io.LimitReader(ready, 32)).ReadString('\n')
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, io.EOF) {
		<-s.session.Exited() // it has closed what is read, so it ends
		e := &SupervisorError{Code: -1, Folder: spec.Folder}
		if code, known := s.session.Exit(); known {
			e.Code = code
		}
		return e
	}
	if err != nil {
		return fmt.Errorf("the supervisor of a command does not begin: %w", err)
	}
	running := false
	if s.pid, err = strconv.Atoi(strings.TrimSuffix(line, "\n")); err == nil {
		s.begun, running = process.Begun(s.pid)
	}
	if !running || !process.Leads(s.pid) {
		return fmt.Errorf("the supervisor of a command says %q", line)
	}
	if spec.Gate != nil {
		if err := spec.Gate(s.pid); err != nil {
			return err
		}
	}
	temp := filepath.Join(spec.Folder, statusTemp)
	err = os.WriteFile(temp, []byte(s.status(nil)), 0o600)
	if err == nil {
		err = os.Rename(temp, filepath.Join(spec.Folder, StatusName))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFolder, err)
	}
	_, err = gate.WriteString("\n")
	return err
}

// attend keeps the supervisor from being a zombie. What the command has left behind can be
// ended only as long as it is one.
func (s *Supervised) attend() {
	defer close(s.gone)
	<-s.session.Exited()
	s.code, s.known = s.session.Exit()
	s.over = time.Now()
	close(s.done)
	for {
		begin := time.Now()
		if !s.session.Occupied() && !s.Alive() {
			break
		}
		timer := time.NewTimer(process.LingerPause(begin))
		select {
		case <-timer.C:
		case <-s.ended:
			timer.Stop()
		}
	}
	s.session.Reap()
}

// look has attend look now.
func (s *Supervised) look() {
	select {
	case s.ended <- struct{}{}:
	default:
	}
}

// status is what the status says.
func (s *Supervised) status(code *int) string {
	exit := "null"
	if code != nil {
		exit = strconv.Itoa(*code)
	}
	return fmt.Sprintf("{\"pid\": %d, \"exit_code\": %s}\n", s.pid, exit)
}

// Status is what is published, as far as this program knows: what the file says may be the command's
// own. It is one line.
func (s *Supervised) Status() string {
	if code, known := s.Exit(); known {
		return s.status(&code)
	}
	return s.status(nil)
}

// PID is the number of the command, of its process group and of its session.
func (s *Supervised) PID() int { return s.pid }

// Alive reports whether the command's own process runs: this one, and none that has its
// number now.
func (s *Supervised) Alive() bool {
	begun, running := process.Begun(s.pid)
	return running && begun == s.begun
}

// Done is closed when the supervisor has exited, which publishes how the command has ended before, unless
// somebody has killed it.
func (s *Supervised) Done() <-chan struct{} { return s.done }

// Over is when the supervisor has exited, and zero before.
func (s *Supervised) Over() time.Time {
	select {
	case <-s.done:
		return s.over
	default:
		return time.Time{}
	}
}

// Gone is closed when nothing of it runs any more.
func (s *Supervised) Gone() <-chan struct{} { return s.gone }

// Exit returns the exit code of the command as shells tell it, 128 and the number of a signal that has ended it.
// It is not known while it runs, and when the supervisor was killed.
func (s *Supervised) Exit() (code int, known bool) {
	select {
	case <-s.done:
		return s.code, s.known
	default:
		return 0, false
	}
}

// publishPatience is how long the supervisor may take to say how a command has ended.
const publishPatience = 5 * time.Second

// Stop ends the command and what it has started, also what it has left behind, and waits until that
// is published: SIGTERM, up to grace to go, SIGKILL. It reports whether something is left.
func (s *Supervised) Stop(grace time.Duration) (left bool) {
	left = s.session.EndOthers(grace)
	left = process.EndOne(s.pid, s.begun, grace) || left // what has hidden itself, when its supervisor is gone
	if !wait(s.done) {
		s.session.Kill() // it publishes nothing any more
		wait(s.done)
	}
	s.look()
	if !left {
		wait(s.gone)
	}
	return left
}

// Kill ends all of it at once, and publishes nothing.
func (s *Supervised) Kill() {
	s.session.Kill()
	process.EndOne(s.pid, s.begun, 0)
	s.look()
	wait(s.gone)
}

// wait waits for c, but for no longer than it may take, and reports whether it is closed.
func wait(c <-chan struct{}) bool {
	timer := time.NewTimer(publishPatience)
	defer timer.Stop()
	select {
	case <-c:
		return true
	case <-timer.C:
		return false
	}
}
