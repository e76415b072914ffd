//go:build !unix

package state

import (
	"io/fs"
	"os"
)

// removesOpen says that what is open can be removed.
const removesOpen = false

// foreign says why the root or a directory in it cannot be used. Whose it is
// cannot be told from its mode here; a user's folders are the user's alone
// unless somebody has changed that.
func foreign(info fs.FileInfo) string {
	if !info.IsDir() {
		return "is not a directory"
	}
	return ""
}

func own(info fs.FileInfo) bool { return info.IsDir() }

func foreignAbove(fs.FileInfo) string { return "" }

func openLock(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
}
