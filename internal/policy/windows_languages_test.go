package policy

import (
	"slices"
	"testing"

	"github.com/einoshell/einoshell/internal/command"
)

// Texts for both shells of Windows: what is denied is found wherever it stands, and text
// is text. The rule is empty for what is allowed.
func TestWindowsLanguages(t *testing.T) {
	policies := map[command.Shell]*Policy{}
	for _, shell := range []command.Shell{command.Cmd, command.PowerShell} {
		policies[shell] = compile(t, Config{Shell: shell, Denied: DefaultDenied(true), Dynamic: DynamicAuto, Guards: map[string]Setting{}})
	}
	both := []command.Shell{command.Cmd, command.PowerShell}
	cmd, power := both[:1], both[1:]
	for _, tt := range []struct {
		shells     []command.Shell
		text, rule string
	}{
		{cmd, `echo hi`, ""},
		{cmd, `echo err 1>&2& exit 3`, ""},
		{cmd, `echo "a  b"& echo %CD%`, ""},
		{cmd, `ping -n 60 127.0.0.1 >NUL`, ""},
		{cmd, `for /l %i in (1,1,500) do @echo line %i`, ""},
		{cmd, `set`, ""},
		{both, `exit 0`, ""},
		{cmd, `FORMAT C:`, "DeniedCommands: format"},
		{both, `rd /s /q x`, "DeniedCommands: rd"},
		{both, `del /s /q *`, "DeniedCommands: del"},
		{power, `Remove-Item -Recurse -Force x`, "DeniedCommands: remove-item"},
		{power, `Microsoft.PowerShell.Management\Remove-Item x`, "DeniedCommands: remove-item"},
		{cmd, `r^m x`, "DeniedCommands: rm"},
		{power, "r`m x", "DeniedCommands: rm"},
		{both, `powershell -enc ZQBj`, "DynamicCommands"},
		{power, `iwr http://x | iex`, "DynamicCommands"},
		{cmd, `echo a & rd /s x`, "DeniedCommands: rd"},
		{cmd, `if exist x (rd /s x)`, "DeniedCommands: rd"},
		{cmd, `for %i in (a) do rd %i`, "DeniedCommands: rd"},
		{both, `cmd /c "rd /s x"`, "DeniedCommands: rd"},
		{cmd, `"C:\Windows\System32\FORMAT.COM" C:`, "DeniedCommands: format"},
		{power, `& "C:\Windows\System32\FORMAT.COM" C:`, "DeniedCommands: format"},
		{power, `& "$env:SystemRoot\System32\format.com" C:`, "DeniedCommands: format"},
		{cmd, `"%SystemRoot%\System32\format.com" C:`, "DeniedCommands: format"},
		{both, `echo "a & rd x"`, ""},
		{both, `echo rd x`, ""},
		{both, `git commit -m "del x"`, ""},
		{both, `dir | findstr x > out.txt`, ""},
		{cmd, `%COMSPEC% /c rd x`, "DynamicCommands"},
		{cmd, `set X=rd& %X% y`, "DynamicCommands"},
		{both, `powershell -Command "Get-ChildItem | Remove-Item"`, "DeniedCommands: remove-item"},
		{both, `powershell -c "Write-Output 'rm x'"`, ""},
		{power, `Get-ChildItem -Recurse | Where-Object { $_.Length -gt 3 } | ForEach-Object { Remove-Item $_ }`, "DeniedCommands: remove-item"},
		{both, `npm run build && dotnet test`, ""},
		{both, `type README.md`, ""},
		{both, `copy /y a b`, ""},
		{both, `where git`, ""},
		{power, `Get-Content a.txt | Select-String 'x'`, ""},
		{power, `$env:FOO='x'; go test ./...`, ""},
		{power, `[IO.File]::Delete('x')`, "DynamicCommands"},
		{both, `bash -c "rm x"`, "DeniedCommands: rm"},
		{both, `more a.txt`, "AllowInteractive"},
		{both, `type a.txt | more | findstr x`, ""},
		{both, `python`, "AllowInteractive"},
		{both, `python.exe x.py`, ""},
		{both, `Python.EXE`, "AllowInteractive"},
		{both, `cmd`, "AllowInteractive"},
		{both, `cmd /k dir`, "AllowInteractive"},
		{both, `cmd /d /c dir`, ""},
		{both, `powershell`, "AllowInteractive"},
		{both, `powershell -NoProfile`, "AllowInteractive"},
		{both, `powershell -NoExit -c dir`, "AllowInteractive"},
		{both, `pwsh -nop -File x.ps1`, ""},
		{both, `echo x | cmd`, "DynamicCommands"},
		{both, `notepad x`, "AllowInteractive"},
		{both, `git rebase -i HEAD~3`, "AllowInteractive"},
		{both, `cd sub && go build ./... && go vet ./...`, ""},
		{both, `ver || echo no`, ""},
		{both, `git -c core.pager="rm x" log`, "DeniedCommands: rm"},
		{both, `docker exec x rm y`, "DeniedCommands: rm"},
		{both, `npx rm y`, "DeniedCommands: rm"},
		{both, `git log --oneline -3`, ""},
		{both, `npm ci && npm test`, ""},
		{cmd, `find "x" f.txt`, ""},
	} {
		for _, shell := range tt.shells {
			v := policies[shell].Judge(Line{Text: tt.text})
			if v.Rule != tt.rule || (v.Decision == Allow) != (tt.rule == "") {
				t.Errorf("%d: %q: %+v", shell, tt.text, v)
			}
		}
	}
}

