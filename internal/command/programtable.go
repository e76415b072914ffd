package command

// programs are those known to run others when they are told to.
var programs map[string]program

// alikePrograms are other names, and programs with the same options.
var alikePrograms = map[string]string{
	"gtar": "tar", "gmake": "make", "vim": "vi", "nvim": "vi", "ex": "vi", "view": "vi", "gvim": "vi", "batcat": "bat", "fdfind": "fd", "ncat": "nc", "netcat": "nc", "mariadb": "mysql",
	"batch": "at", "podman": "docker", "nerdctl": "docker", "oc": "kubectl", "incus": "lxc", "autossh": "ssh", "podman-compose": "docker-compose", "mamba": "conda", "micromamba": "conda", "gsed": "sed", "gsort": "sort",
}

func init() {
	programs = map[string]program{
		// With a language of their own.
		"git":     {run: runGit, raw: true},
		"sed":     {grammar: grammar{short: "e:f:l:i::", long: "expression= file= line-length= in-place[=] sandbox silent separate posix"}, run: runSed},
		"vi":      {grammar: grammar{exact: true, short: "c:S:u:U:T:W:w:i:r:", long: "cmd= startuptime= listen= server= remote-send= remote-expr="}, run: runVim},
		"gdb":     {grammar: grammar{single: true, exact: true, long: "ex= iex= eval-command= init-eval-command= x= command= p= pid= c= core= d= directory="}, run: runGdb},
		"sqlite3": {grammar: grammar{single: true, exact: true, long: "cmd= init= separator= nullvalue= newline= vfs= maxsize= mmap= lookaside="}, run: runSqlite},
		"psql":    {grammar: grammar{short: "c:d:f:F:h:L:o:p:P:R:T:U:v:", long: "command= dbname= file= field-separator= host= log-file= output= port= pset= record-separator= table-attr= username= set="}, run: runPsql},
		"mysql":   {grammar: grammar{short: "e:u:h:P:D:S:", long: "execute= user= host= port= database= socket= default-character-set= defaults-file="}, run: runMysql},
		"expect":  {grammar: grammar{first: true, short: "c:f:"}, unknown: "c"},
		"socat":   {grammar: grammar{short: "b:t:T:l:"}, run: runSocat},

		// With options, or actions.
		"find":      {run: runFindWrites, raw: true},
		"tar":       {grammar: grammar{short: "f:b:C:I:F:g:K:L:N:T:V:X:H:", long: "to-command= to-stdout checkpoint[=] checkpoint-action= use-compress-program= info-script= new-volume-script= newer= newer-mtime= rsh-command= rmt-command= file= directory= exclude= exclude-from= files-from= format= transform= strip-components= owner= group= mode= mtime="}, text: "I F to-command use-compress-program info-script new-volume-script rsh-command rmt-command", run: runTar},
		"bsdtar":    {grammar: grammar{short: "f:b:C:I:s:T:X:", long: "use-compress-program= uid= format= exclude= strip-components="}, text: "use-compress-program"},
		"sort":      {grammar: grammar{short: "k:t:S:T:o:", long: "check[=] compress-program= output= key= field-separator= buffer-size= temporary-directory= files0-from= parallel= batch-size= random-source= sort="}, words: "compress-program", writes: "o output"},
		"uniq":      {grammar: grammar{short: "f:s:w:", long: "skip-fields= skip-chars= check-chars= count repeated all-repeated[=] unique group[=] ignore-case zero-terminated"}, run: runUniq},
		"split":     {grammar: grammar{short: "a:b:C:l:n:t:", long: "filter= suffix-length= bytes= line-bytes= lines= number= separator= additional-suffix= numeric-suffixes[=] hex-suffixes[=]"}, text: "filter"},
		"man":       {grammar: grammar{short: "P:H::C:R:L:m:M:S:s:e:E:r:p:T::", long: "pager= html[=] config-file= locale= systems= manpath= sections= extension= prompt= path preprocessor= print-citation"}, text: "P pager", run: runMan},
		"rg":        {grammar: grammar{exact: true, short: "e:f:g:A:B:C:m:t:T:r:E:M:j:d:", long: "pre= hostname-bin= pre-glob= regexp= file= glob= iglob= after-context= before-context= context= max-count= type= type-not= type-add= replace= encoding= max-columns= threads= max-depth= color= colors= sort= sortr="}, words: "pre hostname-bin"},
		"ag":        {grammar: grammar{exact: true, short: "A:B:C:G:g:m:p:W:", long: "pager= ignore= ignore-dir= depth= file-search-regex="}, text: "pager"},
		"ack":       {grammar: grammar{short: "A:B:C:g:m:t:T:", long: "pager= type= ignore-dir= ignore-file= output= match= page nopager"}, text: "pager"},
		"bat":       {grammar: grammar{exact: true, short: "l:H:r:m:", long: "pager= language= theme= style= line-range= paging= file-name= wrap= color="}, text: "pager"},
		"delta":     {grammar: grammar{exact: true, long: "pager= paging= features= theme= syntax-theme= width="}, text: "pager"},
		"fd":        {run: runFd, raw: true},
		"ssh":       {grammar: sshOptions, run: runSSH},
		"scp":       {grammar: grammar{short: "S:o:c:D:F:i:J:l:P:X:"}, words: "S", run: runCopy},
		"sftp":      {grammar: grammar{short: "S:o:B:b:c:D:F:i:J:l:P:R:s:X:"}, words: "S D", run: runCopy},
		"rsync":     {grammar: grammar{exact: true, short: "e:f:T:B:M:", long: "rsh= rsync-path= exclude= include= exclude-from= include-from= files-from= filter= temp-dir= backup-dir= suffix= port= password-file= log-file= bwlimit= timeout= chmod= chown= compare-dest= copy-dest= link-dest= max-size= min-size= out-format= partial-dir= info= debug="}, words: "e rsh", run: runRsync},
		"nc":        {grammar: grammar{exact: true, short: "e:c:g:G:i:o:O:p:q:s:T:w:x:X:m:d:I:P:V:", long: "exec= sh-exec= source= source-port= wait= proxy= proxy-type= proxy-auth= allow= deny= max-conns= delay= idle-timeout= output="}, words: "e exec", text: "c sh-exec"},
		"zip":       {run: runZip, raw: true},
		"make":      {grammar: grammar{short: "C:f:I:j::l::o:W:O::E:", long: "eval= directory= file= makefile= include-dir= jobs[=] load-average[=] old-file= what-if= output-sync[=] environment-overrides"}, unknown: "eval E", run: runMake},
		"cmake":     {run: runCmake, raw: true},
		"hyperfine": {run: runHyperfine, raw: true},
		"at":        {grammar: grammar{short: "f:q:t:"}, run: runAt},
		"screen":    {grammar: grammar{first: true, short: "c:e:h:p:S:s:T:t:"}, run: runScreen},
		"tmux":      {grammar: grammar{first: true, short: "c:f:L:S:T:"}, text: "c", run: runTmux},
		"sshpass":   {grammar: grammar{short: "p:f:d:e::P:"}, command: true},

		// Which build and run something.
		"go":              {subs: goCommands()},
		"docker":          {grammar: grammar{short: "H:c:l:", long: "host= config= context= log-level= tlscacert= tlscert= tlskey= url= connection= namespace= n= address= root= runroot="}, subs: containers()},
		"docker-compose":  containers()["compose"],
		"kubectl":         {grammar: kubectl, subs: map[string]program{"exec": {grammar: kubectl, command: true, dashes: true, operands: 1, elsewhere: true}, "run": {grammar: kubectl, command: true, dashes: true, operands: 99, elsewhere: true}, "debug": {grammar: kubectl, command: true, dashes: true, operands: 99, elsewhere: true}}},
		"lxc":             {subs: map[string]program{"exec": {grammar: grammar{short: "t:n:T:", long: "cwd= env= user= group= mode="}, command: true, dashes: true, operands: 1, elsewhere: true}}},
		"multipass":       {subs: map[string]program{"exec": {grammar: grammar{first: true, short: "d:", long: "working-directory="}, command: true, dashes: true, operands: 1, elsewhere: true}}},
		"vagrant":         {subs: map[string]program{"ssh": {grammar: grammar{short: "c:", long: "command= machine-readable"}, run: runVagrant}}},
		"npx":             {grammar: npx, text: "c call", command: true, packages: true},
		"npm":             {grammar: grammar{long: "prefix= workspace= loglevel="}, subs: map[string]program{"exec": {grammar: npx, text: "c call", command: true, packages: true}, "x": {grammar: npx, text: "c call", command: true, packages: true}}},
		"pnpm":            {grammar: grammar{short: "C:F:", long: "dir= filter="}, subs: map[string]program{"exec": {grammar: grammar{short: "c"}, command: true}, "dlx": {grammar: grammar{long: "package="}, command: true, packages: true}}},
		"yarn":            {grammar: grammar{long: "cwd="}, subs: map[string]program{"exec": {command: true}, "dlx": {grammar: npx, command: true, packages: true}}},
		"bunx":            {grammar: npx, command: true, packages: true},
		"bun":             {subs: map[string]program{"x": {grammar: npx, command: true, packages: true}}},
		"uvx":             {grammar: uv, command: true, packages: true},
		"uv":              {grammar: uv, subs: map[string]program{"run": {grammar: uv, command: true}, "tool": {subs: map[string]program{"run": {grammar: uv, command: true, packages: true}}}}},
		"pipx":            {subs: map[string]program{"run": {grammar: grammar{long: "spec= python= pip-args= index-url="}, command: true}}},
		"poetry":          {grammar: grammar{short: "C:P:", long: "directory= project="}, subs: runs("run", "")},
		"pipenv":          {grammar: grammar{long: "python="}, subs: runs("run", "")},
		"pdm":             {grammar: grammar{short: "c:", long: "config="}, subs: runs("run", "p:s:")},
		"hatch":           {grammar: grammar{short: "e:p:", long: "env= project= data-dir= cache-dir= config="}, subs: runs("run", "")},
		"bundle":          {subs: runs("exec", "")},
		"rbenv":           {subs: runs("exec", "")},
		"pyenv":           {subs: runs("exec", "")},
		"asdf":            {subs: runs("exec", "")},
		"mise":            {grammar: grammar{short: "C:E:", long: "cd= env="}, subs: map[string]program{"exec": mise, "x": mise}},
		"direnv":          {subs: map[string]program{"exec": {command: true, operands: 1}}},
		"conda":           {subs: map[string]program{"run": {grammar: grammar{short: "n:p:", long: "name= prefix= cwd="}, command: true}}},
		"nix-shell":       {grammar: grammar{exact: true, short: "A:p:I:E:", long: "run= command= attr= arg= argstr="}, text: "run command"},
		"nix":             {subs: map[string]program{"develop": {run: runNix, raw: true}, "shell": {run: runNix, raw: true}}},
		"dotenv":          {grammar: grammar{short: "f:e:v:c::", long: "file= export="}, subs: runs("run", ""), command: true, dashes: true},
		"dotenvx":         {subs: map[string]program{"run": {grammar: grammar{short: "f:e:", long: "env-file= env="}, command: true, dashes: true}}},
		"cross-env":       {command: true, assigns: true},
		"cross-env-shell": {grammar: grammar{first: true}, run: runCrossEnv},
		"concurrently":    {grammar: grammar{exact: true, short: "m:n:c:p:l:t:k::", long: "max-processes= names= name-separator= prefix= prefix-colors= prefix-length= timestamp-format= restart-tries= restart-after= success= kill-signal= hide= default-input-target="}, texts: true},
		"nodemon":         {grammar: grammar{first: true, exact: true, short: "x:w:e:i:d:C", long: "exec= watch= ext= ignore= delay= signal= config="}, text: "x exec"},
	}
	for name, like := range alikePrograms {
		programs[name] = programs[like]
	}
	for _, name := range []string{"awk", "gawk", "mawk", "nawk", "original-awk"} {
		programs[name] = program{grammar: grammar{first: true, short: "F:v:f:e:i:l:E:W:o::p::d::D::L::", long: "field-separator= assign= file= source= include= load= exec= pretty-print[=] profile[=] dump-variables[=] sandbox"},
			unknown: "l load", writes: "o p d pretty-print profile dump-variables", run: runAwk}
	}
}

