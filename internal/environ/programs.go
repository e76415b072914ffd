package environ

import (
	"slices"
	"strings"
)

// programs are the names of variables that have programs run others, or load code: with one
// of them a harmless command does something else, and no policy sees it. * stands for any text.
var programs = strings.Fields("" +
	// What shells run or define when they start or trace, and where they look for names.
	"BASH_ENV ENV ZDOTDIR BASH_FUNC_* BASH_LOADABLES_PATH FPATH SHELLOPTS BASHOPTS PS4 IFS PROMPT_COMMAND CDPATH GLOBIGNORE " +
	// Libraries that are loaded into every program, and modules of libraries.
	"LD_* DYLD_* GCONV_PATH OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES " +
	// Code that interpreters load before or in the place of a program's own.
	"PYTHONSTARTUP PYTHONHOME PYTHONPATH PYTHONPLATLIBDIR PYTHONINSPECT PYTHONBREAKPOINT PYTHONWARNINGS PYTHONUSERBASE " +
	"PYTHONEXECUTABLE PYTHONPYCACHEPREFIX PYTEST_PLUGINS NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE BUN_OPTIONS " +
	"PERL5OPT PERL5DB PERL5LIB PERLLIB PERL5SHELL RUBYOPT RUBYLIB RUBYSHELL LUA_INIT* LUA_PATH* LUA_CPATH* PHPRC PHP_INI_SCAN_DIR " +
	"R_PROFILE* R_ENVIRON* CLASSPATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JDK_JAVAC_OPTIONS IBM_JAVA_OPTIONS OPENJ9_JAVA_OPTIONS " +
	"DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE COR_PROFILER* CORECLR_PROFILER* " +
	// Programs for showing, editing, asking and connecting.
	"*PAGER *EDITOR VISUAL FCEDIT LESSOPEN LESSCLOSE LESSKEY* BROWSER GH_BROWSER *_ASKPASS *_RSH RSYNC_CONNECT_PROG SVN_SSH SVN_MERGE HGMERGE " +
	"BORG_PASSCOMMAND SSH_SK_PROVIDER SSH_SK_HELPER SSH_PKCS11_HELPER KUBECTL_EXTERNAL_DIFF GOAUTH GOCACHEPROG " +
	"GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_ALLOW_PROTOCOL " +
	// Settings that name such programs, in a file, in a variable, or in another repository (as inside a hook of git).
	"GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_KEY_* GIT_CONFIG_VALUE_* GIT_CONFIG_PARAMETERS " +
	"GIT_DIR GIT_COMMON_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES " +
	"HGRCPATH RIPGREP_CONFIG_PATH WGETRC PSQLRC VIMINIT GVIMINIT EXINIT FZF_DEFAULT_* TAR_OPTIONS MAKEFILES " +
	"npm_config_script_shell npm_config_shell npm_config_git npm_config_editor npm_config_viewer npm_config_browser " +
	"npm_config_node_options npm_config_node_gyp npm_config_onload_script YARN_YARN_PATH " +
	// Programs around or in the place of a compiler.
	"RUSTC RUSTDOC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC* CARGO_BUILD_RUSTDOC CARGO_TARGET_*_RUNNER " +
	"CARGO_TARGET_*_LINKER CMAKE_*_LAUNCHER CMAKE_PROJECT_*INCLUDE* CCACHE_PREFIX* CCACHE_COMPILER GCC_EXEC_PREFIX COMPILER_PATH " +
	// Others that name code or programs.
	"GOENV GROFF_COMMAND_PREFIX MANOPT ZIPOPT UNZIPOPT GTK_MODULES GTK_PATH QT_PLUGIN_PATH JULIA_LOAD_PATH GUILE_LOAD_PATH EMACSLOADPATH ERL_LIBS " +
	"CAML_LD_LIBRARY_PATH COVERAGE_PROCESS_START HELM_PLUGINS npm_config_userconfig npm_config_globalconfig CORECLR_ENABLE_PROFILING COR_ENABLE_PROFILING")

// loading are the variables that do so with some options only, and those options.
var loading = map[string][]string{
	"GOFLAGS":        {"-toolexec", "--toolexec", "-exec", "--exec", "-vettool", "--vettool", "-overlay", "--overlay"},
	"PYTEST_ADDOPTS": {"-p"}, "RUSTFLAGS": {"-Clinker", "-C linker", "-Zcodegen-backend"}, "CFLAGS": {"-fplugin"}, "CXXFLAGS": {"-fplugin"},
	"KAFKA_OPTS": attaching, "CATALINA_OPTS": attaching, "JVM_OPTS": attaching, "HADOOP_OPTS": attaching,
	"MAKEFLAGS": evaluating, "GNUMAKEFLAGS": evaluating, "MFLAGS": evaluating,
	"JAVA_OPTS": attaching, "MAVEN_OPTS": attaching, "MAVEN_ARGS": attaching, "GRADLE_OPTS": attaching, "ANT_OPTS": attaching, "SBT_OPTS": attaching,
	"ERL_FLAGS": erlang, "ERL_AFLAGS": erlang, "ERL_ZFLAGS": erlang, "ELIXIR_ERL_OPTIONS": erlang,
}

var (
	evaluating = []string{"--eval", "-E", "--file", "--makefile", "-f", "SHELL=", ".SHELLFLAGS="}
	attaching  = []string{"-javaagent", "-agentpath", "-agentlib", "-Xrun", "-Xbootclasspath", "-XX:OnError", "-XX:OnOutOfMemoryError", "-XX:Flags", "-XX:VMOptionsFile"}
	erlang     = []string{"-eval", "-run", "-s ", "-pa", "-pz", "-boot", "-config", "-args_file"}
)

// Runs says whether a variable has programs run others, or load code.
func Runs(name, value string) bool {
	if n := len("npm_config_"); len(name) > n && strings.EqualFold(name[:n], "npm_config_") {
		name = strings.ReplaceAll(strings.ToLower(name), "-", "_") // all the same to npm
	}
	if slices.ContainsFunc(programs, func(pattern string) bool { return like(fold(pattern), fold(name)) }) {
		return true
	}
	options := loading[fold(name)]
	if options == nil {
		return false
	}
	value = " " + spaced.Replace(value) + " "
	return slices.ContainsFunc(options, func(option string) bool { return strings.Contains(value, " "+option) })
}

// spaced has what may stand before an option be a space.
var spaced = strings.NewReplacer("\t", " ", "\n", " ", `"`, " ", "'", " ")

// like says whether text is like a pattern in which * stands for any text.
func like(pattern, text string) bool {
	first, rest, any := strings.Cut(pattern, "*")
	text, found := strings.CutPrefix(text, first)
	if !any || !found {
		return found && text == ""
	}
	for {
		part, more, any := strings.Cut(rest, "*")
		if !any {
			return strings.HasSuffix(text, part)
		}
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text, rest = text[i+len(part):], more
	}
}
