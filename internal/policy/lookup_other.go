//go:build !unix

package policy

import "os"

// isProgram tells whether a file may be executed, as far as a shell of Unix is concerned.
func isProgram(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// isLink tells whether a file is a symbolic link.
func isLink(file string) bool {
	info, err := os.Lstat(file)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}
