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
	script    *command.Script
	functions map[string]bool // with something in them
	runners   []int           // by invocation the one that runs it, -1 for none that is known

	// entries and paths are how many entries of directories and how many paths may still be
	// looked at.
	entries, paths int

	ready     bool
	sources   []source
	downloads map[string]download // by the last elements of their names
	finds     []int               // invocations of find
	// dirs are invocations of cd, and dirNames where each goes to.
	dirs     []int
	dirNames []string
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

// defines tells whether the text holds a function of that name.
func (f *facts) defines(name string) bool {
	if f.functions == nil {
		f.functions = map[string]bool{}
		for i := range f.script.Invocations {
			f.functions[f.script.Invocations[i].Within] = true
		}
	}
	return name != "" && f.functions[name]
}

// find looks at all invocations.
func (f *facts) find() {
	if f.ready {
		return
	}
	f.ready = true
	var tees map[int][]string
	for i := range f.script.Invocations {
		inv := &f.script.Invocations[i]
		if len(inv.Words) == 0 {
			continue
		}
		if from := fetches(inv); from != "" && len(f.sources) < mostFacts {
			f.sources = append(f.sources, source{path.Base(inv.Name()), from, inv.Pipes})
			if tees == nil {
				tees = f.tees()
			}
			files := append(downloads(inv), written(inv)...)
			for _, p := range inv.Pipes {
				files = append(files, tees[p.Pipeline]...)
			}
			for _, file := range files {
				if f.downloads == nil {
					f.downloads = map[string]download{}
				}
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
				!slices.Contains(f.dirNames, to) {
				f.dirs, f.dirNames = append(f.dirs, i), append(f.dirNames, to)
			}
		}
	}
	f.follow()
}

// tees are the files that the stages of pipelines write.
func (f *facts) tees() map[int][]string {
	tees := map[int][]string{}
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
	return tees
}

// follow finds what is passed on from where it was fetched: by variables, functions, files that are
// read, copied or renamed.
func (f *facts) follow() {
	add := func(inv *command.Invocation, from string) {
		if len(f.sources) < mostFacts {
			f.sources = append(f.sources, source{path.Base(inv.Name()), from, inv.Pipes})
		}
	}
	comes := func(w command.Word) string {
		for _, s := range f.sources {
			if slices.Contains(w.From, s.name) {
				return s.from
			}
		}
		return ""
	}
	functions := map[string]string{}
	if len(f.sources) == 0 {
		return
	}
	for i := range f.script.Invocations {
		inv := &f.script.Invocations[i]
		if inv.Within != "" {
			if from := fetches(inv); from != "" {
				functions[inv.Within] = from
			}
		}
		name := path.Base(inv.Name())
		if from := functions[name]; from != "" && inv.Within != name {
			add(inv, from)
		}
		switch name {
		case "echo", "printf", "cat", "tac", "head", "tail", "sed", "grep", "awk", "tr", "cut", "tee", "xargs":
			for _, w := range inv.Words[1:] {
				if from := comes(w); from != "" {
					add(inv, from)
				} else if made, found := f.downloads[path.Base(w.Text)]; found && made.index < i && name != "echo" && name != "printf" {
					add(inv, made.from)
				}
			}
			for _, r := range inv.Redirects {
				if from := comes(r.To); from != "" {
					add(inv, from)
				} else if made, found := f.downloads[path.Base(r.To.Text)]; found && made.index < i && r.Op == "<" {
					add(inv, made.from)
				}
			}
		case "mv", "cp", "install", "ln":
			a := parse(inv.Words[1:], "tSmog", "")
			if n := len(a.operands); n > 1 {
				if made, found := f.downloads[path.Base(a.operands[0].Text)]; found && made.index < i && len(f.downloads) < mostFacts {
					to := a.operands[n-1].Text
					f.downloads[path.Base(to)] = download{i, to, made.from}
				}
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
	switch path.Base(inv.Name()) {
	case "dd":
		for _, w := range inv.Words[1:] {
			if file, ok := strings.CutPrefix(w.Text, "of="); ok {
				files = append(files, file)
			}
		}
	case "tee", "sponge":
		for _, w := range parse(inv.Words[1:], "", "append").operands {
			files = append(files, w.Text)
		}
	}
	return files
}
