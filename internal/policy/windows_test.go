package policy

import (
	"testing"

	"github.com/einoshell/einoshell/internal/command"
)

// The name of a command as cmd.exe reads it.
func TestWindows(t *testing.T) {
	deny := compile(t, Config{Shell: command.Cmd, Denied: DefaultDenied(true)})
	allow := compile(t, Config{Shell: command.Cmd, Allowed: []string{"git", "Dir"}})
	for _, tt := range []struct {
		p       *Policy
		command string
		allowed bool
	}{
		{deny, "dir", true},
		{deny, "format-hex x", true},
		{deny, "model x", true},
		{deny, "FORMAT C:", false},
		{deny, "format.com c:", false},
		{deny, `C:\Windows\System32\Format.COM c:`, false},
		{deny, `"C:\Windows\System32\format.com" c:`, false},
		{deny, `f^or^mat c:`, false},
		{deny, `f"orma"t c:`, false},
		{deny, "r`m x", true}, // a backtick and a dollar sign are letters to cmd.exe
		{deny, `@del x`, false},
		{deny, `,;=del x`, false},
		{deny, `(rd /s x)`, false},
		{deny, `& "rm" x`, false},
		{deny, `del,x`, false},
		{deny, `del&x`, false},
		{deny, `Remove-Item x`, false},
		{deny, `%COMSPEC% /c del x`, false},
		{deny, `$x y`, true},
		{deny, `echo %PATH%`, true},
		{deny, `VIM x`, false}, // a terminal
		{deny, ``, false},
		{deny, `<nul del /q a`, false},
		{deny, `>out.txt del a`, false},
		{deny, `"" del a`, false},
		{deny, `) del a`, false},
		{deny, `rd/s/q sub`, false},
		{deny, `del/q a`, false},
		{deny, `del:x`, false},
		{deny, `del.`, false},
		{deny, `del+x`, false},
		{deny, `del[x`, false},
		{deny, `del|x`, false},
		{deny, `del(x`, false},
		{deny, `del]x`, false},
		{deny, `del^`, false},
		{deny, "rm\nx", false},
		{deny, "dir\r\ndel x", false},
		{deny, `C:/Windows/System32/format.com`, false},
		{deny, `C:format.com`, false},
		{deny, `.\\format.bat`, false},
		{deny, `format.ps1`, false},
		{deny, `!x! y`, false},
		{deny, `delegate.exe x`, true},
		{deny, `C:\rd\x.exe`, true},
		{deny, `a` + "\x00", false},
		{allow, "GIT status", true},
		{allow, "dir", true},
		{allow, "git.exe status", false},
		{allow, `.\git status`, false},
		{allow, "type x", false},
		{allow, `<nul del /q a`, false},
	} {
		if v := tt.p.Judge(Line{Text: tt.command}); (v.Decision == Allow) != tt.allowed {
			t.Errorf("%q: %+v", tt.command, v)
		}
	}
}
