package adapter

import (
	"context"

	shelltool "github.com/einoshell/einoshell/tool"
)

// A gate says whether an agent run may use the shell. The nil gate is open.
type gate func(context.Context) bool

// GateOption is an Option and a MiddlewareOption.
type GateOption interface {
	Option
	MiddlewareOption
}

// Gate has allow decide, for each agent run when it starts and with its context, whether it may use the shell.
// Where it may not, every call of the Shell in it is refused, however it comes, and so is where allow panics. Where there is a
// middleware the model does not see the tools, either. It can only take away what the Config allows.
func Gate(allow func(context.Context) bool) GateOption { return gate(allow) }

func (g gate) handler(h *Handler)               { h.gate = g }
func (g gate) middleware(o *middlewareSettings) { o.gate = g }

// open asks the gate.
func (g gate) open(ctx context.Context, sh *shelltool.Shell) (open bool) {
	if g == nil {
		return true
	}
	defer func() {
		if p := recover(); p != nil {
			sh.Logger().Error("einoshell: a gate panicked; the shell is off for this run", "panic", p)
			open = false
		}
	}()
	return g(ctx)
}
