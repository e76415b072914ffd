package command

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// told lists the commands in text as found does, and behind > the files that are written by
// options and in programs of other languages.
func toldIn(t *testing.T, text string) string {
	t.Helper()
	list := strings.Fields(found(t, text, Bash))
	script, err := Read(text, Bash)
	if err != nil {
		return "! " + err.Error()
	}
	var files []string
	for i := range script.Invocations {
		for _, word := range script.Invocations[i].Writes {
			if !word.Known {
				word.Text = "?"
			}
			files = append(files, word.Text)
		}
	}
	list = slices.DeleteFunc(list, func(s string) bool { return s == ":" })
	slices.Sort(list)
	if len(files) > 0 {
		list = append(append(list, ">"), files...)
	}
	return strings.Join(list, " ")
}

// A use is one way to use a program, and what is found in it besides the program itself.
type example struct{ text, want string }

// examples of one row of the table each.
var examples = map[string][]example{
	"git": {
		{"git", ""}, {"git -C sub status", ""}, {"git -c user.name=x commit -m 'x; rm'", ""}, {"git -c http.extraheader='A: b' fetch origin", ""},
		{"git -c core.autocrlf=false clone https://x/y z", ""}, {"git log -p", ""}, {"git stash -p", ""}, {"git rebase origin/main", ""}, {"git --no-pager log", ""},
		{"git -c alias.x='!rm y' x", "rm"}, {"git -c alias.x='log -p' x", ""}, {"git -c alias.x='-c core.pager=rm log' x", "rm"}, {`git -c "alias.x=!$Y" x`, "?"},
		{`git -c "$X" log`, ""}, {`git -c "core.pager=$X" log`, "?"}, {`git "-c" core.pager=rm log`, "rm"}, {"git -c CORE.Pager='rm x' log", "rm"},
		{"git -c core.pager=cat log", "cat"}, {"git -c pager.log=false log", ""}, {"git -c pager.log='rm x' log", "rm"}, {"git -c core.editor=true commit", "true"},
		{"git -c sequence.editor='rm x' rebase -i", "rm"}, {"git -c core.sshCommand='ssh -i k' fetch", "ssh"}, {"git -c core.sshCommand='sh -c \"rm x\"' fetch", "sh rm"},
		{"git -c core.fsmonitor=true status", ""}, {"git -c core.fsmonitor='rm x' status", "rm"}, {"git -c core.hooksPath=/dev/null commit", ""}, {"git -c core.hooksPath=x commit", "?"},
		{"git -c credential.helper= fetch", ""}, {"git -c credential.helper='!rm x' fetch", "rm"}, {"git -c credential.https://a.b/c.helper='!rm x' fetch", "rm"},
		{"git -c credential.helper=store fetch", ""}, {"git -c credential.helper='cache --timeout=3' fetch", ""}, {"git -c credential.helper=x fetch", "git-credential-x"}, {"git -c credential.helper=/bin/rm fetch", "/bin/rm"},
		{"git -c diff.external=rm diff", "rm"}, {"git -c diff.A.b.textconv=rm diff", "rm"}, {"git -c filter.x.smudge='rm %f' checkout .", "rm"}, {"git -c merge.x.driver='rm %A' merge y", "rm"},
		{"git -c gpg.program=rm tag -s x", "rm"}, {"git -c gpg.ssh.program=rm tag -s x", "rm"}, {"git -c gpg.format=ssh tag -s x", ""}, {"git -c core.gitProxy='rm for a.b' fetch", "rm"},
		{"git -c remote.o.vcs=x fetch o", "git-remote-x"}, {"git -c remote.o.url='ext::rm x' fetch o", "?"}, {"git -c url.a.insteadOf=b fetch", ""}, {"git -c submodule.x.update=rebase pull", ""}, {"git -c submodule.x.update='!rm y' pull", "rm"},
		{"git -c include.path=x log", "?"}, {"git -c includeIf.gitdir:x.path=y log", "?"}, {"git -c protocol.ext.allow=always fetch", "?"}, {"git -c protocol.ext.allow=never fetch", ""}, {"git -c sendemail.smtpServer=host send-email x", ""},
		{"git -c sendemail.smtpserver=/bin/rm send-email x", "/bin/rm"}, {"git -c init.templateDir=x init", "?"}, {"git -c trailer.x.cmd='rm y' commit", "rm"},
		{"git --config-env=core.pager=X log", "?"}, {"git --config-env core.editor=X log", "?"}, {"git --config-env=user.name=X log", ""},
		{"git --exec-path=x log", "?"}, {"git --exec-path", ""}, {"git --git-dir x -C y -p log", "?"}, {"git --paginate log", "?"}, {"PAGER=cat git -p log", "cat"}, {"git -c core.pager=cat -p log", "cat"}, {"git --work-tree=x --namespace y grep -Orm z", "rm"},
		{"git $X grep -Orm z", "rm"},
		{"git config user.name x", ""}, {"git config core.pager", ""}, {"git config --get core.pager x", ""}, {"git config --global core.pager 'rm x'", "rm"}, {"git config --add --file f alias.x '!rm y'", "rm"},
		{"git config set core.editor 'rm x'", "rm"}, {"git config --unset core.editor x", ""}, {"git config get core.editor", ""}, {`git config core.editor "$X"`, "?"}, {`git config user.name "$X"`, ""}, {"git config -f f core.editor 'rm x'", "rm"}, {"git config alias.st status", ""},
		{"git grep -n x", ""}, {"git grep -O x", "?"}, {"git grep -O'rm y' x", "rm"}, {"git grep -nO x", "?"}, {"git grep --open-files-in-pager=rm x", "rm"}, {"git grep --open=rm x", "rm"}, {"git grep -e -O x", ""},
		{"git fetch --depth 1 origin main", ""}, {"git fetch --upload-pack='rm x' o", "rm"}, {"git pull --upload-pack 'rm x' o", "rm"}, {"git ls-remote --upl 'rm x' o", "rm"}, {"git fetch 'ext::rm x'", "?"}, {"git fetch -- ext::x", "?"}, {`git fetch "ext::$X"`, "?"}, {`git fetch "$X"`, ""},
		{"git clone -u 'rm x' y", "rm"}, {"git clone -qu'rm x' y", "rm"}, {"git clone --depth=1 -b main https://x/y", ""}, {"git clone -c core.pager=rm x", "rm"}, {"git clone --config core.autocrlf=input x", ""}, {"git clone --template=x y", "?"}, {"git clone --template= y", ""}, {"git clone ext::x", "?"}, {"git init --template=x", "?"},
		{"git push --force origin main", ""}, {"git push --receive-pack='rm x' o", "rm"}, {"git push --exec 'rm x' o", "rm"}, {"git push ext::x", "?"}, {"git remote add o ext::x", "?"}, {"git remote add o https://x", ""}, {"git remote set-url o ext::x", "?"}, {"git submodule add ext::x", "?"},
		{"git archive HEAD", ""}, {"git archive --remote=x --exec='rm y' HEAD", "rm"}, {"git archive -o f.tar HEAD", "> f.tar"}, {"git archive --output=f.tar HEAD", "> f.tar"}, {"git archive --outp f.tar HEAD", "> f.tar"},
		{"git rebase -x 'rm x' main", "rm"}, {"git rebase -ix'rm x' main", "rm"}, {"git rebase --exec='rm x' main", "rm"}, {"git rebase --onto a b", ""}, {`git rebase -x "$X" main`, "?"},
		{"git bisect run rm x", "rm"}, {"git bisect good", ""}, {"git bisect run sh -c 'rm x'", "sh rm"},
		{"git submodule update --init", ""}, {"git submodule foreach 'rm x; ls'", "rm ls"}, {"git submodule foreach --recursive rm x", "rm"}, {"git submodule --quiet foreach git pull", ""}, {`git submodule foreach "$X"`, "?"},
		{"git filter-branch --tree-filter 'rm x' HEAD", "rm"}, {"git filter-branch --env-filter 'rm x' --msg-filter cat HEAD", "rm cat"},
		{"git difftool -x 'rm y' x", "rm"}, {"git difftool --extcmd=rm x", "rm"}, {"git difftool -y x", ""}, {"git send-email --to-cmd='rm x' y", "rm"}, {"git send-email --smtp-server=host y", ""}, {"git send-email --smtp-server /bin/rm y", "/bin/rm"},
		{"git diff --output=f", "> f"}, {"git log --output f", "> f"}, {`git show --output="$X"`, "> ?"}, {"git diff --stat --ext-diff", ""}, {"git diff -- --output=f", ""}, {"git log --output=/dev/null", ""}, {"git log -S--output=x", ""}, {"git log --oneline", ""},
	},
}

