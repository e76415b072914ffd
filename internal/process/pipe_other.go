//go:build !unix

package process

import "os"

func newPipe() (r, w *os.File, err error) { return os.Pipe() }
func openNull() (*os.File, error)         { return os.Open(os.DevNull) }

func growPipe(*os.File)            {}
func drain(*os.File, []byte, Sink) {}
