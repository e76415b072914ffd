package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/cloudwego/eino/adk/filesystem"
)

// files are the files of one directory, for the file tools of a DeepAgent. They do not leave it, also not by links.
type files struct {
	dir  string
	root *os.Root
}

var _ filesystem.Backend = files{}

// in returns the name of a file below the directory.
func (f files) in(name string) (string, error) {
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(f.dir, name)
		if err != nil {
			return "", err
		}
		name = rel
	}
	name = path.Clean(filepath.ToSlash(name))
	if name != "." && !fs.ValidPath(name) {
		return "", fmt.Errorf("%s is not in %s", name, f.dir)
	}
	return name, nil
}

// read returns what is in a file, and its name below the directory.
func (f files) read(file string) (name, text string, err error) {
	if name, err = f.in(file); err != nil {
		return "", "", err
	}
	b, err := f.root.ReadFile(name)
	return name, string(b), err
}

func (f files) info(name string, d fs.DirEntry) filesystem.FileInfo {
	info := filesystem.FileInfo{Path: filepath.Join(f.dir, name), IsDir: d.IsDir()}
	if i, err := d.Info(); err == nil {
		info.Size, info.ModifiedAt = i.Size(), i.ModTime().UTC().Format(time.RFC3339)
	}
	return info
}

func (f files) LsInfo(_ context.Context, r *filesystem.LsInfoRequest) (list []filesystem.FileInfo, err error) {
	name, err := f.in(r.Path)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(f.root.FS(), name)
	for _, d := range entries {
		list = append(list, f.info(path.Join(name, d.Name()), d))
	}
	return list, err
}

func (f files) Read(_ context.Context, r *filesystem.ReadRequest) (*filesystem.FileContent, error) {
	_, text, err := f.read(r.FilePath)
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(text, "\n")
	lines = lines[min(max(r.Offset-1, 0), len(lines)):]
	if r.Limit > 0 {
		lines = lines[:min(r.Limit, len(lines))]
	}
	return &filesystem.FileContent{Content: strings.Join(lines, "")}, nil
}

func (f files) Write(_ context.Context, r *filesystem.WriteRequest) error {
	name, err := f.in(r.FilePath)
	if err != nil {
		return err
	}
	if err := f.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return f.root.WriteFile(name, []byte(r.Content), 0o644)
}

func (f files) Edit(_ context.Context, r *filesystem.EditRequest) error {
	name, text, err := f.read(r.FilePath)
	if err != nil {
		return err
	}
	n := strings.Count(text, r.OldString)
	switch {
	case r.OldString == "" || n == 0:
		return errors.New("the text to replace is not in the file")
	case n > 1 && !r.ReplaceAll:
		return fmt.Errorf("the text to replace is in the file %d times", n)
	}
	return f.root.WriteFile(name, []byte(strings.ReplaceAll(text, r.OldString, r.NewString)), 0o644)
}
