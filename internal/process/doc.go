// Package process starts a command, reads what it prints, waits for it and
// ends it together with what it started.
//
// # What it promises
//
// A command runs in a session of its own, with the null device as standard
// input and no controlling terminal. Waiting follows the process, not its
// pipes: a grandchild that keeps a pipe open neither delays Wait nor costs a
// byte that was written before the command's own exit. When Wait returns,
// however the command ended, its process group is gone.
//
// # What it does not promise
//
// A process that leaves the group (setsid, a daemon) is not found by signals
// to the group. Only a PID namespace or a cgroup ends everything for certain;
// this package uses neither.
package process
