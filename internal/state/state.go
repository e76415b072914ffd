// Package state keeps files for commands in a directory of the host program's
// user: in directories that nobody else may enter, that are removed when their
// owner is done with them and, if it was killed, when the next one comes.
//
// Each such directory is locked by the process it belongs to. The lock goes with
// the process, however that ends, so what is not locked has no owner any more.
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
)

// prefix begins the names of the directories of NewDir. Nothing else is ever
// swept: the root may be a directory in which somebody keeps other things.
const prefix = "run-"

// A Root is where directories are made. It is safe for concurrent use.
type Root struct{ path string }

// Open returns the root at path, an absolute path, which is made when it is
// missing. It fails unless a directory can be made and locked in it, and when
// others than this user may write to it. What processes left there that are gone
// is removed.
func Open(path string) (*Root, error) {
	r := &Root{path}
	if err := r.make(); err != nil {
		return nil, err
	}
	r.sweep()
	d, err := r.NewDir() // whether it can be done is seen by doing it
	if err != nil {
		return nil, err
	}
	return r, d.Remove()
}

func (r *Root) make() error {
	if err := os.MkdirAll(r.path, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(r.path)
	if err != nil {
		return err
	}
	if wrong := foreign(info); wrong != "" {
		return fmt.Errorf("%s %s", r.path, wrong)
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
	for range 10 {
		path := filepath.Join(r.path, prefix+random())
		err = os.Mkdir(path, 0o700)
		if errors.Is(err, fs.ErrNotExist) { // the root was removed
			if err = r.make(); err != nil {
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
		// Somebody sweeps and had it first.
		os.RemoveAll(path)
	}
	return nil, err
}

// sweep removes the directories of processes that are gone.
func (r *Root) sweep() {
	entries, err := os.ReadDir(r.path)
	if err != nil {
		return
	}
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), prefix)
		if b, err := hex.DecodeString(id); !ok || err != nil || len(b) != randomBytes || !e.IsDir() {
			continue
		}
		info, err := e.Info()
		if err != nil || foreign(info) != "" {
			continue
		}
		path := filepath.Join(r.path, e.Name())
		if lock, err := tryLock(path); err == nil {
			(&Dir{path, lock}).Remove()
		}
	}
}

// Create makes a file with a name that cannot be guessed, for this user alone.
func (d *Dir) Create() (*os.File, error) {
	return os.OpenFile(filepath.Join(d.path, random()+".txt"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// Remove removes the directory with all that is in it.
func (d *Dir) Remove() error {
	err := removeLocked(d.path, d.lock)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

const randomBytes = 8

func random() string {
	var b [randomBytes]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
