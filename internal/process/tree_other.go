//go:build unix && !linux && !darwin

package process

import "time"

// A tree is the process group of a command. What left the group cannot be
// found here.
type tree struct{ *leader }

func newTree(l *leader, mark string) *tree { return &tree{l} }

// terminate asks the group to end.
func (t *tree) terminate() {
	t.leader.signal(sigTerm)
	t.leader.signal(sigCont)
}

// kill ends the group.
func (t *tree) kill() bool {
	t.leader.signal(sigKill)
	return true
}

// occupied would say that something of the command is left: that cannot be told.
func (t *tree) occupied() bool { return false }

// end ends what the leader left behind. Whether anything is left cannot be
// told, so there is no grace.
func (t *tree) end(time.Time) (other bool) {
	t.leader.signal(sigKill)
	return false
}