func init() {
	maps.Copy(examples, map[string][]example{
		"sed": {
			{"sed s/a/b/ f", ""}, {"sed -n '1,5p' f", ""}, {"sed -i.bak 's/we/ew/g; /e w/d' f", ""}, {"sed -i '' 's/a/b/w x' f", "> x"}, {"sed -i '' 's/a/b/' w", ""}, {"sed 's,a/w x,b e,g' f", ""}, {"sed '/w x/{s/a/b/;n;d}' f", ""},
			{"sed '1e rm x' f", "rm"}, {"sed -e '1!e rm x' f", "rm"}, {"sed -n -e p -e '$ e rm x' f", "rm"}, {"sed -ne '/a/,/b/erm x' f", "rm"}, {"sed --expression='e rm x' f", "rm"}, {"sed --exp 'e rm x' f", "rm"}, {"sed e f", "?"}, {"sed '/x/{e\n}' f", "?"},
			{"sed s/a/b/e f", "?"}, {"sed 's/a/b/ge' f", "?"}, {"sed 's|a|b|2e;p' f", "?"}, {"sed 's/a/b/e' --sandbox f", ""}, {"sed --posix s/a/b/g f", ""}, {"sed 's/[/]e/x/' f", ""}, {"sed 's/[^]/]*/x/w o' f", "> o"}, {"sed 's/[[:space:]]*$//' f", ""},
			{"sed 'w out' f", "> out"}, {"sed -n '/a/w out' f", "> out"}, {"sed 's/a/b/w out' f", "> out"}, {"sed 's/a/b/gpw out' f", "> out"}, {"sed 'w /dev/stdout' f", ""}, {"sed 'W a;b' f", "> a;b"}, {"sed '1w a\n2w b' f", "> a b"}, {"sed -e '1w a' -e '2w b' f", "> a b"},
			{"sed ':a;N;$!ba;s/\\n/ /g' f", ""}, {"sed '1i we e w' f", ""}, {"sed '1i\\\ne rm x' f", ""}, {"sed -e '1i\\' -e 'e rm x' f", ""}, {"sed '$a e' f", ""}, {"sed 'y/abc/ewx/' f", ""}, {"sed '2q;l 5;=' f", ""}, {"sed '# e rm\np' f", ""}, {"sed '0~3d;2,+4p;\\,a\\,e,Id' f", ""}, {"sed 'r e w' f", ""}, {"sed 's/a/\\/e/' f", ""},
			{`sed "$X" f`, ""}, {`sed "s/$A/$B/" f`, ""}, {`sed "${n}d" f`, ""}, {`sed -n "$a,${b}p" f`, ""}, {`sed "s/$A/$B/w $F" f`, "> ?"}, {`sed "s/$A/$B/e" f`, "?"}, {`sed "1e rm $X" f`, "?"}, {`sed "${n}e rm x" f`, "rm"}, {`sed --expression="w $F" f`, "> ?"}, {`sed -e"s/$A/b/e" f`, "?"}, {"sed -e", ""}, {"sed", ""}, {"sed -f x f", ""}, {"sed -f - f <<< 'e rm x'", "rm"}, {"sed --file=/dev/stdin f <<< 'w x'", "> x"},
			{"sed ']' f", ""}, {"sed 's/a' f", ""}, {"sed -E 's/(a|b)/\\1/; t end; s/x/y/; :end' f", ""}, {"sed -s -n '$=' a b", ""}, {"sed '/^$/!{$!N}' f", ""},
		},
	})
}

