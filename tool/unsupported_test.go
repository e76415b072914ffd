//go:build !unix

package tool_test

import (
	"context"
	"errors"
	"testing"

	"github.com/einoshell/einoshell/tool"
)

// Where commands cannot be run, a Shell that is to run them is an error.
func TestUnsupported(t *testing.T) {
	var f *tool.FieldError
	if _, err := tool.New(context.Background(), tool.Default("")); !errors.As(err, &f) || f.Field != "AllowShell" {
		t.Errorf("%v", err)
	}
}
