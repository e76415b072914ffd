package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/einoshell/einoshell/examples/internal/demo"
	"github.com/einoshell/einoshell/examples/internal/shop"
)

// What the tools return: a match of grep, and a function with what it returns.
var (
	match    = regexp.MustCompile(`(?m)^(\S+\.go):\d+:func \w+\(`)
	function = regexp.MustCompile(`(?s)func (\w+)\(.*?return (\w+) (\S+) (\w+)\n`)
	numbers  = regexp.MustCompile(`(?m)^ *\d+\t`)
)

// script repairs what package shop's does, with the tools of a DeepAgent.
func script(steps []demo.Step) demo.Move {
	if len(steps) == 0 {
		return demo.Call("I run the tests.", demo.Execute, map[string]any{"command": shop.Test})
	}
	last := steps[len(steps)-1]
	switch last.Tool {
	case demo.Execute:
		name, says := shop.Failure(last.Result)
		switch {
		case name != "":
			return demo.Call(says+" Where is "+name+"?", "grep", map[string]any{"pattern": `func ` + name + `\(`, "output_mode": "content"})
		case says == "":
			return demo.Done("All tests pass now.")
		}
		return demo.GiveUp(says)
	case "grep":
		if f := match.FindStringSubmatch(last.Result); f != nil {
			return demo.Call("I read it.", "read_file", map[string]any{"file_path": f[1]})
		}
	case "read_file":
		return repair(steps)
	case "edit_file":
		return demo.Call("Did that do it?", demo.Execute, map[string]any{"command": shop.Test})
	}
	return demo.Lost(last)
}

// repair finds the operator with which the function that was read last gives what its tests want.
func repair(steps []demo.Step) demo.Move {
	tested, read := steps[len(steps)-3], steps[len(steps)-1]
	name, _ := shop.Failure(tested.Result)
	for _, f := range function.FindAllStringSubmatch(numbers.ReplaceAllString(read.Result, ""), -1) {
		if f[1] != name {
			continue
		}
		for _, op := range shop.Operators {
			if op != f[3] && shop.Fits(op, name, tested.Result) {
				before := strings.Join(f[2:], " ")
				return demo.Call(fmt.Sprintf("It says %s. With %s the tests would get what they want.", before, op), "edit_file", map[string]any{
					"file_path": read.Args["file_path"], "old_string": before, "new_string": f[2] + " " + op + " " + f[4],
				})
			}
		}
	}
	return demo.GiveUp("I cannot read " + name + ".")
}
