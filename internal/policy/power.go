package policy

import (
	"path"
	"slices"
)

// powerRows look for what turns the machine off, or makes it start anew.
var powerRows = []row{
	{Power, []string{"shutdown"}, func(c *looked) hit {
		a := c.parsed("t", "help show")
		if a.has("c", "k", "help", "show") || slices.ContainsFunc(c.Words[1:], isWord("/a", "/?")) {
			return hit{}
		}
		return denies("shutdown")
	}},
	{Power, []string{"reboot", "poweroff", "halt", "pm-suspend", "pm-hibernate", "stop-computer", "restart-computer"}, func(c *looked) hit {
		if c.parsed("", "help wtmp-only").has("help", "w", "wtmp-only") {
			return hit{}
		}
		return denies("%s", c.base)
	}},
	{Power, []string{"init", "telinit"}, func(c *looked) hit {
		if slices.ContainsFunc(c.Words[1:], isWord("0", "6")) {
			return denies("%s %s", c.base, c.Words[len(c.Words)-1].Text)
		}
		return hit{}
	}},
	{Power, []string{"kexec"}, func(c *looked) hit {
		if c.parsed("", "exec").has("e", "exec") {
			return denies("kexec -e")
		}
		return hit{}
	}},
	{Power, []string{"systemctl", "loginctl"}, func(c *looked) hit {
		a := c.parsed("tspnoHM", "type= state= property= lines= output= host= machine= root= job-mode= signal= kill-whom= user help version")
		if len(a.operands) > 0 && !a.has("help", "h") && slices.Contains([]string{"poweroff", "reboot", "halt", "kexec", "soft-reboot", "suspend", "hibernate", "hybrid-sleep",
			"suspend-then-hibernate", "emergency", "rescue", "exit"}, a.operands[0].Text) {
			return denies("%s %s", c.base, a.operands[0].Text)
		}
		if len(a.operands) > 1 && slices.Contains([]string{"start", "isolate"}, a.operands[0].Text) && slices.Contains([]string{"poweroff.target", "reboot.target", "halt.target", "rescue.target",
			"emergency.target", "suspend.target", "hibernate.target", "runlevel0.target", "runlevel6.target", "reboot", "poweroff", "halt",
			"systemd-poweroff.service", "systemd-reboot.service", "systemd-halt.service"}, a.operands[1].Text) {
			return denies("%s %s %s", c.base, a.operands[0].Text, a.operands[1].Text)
		}
		return hit{}
	}},
	{Power, nil, func(c *looked) hit {
		for _, r := range c.Redirects {
			if slices.Contains(writing, r.Op) && path.Clean(r.To.Text) == "/proc/sysrq-trigger" {
				return denies("/proc/sysrq-trigger")
			}
		}
		if c.base == "tee" && slices.ContainsFunc(c.Words[1:], isWord("/proc/sysrq-trigger")) {
			return denies("/proc/sysrq-trigger")
		}
		return hit{}
	}},
}
