package main

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
	test = "go test ./..."
)

var (
	failure  = regexp.MustCompile(`(?m)\b(\w+)\((-?\d+), (-?\d+)\) = -?\d+, want (-?\d+)$`)
	document = regexp.MustCompile(`(?m)^\./(\S+\.md)$`)
	// A line of grep -n, and in it what the rules can repair.
	found      = regexp.MustCompile(`(?m)^\./(\S+\.go):(\d+):func (\w+)\((\w+), (\w+) int\) int`)
	expression = regexp.MustCompile(`(?m)^\s*(\d+)\s+return (\w+) (\S+) (\w+)$`)
)

// next is a script: a few rules that read what the commands printed and choose the
// next one. It knows neither the project nor the mistake; it repairs functions of the
// form "return a + b" whose tests say which numbers they want.
func next(steps []demo.Step) demo.Move {
	if len(steps) == 0 {
		return demo.Run("Let me see what is here.", list)
	}
	last := steps[len(steps)-1]
	switch command := last.Command(); {
	case command == list:
		if doc := document.FindStringSubmatch(last.Result); doc != nil {
			return demo.Run("There is a document. I read it first.", "cat "+doc[1])
		}
		return demo.Run("Now the tests.", test)
	case strings.HasPrefix(command, "cat ") && document.MatchString("./"+command[4:]):
		return demo.Run("Now the tests.", test)
	case command == test:
		return afterTest(last.Result)
	case strings.HasPrefix(command, "grep "):
		if f := found.FindStringSubmatch(last.Result); f != nil {
			return demo.Run("It is in "+f[1]+". I read it.", "cat -n "+f[1])
		}
	case strings.HasPrefix(command, "cat -n "):
		return repair(steps)
	case strings.HasPrefix(command, "sed "):
		if !strings.Contains(last.Result, "[exit code:") {
			return demo.Run("Did that do it? The tests again.", test)
		}
	}
	return demo.Lost(last)
}

// afterTest reads what go test printed.
func afterTest(result string) demo.Move {
	fails := failure.FindStringSubmatch(result)
	switch {
	case fails != nil:
		return demo.Run(fmt.Sprintf("%s(%s, %s) should be %s and is not. Where is %[1]s?", fails[1], fails[2], fails[3], fails[4]),
			fmt.Sprintf("grep -rn --include='*.go' 'func %s(' .", fails[1]))
	case !strings.Contains(result, "[exit code:") && strings.Contains(result, "ok"):
		return demo.Done("All tests pass now.")
	}
	return demo.GiveUp("The tests fail in a way that I cannot read:\n" + result)
}

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
		for _, try := range []string{"+", "-", "*", "/", "%"} {
			if try == op || !fits(try, name, steps) {
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

// fits tells whether op gives every number that the last test run wanted from
// the function name.
func fits(op, name string, steps []demo.Step) bool {
	seen := false
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Command() != test {
			continue
		}
		for _, f := range failure.FindAllStringSubmatch(steps[i].Result, -1) {
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
		break
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
