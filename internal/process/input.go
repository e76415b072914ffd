package process

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// ErrNoInput says that a command reads nothing: it was started without Input, has
// closed it, or has ended.
var ErrNoInput = errors.New("the command reads no input")

// Send writes text to the standard input of a command that was started with Input. It
// waits for the command to read it until ctx is done: n is how much of it is on its way.
// It may be called while Wait waits, by several at a time.
func (p *Process) Send(ctx context.Context, text []byte) (n int, err error) {
	if p.input == nil {
		return 0, ErrNoInput
	}
	select {
	case p.sending <- struct{}{}:
	case <-ctx.Done():
		return 0, nil
	}
	defer func() { <-p.sending }()
	defer context.AfterFunc(ctx, func() { p.input.SetWriteDeadline(time.Now()) })()
	for n < len(text) {
		// (One that was before may only now set the deadline that was for it.)
		if p.input.SetWriteDeadline(time.Time{}) != nil {
			return n, ErrNoInput // closed
		}
		if ctx.Err() != nil {
			return n, nil
		}
		some, err := p.input.Write(text[n:])
		n += some
		switch {
		case err == nil || errors.Is(err, os.ErrDeadlineExceeded):
		case errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed):
			return n, ErrNoInput
		default:
			return n, err
		}
	}
	return n, nil
}

// CloseInput ends the standard input of the command. The error is ErrNoInput when there is
// none any more.
func (p *Process) CloseInput() error {
	if p.input == nil || p.input.Close() != nil {
		return ErrNoInput
	}
	return nil
}

// openInput returns what a command reads from and, where that is not the null device,
// what is written to for it.
func openInput(pipe bool) (in, input *os.File, err error) {
	if pipe {
		return os.Pipe()
	}
	in, err = openNull()
	return in, nil, err
}
