//go:build unix && !linux

package tool_test

const subreapers = false

func becomeSubreaper() {}