// The grammars of more than one row.
var (
	kubectl = grammar{short: "n:s:c:f:l:v:", long: "namespace= context= cluster= user= kubeconfig= server= container= filename= image= restart= overrides= env= labels= port= target= profile= as= as-group= as-uid= tls-server-name= certificate-authority= client-certificate= client-key= cache-dir= log-dir= password= username= profile-output= vmodule= token= request-timeout= pod-running-timeout="}
	npx     = grammar{short: "p:c:w:", long: "package= call= workspace= prefix= cache= registry= loglevel="}
	uv      = grammar{exact: true, short: "p:w:", long: "with= with-editable= with-requirements= from= python= directory= project= index= index-url= default-index= extra-index-url= env-file= extra= group= only-group= no-group= package= config-file= cache-dir= color= refresh-package= upgrade-package= link-mode= resolution="}
	mise    = program{grammar: grammar{short: "c:j:", long: "command= jobs="}, text: "c command", command: true, dashes: true, operands: 99}
)

// runs is one command of a program that runs what comes behind it.
func runs(name, short string) map[string]program {
	return map[string]program{name: {grammar: grammar{short: short}, command: true}}
}

// goCommands are those of go that run what they build, or tools.
func goCommands() map[string]program {
	g := grammar{single: true, exact: true, long: "exec= toolexec= vettool= C= o= p= tags= asmflags= gcflags= gccgoflags= ldflags= mod= modfile= overlay= pgo= pkgdir= buildmode= buildvcs= compiler= covermode= coverpkg= coverprofile= installsuffix= run= bench= skip= count= timeout= cpu= parallel= list= fuzz= fuzztime= outputdir= benchtime= f="}
	builds := program{grammar: g, words: "toolexec exec vettool"}
	tests := builds
	builds.first = true
	return map[string]program{"test": tests, "run": builds, "build": builds, "vet": builds, "install": builds, "generate": builds, "list": builds}
}

