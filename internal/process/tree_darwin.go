package process

import "golang.org/x/sys/unix"

// candidates returns process ids among which all members are: those of processes
// that are not older than the leader.
func (t *tree) candidates() (*table, []int) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, nil
	}
	list := make([]int, 0, 16)
	for i := range all {
		if s := &all[i].Proc; uint64(s.P_starttime.Sec)*1e6+uint64(s.P_starttime.Usec) >= t.since {
			list = append(list, int(s.P_pid))
		}
	}
	return nil, list
}

// adopted has nothing to do: only launchd is given processes whose parents died.
func (t *tree) adopted() {}

// A table would be what several trees share that look at the same time. Here one call
// lists all there is.
type table struct{}

func (*table) stat(pid int) (stat, bool)                   { return readStat(pid) }
func (*table) marks(s stat) (marks [][]byte, decided bool) { return marksOf(s) }
