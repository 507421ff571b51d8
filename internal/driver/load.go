package driver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/report"
	"golang.org/x/tools/go/packages"
)

// program is what was loaded.
type program struct {
	// units are the packages to analyse, one for each package of the main
	// module and each that was asked for: the variant with its tests, if there
	// is one.
	units    []*packages.Package
	reported map[*packages.Package]bool // those that the patterns name
	errors   []report.Error
	loaded   int // packages, dependencies included
}

// environment is what the go command says about a directory.
type environment struct {
	root             string // of the module around it, "" outside of one
	goroot, modcache string
}

// ModuleRoot returns the directory of the module that dir lies in, "" when it
// lies in none.
func ModuleRoot(ctx context.Context, dir string) (string, error) {
	env, err := goEnv(ctx, dir)
	return env.root, err
}

func goEnv(ctx context.Context, dir string) (environment, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOMOD", "GOROOT", "GOMODCACHE")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return environment{}, fmt.Errorf("running go env: %w", withStderr(err))
	}
	var vars map[string]string
	if err := json.Unmarshal(out, &vars); err != nil {
		return environment{}, fmt.Errorf("reading go env: %w", err)
	}
	env := environment{goroot: vars["GOROOT"], modcache: vars["GOMODCACHE"]}
	if mod := vars["GOMOD"]; mod != "" && mod != os.DevNull {
		env.root = filepath.Dir(mod)
	}
	return env, nil
}

// withStderr adds what a command said to the error of running it.
func withStderr(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, oneLine(string(exit.Stderr)))
	}
	return err
}

const mode = packages.LoadAllSyntax | packages.NeedModule | packages.NeedForTest

func load(ctx context.Context, o Options, cat *models.Catalogue) (*program, error) {
	cfg := &packages.Config{Context: ctx, Dir: o.Dir, Tests: o.Tests}
	if o.Tags != "" {
		cfg.BuildFlags = []string{"-tags=" + o.Tags}
	}
	patterns, err := directories(o.Dir, o.Patterns)
	if err != nil {
		return nil, err
	}
	whole := patterns
	var chosen map[string]bool // nil when everything that was loaded is
	roots := []string{o.Root}
	if o.Root != "" && !(o.Root == o.Dir && slices.Equal(patterns, []string{"./..."})) {
		var dirs []string
		if chosen, dirs, err = match(*cfg, patterns); err != nil {
			return nil, err
		}
		roots = append(roots, dirs...)
		whole = append([]string{o.Root + string(filepath.Separator) + "..."}, patterns...)
	}
	env, err := goEnv(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	trim := newTrimmer(env, cat, roots)
	cfg.Mode, cfg.ParseFile = mode, trim.parse
	pkgs, err := packages.Load(cfg, whole...)
	if err != nil {
		return nil, loadError(err)
	}
	trim.settle(pkgs)
	p := &program{reported: map[*packages.Package]bool{}}
	packages.Visit(pkgs, nil, func(*packages.Package) { p.loaded++ })
	p.choose(o.Dir, pkgs, chosen)
	trim.prune(pkgs)
	if len(p.reported) == 0 && len(p.errors) == 0 {
		text := "no packages match " + strings.Join(patterns, " ")
		if o.Root == "" {
			text += "; no go.mod was found in this directory or above"
		}
		return nil, errors.New(text)
	}
	return p, nil
}

// directories replaces the names of Go files by their directories, so that a
// hook may hand over files of several packages.
func directories(dir string, patterns []string) ([]string, error) {
	if len(patterns) == 0 {
		return []string{"./..."}, nil
	}
	var dirs []string
	for _, p := range patterns {
		if strings.HasSuffix(p, ".go") {
			file := p
			if !filepath.IsAbs(file) {
				file = filepath.Join(dir, file)
			}
			if info, err := os.Stat(file); err != nil || info.IsDir() {
				return nil, fmt.Errorf("no Go file %s", p)
			}
			if p = filepath.Dir(p); !filepath.IsAbs(p) && !strings.HasPrefix(p, ".") {
				p = "./" + filepath.ToSlash(p)
			}
		}
		if !slices.Contains(dirs, p) {
			dirs = append(dirs, p)
		}
	}
	return dirs, nil
}

// match returns the paths and directories of the packages that patterns name.
func match(cfg packages.Config, patterns []string) (map[string]bool, []string, error) {
	cfg.Mode = packages.NeedName | packages.NeedFiles
	cfg.Tests = false
	pkgs, err := packages.Load(&cfg, patterns...)
	if err != nil {
		return nil, nil, loadError(err)
	}
	paths := map[string]bool{}
	var dirs []string
	for _, pkg := range pkgs {
		paths[pkg.PkgPath] = true
		if pkg.Dir != "" {
			dirs = append(dirs, pkg.Dir)
		}
	}
	return paths, dirs, nil
}

// driverNoise is what go/packages puts before the words of the go command.
var driverNoise = regexp.MustCompile(`^(err: |exit status \d+: |stderr: |go: )+`)

func loadError(err error) error {
	return fmt.Errorf("loading packages: %s", driverNoise.ReplaceAllString(oneLine(err.Error()), ""))
}

// choose picks the units and notes what does not load.
func (p *program) choose(dir string, pkgs []*packages.Package, chosen map[string]bool) {
	variants := map[string][]*packages.Package{}
	var paths []string
	var asked []*packages.Package // what patterns name, whether it loads or not
	for _, pkg := range pkgs {
		if strings.HasSuffix(pkg.ID, ".test") && pkg.Name == "main" {
			continue // the generated main of a test
		}
		unit := pkg.PkgPath
		if pkg.ForTest != "" && pkg.PkgPath != pkg.ForTest {
			unit = pkg.ForTest + " external test"
		}
		if variants[unit] == nil {
			paths = append(paths, unit)
		}
		variants[unit] = append(variants[unit], pkg)
		if chosen == nil || chosen[pkg.PkgPath] || chosen[pkg.ForTest] {
			asked = append(asked, pkg)
		}
	}
	p.errors = failures(dir, asked)
	slices.Sort(paths)
	for _, path := range paths {
		unit := best(variants[path])
		if unit == nil {
			continue
		}
		p.units = append(p.units, unit)
		if slices.Contains(asked, unit) {
			p.reported[unit] = true
		}
	}
}

// best returns the variant to analyse: of those that load the one with its
// tests, which holds all files of the others.
func best(variants []*packages.Package) *packages.Package {
	var unit *packages.Package
	for _, pkg := range variants {
		if !pkg.IllTyped && len(pkg.Syntax) > 0 && (unit == nil || len(pkg.Syntax) > len(unit.Syntax)) {
			unit = pkg
		}
	}
	return unit
}
