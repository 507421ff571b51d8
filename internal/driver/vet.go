package driver

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fencelint/fencelint/internal/config"
	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

// CalledByGoVet reports whether the arguments are those of the protocol
// between go vet and its tool.
func CalledByGoVet(args []string) bool {
	for _, a := range args {
		if a == "-V=full" || a == "-flags" || a == "--flags" || strings.HasSuffix(a, ".cfg") {
			return true
		}
	}
	return false
}

// Vet speaks that protocol, for which it takes the process over: it reads
// os.Args and calls os.Exit. An error means that the settings are wrong.
//
// The go command runs the tool once with -V=full in the directory of the user,
// and takes the answer into the key of its cache; the configuration is hashed
// into it, so that a change of settings is a change of tool. Then it runs the
// tool once for each package, in the package's directory. A package of the
// main module finds its configuration from there, upwards; any other has the
// defaults: what a dependency ships for itself says nothing about its users.
func Vet(args, rules []string, suite func(*config.Config) Suite) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the working directory: %w", err)
	}
	for _, a := range args {
		if a == "-V=full" {
			return answerVersion(os.Stdout, dir, rules)
		}
	}
	cfg, unit := config.Default(), unitOf(args)
	if root := mainRoot(unit); root != "" {
		if cfg, err = config.Find(root, rules); err != nil {
			return err
		}
	}
	sources, err := cfg.Sources()
	if err != nil {
		return err
	}
	cat, err := models.Load(sources...)
	if err != nil {
		return err
	}
	flow, on := suite(cfg).Analyzers(cat, func(string) bool { return true })
	if unit != nil && unit.VetxOnly {
		Trim(flow, cat)
	}
	guard(flow, func(*types.Package) bool { return true }, func(string, ...any) {})
	for _, a := range on {
		guard(a, func(*types.Package) bool { return true }, func(string, ...any) {})
	}
	Restrict(cfg, on)
	flag.Var(levels(on), "confidence", "report findings of this level and above: high, medium or low")
	unitchecker.Main(on...)
	return nil
}

// levels sets the flag of that name of every rule at once.
type levels []*analysis.Analyzer

func (l levels) String() string { return "" }

func (l levels) Set(s string) error {
	if _, ok := finding.ParseConfidence(s); !ok {
		return errors.New("want high, medium or low")
	}
	return l.setAll(s)
}

func (l levels) setAll(s string) error {
	for _, a := range l {
		if a.Flags.Lookup("confidence") == nil {
			continue
		}
		if err := a.Flags.Set("confidence", s); err != nil {
			return fmt.Errorf("rule %s: %w", a.Name, err)
		}
	}
	return nil
}

// unitOf reads what the go command says about the package that it hands over,
// nil if it hands none over.
func unitOf(args []string) *unitchecker.Config {
	for _, a := range args {
		if !strings.HasSuffix(a, ".cfg") {
			continue
		}
		data, err := os.ReadFile(a)
		if err != nil {
			return nil // the unit checker will say so
		}
		unit := new(unitchecker.Config)
		if json.Unmarshal(data, unit) != nil {
			return nil
		}
		return unit
	}
	return nil
}

// mainRoot returns the root of the main module if a package belongs to it,
// else "".
func mainRoot(unit *unitchecker.Config) string {
	if unit == nil || unit.ModulePath == "" || unit.ModuleVersion != "" {
		return ""
	}
	return above(unit.Dir, "go.mod")
}

// above returns the nearest directory, dir or one that holds it, with a file
// of that name, "" if there is none.
func above(dir, name string) string {
	for dir != "" {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return ""
}

// answerVersion prints what stands for the tool in the cache of the go command.
func answerVersion(w io.Writer, dir string, rules []string) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the executable: %w", err)
	}
	files := []string{exe}
	for _, root := range mainModules(dir) {
		cfg, err := config.Find(root, rules)
		if err != nil {
			return err
		}
		files = append(files, cfg.Files()...)
	}
	h := sha256.New()
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("reading settings: %w", err)
		}
		part := sha256.New()
		_, err = io.Copy(part, f)
		f.Close()
		if err != nil {
			return fmt.Errorf("reading settings: %w", err)
		}
		h.Write(part.Sum(nil))
	}
	_, err = fmt.Fprintf(w, "%s version devel fencelint buildID=%02x\n", exe, h.Sum(nil))
	return err
}

// mainModules returns the roots of the modules that a go command in dir has as
// main modules: all of a workspace, or the one around dir.
func mainModules(dir string) []string {
	work := os.Getenv("GOWORK")
	if work == "" {
		if root := above(dir, "go.work"); root != "" {
			work = filepath.Join(root, "go.work")
		}
	}
	if work != "" && work != "off" {
		data, err := os.ReadFile(work)
		if err != nil {
			return nil // the go command will say so
		}
		file, err := modfile.ParseWork(work, data, nil)
		if err != nil {
			return nil
		}
		var roots []string
		for _, use := range file.Use {
			root := filepath.FromSlash(use.Path)
			if !filepath.IsAbs(root) {
				root = filepath.Join(filepath.Dir(work), root)
			}
			roots = append(roots, root)
		}
		return roots
	}
	if root := above(dir, "go.mod"); root != "" {
		return []string{root}
	}
	return nil
}
