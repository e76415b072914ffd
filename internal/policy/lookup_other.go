//go:build !unix

package policy

import "os"

// isProgram tells whether a file may be executed, as far as a shell of Unix is concerned, and
// whether it is a symbolic link.
func isProgram(file string) (is, link bool) {
	info, err := os.Lstat(file)
	if err != nil {
		return false, false
	}
	if link = info.Mode()&os.ModeSymlink != 0; link {
		if info, err = os.Stat(file); err != nil {
			return false, true
		}
	}
	return info.Mode().IsRegular(), link
}
