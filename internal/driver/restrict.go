package driver

import (
	"go/ast"
	"strings"

	"github.com/fencelint/fencelint/internal/config"
	"golang.org/x/tools/go/analysis"
)

// Restrict makes analyzers report, in drivers that know nothing of settings,
// only what the settings ask for. Analyzers whose findings are dropped still
// run: others may need them.
func Restrict(cfg *config.Config, analyzers []*analysis.Analyzer) {
	// The error is that of a rule whose flag refuses a level, which no rule does.
	_ = levels(analyzers).setAll(cfg.Confidence.String())
	for _, a := range analyzers {
		run, enabled := a.Run, cfg.Enabled(a.Name)
		a.Run = func(pass *analysis.Pass) (any, error) {
			restricted := *pass
			restricted.Report = func(d analysis.Diagnostic) {
				if enabled && wanted(cfg, pass, d) {
					pass.Report(d)
				}
			}
			return run(&restricted)
		}
	}
}

func wanted(cfg *config.Config, pass *analysis.Pass, d analysis.Diagnostic) bool {
	name := pass.Fset.Position(d.Pos).Filename
	if cfg.Excluded(name) || !cfg.Tests && strings.HasSuffix(name, "_test.go") {
		return false
	}
	file := enclosingFile(pass.Files, d.Pos)
	return cfg.Generated || file == nil || !ast.IsGenerated(file)
}
