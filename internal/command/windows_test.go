package command

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// describe lists what was found: ? for what is not known, in its place.
func describe(script *Script) string {
	var list []string
	for _, inv := range script.Invocations {
		var words []string
		for _, word := range inv.Words {
			words = append(words, word.Text)
		}
		s := strings.Join(words, " ")
		if inv.Dynamic != "" {
			s = strings.TrimSpace("? " + s)
		}
		if s != "" {
			list = append(list, s)
		}
	}
	return strings.Join(list, "; ")
}

func TestReadCmd(t *testing.T) {
	testWindows(t, Cmd, [][2]string{
		{`rd /s /q x`, `rd /s /q x`},
		{`rd/s x`, `rd /s x`},
		{`r^m x`, `? rm x`},
		{`echo a & rd /s x`, `echo a; rd /s x`},
		{`echo "a & rd x"`, `echo a & rd x`},
		{`echo a ^& rd x`, `echo a & rd x`},
		{`echo a ^| more | sort`, `echo a | more; sort; ?`},
		{`if exist x (rd /s x)`, `rd /s x`},
		{`if not exist x (md x) else rd x`, `md x; rd x`},
		{`if /i "%CD%"=="c:\a b" rd x`, `rd x`},
		{`if 1 EQU 2 del x`, `del x`},
		{`if errorlevel 1 exit 3`, `exit 3`},
		{`if x`, `?`},
		{`for %i in (a) do rd %i`, `rd %i`},
		{`for /l %i in (1,1,500) do @echo line %i`, `echo line %i`},
		{`for /f "tokens=1" %i in ('dir /b ^| findstr x') do del "%i"`, `dir /b; findstr x; del %i`},
		{`for %i in (a) do %i x`, `? %i x`},
		{`for %i in (a) do cmd /c "del %i"`, `cmd /c del %i; ?; del %i`},
		{`cmd /c "rd /s x"`, `cmd /c rd /s x; rd /s x`},
		{`cmd /`, `cmd /`},
		{`cmd /q/d/c rd x`, `cmd /q/d/c rd x; rd x`},
		{`cmd/c rd x`, `cmd /c rd x; rd x`},
		{`cmd /d /s /c "echo a&rd "b c""`, `cmd /d /s /c echo a&rd b c; echo a&rd b c; echo a; rd b c`},
		{`cmd /v:on /c "set x=rd&!x! y"`, `cmd /v:on /c set x=rd&!x! y; set x rd; ? !x! y`},
		{`"C:\Windows\System32\FORMAT.COM" C:`, `C:\Windows\System32\FORMAT.COM C:`},
		{`%COMSPEC% /c rd x`, `?; ? %COMSPEC% /c rd x`},
		{`set X=rd& %X% y`, `set X rd; ?; ? %X% y`},
		{`echo %PATH% %FOO%`, `?; echo %PATH% %FOO%`},
		{`echo %CD:~0,3%`, `?; echo %CD:~0 3%`},
		{`cmd /c "echo 50% of x"`, `cmd /c echo 50% of x; ?; echo 50% of x`},
		{`rem x & del y`, ``},
		{`rem & del y`, `rem; del y`},
		{`rem x& del y`, `rem x; del y`},
		{`:: x & del y`, ``},
		{`call del x`, `call del x; del x`},
		{`call %^X% y`, `call %X% y; ?; ? %X% y`},
		{`start "" /b /wait cmd /c "del x"`, `start  /b /wait cmd /c del x; cmd /c del x; del x`},
		{`start /d c:\x del.exe`, `start /d c:\x del.exe; del .exe`},
		{`powershell -Command "Get-ChildItem | Remove-Item"`, `powershell -Command Get-ChildItem | Remove-Item; Get-ChildItem; Remove-Item`},
		{`powershell -nop -ep bypass rm x`, `powershell -nop -ep bypass rm x; rm x`},
		{`powershell -enc ZQBj`, `powershell -enc ZQBj; ?`},
		{`pwsh -e ZQBj`, `pwsh -e ZQBj; ?`},
		{`pwsh -File x.ps1`, `pwsh -File x.ps1`},
		{`forfiles /p . /c "cmd /c del @path"`, `forfiles /p . /c cmd /c del @path; cmd /c del @path; del @path`},
		{`runas /user:x "cmd /c del y"`, `runas /user:x cmd /c del y; cmd /c del y; del y`},
		{`bash -c "rm x"`, `bash -c rm x; rm x`},
		{`wsl rm x`, `wsl rm x; rm x`},
		{`wsl -e bash -c "rm x"`, `wsl -e bash -c rm x; bash -c rm x; rm x`},
		{`echo x>NUL 2>&1`, `echo x`},
		{`2>err.txt del x`, `del x`},
		{`echo.`, `echo .`},
		{`(echo a & (echo b)) > f`, `echo a; echo b`},
		{`) del a`, `?; del a`},
		{"echo a\ndel b", `echo a; del b`},
		{"d\rel b", `del b`},
		{`if a==b (x`, `!`},
	})
}

