package process

import "time"

// A tree is a command: all that is in the job of its leader.
type tree struct{ *leader }

func newTree(l *leader, _ string) *tree { return &tree{l} }

// terminate ends it: there is nothing here that asks a process to end which it
// would hear without a window or a console shared with this program.
func (t *tree) terminate() { t.kill() }

func (t *tree) kill() bool {
	t.killed.Store(true)
	t.leader.end()
	return true
}

// end ends what the leader left behind.
func (t *tree) end(time.Time) (left bool) { return t.leader.end() }
