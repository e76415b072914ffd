package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/einoshell/einoshell/internal/command"
)

// facts are what guards and rules have to know of a script as a whole. Each is found once: a
// script may have hundreds of thousands of commands.
type facts struct {
	script  *command.Script
	runners []int // by invocation the one that runs it, -1 for none that is known

	// entries and paths are how many entries of directories and how many paths may still be
	// looked at.
	entries, paths int

	ready     bool
	sources   []source
	downloads map[string]download // by the last elements of their names
	finds     []int               // invocations of find
	dirs      []directory
}

// A source is an invocation that fetches or decodes something.
type source struct {
	name, from string
	pipes      []command.Stage
}

// A download is a file that something was fetched to.
type download struct {
	index int
	file  string
	from  string
}

// A directory is one that cd goes to, in the invocation with an index.
type directory struct {
	index int
	name  string
}

// mostDirs is how many directories are remembered that cd went to, and mostFacts how many of anything
// else.
const (
	mostDirs  = 8
	mostFacts = 1000
)

func newFacts(script *command.Script) *facts {
	return &facts{script: script, entries: mostEntries, paths: mostPaths}
}

// runner is the index of the invocation that runs another, -1 for none.
func (f *facts) runner(index int) int {
	if f.runners == nil {
		type key struct {
			depth int
			name  string
		}
		last := map[key]int{}
		f.runners = make([]int, len(f.script.Invocations))
		for i := range f.script.Invocations {
			inv := &f.script.Invocations[i]
			f.runners[i] = -1
			if n := len(inv.Via); n > 0 {
				name, _, _ := strings.Cut(inv.Via[n-1], " ")
				if j, found := last[key{n - 1, name}]; found {
					f.runners[i] = j
				}
			}
			if name := inv.Name(); name != "" {
				last[key{len(inv.Via), path.Base(name)}] = i
			}
		}
	}
	return f.runners[index]
}

// find looks at all invocations.
func (f *facts) find() {
	if f.ready {
		return
	}
	f.ready, f.downloads = true, map[string]download{}
	tees := map[int][]string{} // files that the stages of a pipeline write
	for i := range f.script.Invocations {
		inv := &f.script.Invocations[i]
		if len(inv.Pipes) > 0 && len(tees) < mostFacts {
			for _, file := range written(inv) {
				for _, p := range inv.Pipes {
					tees[p.Pipeline] = append(tees[p.Pipeline], file)
				}
			}
		}
	}
	for i := range f.script.Invocations {
		inv := &f.script.Invocations[i]
		if len(inv.Words) == 0 {
			continue
		}
		if from := fetches(inv); from != "" && len(f.sources) < mostFacts {
			f.sources = append(f.sources, source{path.Base(inv.Name()), from, inv.Pipes})
			files := append(downloads(inv), written(inv)...)
			for _, p := range inv.Pipes {
				files = append(files, tees[p.Pipeline]...)
			}
			for _, file := range files {
				if _, found := f.downloads[path.Base(file)]; !found && len(f.downloads) < mostFacts {
					f.downloads[path.Base(file)] = download{i, file, from}
				}
			}
		}
		switch name := path.Base(inv.Name()); name {
		case "find":
			if len(f.finds) < mostFacts {
				f.finds = append(f.finds, i)
			}
		case "cd", "pushd":
			if to := inv.Words[len(inv.Words)-1].Text; len(inv.Words) > 1 && len(f.dirs) < mostDirs &&
				!slices.ContainsFunc(f.dirs, func(d directory) bool { return d.name == to }) {
				f.dirs = append(f.dirs, directory{i, to})
			}
		}
	}
}

// written are the files that an invocation's output goes to.
func written(inv *command.Invocation) (files []string) {
	for _, r := range inv.Redirects {
		if slices.Contains(writing, r.Op) && r.To.Text != "" {
			files = append(files, r.To.Text)
		}
	}
	if path.Base(inv.Name()) == "tee" {
		for _, w := range parse(inv.Words[1:], "", "append").operands {
			files = append(files, w.Text)
		}
	}
	return files
}
