package tool

import (
	"log/slog"
	"runtime"
	"time"

	"github.com/einoshell/einoshell/internal/environ"
	"github.com/einoshell/einoshell/internal/policy"
)

// What zero fields of a Config mean.
const (
	// DefaultTimeout is what pydantic-ai-harness and pi-spring-ai give a
	// command.
	DefaultTimeout = 30 * time.Second
	// DefaultMaxTimeout is the most that a model may ask for: the longest wait
	// that the field's tools (Claude Code) grant.
	DefaultMaxTimeout = 10 * time.Minute
	// DefaultKillGrace is pydantic-ai-harness's time between asking a command
	// to end and ending it.
	DefaultKillGrace = 2 * time.Second
	// DefaultMaxCommandBytes holds any script a model writes by hand, and a
	// here-document with a large file.
	DefaultMaxCommandBytes = 1 << 20
	// DefaultMaxOutputChars is pydantic-ai-harness's cap on a tool's result.
	DefaultMaxOutputChars = 50_000
	// DefaultMaxBackground is more than a model keeps an eye on.
	DefaultMaxBackground = 16
	// DefaultParkTTL is how long an interrupted run waits: a person who is asked for an approval answers within it,
	// or has gone away.
	DefaultParkTTL = time.Hour
	// DefaultSpillBytes is what Default gives SpillBytes: any log a person or a
	// model would search, and eight of them fit a small disk.
	DefaultSpillBytes = 64 << 20
)

// maxOutputChars bounds Config.MaxOutputChars: each running command may hold
// twelve bytes for each character of it.
const maxOutputChars = 64 << 20

// maxBackground bounds Config.MaxBackground: each command holds descriptors, and an end
// is to come in bounded time.
const maxBackground = 1000

// maxSpillBytes bounds Config.SpillBytes: more than a disk that fills in a day.
const maxSpillBytes = 1 << 40

// maxCommandBytes bounds Config.MaxCommandBytes: a running command holds its
// text, and events carry it.
const maxCommandBytes = 64 << 20

// DefaultDeniedCommands returns the names denied when Config.DeniedCommands
// is nil and Config.AllowedCommands is empty. mkfs stands for its family, mkfs.ext4
// and the like, too.
func DefaultDeniedCommands() []string { return policy.DefaultDenied(runtime.GOOS == "windows") }