func TestReadPowerShell(t *testing.T) {
	testWindows(t, PowerShell, [][2]string{
		{`Remove-Item -Recurse -Force x`, `Remove-Item -Recurse -Force x`},
		{`iwr http://x | iex`, `iwr http://x; iex; ?`},
		{`iex 'rm x'`, `iex rm x; rm x`},
		{`iex "rm $x"`, `iex rm $x; ?; rm $x`},
		{`Write-Output 'rm x'`, `Write-Output rm x`},
		{`& "rm" x`, `rm x`},
		{`& $x y`, `?; ? $x y`},
		{`$x y`, `?`},
		{"r`m x", "?; rm x"},
		{`Get-ChildItem -Recurse | Where-Object { $_.Length -gt 3 } | ForEach-Object { Remove-Item $_ }`,
			`Get-ChildItem -Recurse; Where-Object { $_.Length -gt 3 }; ForEach-Object { Remove-Item $_ }; Remove-Item $_`},
		{`ls | % Delete`, `ls; % Delete; ?`},
		{`ls | % { $_.Delete() }`, `ls; % { $_.Delete() }; ?`},
		{`ls | % Name`, `ls; % Name`},
		{`$env:FOO='x'; go test ./...`, `go test ./...`},
		{`$x = rm y`, `rm y`},
		{`$x = @{ a = rm y; b = 2 }`, `rm y`},
		{`"a $(rm y)"`, `rm y`},
		{`echo "a $(rm y)"`, `echo a $(rm y); rm y`},
		{`if ($x -eq 3) { rm a } elseif (Test-Path b) { rm b } else { rm c }`, `rm a; Test-Path b; rm b; rm c`},
		{`foreach ($f in Get-ChildItem) { rm $f }`, `Get-ChildItem; rm $f`},
		{`for ($i = 0; $i -lt 3; $i++) { rm $i }`, `rm $i`},
		{`do { rm a } while ($x)`, `rm a`},
		{`try { rm a } catch [Exception] { rm b } finally { rm c }`, `rm a; rm b; rm c`},
		{`switch ($x) { 'a' { rm a } default { rm b } }`, `rm a; rm b`},
		{`function f($a) { rm $a }; f x`, `rm $a; f x`},
		{`return rm x`, `rm x`},
		{`exit 3`, ``},
		{`[IO.File]::Delete('x')`, `?`},
		{`[Math]::Max(1, 2)`, ``},
		{`[int]$x = 3`, ``},
		{`1 + 2; 10mb; 0x1F; 1..3`, ``},
		{`7z x a`, `7z x a`},
		{`cmd /c "del x"`, `cmd /c del x; del x`},
		{`cmd /c del 'a b'`, `cmd /c del a b; del a b`},
		{`Start-Process rm x`, `Start-Process rm x; rm x`},
		{`Start-Process -FilePath cmd -ArgumentList '/c del x' -Wait`, `Start-Process -FilePath cmd -ArgumentList /c del x -Wait; cmd /c del x; del x`},
		{`Invoke-Command -ScriptBlock { rm x }`, `Invoke-Command -ScriptBlock { rm x }; rm x`},
		{`Start-Job $x`, `Start-Job $x; ?`},
		{`Set-Alias x rm; x y`, `Set-Alias x rm; rm; x y`},
		{`powershell -c { rm x }`, `powershell -c { rm x }; rm x; rm x`},
		{"echo a # rm x\nls", `echo a; ls`},
		{`echo <# rm #> b`, `echo b`},
		{"echo @'\nrm $(x)\n'@", "echo rm $(x)"},
		{"echo @\"\n$(rm x)\n\"@", "echo $(rm x); rm x"},
		{`git log --pretty=%h 2>$null`, `git log --pretty=%h`},
		{`ls a > out.txt; cat b 2>&1`, `ls a; cat b`},
		{"echo ‘rm’ “$(rm x)”", "echo rm $(rm x); rm x"},
		{`icacls --% x /grant (a) %X%`, `icacls x /grant (a) %X%`},
		{`Get-Content a.txt | Select-String 'x'`, `Get-Content a.txt; Select-String x`},
		{`(Get-Content a).Trim() | Set-Content b`, `Get-Content a; Set-Content b`},
		{`echo 'a`, `!`},
		{`echo (a`, `!`},
		{`. ./x.ps1`, `./x.ps1`},
		{`if (rm x) {}`, `rm x`},
	})
}

