//go:build unix && !linux

package process

import "os"

// fionread is _IOR('f', 127, int), the same number on every BSD and on darwin.
const fionread = 0x4004667f

func growPipe(*os.File) {} // the system sizes pipes by itself

func newPipe() (r, w *os.File, err error) { return os.Pipe() }
func openNull() (*os.File, error)         { return os.Open(os.DevNull) }
