//go:build unix

package adapter_test

import "github.com/cloudwego/eino/adk/filesystem"

// files is a backend of files that nobody asks for any.
type files struct{ filesystem.Backend }
