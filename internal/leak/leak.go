//go:build unix

package leak

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// GroupRuns reports whether a process group has a member that is not a zombie:
// where nobody reaps orphans the dead stay in their group.
func GroupRuns(pgid int) bool {
	if syscall.Kill(-pgid, 0) == syscall.ESRCH {
		return false
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		// pid (name) state ppid pgrp …: the name may hold anything.
		f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(f) > 2 && f[2] == strconv.Itoa(pgid) && f[0] != "Z" {
			return true
		}
	}
	return len(stats) == 0 // no /proc: believe the signal
}

// AssertGroupGone fails t when a process of the group runs. It waits a little:
// the kernel takes some time to remove what was killed.
func AssertGroupGone(t testing.TB, pgid int) {
	t.Helper()
	for range 100 {
		if !GroupRuns(pgid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process group %d is still there", pgid)
}

// Descriptors is how many files this process has open.
func Descriptors(t testing.TB) int {
	t.Helper()
	names, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(names)
}
