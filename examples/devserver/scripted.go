package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/einoshell/einoshell/examples/internal/demo"
)

const (
	checkCommand = "check_command"
	stopCommand  = "stop_command"

	list = "find . -type f | sort"
	look = "command -v curl || command -v wget"
	// Whoever runs this has Go at least.
	write = `mkdir fetch && cat > fetch/main.go <<'END'
package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	r, err := http.Get(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(os.Stdout, r.Body)
	if r.StatusCode != http.StatusOK {
		log.Fatal(r.Status)
	}
}
END`

	// patience is how often the log is looked at before something has to be in it.
	patience = 10
	wait     = 30 // seconds a look may take
)

var (
	readable = regexp.MustCompile(`(?m)^\./([\w./-]+\.(?:md|go))$`)
	start    = regexp.MustCompile(`(?m)^Start it with: (.+)$`)
	route    = regexp.MustCompile(`"GET (/[^"\s{}]*)"`)
	id       = regexp.MustCompile(`(?m)^ID: (\w+)$`)
	listens  = regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/`)
	page     = regexp.MustCompile(`(?s)^\[stdout\]\n(.*?)\n*(?:\n\[stderr\]\n|$)`)
)

// A client asks a server for a page. Not through a proxy: the server is on this machine.
type client struct {
	command string
	gone    *regexp.Regexp // what it says when nobody answers
}

var (
	curl    = client{"curl -sS --fail --noproxy '*'", regexp.MustCompile(`\[exit code: 7\]$`)}
	wget    = client{"http_proxy= LC_ALL=C wget -nv -O -", regexp.MustCompile(`(?i)connection refused`)} // its exit codes differ
	fetcher = client{"go run ./fetch", regexp.MustCompile(`connection refused`)}
)

// told returns what a pattern finds first in the results of a tool.
func told(steps []demo.Step, tool string, pattern *regexp.Regexp) string {
	for _, s := range steps {
		if m := pattern.FindStringSubmatch(s.Result); s.Tool == tool && m != nil {
			return m[1]
		}
	}
	return ""
}

// asks returns the client that there is, by what came of looking for one.
func asks(steps []demo.Step) client {
	for _, s := range steps {
		switch {
		case s.Command() != look:
		case strings.Contains(s.Result, "curl"):
			return curl
		case strings.Contains(s.Result, "wget"):
			return wget
		}
	}
	return fetcher
}

// next is a script: a few rules that read what the tools returned and choose what comes
// next. It knows neither the server nor its address.
func next(steps []demo.Step) demo.Move {
	if len(steps) == 0 {
		return demo.Run("Let me see what is here.", list)
	}
	last := steps[len(steps)-1]
	fine := !strings.Contains(last.Result, "[exit code:") && !strings.HasPrefix(last.Result, "Command not run:")
	run := demo.Call("Now the server. It goes on in the background.", demo.StartCommand,
		map[string]any{"command": told(steps, demo.RunCommand, start)})
	switch command := last.Command(); {
	case last.Tool == demo.StartCommand:
		if told(steps, demo.StartCommand, id) != "" {
			return check(steps, "Does it listen already?")
		}
	case last.Tool == checkCommand:
		return afterCheck(steps)
	case last.Tool == stopCommand:
		if strings.Contains(last.Result, "\n[stopped]") {
			return fetch(steps, "Does anybody answer there now?")
		}
	case command == list:
		var names []string
		for _, m := range readable.FindAllStringSubmatch(last.Result, -1) {
			names = append(names, m[1])
		}
		if names != nil {
			return demo.Run("I read the document and the code.", "cat "+strings.Join(names, " "))
		}
	case strings.HasPrefix(command, "cat ") && start.MatchString(last.Result) && route.MatchString(last.Result):
		return demo.Run("I see how to start it and what to ask it for. Is there anything to ask with?", look)
	case command == look && asks(steps) == fetcher:
		return demo.Run("There is not. A small program will do.", write)
	case command == look, command == write && fine:
		return run
	case strings.HasPrefix(command, asks(steps).command):
		return afterFetch(steps, fine)
	}
	return demo.Lost(last)
}

// check looks at what is new in the server's log.
func check(steps []demo.Step, say string) demo.Move {
	return demo.Call(say, checkCommand, map[string]any{"command_id": told(steps, demo.StartCommand, id), "wait_seconds": wait, "new_output_only": true})
}

// fetch asks the server for its page.
func fetch(steps []demo.Step, say string) demo.Move {
	return demo.Run(say, asks(steps).command+" "+url(steps))
}

// url is where the server said that it listens, and what its code says that there is.
func url(steps []demo.Step) string {
	return told(steps, checkCommand, listens) + told(steps, demo.RunCommand, route)
}

// afterCheck reads the server's log: first for its address, later for the request.
func afterCheck(steps []demo.Step) demo.Move {
	last := steps[len(steps)-1]
	looks := 0
	for looks < len(steps) && steps[len(steps)-1-looks].Tool == checkCommand {
		looks++
	}
	asked := steps[len(steps)-1-looks].Tool == demo.RunCommand
	switch {
	case !strings.HasSuffix(last.Result, "[status: running]"):
		return demo.GiveUp("The server does not run any more:\n" + last.Result)
	case !asked && listens.MatchString(last.Result):
		return fetch(steps, "It listens. I ask it for "+told(steps, demo.RunCommand, route)+".")
	case asked && strings.Contains(last.Result, "GET "+told(steps, demo.RunCommand, route)):
		return demo.Call("There is my request. I stop the server.", stopCommand, map[string]any{"command_id": told(steps, demo.StartCommand, id)})
	case looks == patience:
		return demo.GiveUp("I have waited long enough. The last thing I saw was:\n" + last.Result)
	}
	return check(steps, "Not yet. I look again.")
}

// afterFetch reads what came of asking the server: its page at first, and nothing once
// it was stopped.
func afterFetch(steps []demo.Step, fine bool) demo.Move {
	last, before := steps[len(steps)-1], steps[len(steps)-2]
	if before.Tool != stopCommand {
		if m := page.FindStringSubmatch(last.Result); fine && m != nil {
			return check(steps, fmt.Sprintf("It answers %q. What does its log say?", m[1]))
		}
		return demo.GiveUp("The server does not answer as it should:\n" + last.Result)
	}
	if !asks(steps).gone.MatchString(last.Result) {
		return demo.GiveUp("That is not how it looks when nobody answers:\n" + last.Result)
	}
	return demo.Done(fmt.Sprintf("%s answered %q and logged it. Since the server was stopped nobody answers there.", url(steps), answer(steps)))
}

// answer is the page that the server has sent.
func answer(steps []demo.Step) string {
	for _, s := range steps {
		if m := page.FindStringSubmatch(s.Result); m != nil && strings.HasPrefix(s.Command(), asks(steps).command+" ") {
			return m[1]
		}
	}
	return ""
}
