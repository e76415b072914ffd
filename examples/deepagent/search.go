package main

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/cloudwego/eino/adk/filesystem"
)

// walk calls do for the files below a directory whose names match a pattern.
func (f files) walk(dir, pattern string, do func(name string, d fs.DirEntry) error) error {
	if dir == "" || dir == "/" {
		dir = "."
	}
	dir, err := f.in(dir)
	if err != nil {
		return err
	}
	return fs.WalkDir(f.root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if ok, err := doublestar.Match(pattern, filepath.ToSlash(rel)); err != nil || !ok {
			return err
		}
		return do(name, d)
	})
}

func (f files) GlobInfo(_ context.Context, r *filesystem.GlobInfoRequest) (list []filesystem.FileInfo, err error) {
	err = f.walk(r.Path, r.Pattern, func(name string, d fs.DirEntry) error {
		list = append(list, f.info(name, d))
		return nil
	})
	return list, err
}

// GrepRaw searches line by line; context, types and multiline patterns are not for this example.
func (f files) GrepRaw(_ context.Context, r *filesystem.GrepRequest) (list []filesystem.GrepMatch, err error) {
	flags := ""
	if r.CaseInsensitive {
		flags = "(?i)"
	}
	re, err := regexp.Compile(flags + r.Pattern)
	if err != nil {
		return nil, err
	}
	err = f.walk(r.Path, path.Join("**", r.Glob), func(name string, _ fs.DirEntry) error {
		text, err := f.root.ReadFile(name)
		for i, line := range strings.Split(string(text), "\n") {
			if re.MatchString(line) {
				list = append(list, filesystem.GrepMatch{Path: filepath.Join(f.dir, name), Line: i + 1, Content: line})
			}
		}
		return err
	})
	return list, err
}
