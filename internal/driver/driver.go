package driver

import (
	"context"
	"fmt"
	"go/types"
	"slices"
	"strings"
	"time"

	"github.com/fencelint/fencelint/internal/config"
	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/report"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// Options says what to run on.
type Options struct {
	Dir      string // working directory, absolute; paths in the report are relative to it
	Root     string // directory of the main module, "" outside of one
	Patterns []string
	Tests    bool
	Tags     string
	Config   *config.Config
	Suite    Suite
	Log      func(format string, args ...any) // details for -v, one note a call; nil for none
	Progress func(stage string)               // told what begins; nil for none
}

// Stats counts what a run did.
type Stats struct {
	Loaded   int // packages, dependencies included
	Analysed int // packages of the main module
	Rounds   int
	Inferred int // rows of the main module's own wrappers and interfaces
	Load     time.Duration
	Analyse  time.Duration
}

// Outcome is the result of a run.
type Outcome struct {
	Document *report.Document
	Inferred []*models.Row
	Analysed map[string]bool // paths of the packages that were reported on
	Stats    Stats
}

// rounds bounds the search for a fixpoint: each adds the functions one more
// interface away, and chains longer than this do not occur in practice.
const rounds = 8

// Run analyses the main module. What concerns single packages, or the loading
// of all of them, is told in the document; an error means that the settings
// are wrong.
func Run(ctx context.Context, o Options) (*Outcome, error) {
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	sources, err := o.Config.Sources()
	if err != nil {
		return nil, err
	}
	cat, err := models.Load(sources...)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	o.Progress("loading packages")
	out := &Outcome{Analysed: map[string]bool{}}
	prog, err := load(ctx, o, cat)
	if err != nil {
		out.Document = &report.Document{Version: report.SchemaVersion, Errors: []report.Error{{Message: err.Error()}}}
		return out, ctx.Err()
	}
	loaded := time.Now()
	out.Stats.Loaded, out.Stats.Analysed, out.Stats.Load = prog.loaded, len(prog.units), loaded.Sub(begin)

	graph, flow, err := out.analyse(ctx, o, prog, sources)
	if err != nil {
		return nil, err
	}
	out.Stats.Analyse = time.Since(loaded)
	doc := &report.Document{Version: report.SchemaVersion, Errors: prog.errors}
	r := newRenderer(o)
	r.dirs, r.syntax = sourceDirs(prog.units), syntaxByName(prog.units)
	for _, act := range graph.Roots {
		if !prog.reported[act.Package] {
			continue
		}
		if act.Err != nil {
			if act.Analyzer == flow || !strings.HasPrefix(act.Err.Error(), "failed prerequisites") {
				doc.Errors = append(doc.Errors, report.Error{Package: act.Package.PkgPath, Message: act.Err.Error()})
			}
			continue
		}
		if res, ok := act.Result.(*finding.Result); ok && res != nil {
			r.add(doc, act.Package, res)
		}
		out.Analysed[act.Package.PkgPath] = true
	}
	doc.Sort()
	number(doc.Findings)
	out.Document = doc
	return out, nil
}

// settling is the number of rounds after which what was found stays. Of an
// interface whose implementations call each other through it, only so many
// effects are kept, and which ones may depend on which were kept before.
const settling = 3

// analyse runs the suite until the main module has nothing more to teach.
func (out *Outcome) analyse(ctx context.Context, o Options, prog *program, sources []models.Source) (*checker.Graph, *analysis.Analyzer, error) {
	roots := map[*types.Package]bool{}
	for _, unit := range prog.units {
		roots[unit.Types] = true
	}
	last := ""
	for round := 1; ; round++ {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		o.Progress(fmt.Sprintf("analysing %d packages, round %d", len(prog.units), round))
		extra := sources
		if last != "" {
			extra = append(slices.Clip(sources), models.Source{Name: "inferred", Data: []byte(last)})
		}
		cat, err := models.Load(extra...)
		if err != nil {
			return nil, nil, err
		}
		flow, rules := o.Suite.Analyzers(cat, o.Config.Enabled)
		all := append([]*analysis.Analyzer{flow}, rules...)
		for _, a := range all {
			guard(a, func(p *types.Package) bool { return roots[p] }, o.Log)
		}
		for _, rule := range rules {
			if rule.ResultType != resultType {
				return nil, nil, fmt.Errorf("internal error: rule %s has results of type %v", rule.Name, rule.ResultType)
			}
		}
		graph, err := checker.Analyze(all, prog.units, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("analysing: %w", err)
		}
		out.Stats.Rounds = round
		if o.Suite.Infer == nil {
			return graph, flow, nil
		}
		found := o.Suite.infer(graph, flow, cat, sources)
		if round > settling {
			found = models.Union(out.Inferred, found)
		}
		out.Inferred, out.Stats.Inferred = found, len(found)
		rows := models.Format(out.Inferred)
		if rows == last {
			return graph, flow, nil
		}
		if round == rounds {
			o.Log("the interfaces of the module were not settled after %d rounds", rounds)
			return graph, flow, nil
		}
		last = rows
	}
}

// infer asks for the rows of the main module. What the user says about a
// function stands above what was found out about it.
func (s Suite) infer(graph *checker.Graph, flow *analysis.Analyzer, cat *models.Catalogue, user []models.Source) []*models.Row {
	var results []any
	for _, act := range graph.Roots {
		if act.Analyzer == flow && act.Err == nil && ofMainModule(act.Package) {
			results = append(results, act.Result)
		}
	}
	rows := s.Infer(results)
	if len(user) == 0 {
		return rows
	}
	named := map[string]bool{}
	for _, row := range cat.Rows("") {
		for _, src := range user {
			if strings.HasPrefix(row.Source, src.Name+":") {
				named[row.String()] = true
			}
		}
	}
	return slices.DeleteFunc(rows, func(r *models.Row) bool { return named[r.String()] })
}

func ofMainModule(pkg *packages.Package) bool { return pkg.Module == nil || pkg.Module.Main }
