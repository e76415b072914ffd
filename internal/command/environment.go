package command

import "strings"

// A setting is what programs make of the value of a variable.
type setting struct {
	// text says that it is run as shell text, and file that it is the path of a program.
	text, file bool
	// loads lists what in a value has code loaded, in the place of every value.
	loads []string
	// harmless is a value with which nothing is run or loaded.
	harmless string
}

// environment are the variables that have programs run others, or load code.
var environment = map[string]setting{
	"LD_PRELOAD": {}, "LD_AUDIT": {}, "DYLD_INSERT_LIBRARIES": {}, "GCONV_PATH": {}, "GIT_EXEC_PATH": {}, "GIT_CONFIG_PARAMETERS": {}, "GIT_TEMPLATE_DIR": {},
	"GIT_CONFIG_GLOBAL": {harmless: "/dev/null"}, "GIT_CONFIG_SYSTEM": {harmless: "/dev/null"}, "RIPGREP_CONFIG_PATH": {harmless: "/dev/null"},
	"PERL5OPT": {}, "PERL5DB": {}, "RUBYOPT": {loads: []string{"-r", "-I", "-e"}}, "PYTHONSTARTUP": {},
	"NODE_OPTIONS": {loads: []string{"-r ", "--require", "--import", "--loader", "--experimental-loader"}}, "JAVA_TOOL_OPTIONS": {loads: []string{"-javaagent", "-agentpath", "-agentlib"}},
	"MAKEFLAGS": {loads: []string{"--eval"}}, "GNUMAKEFLAGS": {loads: []string{"--eval"}}, "MAKEFILES": {},
	"TAR_OPTIONS": {loads: []string{"--to-command", "--checkpoint-action", "--use-compress", "-I", "--rsh", "--info-script"}}, "npm_config_script_shell": {},
	"GOFLAGS":  {loads: []string{"-toolexec", "--toolexec", "-exec", "--exec", "-vettool", "--vettool"}},
	"BROWSER":  {text: true, harmless: "none"},
	"LESSOPEN": {text: true}, "LESSCLOSE": {text: true},
	"GIT_SSH": {file: true}, "GIT_ASKPASS": {file: true}, "SSH_ASKPASS": {file: true}, "GIT_PROXY_COMMAND": {file: true},
}

func init() {
	for _, name := range []string{"GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "PAGER", "MANPAGER", "SYSTEMD_PAGER", "PSQL_PAGER", "KUBECTL_EXTERNAL_DIFF", "KUBE_EDITOR", "RSYNC_RSH", "RSYNC_CONNECT_PROG", "CVS_RSH", "RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "EDITOR", "VISUAL", "FCEDIT"} {
		environment[name] = setting{text: true}
	}
}

// environ walks what programs run since a variable has a value.
func (w *walker) environ(name string, v Word, at where) {
	s, found := environment[name]
	if !found {
		if key, ok := strings.CutPrefix(name, "GIT_CONFIG_KEY_"); ok && key != "" {
			// (Without a key, a value of one is of no use.)
			if _, runs := gitKey(v.Text); runs || !v.Known {
				w.dynamic("what git runs depends on the value of "+name, "Do not set it.", at)
			}
		}
		return
	}
	if v.Known && (v.Text == "" || v.Text == s.harmless) || v.parameter == name && w.vars.times[name] < 2 {
		return // nothing, or what it has been
	}
	if other, ok := instead(name, v); ok && w.vars.times[name] < 2 {
		v = known(other)
	}
	below := w.below(at, name)
	switch {
	case s.text:
		if strings.HasPrefix(name, "LESS") && v.Known {
			v = known(strings.TrimLeft(v.Text, "|-")) // which say where its output goes
		}
		w.toldText(name, v, below)
	case s.file:
		w.invoke([]Word{v}, nil, told(below))
	case len(s.loads) > 0:
		for _, option := range s.loads {
			// (What is in front of a part that is known may be what the variable was.)
			if strings.Contains(" "+v.Text+" ", " "+option) {
				w.loadsCode(name, at)
				return
			}
		}
	default:
		w.loadsCode(name, at)
	}
}

// instead is what a variable gets if it has had no value, where it keeps one it has had.
func instead(name string, v Word) (string, bool) {
	text, found := strings.CutPrefix(v.Text, "${"+name+":-")
	text, ends := strings.CutSuffix(text, "}")
	if v.Known || !found || !ends {
		return "", false
	}
	for word := range strings.FieldsSeq(text) {
		if !plainWord(word) {
			return "", false
		}
	}
	return text, true
}

func (w *walker) loadsCode(name string, at where) {
	w.dynamic("the value of "+name+" loads code into programs, or says what they run", "Do not set it.", at)
}
