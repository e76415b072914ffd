//go:build unix

package policy

import "golang.org/x/sys/unix"

// isProgram tells whether a file may be executed. It is asked for each name and directory
// of the PATH, so that it should cost no more than the call.
func isProgram(file string) bool {
	var st unix.Stat_t
	return unix.Stat(file, &st) == nil && uint32(st.Mode)&unix.S_IFMT == unix.S_IFREG && st.Mode&0o111 != 0
}

// isLink tells whether a file is a symbolic link.
func isLink(file string) bool {
	var st unix.Stat_t
	return unix.Lstat(file, &st) == nil && uint32(st.Mode)&unix.S_IFMT == unix.S_IFLNK
}
