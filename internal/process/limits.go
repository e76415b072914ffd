package process

// Limits are those of a command and of each process that it starts, for itself.
type Limits struct {
	FileSize int64 // of each file that it writes to, in bytes; zero for no limit
}

func (l Limits) any() bool { return l.FileSize > 0 }
