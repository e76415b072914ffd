package main

import "github.com/einoshell/einoshell/examples/internal/demo"

// project is a small web server. Nobody knows its address before it runs.
var project = demo.Project{
	"go.mod": "module menu\n\ngo 1.22\n",
	"README.md": `# menu

A web server with the menu of the day, which is in today.txt. It listens on a port that
is free and says which.

Start it with: go build -o menu . && exec ./menu
`,
	"today.txt": "Pea soup, bread and an apple\n",
	"main.go": `package main

import (
	"context"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /today", func(w http.ResponseWriter, r *http.Request) {
		log.Print(r.Method, " ", r.URL.Path)
		page, err := os.ReadFile("today.txt")
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Write(page)
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := &http.Server{}
	go func() {
		<-ctx.Done()
		log.Print("closing")
		server.Close()
	}()
	log.Printf("listening on http://%s/", l.Addr())
	if err := server.Serve(l); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}
`,
}
