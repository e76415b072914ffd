//go:build unix && race

package tool_test

// raceEnabled: the race detector keeps memory and time of its own.
const raceEnabled = true
