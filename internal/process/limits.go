package process

// limits are those of a command and of each process that it starts, for itself.
type limits struct {
	fileSize int64 // of each file that it writes to, in bytes; zero for no limit
}

func (l limits) any() bool { return l.fileSize > 0 }