func init() {
	examples["awk"] = []example{
		{"awk '{ print $1 }' f", ""}, {"awk '$3 > 100' f", ""}, {"awk '{ if ($1 > 2) print $1 }' f", ""}, {"awk 'NR>1{print ($2>3)}' f", ""}, {"awk -F: '{ print $1, $2 }' f", ""}, {"awk -v x=1 '{ print x }' f", ""}, {"awk '/a|b/ && !/c/' f", ""}, {"awk '$1==\"a\" || $2>3' f", ""},
		{"awk 'BEGIN { system(\"rm x\") }'", "rm"}, {"awk '{ system(\"rm \" $1) }' f", "?"}, {"awk '{ system(cmd) }' f", "?"}, {"awk 'BEGIN { system (\"rm\" \" x\") }'", "rm"}, {"awk '{ systems(1) }' f", ""}, {"awk 'BEGIN { print \"system(1)\" }'", ""}, {"awk '# system(x)\n{ print }' f", ""}, {"awk '/system(x)/ { print }' f", ""},
		{"awk '{ print | \"rm x\" }' f", "rm"}, {"awk '{ print $1, $2 | \"sort -n\" }' f", "sort"}, {"awk '{ printf(\"%s\", $1) | \"rm x\" }' f", "rm"}, {"awk '{ print | cmd }' f", "?"}, {"awk '{ print $1 | \"sort \" x; next }' f", "?"}, {"awk '{ print a || b }' f", ""},
		{"awk 'BEGIN { \"rm x\" | getline d; print d }'", "rm"}, {"awk 'BEGIN { while ((\"ls\" | getline f) > 0) print f }'", "ls"}, {"awk 'BEGIN { while ((cmd | getline f) > 0) print f }'", "?"}, {"awk '{ \"rm \" $1 | getline }' f", "?"}, {"awk 'BEGIN { (\"rm x\") | getline }'", "rm"}, {"awk '{ x \"rm\" | getline }'", "?"}, {"awk '{ if (x) \"rm x\" | getline }'", "rm"}, {"awk '{ getline x < \"f\" }'", ""},
		{"awk '{ print > \"out\" }' f", "> out"}, {"awk '{ print $1 >> \"out\"; next }' f", "> out"}, {"awk '{ print > $1 }' f", "> ?"}, {"awk '{ print $2 > $1 \".txt\" }' f", "> ?"}, {"awk '{ printf(\"a\") > \"o\" \"ut\" }' f", "> out"}, {"awk '{ print > \"/dev/stderr\" }' f", ""}, {"awk '{ print a,\n b > \"out\" }' f", "> out"}, {"awk '{ print a[1 > 2] }' f", ""}, {"awk '{ print }\n$1 > 2' f", ""}, {"awk '{ print > (\"out\") }' f", "> out"},
		{"awk '{ x = $1 / 2; system(y) / 2 }' f", "?"}, {"awk '{ gsub(/[/]\"/, \"x\"); print > \"o\" }' f", "> o"}, {"awk '{ print /a/ ? \"|\" : \">\" }' f", ""}, {"awk 'BEGIN{FS=\"|\"}{print $1\"|\"$2}' f", ""},
		{"awk -f x f", ""}, {"awk -f - <<< '{ system(\"rm x\") }'", "rm"}, {"awk a=system f", ""}, {`awk "{ print \\$$n }" f`, ""}, {`awk "$X" f`, ""}, {`awk "/$X/ { print > \"$F\" }" f`, "> ?"}, {`awk "{ system(\"rm $X\") }" f`, "?"}, {`awk -v x="$X" '{ print x }' f`, ""}, {"awk", ""}, {"awk '\"' f", ""}, {"awk '{ print | \"\\162m x\" }'", "rm"},
	}
	for _, name := range []string{"mawk", "nawk", "original-awk"} {
		examples[name] = []example{{name + " 'BEGIN { system(\"rm x\") }'", "rm"}, {name + " '{ print }' f", ""}}
	}
	examples["gawk"] = []example{
		{"gawk -e 'BEGIN { system(\"rm x\") }'", "rm"}, {"gawk --source='BEGIN { system(\"rm x\") }'", "rm"}, {"gawk --so 'BEGIN { system(\"rm x\") }' f", "rm"}, {"gawk -l x '{ print }'", "?"}, {"gawk --load=x '{ print }'", "?"}, {"gawk -i inplace '{ print }' f", ""}, {"gawk '@load \"x\"; { print }'", "?"}, {"gawk '@include \"x\"; { print }'", ""},
		{"gawk -oout '{ print }' f", "> out"}, {"gawk -o '{ print }' f", ""}, {"gawk --profile=out '{ print }' f", "> out"}, {"gawk --sandbox '{ system(x) }' f", ""}, {"gawk -S '{ system(x) }' f", ""}, {"gawk '{ print |& \"rm x\" }'", "rm"}, {"gawk '{ \"rm x\" |& getline y }'", "rm"}, {"gawk '{ print > \"/inet/tcp/0/a/1\" }'", ""}, {"gawk 'BEGIN { f = \"system\"; @f(\"rm x\") }'", "?"},
	}
}

