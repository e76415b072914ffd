//go:build !unix

package process

import "os"

func growPipe(*os.File)            {}
func drain(*os.File, []byte, Sink) {}