// containers are the commands of docker and the like that run something in a container.
func containers() map[string]program {
	run := program{grammar: grammar{short: "a:c:e:h:l:m:p:u:v:w:", long: "link-local-ip= dns-opt= cpu-rt-period= cpu-rt-runtime= device-read-bps= device-read-iops= device-write-bps= device-write-iops= kernel-memory= io-maxbandwidth= io-maxiops= net-alias= preserve-fds= add-host= annotation= attach= blkio-weight= cap-add= cap-drop= cgroup-parent= cgroupns= cidfile= cpu-period= cpu-quota= cpu-shares= cpus= cpuset-cpus= cpuset-mems= detach-keys= device= device-cgroup-rule= dns= dns-option= dns-search= domainname= entrypoint= env= env-file= expose= gpus= group-add= health-cmd= health-interval= health-retries= health-start-period= health-timeout= hostname= ip= ip6= ipc= isolation= label= label-file= link= log-driver= log-opt= mac-address= memory= memory-reservation= memory-swap= mount= name= network= net= network-alias= oom-score-adj= pid= pids-limit= platform= pod= publish= pull= restart= runtime= secret= security-opt= shm-size= stop-signal= stop-timeout= storage-opt= sysctl= systemd= tmpfs= ulimit= user= userns= uts= volume= volume-driver= volumes-from= workdir= arch= authfile= env-host umask=", exact: true},
		words: "entrypoint", command: true, operands: 1, elsewhere: true}
	exec := program{grammar: grammar{exact: true, short: "e:u:w:", long: "detach-keys= env= env-file= user= workdir= index="}, command: true, operands: 1, elsewhere: true}
	compose := program{grammar: grammar{exact: true, short: "f:p:", long: "file= project-name= project-directory= profile= env-file= ansi= progress= parallel="}, subs: map[string]program{"run": run, "exec": exec}}
	subs := map[string]program{"run": run, "create": run, "exec": exec}
	return map[string]program{"run": run, "create": run, "exec": exec, "container": {subs: subs}, "compose": compose}
}
