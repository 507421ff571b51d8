package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/config"
	"github.com/fencelint/fencelint/internal/driver"
	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/report"
	"github.com/fencelint/fencelint/passes"
)

// options are the flags of the command line.
type options struct {
	format, out       string
	confidence        string
	enable, disable   string
	config, dir, tags string
	tests             bool
	verbose           bool
	fix, diff         bool
	baseline          string
	writeBaseline     string
	newFrom           string
	infer             bool

	set map[string]bool // names of the flags that were given
}

func (o *options) flagSet() *flag.FlagSet {
	fs := flag.NewFlagSet("fencelint", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.format, "format", "text", "output `format`: "+strings.Join(report.Formats(), ", "))
	fs.StringVar(&o.out, "o", "", "write the report to `file` instead of standard output")
	fs.StringVar(&o.confidence, "confidence", "medium", "report findings of this `level` and above: high, medium or low")
	fs.StringVar(&o.enable, "enable", "", "run only the rules of this comma-separated `list`, or all, the further passes included")
	fs.StringVar(&o.disable, "disable", "", "do not run the rules of this comma-separated `list`, or all")
	fs.StringVar(&o.config, "config", "", "read settings from `file` instead of .fencelint.yml at the root of the main module")
	fs.StringVar(&o.dir, "C", "", "change to `dir` before anything else")
	fs.StringVar(&o.tags, "tags", "", "comma-separated `list` of build tags")
	fs.BoolVar(&o.tests, "tests", true, "analyse test files too")
	fs.BoolVar(&o.verbose, "v", false, "tell what the run did, and how each step of a finding is known")
	fs.BoolVar(&o.fix, "fix", false, "apply the first fix of each finding")
	fs.BoolVar(&o.diff, "diff", false, "print what -fix would change and change nothing")
	fs.StringVar(&o.baseline, "baseline", "", "leave out the findings that `file` lists")
	fs.StringVar(&o.writeBaseline, "write-baseline", "", "write the present findings to `file` and report none")
	fs.StringVar(&o.newFrom, "new-from", "", "report only findings with a step in what changed since `revision`")
	fs.BoolVar(&o.infer, "infer", false, "with models: print the models of the module's own wrappers and interfaces")
	return fs
}

// subcommands are the first words that are no package pattern.
var subcommands = map[string]func(context.Context, *options, []string, io.Writer, io.Writer) (int, error){
	"explain": explain,
	"models":  listModels,
	"cache":   cache,
	"version": version,
}

// dispatch reads the flags and calls the subcommand, or analyses packages.
func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	o := &options{set: map[string]bool{}}
	fs := o.flagSet()
	words, err := parse(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		usage(fs, stdout)
		return exitClean, nil
	}
	if err != nil {
		return exitFailed, fmt.Errorf("%w; see fencelint -help", err)
	}
	fs.Visit(func(f *flag.Flag) { o.set[f.Name] = true })
	for _, name := range []string{"C", "baseline", "config", "new-from", "o", "write-baseline"} {
		// Most often a variable of a script that was not set.
		if o.set[name] && fs.Lookup(name).Value.String() == "" {
			return exitFailed, fmt.Errorf("-%s is empty; see fencelint -help", name)
		}
	}
	if o.dir != "" {
		if err := os.Chdir(o.dir); err != nil {
			return exitFailed, fmt.Errorf("changing directory: %w", err)
		}
	}
	if len(words) > 0 {
		if words[0] == "help" {
			usage(fs, stdout)
			return exitClean, nil
		}
		if sub, ok := subcommands[words[0]]; ok {
			return sub(ctx, o, words[1:], stdout, stderr)
		}
	}
	if o.infer {
		return exitFailed, errors.New("-infer belongs to fencelint models")
	}
	return analyse(ctx, o, words, stdout, stderr)
}

// parse reads flags before, between and after the other words.
func parse(fs *flag.FlagSet, args []string) ([]string, error) {
	var words []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		rest := fs.Args()
		if n := len(args) - len(rest); n > 0 && args[n-1] == "--" {
			return append(words, rest...), nil
		}
		if len(rest) == 0 {
			return words, nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

func usage(fs *flag.FlagSet, w io.Writer) {
	fmt.Fprint(w, `fencelint finds code in which a worker that has lost its lock can still change shared data.

usage: fencelint [flags] [packages]           analyse (default ./...)
       fencelint explain [rule|category]      what it means, how it breaks, how to repair it
       fencelint models [pattern]             the known APIs and their roles
       fencelint models -infer [packages] [pattern]
                                              those of this module's own wrappers and interfaces
       fencelint cache clean                  remove what earlier runs stored
       fencelint version
       go vet -vettool=$(which fencelint) [packages]

rules: `+strings.Join(without(passes.Names(), passes.Optional()), ", ")+`
further passes, off unless enabled: `+strings.Join(passes.Optional(), ", ")+`

flags:
`)
	fs.SetOutput(w)
	fs.PrintDefaults()
}

// without returns the words of all that are not among some.
func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) })
}

// settings reads the configuration and lets the flags win over it.
func (o *options) settings(ctx context.Context, dir string) (cfg *config.Config, root string, err error) {
	if root, err = driver.ModuleRoot(ctx, dir); err != nil {
		return nil, "", err
	}
	if o.config != "" {
		cfg, err = config.Read(o.config, passes.Names())
	} else {
		cfg, err = config.Find(root, passes.Names())
	}
	if err != nil {
		return nil, "", err
	}
	enable, disable := words(o.enable), words(o.disable)
	for name, list := range map[string][]string{"enable": enable, "disable": disable} {
		if err := config.CheckRules(list, passes.Names()); err != nil {
			return nil, "", fmt.Errorf("-%s: %w", name, err)
		}
	}
	cfg.Choose(enable, disable)
	if o.set["confidence"] {
		level, ok := finding.ParseConfidence(o.confidence)
		if !ok {
			return nil, "", fmt.Errorf("-confidence is high, medium or low, not %q", o.confidence)
		}
		cfg.Confidence = level
	}
	if o.set["tests"] {
		cfg.Tests = o.tests
	}
	return cfg, root, nil
}

// words splits a comma-separated list.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
