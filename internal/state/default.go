package state

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultPath is where a program keeps its state for the user it runs as: below
// XDG_STATE_HOME or ~/.local/state, on macOS ~/Library/Application Support, on
// Windows %LocalAppData%.
func DefaultPath() (string, error) {
	const name = "einoshell"
	switch runtime.GOOS {
	case "windows":
		dir := os.Getenv("LocalAppData")
		if dir == "" {
			return "", errors.New("%LocalAppData% is not set")
		}
		return filepath.Join(dir, name), nil
	case "darwin", "ios":
		home, err := os.UserHomeDir()
		return filepath.Join(home, "Library", "Application Support", name), err
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) { // relative ones are to be ignored
		return filepath.Join(dir, name), nil
	}
	home, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(home) {
		err = errors.New("$HOME is not an absolute path")
	}
	return filepath.Join(home, ".local", "state", name), err
}
