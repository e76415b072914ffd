// Package tool gives agents built on Eino a shell: tools that run commands
// under a policy, with limits, and with events that show what happens while it
// happens. Since every Eino program already has Eino's package tool, import
// this one under another name:
//
//	import shelltool "github.com/einoshell/einoshell/tool"
//
//	sh, err := shelltool.New(ctx, shelltool.Default("./workspace"))
//	if err != nil { … }
//	defer sh.Close()
//	… compose.ToolsNodeConfig{Tools: sh.Tools()} …
//
// Package adapter joins a Shell to Eino's runtimes and delivers its events.
//
// # What a command is kept from
//
// It gets no terminal, and nothing on standard input but what send_input sends. It ends when
// its time is up, when the call is cancelled and when its Run or Shell is closed, and what
// it started ends with it. A command in the background, started by start_command, has no time
// limit and outlives its call: it ends with its Run, if it is not stopped before. Only a command of the shell tool, which
// has to be asked for, goes on when Run, Shell and program have ended. What a command
// prints costs a fixed amount of memory, however much it is. Secrets that are known from the
// host's environment are not in it.
//
// # What a command is not kept from
//
// There is no sandbox yet: a command can do whatever the user of the host
// program can do. The policy finds the commands in a text as the shell would, and judges
// them by their words: it does not know what a program does, so that it guards against accidents
// and stops nobody who tries. A process that goes into
// a session of its own, lets its parents die and clears its environment cannot
// be found and outlives all of the endings above (not on Windows); on macOS
// programs that come with the system need not clear it, and on the BSDs every
// process does that leaves its group. Secrets are not handed on in the environment, but a
// command can read that of the host program itself, and every file of its user; what
// is no secret by its name or its form is not known to be one (see SecretPatterns). Default keeps
// long output in files until
// the Run is closed. Output and command text come from
// the command and the model: never render them where they could act, as HTML or
// on a terminal without removing control sequences.
package tool
