//go:build unix && !linux

package process

import "os"

// anonymous returns a file in the temporary directory that has no name any more.
func anonymous() (*os.File, error) {
	f, err := os.CreateTemp("", "einoshell-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
