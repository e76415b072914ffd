//go:build unix

package policy

import (
	"os"
	"path/filepath"
	"testing"
)

// Names are judged by what they stand for, too.
func TestLookup(t *testing.T) {
	root := t.TempDir()
	bin, dir, other := filepath.Join(root, "bin"), filepath.Join(root, "dir"), filepath.Join(root, "other")
	for _, d := range []string{bin, dir, other} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program := func(file string) {
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, file string) {
		if err := os.Symlink(to, file); err != nil {
			t.Fatal(err)
		}
	}
	program(filepath.Join(bin, "rm"))
	program(filepath.Join(bin, "ls"))
	program(filepath.Join(bin, "busybox"))
	program(filepath.Join(dir, "ls"))
	link("rm", filepath.Join(bin, "safe"))
	link("safe", filepath.Join(bin, "safer"))
	link("busybox", filepath.Join(bin, "cat"))
	link(filepath.Join(bin, "rm"), filepath.Join(dir, "run"))
	link("gone", filepath.Join(bin, "broken"))
	link(bin, filepath.Join(root, "sbin"))
	line := func(text string) Line { return Line{Text: text, Dir: dir, Path: other + ":" + bin} }

	deny := compile(t, Config{Denied: []string{"rm"}})
	for text, denied := range map[string]bool{
		"rm x": true, "safe x": true, "safer x": true, "./run x": true, "../bin/safe x": true, filepath.Join(bin, "safe"): true,
		"ls": false, "./ls": false, "broken": false, "unheard-of": false, "cat f": false, "./unheard-of": false, "cd x": false,
	} {
		if v := deny.Judge(line(text)); (v.Decision == Deny) != denied {
			t.Errorf("denied: %s: %+v", text, v)
		}
	}
	if v := compile(t, Config{Denied: []string{"busybox"}}).Judge(line("cat f")); v.Decision != Allow {
		t.Errorf("a file with many commands: %+v", v)
	}

	allow := compile(t, Config{Allowed: []string{"ls", "./run"}})
	for text, allowed := range map[string]bool{
		"ls": true, filepath.Join(bin, "ls"): true, filepath.Join(root, "sbin", "ls"): true, "./run": true,
		filepath.Join(dir, "ls"): false, "./ls": false, "../bin/ls": false, "run": false, filepath.Join(dir, "run"): false, "/nonexistent/ls": false,
		"cd x": false, "x=1": true, "[ -f x ]": false, "f() { ls; }; f": true, "false && f() { ls; }; f": false, "f() { rm; }; f": false, "f; f() { ls; }": false,
		"x=1 ls": true, "PATH=. ls": false, "LD_PRELOAD=x ls": false, "export PATH=x": false, "if ls; then ls; fi": true, "(ls)": true,
		"ls() { :; }; ls": false, // : is not in the list
	} {
		if v := allow.Judge(line(text)); (v.Decision == Allow) != allowed {
			t.Errorf("allowed: %s: %+v", text, v)
		}
	}
}

// A directory is passed over only where it has been looked in.
func TestLookupInMergedDirectories(t *testing.T) {
	target, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil || filepath.Base(target) == "sh" || !merged() {
		t.Skip("/bin/sh is no link here")
	}
	p := compile(t, Config{Denied: []string{filepath.Base(target)}})
	for _, path := range []string{"/bin", "/usr/bin", "/usr/bin:/bin", "/opt/usr/bin:/bin", "/bin:/opt/usr/bin", "/bin:/usr/bin", "/nonexistent/usr/bin/x:/bin"} {
		if v := p.Judge(Line{Text: "sh x", Dir: "/", Path: path}); v.Decision != Deny {
			t.Errorf("%s: %+v", path, v)
		}
	}
}
