package passes

import (
	"slices"

	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/passes/directive"
	"github.com/fencelint/fencelint/passes/keyonlyrelease"
	"github.com/fencelint/fencelint/passes/leaseloss"
	"github.com/fencelint/fencelint/passes/lockresult"
	"github.com/fencelint/fencelint/passes/releaseorder"
	"github.com/fencelint/fencelint/passes/sessionlock"
	"github.com/fencelint/fencelint/passes/tokenissue"
	"github.com/fencelint/fencelint/passes/ttlcheck"
	"github.com/fencelint/fencelint/passes/unfencedwrite"
	"golang.org/x/tools/go/analysis"
)

// A rule is one entry of the list.
type rule struct {
	name string
	make func(flow *analysis.Analyzer) *analysis.Analyzer
}

// rules are in the order of precedence: where one write breaks several of
// them, the first says so.
var rules = []rule{
	{keyonlyrelease.Name, keyonlyrelease.New},
	{ttlcheck.Name, ttlcheck.New},
	{unfencedwrite.Name, unfencedwrite.New},
}

// further are the passes that run only when they are asked for. They look at
// the lock itself, and leave to the rules whatever those report.
var further = []struct {
	name string
	make func(flow *analysis.Analyzer, before ...*analysis.Analyzer) *analysis.Analyzer
}{
	{leaseloss.Name, leaseloss.New},
	{lockresult.Name, lockresult.New},
	{sessionlock.Name, sessionlock.New},
	{releaseorder.Name, releaseorder.New},
	{tokenissue.Name, tokenissue.New},
}

// Names returns the names of all rules, those of Optional before the last one.
func Names() []string {
	var names []string
	for _, r := range rules {
		names = append(names, r.name)
	}
	return append(append(names, Optional()...), directive.Name)
}

// Optional returns the names of the rules that are off unless they are asked
// for.
func Optional() []string {
	var names []string
	for _, r := range further {
		names = append(names, r.name)
	}
	return names
}

// New returns fresh analyzers: the shared one, and the enabled rules above it.
func New(cfg leaseflow.Config, enabled func(rule string) bool) (flow *analysis.Analyzer, on []*analysis.Analyzer) {
	flow = leaseflow.New(cfg)
	for _, r := range rules {
		if enabled(r.name) {
			on = append(on, r.make(flow))
		}
	}
	before := slices.Clone(on)
	for _, r := range further {
		if enabled(r.name) {
			on = append(on, r.make(flow, before...))
		}
	}
	if enabled(directive.Name) {
		on = append(on, directive.New(flow, slices.Clone(on), Names()))
	}
	return flow, on
}

// Infer returns the models of the functions and interfaces of the packages
// whose results of the shared analysis are given.
func Infer(results []any) []*models.Row {
	var flows []*leaseflow.Result
	for _, r := range results {
		flows = append(flows, r.(*leaseflow.Result))
	}
	return leaseflow.Infer(flows)
}