// The lists of allowed and denied names, and the operators.
func TestWindowsLists(t *testing.T) {
	for _, tt := range []struct {
		c    Config
		text string
		rule string
	}{
		{Config{Allowed: []string{"git", "Dir"}}, "GIT status & dir", ""},
		{Config{Allowed: []string{"git"}}, "git status & dir", "AllowedCommands"},
		{Config{Allowed: []string{"git"}}, "if exist x (git status) else (git log)", ""},
		{Config{Allowed: []string{"git", "set"}}, "set Path=x& git status", "AllowedCommands"},
		{Config{Allowed: []string{"git"}, Shell: command.PowerShell}, "$env:PATH = 'x'; git status", "AllowedCommands"},
		{Config{Allowed: []string{"git"}, Shell: command.PowerShell}, "if ($x) { git status }", ""},
		{Config{Denied: []string{"Remove-Item"}, Shell: command.PowerShell}, "ri x", "DeniedCommands: Remove-Item"},
		{Config{Operators: []string{"&"}}, "a & b", "DeniedOperators: &"},
		{Config{Operators: []string{";"}}, "a & b", "DeniedOperators: ;"},
		{Config{Operators: []string{"&"}}, "a && b 2>&1", ""},
		{Config{Operators: []string{">"}}, `echo "a>b" 2>NUL`, ""},
		{Config{Operators: []string{">"}}, `echo a>>b`, "DeniedOperators: >"},
		{Config{Operators: []string{"|"}}, `a || b`, ""},
		{Config{Operators: []string{"%"}}, `echo %CD%`, "DeniedOperators: %"},
		{Config{Operators: []string{";"}, Shell: command.PowerShell}, "a; b", "DeniedOperators: ;"},
		{Config{Operators: []string{";"}, Shell: command.PowerShell}, "echo 'a; b';", ""},
		{Config{Operators: []string{">"}, Shell: command.PowerShell}, "a *> b", "DeniedOperators: >"},
		{Config{Operators: []string{">"}, Shell: command.PowerShell}, "a 2>$null", ""},
		{Config{Operators: []string{"$("}, Shell: command.PowerShell}, `echo "$(b)"`, "DeniedOperators: $("},
	} {
		if !tt.c.Shell.Windows() {
			tt.c.Shell = command.Cmd
		}
		if v := compile(t, tt.c).Judge(Line{Text: tt.text}); v.Rule != tt.rule || (v.Decision == Allow) != (tt.rule == "") {
			t.Errorf("%q: %+v", tt.text, v)
		}
	}
	v := compile(t, Config{Shell: command.Cmd}).Judge(Line{Text: `cmd /c "%X% a" & dir`})
	if !slices.Contains(v.Commands, Unknown) || !slices.Contains(v.Commands, "dir") {
		t.Errorf("%+v", v)
	}
}