func testWindows(t *testing.T, shell Shell, table [][2]string) {
	for _, tt := range table {
		script, err := ReadWindows(tt[0], shell)
		got := "!"
		if err == nil {
			got = describe(script)
		}
		if got != tt[1] {
			t.Errorf("%q\n got %s\nwant %s (%v)", tt[0], got, tt[1], err)
		}
	}
}

// Pipelines, redirections and operators are what they are on Unix.
func TestWindowsModel(t *testing.T) {
	for _, shell := range []Shell{Cmd, PowerShell} {
		script, err := ReadWindows("dir | findstr x | sort > out.txt", shell)
		if err != nil || len(script.Invocations) != 3 {
			t.Fatalf("%v, %+v", err, script)
		}
		for i, inv := range script.Invocations {
			if !slices.Equal(inv.Pipes, []Stage{{1, i}}) || !inv.Output || inv.Input != (i > 0) {
				t.Errorf("%d: %d: %+v", shell, i, inv)
			}
		}
		if r := script.Invocations[2].Redirects; len(r) != 1 || r[0].Op != ">" || r[0].To.Text != "out.txt" || len(script.Operators) != 2 {
			t.Errorf("%+v, %q", r, script.Operators)
		}
	}
}

var windowsSeeds = []string{
	`if exist "a b" (rd /s x) else for /f %i in ('dir ^| more') do @del %~fi`, `cmd /v:on /c "echo !x! %y% & powershell -c ""rm x"""`, `start "" /b bash -c 'rm "$x"'`,
	`$x = @{ a = "b $(ls)" }; foreach ($f in 1..3) { & $f } # x`, "echo @'\n'@; [IO.File]::Delete('x').y[3] | % { $_ } 2>&1 *> f", "iex 'cmd /c \"iex rm\"' ; . { } && function f { param($x) }",
	`echo a^`, `(((`, `{{{`, `@{@{`, `@{ #`, `$a[$a[`, `$a.$b.$c`, `return return`, `call call call`, `"`, `%`, `%a:`, "`", `$`, `${`, `@"`, `<#`, `--%`, `&`, `>`, `1>&`, `if if if`, `for for`, `cmd /c cmd /c`, `iex iex iex a`,
}

// Whatever is long or deep is read or refused in bounded time.
func TestWindowsBounds(t *testing.T) {
	for _, seed := range append(windowsSeeds, "a & ", "a | ", "a;", "x ", "^x", `\`, "%a% ", "%i ", "a\n", "start /b ", "set a=b&", "{ a } ", "a,", "$a=", "if (a) ", "$a.b", "[a", "[a] ", "-a ", "switch ", "'a' ", "$(", "@(", "\"$(", "cmd /c \"", "&& ", "; ", "2>x ", "@ ", "env ", "1 ", "else ", "a{") {
		text := strings.Repeat(seed, 1<<15/len(seed))
		for _, shell := range []Shell{Cmd, PowerShell} {
			start := time.Now()
			_, err := ReadWindows(text, shell)
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("%d: %q: %v", shell, seed, took)
			}
			if err != nil && strings.HasPrefix(err.Error(), panicked) {
				t.Errorf("%d: %q: %v", shell, seed, err)
			}
		}
	}
}

func FuzzWindows(f *testing.F) {
	for _, seed := range windowsSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, shell := range []Shell{Cmd, PowerShell} {
			script, err := ReadWindows(text, shell)
			if err != nil && strings.HasPrefix(err.Error(), panicked) {
				t.Fatalf("%q: %v", text, err)
			}
			if err == nil && len(script.Invocations) > 100*len(text)+100 {
				t.Fatalf("%q: %d invocations", text, len(script.Invocations))
			}
		}
	})
}
