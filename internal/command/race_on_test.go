//go:build race

package command

// raced says that the race detector watches, which makes computing ten times as slow.
const raced = true
