package tool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/google/shlex"

	"github.com/einoshell/einoshell/internal/output"
	"github.com/einoshell/einoshell/internal/policy"
	"github.com/einoshell/einoshell/internal/process"
	"github.com/einoshell/einoshell/internal/state"
)

// prepare checks c and fills in what zero fields mean.
func prepare(ctx context.Context, c Config) (*Shell, error) {
	s := &Shell{}
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, &FieldError{field, fmt.Sprintf(format, args...)})
	}

	if c.AllowShell {
		if err := process.Supported(); err != nil {
			fault("AllowShell", "%v", err)
		}
	}

	if dir, err := filepath.Abs(c.Dir); err != nil {
		fault("Dir", "%v", err)
	} else if wrong := noDir(dir); wrong != "" {
		fault("Dir", "%s", wrong)
	} else {
		c.Dir = dir
	}

	c.Shell = slices.Clone(c.Shell)
	if len(c.Shell) == 1 && strings.ContainsAny(c.Shell[0], " \t") {
		words, err := shlex.Split(c.Shell[0])
		if err != nil {
			fault("Shell", "%v", err)
		}
		c.Shell = words
	}
	if c.Shell == nil {
		c.Shell = []string{"/bin/sh", "-c"}
		if runtime.GOOS == "windows" {
			c.Shell = []string{"cmd.exe", "/d", "/c"}
		}
	}
	if len(c.Shell) == 0 {
		fault("Shell", "names no program")
	} else if path, err := exec.LookPath(c.Shell[0]); err != nil && !c.AllowShell {
		// Nothing is run with it.
	} else if err != nil {
		fault("Shell", "%v", err)
	} else if s.shellPath, err = filepath.Abs(path); err != nil {
		fault("Shell", "%v", err)
	}

	pc := policy.Config{
		Allowed:          c.AllowedCommands,
		Denied:           c.DeniedCommands,
		Operators:        c.DeniedOperators,
		AllowInteractive: c.AllowInteractive,
		Dynamic:          policy.Dynamic(c.DynamicCommands),
		Rules:            c.rules(),
	}
	if c.Guards != nil {
		pc.Guards = map[string]policy.Setting{}
		for name, action := range c.Guards {
			pc.Guards[name] = policy.Setting(action)
		}
	}
	c.ToolPolicy = maps.Clone(c.ToolPolicy)
	for _, name := range slices.Sorted(maps.Keys(c.ToolPolicy)) {
		if !slices.Contains(toolNames(true), name) {
			fault("ToolPolicy", "there is no tool %s", output.Quote(name, 80))
		}
		if a := c.ToolPolicy[name]; a != ActionAllow && a != ActionAsk && a != ActionDeny {
			fault("ToolPolicy", "%s: %s is not allow, ask or deny", name, output.Quote(string(a), 40))
		}
	}
	if n := len(c.Shell); n > 0 {
		name := strings.TrimSuffix(filepath.Base(c.Shell[0]), ".exe")
		var known bool
		if pc.Shell, known = language(name); !known {
			fault("Shell", "the policy cannot read the language of %s; it knows sh, dash, ash and bash, and on Windows cmd and powershell", output.Quote(name, 80))
		}
		s.loads = !pc.Shell.Windows() && n > 1 && c.Shell[n-1] == "-c" && runtime.GOOS != "windows"
	}
	if pc.Denied == nil && len(pc.Allowed) == 0 {
		pc.Denied = DefaultDeniedCommands()
	}
	compiled, wrong := policy.New(pc)
	for _, f := range wrong {
		fault(f.Field, "%s", f.Reason)
	}
	s.policy = compiled

	if c.Tools == nil {
		c.Tools = toolNames(false)
	}
	c.Tools = slices.Clone(c.Tools)
	var unknown []string
	for _, name := range c.Tools {
		if !slices.Contains(toolNames(true), name) {
			unknown = append(unknown, name)
		}
	}
	if unknown != nil {
		slices.Sort(unknown)
		fault("Tools", "Unknown shell tools: %s. Available: %s.", output.First(strings.Join(unknown, ", "), 200), strings.Join(slices.Sorted(slices.Values(toolNames(true))), ", "))
	}
	for _, name := range []string{checkCommandName, stopCommandName, listCommandsName, sendInputName} {
		persistent := slices.Contains(c.Tools, persistentName) && name != sendInputName
		if slices.Contains(c.Tools, name) && !slices.Contains(c.Tools, startCommandName) && !persistent {
			fault("Tools", "%s is of no use without %s", name, startCommandName)
		}
	}
	if slices.Contains(c.Tools, sendInputName) && runtime.GOOS == "windows" {
		fault("Tools", "%s is not supported on Windows", sendInputName)
	}
	positive := func(field string, d *time.Duration, zero time.Duration) {
		if *d < 0 {
			fault(field, "%v is negative", *d)
		} else if *d == 0 {
			*d = zero
		}
	}
	positive("MaxTimeout", &c.MaxTimeout, DefaultMaxTimeout)
	positive("ParkTTL", &c.ParkTTL, DefaultParkTTL)
	positive("Timeout", &c.Timeout, min(DefaultTimeout, c.MaxTimeout))
	positive("KillGrace", &c.KillGrace, DefaultKillGrace)
	if c.MaxTimeout > 0 && c.Timeout > c.MaxTimeout {
		fault("Timeout", "%v is more than MaxTimeout, %v", c.Timeout, c.MaxTimeout)
	}

	bounded := func(field string, n *int, zero, most int, negative string) {
		switch {
		case *n < 0:
			fault(field, "%s", negative)
		case *n > most:
			fault(field, "%d is more than %d", *n, most)
		case *n == 0:
			*n = zero
		}
	}
	bounded("MaxBackground", &c.MaxBackground, DefaultMaxBackground, maxBackground, fmt.Sprint(c.MaxBackground, " is negative"))
	bounded("MaxCommandBytes", &c.MaxCommandBytes, DefaultMaxCommandBytes, maxCommandBytes, fmt.Sprint(c.MaxCommandBytes, " is negative"))
	bounded("MaxOutputChars", &c.MaxOutputChars, DefaultMaxOutputChars, maxOutputChars, "max_output_chars must be a positive integer.")

	switch {
	case c.SpillBytes < 0:
		fault("SpillBytes", "%d is negative", c.SpillBytes)
	case c.SpillBytes > maxSpillBytes:
		fault("SpillBytes", "%d is more than %d", c.SpillBytes, int64(maxSpillBytes))
	}
	persistent := c.AllowShell && slices.Contains(c.Tools, persistentName)
	if persistent {
		s.supervisor = checkPersistent(c, fault)
	}
	if c.AllowShell && c.SpillBytes > 0 && c.SpillBytes <= maxSpillBytes || persistent {
		var err error
		if c.StateDir == "" {
			c.StateDir, err = state.DefaultPath()
		} else {
			c.StateDir, err = filepath.Abs(c.StateDir)
		}
		if err == nil {
			s.state, err = openState(ctx, c.StateDir)
		}
		if err != nil {
			without := "set SpillBytes to 0"
			if persistent {
				without = "do without the tool " + persistentName
			}
			fault("StateDir", "%v; name another directory, or %s", err, without)
		}
	}

	if c.PersistDir && !s.loads {
		fault("PersistDir", "persist_cwd needs a POSIX shell, and -c as the last word of Shell")
	}
	switch {
	case c.MaxFileBytes < 0:
		fault("MaxFileBytes", "max_file_bytes must be a positive integer.")
	case c.MaxFileBytes == 0:
	case process.LimitsSupported() != nil:
		fault("MaxFileBytes", "max_file_bytes: %v", process.LimitsSupported())
	case !s.loads:
		fault("MaxFileBytes", "max_file_bytes needs a POSIX shell, and -c as the last word of Shell")
	}

	switch c.ResultFormat {
	case "":
		c.ResultFormat = formatText
	case formatText:
	case formatJSON:
		if c.MaxOutputChars > 0 && c.MaxOutputChars < minObjectChars {
			fault("MaxOutputChars", "%d is too small for ResultFormat json, which needs %d", c.MaxOutputChars, minObjectChars)
		}
	default:
		fault("ResultFormat", "%s is not text or json", output.Quote(c.ResultFormat, 40))
	}

	s.plan = c.Env.plan(fault)
	s.env = s.plan.Build(nil)
	s.secrets = output.NewSecrets(s.plan.Secrets(c.Dir, c.StateDir))

	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	s.c = c
	if faults != nil {
		return nil, errors.Join(faults...)
	}
	if names := s.plan.Withheld(); c.AllowShell && len(names) > 0 {
		c.Logger.Info("einoshell: variables are withheld from commands", "names", names)
	}
	return s, nil
}

// noDir says why dir is no directory, or nothing.
func noDir(dir string) string {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err.Error()
	case !info.IsDir():
		return dir + " is not a directory"
	}
	return ""
}
