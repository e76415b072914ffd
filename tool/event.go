package tool

import "time"

// An Event tells what happens to a command: CommandStarted, CommandOutput,
// CommandFinished or CommandDenied, each sent as a value. Of each command there
// is one CommandStarted and one CommandFinished, in that order, with its output
// between them; of each refusal, which starts nothing, one CommandDenied.
//
// Command and Text were written by a model and by a command. Treat them as
// untrusted where they are shown: they may hold control sequences, markup and
// text made to look like something else.
type Event interface {
	// Head returns what all events have.
	Head() EventHead
	event()
}

// An EventHead is what all events have.
type EventHead struct {
	Tool      string    // name of the tool, or exec for (*Shell).Exec
	CallID    string    // Eino's id of the tool call; empty outside of one
	RunID     string    // id of the Run
	User      string    // whose Run it is, see RunOptions; may be empty
	Session   string    // likewise
	CommandID string    // id of the command, the same in all of its events
	Time      time.Time // when it happened
	Seq       int64     // grows from event to event of a Run; gaps are possible
}

// Head returns h.
func (h EventHead) Head() EventHead { return h }
func (EventHead) event()            {}

// CommandStarted says that a command runs.
type CommandStarted struct {
	EventHead
	Command    string
	Dir        string // absolute
	PID        int
	Timeout    time.Duration // zero in the background, where there is none
	Background bool
	Backend    string // what confines the command: none
}

// The streams of a CommandOutput.
const (
	Stdout = "stdout"
	Stderr = "stderr"
	// Combined is both in one, which the log of a command of the shell tool is. Events
	// have its first 16,000 bytes.
	Combined = "output"
)

// MaxEventText is the most bytes one CommandOutput carries, the size of
// pydantic-ai-harness's output events.
const MaxEventText = 4096

// CommandOutput carries what a command printed. The texts of one stream join
// to its whole output, except for what Dropped counts.
type CommandOutput struct {
	EventHead
	Stream string // Stdout, Stderr or Combined
	// Text is at most MaxEventText bytes of whole characters. Bytes that are
	// not UTF-8 have become U+FFFD; control sequences and characters are as the
	// command printed them. It is empty only when Dropped is not zero.
	Text string
	// Bytes is how many bytes of the stream Text stands for: not its length
	// where the command printed something that is not UTF-8.
	Bytes int
	// Dropped is how many bytes of this stream, before Text, are in no event:
	// the command printed more than can be shown live (a burst of 1 MiB, then
	// 16 MiB a second), or the listener was too slow.
	Dropped int64
}

// CommandFinished says how a command ended, and that nothing more comes of it. That of the shell tool comes when
// its call is over: the command may go on.
type CommandFinished struct {
	EventHead
	PID int
	// ExitCode is nil when there is none, see Result.
	ExitCode *int
	// Signal is the number of the signal that ended the command, or zero.
	Signal    int
	TimedOut  bool
	Cancelled bool // ended by its call, by stop_command, or with its Run or Shell
	Stopped   bool // by stop_command
	Duration  time.Duration

	Background bool

	StdoutBytes int64
	StderrBytes int64
	Truncated   bool // the result holds only a part of the output
	// TotalLines counts the lines of both streams; nil when not counted.
	TotalLines *int64

	NextDir    string // see Result
	OutputPath string // file with the output, if one is kept, see Result
	StatusPath string // file with the status, of the shell tool
	Limit      string // the limit that has ended the command, see Result
}

// CommandDenied says that a command was refused. Nothing was started.
type CommandDenied struct {
	EventHead
	Command string // empty when the arguments could not be read
	Kind    DenialKind
	Reason  string
	Rule    string
}
