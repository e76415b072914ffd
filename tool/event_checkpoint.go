package tool

import (
	"encoding/json"

	"github.com/cloudwego/eino/schema"
)

// Events can stand in the event stream of an ADK agent, which Eino saves in checkpoints: that knows values only by
// names, which must not change any more. What a command printed is not saved: of a CommandOutput its Bytes are, as Dropped.
func init() {
	schema.RegisterName[CommandStarted]("einoshell_command_started")
	schema.RegisterName[CommandOutput]("einoshell_command_output")
	schema.RegisterName[CommandFinished]("einoshell_command_finished")
	schema.RegisterName[CommandDenied]("einoshell_command_denied")
}

// GobEncode and GobDecode go through JSON, since gob makes nothing of a pointer to zero, which an exit
// code may be, and describes its types anew in front of each event.

// GobEncode is for checkpoints.
func (e CommandStarted) GobEncode() ([]byte, error) { return json.Marshal(e) }

// GobDecode is for checkpoints.
func (e *CommandStarted) GobDecode(b []byte) error { return json.Unmarshal(b, e) }

// GobEncode is for checkpoints. It leaves the text out.
func (e CommandOutput) GobEncode() ([]byte, error) {
	e.Dropped += int64(e.Bytes)
	e.Bytes, e.Text = 0, ""
	return json.Marshal(e)
}

// GobDecode is for checkpoints.
func (e *CommandOutput) GobDecode(b []byte) error { return json.Unmarshal(b, e) }

// GobEncode is for checkpoints.
func (e CommandFinished) GobEncode() ([]byte, error) { return json.Marshal(e) }

// GobDecode is for checkpoints.
func (e *CommandFinished) GobDecode(b []byte) error { return json.Unmarshal(b, e) }

// GobEncode is for checkpoints.
func (e CommandDenied) GobEncode() ([]byte, error) { return json.Marshal(e) }

// GobDecode is for checkpoints.
func (e *CommandDenied) GobDecode(b []byte) error { return json.Unmarshal(b, e) }
