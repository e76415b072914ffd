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
// A process that left group, session and parents and cleared its environment
// is not found, nor on other systems one that left the group. Neither is what
// starts a new process faster than it can be ended, for more than some
// seconds. Only a PID namespace or a cgroup ends everything for certain; this
// package uses neither.
package process
