//go:build !linux

package process

import (
	"errors"
	"runtime"
)

// LimitsSupported says why limits cannot be set here.
func LimitsSupported() error {
	return errors.New("limits are not supported on " + runtime.GOOS)
}

// FileSizeSignal is no number of a signal here.
const FileSizeSignal = -1

// Set sets none.
func (l Limits) Set(int) error { return LimitsSupported() }
