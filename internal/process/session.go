package process

import "os"

// A SessionSpec says what StartSession starts.
type SessionSpec struct {
	Path string   // the program's absolute path
	Args []string // with its name
	Dir  string   // absolute
	Env  []string // the whole environment, each name once
	Mark string   // as in Spec
	// Files are its descriptors from 3 on; nil for none. Those below are the null device.
	Files []*os.File
}