// Every row of the table: what it runs and writes with each kind of option, and that it does
// neither in everyday use.
func TestPrograms(t *testing.T) {
	for name, like := range alikePrograms {
		for _, tt := range examples[like] {
			if rest, ok := strings.CutPrefix(tt.text, like+" "); ok {
				examples[name] = append(examples[name], example{name + " " + rest, tt.want})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(examples)) {
		for _, tt := range examples[name] {
			names, files, writes := strings.Cut(" "+tt.want, ">")
			list := strings.Fields(names)
			if slices.Contains(strings.Fields(tt.text), name) && !slices.Contains(list, name) {
				list = append(list, name)
			}
			slices.Sort(list)
			if writes {
				list = append(append(list, ">"), strings.Fields(files)...)
			}
			if got, want := toldIn(t, tt.text), strings.Join(list, " "); got != want {
				t.Errorf("%s\n  got  %s\n  want %s", tt.text, got, want)
			}
		}
	}
	for name := range programs {
		if len(examples[name]) == 0 && len(examples[alikePrograms[name]]) == 0 {
			t.Errorf("no test for %s", name)
		}
	}
}

// Variables that have programs run others.
func TestEnvironment(t *testing.T) {
	for _, tt := range []example{
		{"PAGER=cat git log", "cat git"}, {"PAGER='rm x' git log", "git rm"}, {"export PAGER='rm x'", "export rm"}, {"PAGER='rm x'", "rm"}, {"env PAGER='rm x' git log", "env git rm"}, {"sudo PAGER='rm x' git log", "git rm sudo"},
		{"declare -x GIT_PAGER='rm x'", "declare rm"}, {`export "GIT_PAGER=rm x"`, "export rm"}, {`PAGER="$X" git log`, "? git"}, {`PAGER=$PAGER git log`, "git"}, {"PAGER= git log", "git"}, {"PAGER+='; rm x' git log", "? git"},
		{"GIT_EDITOR=true git rebase --continue", "git true"}, {"GIT_SEQUENCE_EDITOR='sed -i s/a/b/' git rebase -i x", "git sed"}, {"EDITOR='rm x' crontab -e", "crontab rm"}, {"VISUAL=rm x", "rm x"}, {`export EDITOR="${EDITOR:-rm -f}"`, "export rm"}, {"EDITOR=${EDITOR:-$X} x", "? x"}, {"EDITOR=${VISUAL:-rm} x", "? x"},
		{"GIT_SSH_COMMAND='ssh -i k -o StrictHostKeyChecking=no' git fetch", "git ssh"}, {"GIT_SSH=/bin/rm git fetch", "/bin/rm git"}, {"GIT_ASKPASS=/bin/echo git fetch", "/bin/echo git"}, {"LESSOPEN='|rm %s' less x", "less rm"}, {"BROWSER=rm x", "rm x"}, {"BROWSER=none x", "x"}, {"GOFLAGS=-mod=mod go build", "go"}, {"GOFLAGS='-v -toolexec=rm' go build", "? go"},
		{"LD_PRELOAD=x.so ls", "? ls"}, {"LD_PRELOAD= ls", "ls"}, {"env LD_AUDIT=x ls", "? env ls"}, {"LD_LIBRARY_PATH=x ls", "ls"}, {"GIT_CONFIG_GLOBAL=/dev/null git log", "git"}, {"GIT_CONFIG_GLOBAL=x git log", "? git"},
		{"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='rm x' git log", "? git"}, {"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=/x git log", "git"}, {"GIT_CONFIG_PARAMETERS=\"'a.b'='c'\" git log", "? git"},
		{"NODE_OPTIONS=--max-old-space-size=4096 node x", "node"}, {"NODE_OPTIONS='--require ./x' node y", "? node"}, {"NODE_OPTIONS='-r x' node y", "? node"}, {`NODE_OPTIONS="$NODE_OPTIONS --import=x" node y`, "? node"}, {`NODE_OPTIONS="$NODE_OPTIONS --trace" node y`, "node"},
		{"JAVA_TOOL_OPTIONS=-Xmx1g java x", "java"}, {"JAVA_TOOL_OPTIONS=-javaagent:x java y", "? java"}, {"MAKEFLAGS=-j4 make", "make"}, {"MAKEFLAGS=--eval=x make", "? make"}, {"RUBYOPT=-W0 ruby x", "ruby"}, {"RUBYOPT=-rx ruby y", "? ruby"}, {"PERL5OPT=-Mx perl y", "? perl"},
		{"for PAGER in 'rm x'; do git log; done", "? git"}, {"read PAGER; git log", "? git read"}, {"export PAGER; git log", "export git"}, {"PYTHONSTARTUP=x python", "? python"}, {"GIT_AUTHOR_NAME=x git commit", "git"}, {"GIT_EXEC_PATH=x git log", "? git"},
	} {
		want := strings.Fields(tt.want)
		slices.Sort(want)
		if got := toldIn(t, tt.text); got != strings.Join(want, " ") {
			t.Errorf("%s\n  got  %s\n  want %s", tt.text, got, want)
		}
	}
}

// Reading a program in another language costs no more than its length allows.
func TestProgramBounds(t *testing.T) {
	for _, tt := range []struct {
		text    string
		refused bool
	}{
		{"awk '" + strings.Repeat("system(", 14000) + "'", true},
		{"awk '" + strings.Repeat("print ", 16000) + "'", true},
		{"awk '" + strings.Repeat("{ print $1, $2 > \"f\"; system(\"ls\") }\n", 2000) + "'", false},
		{"awk '" + strings.Repeat("/[/ ", 25000) + "'", false},
		{"sed 's/" + strings.Repeat("[:", 50000) + "'", false},
		{"sed '" + strings.Repeat("s/a[/]/b/g\n", 8000) + "'", false},
	} {
		_, err := Read(tt.text, Bash)
		if refused := err != nil && strings.Contains(err.Error(), "too long"); refused != tt.refused || err != nil && !refused {
			t.Errorf("%.20s: %v", tt.text, err)
		}
	}
}
