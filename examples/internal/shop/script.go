package shop

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/einoshell/einoshell/examples/internal/demo"
)

const (
	list = "find . -type f | sort"
	// Test is the command that shows whether the task is done.
	Test = "go test ./..."
)

var (
	failure  = regexp.MustCompile(`(?m)\b(\w+)\((-?\d+), (-?\d+)\) = -?\d+, want (-?\d+)$`)
	document = regexp.MustCompile(`(?m)^\./(\S+\.md)$`)
	// A line of grep -n, and in it what the rules can repair.
	found      = regexp.MustCompile(`(?m)^\./(\S+\.go):(\d+):func (\w+)\((\w+), (\w+) int\) int`)
	expression = regexp.MustCompile(`(?m)^\s*(\d+)\s+return (\w+) (\S+) (\w+)$`)
)

// Script is a few rules that read what the commands printed and choose the
// next one. It knows neither the project nor the mistake; it repairs functions of the
// form "return a + b" whose tests say which numbers they want.
func Script(steps []demo.Step) demo.Move {
	if len(steps) == 0 {
		return demo.Run("Let me see what is here.", list)
	}
	last := steps[len(steps)-1]
	switch command := last.Command(); {
	case command == list:
		if doc := document.FindStringSubmatch(last.Result); doc != nil {
			return demo.Run("There is a document. I read it first.", "cat "+doc[1])
		}
		return demo.Run("Now the tests.", Test)
	case strings.HasPrefix(command, "cat ") && document.MatchString("./"+command[4:]):
		return demo.Run("Now the tests.", Test)
	case command == Test:
		name, says := Failure(last.Result)
		switch {
		case name != "":
			return demo.Run(says+" Where is "+name+"?", fmt.Sprintf("grep -rn --include='*.go' 'func %s(' .", name))
		case says == "":
			return demo.Done("All tests pass now.")
		}
		return demo.GiveUp(says)
	case strings.HasPrefix(command, "grep "):
		if f := found.FindStringSubmatch(last.Result); f != nil {
			return demo.Run("It is in "+f[1]+". I read it.", "cat -n "+f[1])
		}
	case strings.HasPrefix(command, "cat -n "):
		return repair(steps)
	case strings.HasPrefix(command, "sed "):
		if !strings.Contains(last.Result, "[exit code:") {
			return demo.Run("Did that do it? The tests again.", Test)
		}
	}
	return demo.Lost(last)
}

// Failure reads what go test printed: the name of the first function that is wrong, and what to say of it. There is nothing
// to be said when all is well, and no name when it cannot be read.
func Failure(result string) (name, says string) {
	if f := failure.FindStringSubmatch(result); f != nil {
		return f[1], fmt.Sprintf("%s(%s, %s) should be %s and is not.", f[1], f[2], f[3], f[4])
	}
	if !strings.Contains(result, "exit code") && strings.Contains(result, "ok") {
		return "", ""
	}
	return "", "The tests fail in a way that I cannot read:\n" + result
}

// Operators are those that a repair tries.
var Operators = []string{"+", "-", "*", "/", "%"}

// repair finds the operator with which the function that was read last gives
// what its tests want.
func repair(steps []demo.Step) demo.Move {
	source := steps[len(steps)-1]
	f := found.FindStringSubmatch(steps[len(steps)-2].Result) // the grep that led here
	file, name, first, second := f[1], f[3], f[4], f[5]
	start, _ := strconv.Atoi(f[2])
	for _, e := range expression.FindAllStringSubmatch(source.Result, -1) {
		line, _ := strconv.Atoi(e[1])
		left, op, right := e[2], e[3], e[4]
		if line < start || left != first || right != second {
			continue
		}
		for _, try := range Operators {
			if try == op || !Fits(try, name, lastTest(steps)) {
				continue
			}
			// Not sed -i: its flags differ between systems.
			command := fmt.Sprintf("sed '%ds|%s . %s|%s %s %s|' %s > new && mv new %s", line, left, right, left, try, right, file, file)
			if slices.ContainsFunc(steps, func(s demo.Step) bool { return s.Command() == command }) {
				return demo.GiveUp("I have tried that already, and it did not help.")
			}
			return demo.Run(fmt.Sprintf("Line %d says %s %s %s. With %s the tests would get what they want.", line, left, op, right, try), command)
		}
		return demo.GiveUp("No single operator in " + name + " gives what its tests want. That is for a person.")
	}
	return demo.GiveUp("I cannot read " + name + ".")
}

// lastTest is what the last test run printed.
func lastTest(steps []demo.Step) string {
	for _, s := range slices.Backward(steps) {
		if s.Command() == Test {
			return s.Result
		}
	}
	return ""
}

// Fits tells whether op gives every number that a test run, which printed result, wanted from
// the function name.
func Fits(op, name, result string) bool {
	seen := false
	for _, f := range failure.FindAllStringSubmatch(result, -1) {
		if f[1] != name {
			continue
		}
		a, _ := strconv.Atoi(f[2])
		b, _ := strconv.Atoi(f[3])
		want, _ := strconv.Atoi(f[4])
		if got, ok := apply(op, a, b); !ok || got != want {
			return false
		}
		seen = true
	}
	return seen
}

func apply(op string, a, b int) (int, bool) {
	switch op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "/":
		if b != 0 {
			return a / b, true
		}
	case "%":
		if b != 0 {
			return a % b, true
		}
	}
	return 0, false
}
