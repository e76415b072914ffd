//go:build !linux

package process

import (
	"syscall"
	"time"
)

// A tree is the process group of a command. What left the group cannot be
// found here.
type tree struct{ *leader }

func newTree(l *leader, mark string) *tree { return &tree{l} }

func (t *tree) signal(sig syscall.Signal) { t.leader.signal(sig) }

// end ends what the leader left behind. Whether anything is left cannot be
// told, so there is no grace.
func (t *tree) end(time.Time) { t.leader.signal(sigKill) }
