//go:build !linux

package process

import (
	"context"
	"errors"
	"runtime"
	"time"
)

// SessionsSupported says why StartSession does not work here: what outlives this program could not be
// found again to be ended.
func SessionsSupported() error {
	return errors.New("commands that outlive the program are not supported on " + runtime.GOOS)
}

// A Session would be a process that outlives this program.
type Session struct{}

// StartSession fails.
func StartSession(context.Context, SessionSpec) (*Session, error) { return nil, SessionsSupported() }

func (*Session) PID() int                     { return 0 }
func (*Session) Exited() <-chan struct{}      { return nil }
func (*Session) Exit() (code int, known bool) { return 0, false }
func (*Session) Occupied() bool               { return false }
func (*Session) EndOthers(time.Duration) bool { return false }
func (*Session) Kill() bool                   { return false }
func (*Session) Reap()                        {}

// Begun knows nothing here.
func Begun(int) (begun uint64, running bool) { return 0, false }

// EndOne ends nothing here.
func EndOne(int, uint64, time.Duration) (left bool) { return false }

// Leads knows nothing here.
func Leads(int) bool { return false }
