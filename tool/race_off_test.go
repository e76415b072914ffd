//go:build unix && !race

package tool_test

const raceEnabled = false
