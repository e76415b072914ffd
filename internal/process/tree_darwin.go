package process

import "golang.org/x/sys/unix"

// candidates returns process ids among which all members are: those of processes
// that are not older than the leader.
func (t *tree) candidates() []int {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	list := make([]int, 0, 16)
	for i := range all {
		if s := &all[i].Proc; uint64(s.P_starttime.Sec)*1e6+uint64(s.P_starttime.Usec) >= t.since {
			list = append(list, int(s.P_pid))
		}
	}
	return list
}

// adopted has nothing to do: only launchd is given processes whose parents died.
func (t *tree) adopted() {}
