// Package process starts a command, reads what it prints, waits for it and
// ends it together with what it started.
//
// # What it promises
//
// A command runs in a session of its own, with the null device as standard
// input and no controlling terminal. Waiting follows the process, not its
// pipes: a grandchild that keeps a pipe open neither delays Wait nor costs a
// byte that was written before the command's own exit. When Wait returns,
// however the command ended, its process group is gone, and on Linux also what
// left the group but can still be told to be its: by its parents, its session
// or the mark in its environment.
//
// # What it does not promise
//
// What left group, session and parents and has no mark to read is not found:
// it cleared its environment or wrote over it (as servers do that set their
// title), or nobody may read it (ssh-agent, set-uid programs; for root that is
// no hindrance). Neither is, on other systems, what left the group. Processes
// of another user may not be signalled. What starts a new process faster than
// it can be ended is pursued for some seconds only. Work that was handed to
// somebody else's process (docker run -d, systemd-run, at) was never of the
// command. Only a PID namespace or a cgroup ends everything for certain; this
// package uses neither.
//
// What is left when the command's own process exits has the grace to end, but
// not where it cannot be looked for: on other systems than Linux, and where
// /proc is missing or shows another PID namespace.
package process
