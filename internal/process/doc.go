// Package process starts a command, reads what it prints, waits for it and
// ends it together with what it started.
//
// # What it promises
//
// A command runs with the null device as standard input and no terminal: in a
// session of its own, on Windows in a job object and with a console nobody sees.
// Waiting follows the process, not its
// pipes: a grandchild that keeps a pipe open neither delays Wait nor costs a
// byte that was written before the command's own exit. When Wait returns,
// however the command ended, its process group is gone, and on Linux and macOS
// also what left the group but can still be told to be its: by its parents, its
// session or the mark in its environment. On Windows all that it started is gone.
//
// # What it does not promise
//
// What left group, session and parents and has no mark to read is not found:
// it cleared its environment or wrote over it (as servers do that set their
// title), or nobody may read it (ssh-agent, set-uid programs, though for root
// that is no hindrance; on macOS all programs that come with the system).
// Neither is, on the BSDs, what left the group. Processes of another user may not
// be signalled. What starts a new process faster than
// it can be ended is pursued for some seconds only. Work that was handed to
// somebody else's process (docker run -d, systemd-run, at) was never of the
// command. Only a PID namespace or a cgroup ends everything for certain; this
// package uses neither.
//
// What is left when the command's own process exits has the grace to end, but
// not where it cannot be looked for: on the BSDs, and where /proc is missing or
// shows another PID namespace. On Windows there is nothing that asks a process to
// end, so nothing has a grace.
package process
