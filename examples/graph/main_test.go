package main

import (
	"testing"

	"github.com/einoshell/einoshell/examples/internal/demo/demotest"
)

func TestStory(t *testing.T) { demotest.Repairs(t, example) }
