package plugin

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/fencelint/fencelint/internal/config"
	"github.com/fencelint/fencelint/internal/driver"
	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/passes"
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
)

func init() { register.Plugin("fencelint", New) }

// Settings are what .golangci.yml may say below settings. They have the
// meaning that the keys of .fencelint.yml have, which is not read.
type Settings struct {
	Enable      []string `json:"enable"`
	Disable     []string `json:"disable"`
	Confidence  string   `json:"confidence"` // high, medium (default) or low
	Generated   bool     `json:"generated"`
	Models      string   `json:"models"` // rows, not a file; what "fencelint models -infer" prints
	SharedPaths []string `json:"shared-paths"`
}

// linter is the plugin with its settings. It has one set of analyzers: two
// that export the same facts do not validate in one run.
type linter []*analysis.Analyzer

// New reads the settings, nil for none. An unknown key is an error.
func New(raw any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](raw)
	if err != nil {
		return nil, fmt.Errorf("settings of fencelint: %w", err)
	}
	cfg := config.Default()
	cfg.Enable, cfg.Disable, cfg.Optional = s.Enable, s.Disable, passes.Optional()
	cfg.Generated, cfg.SharedPaths = s.Generated, s.SharedPaths
	for _, list := range [][]string{s.Enable, s.Disable} {
		if err := config.CheckRules(list, passes.Names()); err != nil {
			return nil, fmt.Errorf("settings of fencelint: %w", err)
		}
	}
	if s.Confidence != "" {
		level, ok := finding.ParseConfidence(s.Confidence)
		if !ok {
			return nil, fmt.Errorf("settings of fencelint: confidence is high, medium or low, not %q", s.Confidence)
		}
		cfg.Confidence = level
	}
	cat, err := models.Load(models.Source{Name: "settings of fencelint: models", Data: []byte(s.Models)})
	if err != nil {
		return nil, err
	}
	flow, rules := passes.New(leaseflow.Config{Catalogue: cat, SharedPaths: cfg.SharedPaths}, cfg.Enabled)
	driver.Trim(flow, cat)
	driver.Restrict(cfg, rules)
	for _, rule := range rules {
		fold(rule)
	}
	return linter(rules), nil
}

// GetLoadMode says that the rules need types.
func (linter) GetLoadMode() string { return register.LoadModeTypesInfo }

// BuildAnalyzers returns the rules.
func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) { return l, nil }

// fold writes the message as golangci-lint needs it. It puts the name of the
// rule before it, which therefore has to go, and would show every related place
// as an issue of its own, so that the story has to be part of the text.
func fold(a *analysis.Analyzer) {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		folded := *pass
		folded.Report = func(d analysis.Diagnostic) {
			if text, ok := strings.CutPrefix(d.Message, a.Name+" ("+d.Category+"): "); ok {
				d.Message = d.Category + ": " + text
			}
			main := pass.Fset.Position(d.Pos)
			for _, r := range d.Related {
				d.Message += "; " + r.Message + " at " + near(main, pass.Fset.Position(r.Pos))
			}
			d.Related = nil
			pass.Report(d)
		}
		return run(&folded)
	}
}

// near names a place for a reader who stands at another one.
func near(at, place token.Position) string {
	if place.Filename == at.Filename {
		return fmt.Sprintf("line %d", place.Line)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(place.Filename), place.Line)
}