// A Config says what a Shell may do. The zero Config is the safest: its shell
// is off. Start from Default for development.
//
// Of DeniedCommands nil means the built-in list, and a list that is not nil but
// empty means none; of the other lists both mean none.
type Config struct {
	// AllowShell switches the shell on. When it is false there are no tools,
	// and every way to run a command refuses.
	AllowShell bool

	// Dir is the directory commands run in. It must exist. A relative name is
	// resolved once, by New, and empty means the host's current directory.
	Dir string

	// Shell is the program, with its arguments, that reads a command, which is
	// added as one more argument. One string with spaces is split into words as a
	// shell would. Nil means /bin/sh -c, on Windows cmd.exe /d /c (which reads one
	// line, and whose /d keeps AutoRun commands out).
	//
	// The policy must know the language: sh, dash and ash are read both as dash and as bash
	// in its POSIX mode would, since sh may be either; bash, and on Windows cmd, powershell
	// and pwsh, as what they are. Another shell is an error.
	Shell []string

	// AllowedCommands names the only commands that may run, wherever they stand in
	// a text, builtins of the shell included. A name is compared as it is written, but
	// for its quotes (and on Windows for its case): ls is not ./ls. The absolute path of
	// the file that an allowed name stands for is allowed, too. Not empty, it replaces
	// the built-in DeniedCommands, and a text that sets PATH or the like is refused.
	// Empty means all that are not denied.
	AllowedCommands []string

	// DeniedCommands names commands that may not run, wherever they stand in a
	// text. A command is compared with its name, the last element of that, and where it
	// is a symbolic link with the last element of what it stands for. mkfs stands for
	// mkfs.ext4 and the like, too. Nil means DefaultDeniedCommands, unless
	// AllowedCommands is given. Both lists given is an error.
	DeniedCommands []string

	// DeniedOperators are operators of the shell that may not be used: > >> >| &> &>>
	// <> < << <<- <<< >& <& | |& || && & ; newline $( ` <( >( ( { and !. One stands for
	// those that do the same and more: > for all that open a file to write, < for all
	// that read, | for |&, ; for a newline, $( for backquotes, and the reverse. Copying a
	// descriptor (2>&1) is >& and <& only, and what is redirected to or from /dev/null
	// is none of them. On Windows they are those of cmd.exe, where ; stands for &, or of
	// PowerShell, and any other entry is a text that may not occur at all.
	DeniedOperators []string

	// AllowInteractive lets commands run that wait for a person at a terminal: vi, less,
	// ssh, sudo, git rebase -i and so on, unless they are told not to (sudo -n) or have
	// nothing to ask (less f | cat). There is no terminal either way.
	AllowInteractive bool

	// DynamicCommands says what happens to a text in which it is not known before it
	// runs what would run: a command named by a variable, text that is computed for a
	// shell, an option of a wrapper that is not understood. "deny" refuses it, which
	// empty means; "ask" wants an approval, which nobody can give yet, so that it
	// refuses, too; "allow" lets it run; "auto" allows it where commands are confined
	// and there is no list of allowed ones, and else refuses. (Nothing is confined yet.)
	DynamicCommands string

	// Guards says of each guard what becomes of a command in which it finds harm:
	// "destructive" looks for what loses data for good (rm -rf, git reset --hard, find -delete,
	// dd of=/dev/sda), "power" for what turns the machine off, "remote-script" for code from
	// the network, or from a decoder, that is run at once (curl … | sh), and "secrets" for
	// files with keys and passwords that are read (.env, .ssh/id_rsa), and for what prints the
	// whole environment. Nil means all four, each refusing what is certainly harm and wanting
	// an approval, which nobody can give yet, for the rest; otherwise a guard that is not
	// in the map is off.
	Guards map[string]GuardAction

	// Rules are the operator's own, see Rule. A rule that can have no effect is an error.
	Rules []Rule

	// ToolPolicy says of a tool, by its name, what becomes of its calls: ActionDeny takes the
	// tool away and refuses its calls, ActionAsk wants an approval for each, ActionAllow and
	// a tool that is not in it leave it to the rest of the policy.
	ToolPolicy map[string]Action

	// Tools names the tools that models get: run_command, start_command, check_command and
	// stop_command, and, only where they are named here, list_commands, send_input and shell. What is
	// for commands in the background needs start_command; check_command and stop_command are for those of shell, too.
	// shell runs commands that may outlive the Run and the program. It needs Linux, setsid(1) and mv(1), a
	// StateDir, which keeps a folder for each command that nobody here removes, and a Timeout of 270 seconds at most.
	// Where a model may not run kill, stop_command is offered with it.
	// With send_input start_command can give a command something to read on standard input.
	// Nil means the first four. Their order is always the same.
	Tools []string

	// PersistDir has a command run where the one before it in its Run was when it exited with 0: a
	// cd lasts. It is the shell that says so at its end; not when the command has replaced it (exec), and
	// not when the text has a trap in it. Of several commands at a time the one that ends
	// last counts, commands in the background begin there and move nothing, and a Run begins in its own directory. Once the directory
	// is gone, the next command is refused, and those after it run where the Run began. It needs a Shell that
	// ends in -c; on Windows it is an error.
	PersistDir bool

	// MaxFileBytes is how large a file may become that a command writes to, each for itself, in bytes. One that
	// goes on writing is ended by SIGXFSZ, or told EFBIG when it ignores that, with the file at this size.
	// Zero means no limit, but for that of the program itself, which is never widened. The file with the output of a command
	// in the background has no more either, and none dumps core. It is not a quota: there may be any number of files. It
	// needs Linux and a Shell that ends in -c; elsewhere it is an error.
	MaxFileBytes int64

	// MaxBackground is how many commands of one Run may be in the background at a time, and beside them how many
	// of the shell tool that it has started.
	// Zero means DefaultMaxBackground. Each costs what MaxOutputChars says, the last 64 that
	// have ended as much as they have printed of that.
	MaxBackground int

	// Timeout is the time a command has when its call names none. Zero means
	// DefaultTimeout, or MaxTimeout when that is shorter.
	Timeout time.Duration

	// MaxTimeout is the most a call may ask for; a call that asks for more gets
	// this, and its result says so. Zero means DefaultMaxTimeout.
	MaxTimeout time.Duration

	// KillGrace is how long a command has between SIGTERM and SIGKILL when it
	// is ended. Zero means DefaultKillGrace. On Windows, which has no signals, it
	// has no meaning.
	KillGrace time.Duration

	// MaxCommandBytes is how long a command may be. Zero means
	// DefaultMaxCommandBytes. With a Shell whose last
	// argument is not -c, no more than 131070 bytes can be passed, and on Windows no
	// more than 7899.
	MaxCommandBytes int

	// MaxOutputChars is how many characters (Unicode code points) the result of
	// a tool may have. Of longer results the end is kept, behind a marker that
	// counts too. Zero means DefaultMaxOutputChars. A running command holds at
	// most about twelve times as many bytes, and half a megabyte.
	MaxOutputChars int

	// SpillBytes is how much of the output of a command is kept in a file, from
	// its beginning, when the result has no room for all of it. The result names
	// the file, if MaxOutputChars has room for its name. Zero means that none is
	// kept. All files of a Run, with those that are being written, have at most
	// eight times as many bytes: the oldest go first. All go when the Run is
	// closed, and when the program was killed, with the next New that has the
	// same StateDir.
	SpillBytes int64

	// StateDir is where those files, and what commands of the shell tool print, are kept, in directories that only the
	// user of the program may enter. It is made when it is missing; it must belong
	// to that user, others may not write to it, and it must not be below a
	// directory that belongs to anybody but that user and root or that everybody
	// may write to (but for what is others', as in /tmp). Hosts on several machines may share one only in a file system
	// whose locks they share. Empty means a folder for
	// einoshell in the user's folder for state: $XDG_STATE_HOME or ~/.local/state,
	// ~/Library/Application Support on macOS, %LocalAppData% on Windows. It is an
	// error when there is none, or it cannot be written to. It has no meaning when
	// SpillBytes is zero and there is no shell tool.
	StateDir string

	// ParkTTL is how long a Run waits after Park for NewRun to go on with it, and its commands in the background
	// run, before it is closed. Zero means DefaultParkTTL.
	ParkTTL time.Duration

	// ResultFormat is what the tools return to a model: text, which empty means,
	// or json, one object with a field for everything. What a command prints can
	// imitate the rest of a text, and not of an object.
	ResultFormat string

	// Env is the environment of commands.
	Env EnvConfig

	// Logger receives what the host should know and no caller is told: a
	// listener that panicked, output that could not be kept in a file, the names of
	// variables that commands do not get. Nil means slog.Default.
	Logger *slog.Logger
}

// Default returns a Config for development: commands run in dir, with the
// host's environment but for secrets and what has programs run others, and long output is
// kept in files in the user's folder for state. See the package comment for what that means.
func Default(dir string) Config {
	return Config{
		AllowShell: true,
		Dir:        dir,
		SpillBytes: DefaultSpillBytes,
		Env:        EnvConfig{Inherit: string(environ.InheritAll), NonInteractive: true},

		DynamicCommands: string(policy.DynamicAuto),
	}
}

// A FieldError is one fault of a Config. The error of New joins all of them.
type FieldError struct {
	Field  string // the name of the field, Env.Set for a nested one
	Reason string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Reason }
