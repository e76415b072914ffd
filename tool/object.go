package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/einoshell/einoshell/internal/output"
)

// The values of Config.ResultFormat.
const (
	formatText = "text"
	formatJSON = "json"
)

// minObjectChars is the least MaxOutputChars that has room for an object with
// all its fields and the beginning of a command and of an error.
const minObjectChars = 1000

// An object is a result as JSON: the fields of PRX and of pi-spring-ai.
type object struct {
	Success          bool   `json:"success"`
	Retryable        bool   `json:"retryable"` // the command was not run, and another may be
	Command          string `json:"command"`
	CommandID        string `json:"command_id,omitempty"` // of one in the background
	Status           Status `json:"status,omitempty"`     // likewise
	WorkingDirectory string `json:"working_directory"`
	NextDirectory    string `json:"next_directory,omitempty"` // with PersistDir
	ExitCode         *int   `json:"exit_code"`
	Signal           *int   `json:"signal"`
	TimedOut         bool   `json:"timed_out"`
	Cancelled        bool   `json:"cancelled"`
	DurationMillis   int64  `json:"duration_millis"`
	Stdout           string `json:"stdout"`
	Stderr           string `json:"stderr"`
	Output           string `json:"output"`
	Error            string `json:"error"`
	Note             string `json:"note"`
	StdoutBytes      int64  `json:"stdout_bytes"`
	StderrBytes      int64  `json:"stderr_bytes"`
	StdoutTruncated  bool   `json:"stdout_truncated"`
	StderrTruncated  bool   `json:"stderr_truncated"`
	OutputTruncated  bool   `json:"output_truncated"`
	OutputPath       string `json:"output_path"`
	OutputPathBytes  int64  `json:"output_path_bytes"`
	PID              int    `json:"pid,omitempty"`         // of one of the shell tool
	StatusPath       string `json:"status_path,omitempty"` // likewise
	Sandbox          string `json:"sandbox"`
	Limit            string `json:"limit"`
}

// object returns r as a JSON object of at most limit characters, and whether
// output had to be left out of it.
func (r *Result) object(limit int) (string, bool) {
	o := object{
		Success:          r.ExitCode != nil && *r.ExitCode == 0 && !r.TimedOut && !r.Cancelled,
		Command:          r.Command,
		WorkingDirectory: r.Dir,
		NextDirectory:    r.NextDir,
		ExitCode:         r.ExitCode,
		TimedOut:         r.TimedOut,
		Cancelled:        r.Cancelled,
		DurationMillis:   r.Duration.Milliseconds(),
		Note:             r.Note,
		StdoutBytes:      r.StdoutBytes,
		StderrBytes:      r.StderrBytes,
		OutputPath:       r.OutputPath,
		OutputPathBytes:  r.OutputPathBytes,
		Sandbox:          r.Backend,
		Limit:            r.Limit,
	}
	if r.persistent {
		o.Status, o.PID, o.StatusPath = r.Status, r.PID, r.StatusPath
		o.Success = r.Status != StatusFinished || o.Success
		o.Note = notes(o.Note, r.howToStop)
	} else if utf8.RuneCountInString(encode(o.OutputPath)) > limit/8 { // a part of it is of no use
		o.OutputPath, o.OutputPathBytes = "", 0
	}
	if r.Signal != 0 {
		o.Signal = &r.Signal
	}
	if r.checked {
		o.CommandID, o.Status = r.CommandID, r.Status
		o.Success = o.Success || r.Status != StatusFinished
	}
	switch {
	case o.Success:
	case r.TimedOut:
		o.Error = fmt.Sprintf("The command timed out after %ss.", seconds(r.Timeout))
	case r.Cancelled:
		o.Error = "The command was cancelled."
	case r.Signal != 0:
		o.Error = fmt.Sprintf("The command was ended by signal %d.", r.Signal)
	case r.ExitCode == nil:
		o.Error = "How the command ended is not known."
	case *r.ExitCode != 0:
		o.Error = fmt.Sprintf("The command ended with exit code %d.", *r.ExitCode)
	}
	if r.hint != "" {
		o.Error += " " + strings.Trim(r.hint, "[]")
	}
	// The same number of characters of each, as many as fit. They are cut
	// before they are encoded: what is cut after it is no object any more.
	text := ""
	longest := max(utf8.RuneCountInString(r.Stdout), utf8.RuneCountInString(r.Stderr), utf8.RuneCountInString(r.Output))
	fits := func(n int) bool {
		o.Stdout, o.Stderr, o.Output = output.Last(r.Stdout, n), output.Last(r.Stderr, n), output.Last(r.Output, n)
		o.StdoutTruncated = r.StdoutTruncated || len(o.Stdout) < len(r.Stdout)
		o.StderrTruncated = r.StderrTruncated || len(o.Stderr) < len(r.Stderr)
		o.OutputTruncated = r.OutputTruncated || len(o.Output) < len(r.Output)
		var ok bool
		text, ok = o.encode(limit)
		return ok
	}
	if !fits(longest) {
		fits(sort.Search(min(longest, limit), func(n int) bool { return !fits(n + 1) }))
	}
	return text, o.StdoutTruncated || o.StderrTruncated || o.OutputTruncated
}

// object returns the refusal as a JSON object of at most limit characters.
func (e *DeniedError) object(dir string, limit int) string {
	o := object{Retryable: true, Command: e.command, WorkingDirectory: dir, Error: e.Error(), Sandbox: backendNone}
	if e.nothing {
		o.Error = e.Reason
	}
	text, _ := o.encode(limit)
	return text
}

// encode returns o as JSON, and whether it has at most limit characters. What
// the model knows already, and an error that is long, is shortened for that.
func (o object) encode(limit int) (string, bool) {
	for _, s := range []*string{&o.Command, &o.WorkingDirectory, &o.NextDirectory, &o.Error, &o.Note} {
		*s = shorten(*s, limit/8)
	}
	text := encode(o)
	return text, utf8.RuneCountInString(text) <= limit
}

// shorten cuts s so that it takes about n characters in JSON.
func shorten(s string, n int) string {
	short := output.First(s, n)
	for utf8.RuneCountInString(encode(short)) > n+2 { // the quotes
		short = output.First(short, utf8.RuneCountInString(short)*3/4)
	}
	if len(short) < len(s) {
		short += "…"
	}
	return short
}

// encode returns v as JSON, with no more escapes than needed.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings, numbers and booleans can be encoded
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte{'\n'}))
}
