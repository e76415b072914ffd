//go:build unix

package policy

import "golang.org/x/sys/unix"

// isProgram tells whether a file may be executed, and whether it is a symbolic link. It is
// asked for each name and directory of the PATH, so that it should cost no more than the
// call: one where there is no such file, or no link.
func isProgram(file string) (is, link bool) {
	var st unix.Stat_t
	if unix.Lstat(file, &st) != nil {
		return false, false
	}
	if link = uint32(st.Mode)&unix.S_IFMT == unix.S_IFLNK; link && unix.Stat(file, &st) != nil {
		return false, true
	}
	return uint32(st.Mode)&unix.S_IFMT == unix.S_IFREG && st.Mode&0o111 != 0, link
}
