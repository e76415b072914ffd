// Package state keeps files for commands in a directory of the host program's
// user: in directories that nobody else may enter, that are removed when their
// owner is done with them and, if it was killed, when the next one comes.
//
// Each such directory is locked by the process it belongs to. The lock goes with
// the process, however that ends, so what is not locked has no owner any more.
// Programs on several machines may share a root in a file system that shares
// locks, too.
package state

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// prefix begins the names of the directories of NewDir. Nothing else is ever
	// swept: the root may be a directory in which somebody keeps other things.
	prefix = "run-"
	// lockName is the file in each that its owner has locked.
	lockName = "lock"
)

// A Root is where directories are made. It is safe for concurrent use.
type Root struct{ path string }

// Open returns the root at path, an absolute path, which is made when it is
// missing. It fails unless a directory can be made and locked in it, when
// others than this user may write to it, and when somebody else could put
// another directory in its place. What processes left there that are gone is
// removed.
func Open(path string) (*Root, error) {
	if strings.ContainsFunc(path, unicode.IsControl) || !utf8.ValidString(path) {
		return nil, fmt.Errorf("%q has characters that would not be shown as they are", path)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	r := &Root{path}
	if err := r.check(); err != nil {
		return nil, err
	}
	r.sweep()
	d, err := r.NewDir() // whether it can be done is seen by doing it
	if err != nil {
		return nil, err
	}
	d.Remove() // if not, the next one will
	return r, nil
}

// check fails unless the root is this user's alone.
func (r *Root) check() error {
	info, err := os.Lstat(r.path)
	if err != nil {
		return err
	}
	if wrong := foreign(info); wrong != "" {
		return fmt.Errorf("%s %s", r.path, wrong)
	}
	for dir := r.path; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		if info, err = os.Lstat(dir); err != nil {
			return err
		}
		if wrong := foreignAbove(info); wrong != "" {
			return fmt.Errorf("%s is below %s, which %s", r.path, dir, wrong)
		}
	}
	return nil
}

// A Dir is a directory only this user may enter. It is safe for concurrent use.
type Dir struct {
	path string
	lock *os.File
}

// NewDir makes a directory. It must be removed.
func (r *Root) NewDir() (*Dir, error) {
	var err error
	for range 100 {
		path := filepath.Join(r.path, prefix+random())
		err = os.Mkdir(path, 0o700)
		if errors.Is(err, fs.ErrNotExist) { // the root was removed
			if err = os.MkdirAll(r.path, 0o700); err == nil {
				err = r.check()
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		var lock *os.File
		if lock, err = tryLock(path); err == nil {
			return &Dir{path, lock}, nil
		}
		os.RemoveAll(path)
		if !errors.Is(err, errLocked) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		time.Sleep(time.Millisecond) // somebody sweeps and had it first
	}
	return nil, err
}

// NewFolder makes a directory that is nobody's to remove: it stays until the user of this program removes it.
func (r *Root) NewFolder(prefix string) (path string, err error) {
	path = filepath.Join(r.path, prefix+random())
	if err = os.Mkdir(path, 0o700); errors.Is(err, fs.ErrNotExist) { // the root was removed
		if err = os.MkdirAll(r.path, 0o700); err == nil {
			err = r.check()
		}
		if err == nil {
			err = os.Mkdir(path, 0o700)
		}
	}
	return path, err
}

// sweepTime bounds how long Open sweeps. What is left the next one sweeps.
const sweepTime = 2 * time.Second

// sweep removes the directories of processes that are gone.
func (r *Root) sweep() {
	deadline := time.Now().Add(sweepTime)
	entries, err := os.ReadDir(r.path)
	if err != nil {
		return
	}
	root, err := os.OpenRoot(r.path)
	if err != nil {
		return
	}
	defer root.Close()
	for _, e := range entries {
		if time.Now().After(deadline) {
			return
		}
		id, ok := strings.CutPrefix(e.Name(), prefix)
		if b, err := hex.DecodeString(id); !ok || err != nil || hex.EncodeToString(b) != id || len(b) != randomBytes || !e.IsDir() {
			continue
		}
		info, err := e.Info()
		if err != nil || !own(info) {
			continue
		}
		path := filepath.Join(r.path, e.Name())
		if info.Mode().Perm() != 0o700 { // a command has changed it
			root.Chmod(e.Name(), 0o700)
		}
		lock, err := tryLock(path)
		if err != nil {
			continue
		}
		// Its owner may only just be about to lock it: under another name it does
		// not find it, and makes another, instead of one that is being removed.
		if gone := filepath.Join(r.path, prefix+random()); removesOpen && os.Rename(path, gone) == nil {
			path = gone
		}
		(&Dir{path, lock}).Remove()
	}
}

// errLocked says that a directory has an owner.
var errLocked = errors.New("locked by another process")

// tryLock locks the directory at path, without waiting.
func tryLock(path string) (*os.File, error) {
	name := filepath.Join(path, lockName)
	f, err := openLock(name)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	// It may have been removed between the two.
	locked, err := f.Stat()
	named, err2 := os.Lstat(name)
	if err := errors.Join(err, err2); err != nil || !os.SameFile(locked, named) {
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: path, Err: fs.ErrNotExist}
	}
	return f, nil
}

// Create makes a file with a name that cannot be guessed, for this user alone.
func (d *Dir) Create() (*os.File, error) {
	return os.OpenFile(filepath.Join(d.path, random()+".txt"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// Remove removes the directory with all that is in it.
func (d *Dir) Remove() error {
	if !removesOpen {
		d.lock.Close() // its owner does not come back for it
	}
	defer d.lock.Close() // nobody else is to begin with it
	err := os.RemoveAll(d.path)
	if err == nil {
		return nil
	}
	// A command may have made directories that cannot be changed, some systems
	// cannot remove what somebody is looking at, and some file systems lack what
	// RemoveAll uses.
	if root, err := os.OpenRoot(filepath.Dir(d.path)); err == nil { // which follows no link out of it
		yield(root, filepath.Base(d.path), 0)
		root.Close()
	}
	for range 10 {
		if err = os.RemoveAll(d.path); err == nil {
			return nil
		}
		if entries, err := os.ReadDir(d.path); err == nil {
			for _, e := range entries {
				os.Remove(filepath.Join(d.path, e.Name()))
			}
		}
		if err = os.Remove(d.path); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// maxDepth is how deep yield goes: each level holds a descriptor.
const maxDepth = 100

// yield gives this user the directory dir of parent back, and those in it.
func yield(parent *os.Root, dir string, depth int) {
	parent.Chmod(dir, 0o700)
	root, err := parent.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close()
	f, err := root.Open(".")
	if err != nil {
		return
	}
	entries, _ := f.ReadDir(-1)
	f.Close()
	for _, e := range entries {
		if e.IsDir() && depth < maxDepth {
			yield(root, e.Name(), depth+1)
		}
	}
}

const randomBytes = 8

func random() string {
	var b [randomBytes]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
