package tool_test

import "golang.org/x/sys/unix"

const subreapers = true

// becomeSubreaper makes this process be given the orphans among its descendants,
// as the first process of a PID namespace is.
func becomeSubreaper() { check(unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) }
