package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/fencelint/fencelint/internal/config"
	"github.com/fencelint/fencelint/internal/driver"
	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/report"
	"github.com/fencelint/fencelint/passes"
	"golang.org/x/tools/go/analysis"
)

// analyse runs the rules and writes the report.
func analyse(ctx context.Context, o *options, patterns []string, stdout, stderr io.Writer) (int, error) {
	write, err := report.ForFormat(o.format)
	if err != nil {
		return exitFailed, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return exitFailed, fmt.Errorf("finding the working directory: %w", err)
	}
	sift, err := o.sifter(ctx, dir)
	if err != nil {
		return exitFailed, err
	}
	out, cfg, err := o.run(ctx, patterns, stderr)
	if err != nil {
		return exitFailed, err
	}
	doc := out.Document
	printErrors(stderr, doc.Errors)
	if err := sift(out, cfg, stderr); err != nil {
		return exitFailed, err
	}
	if o.fix || o.diff {
		changed, err := o.repair(dir, doc, stdout)
		if o.diff && len(doc.Findings) > 0 {
			fmt.Fprintf(stderr, "fencelint: without a fix: %s\n", doc.Count())
		}
		if err != nil || o.diff {
			return status(doc, changed), err
		}
	}
	var text bytes.Buffer
	color := o.out == "" && isTerminal(stdout) && os.Getenv("NO_COLOR") == ""
	if err := write(&text, doc, report.Options{
		Dir: dir, Version: buildVersion(), Color: color, Verbose: o.verbose,
		Rules: ruleDocs(), Summary: os.Getenv("GITHUB_STEP_SUMMARY"),
	}); err != nil {
		return exitFailed, fmt.Errorf("writing the report: %w", err)
	}
	if o.out != "" {
		err = os.WriteFile(o.out, text.Bytes(), 0o666)
	} else {
		_, err = stdout.Write(text.Bytes())
	}
	if err != nil {
		return exitFailed, fmt.Errorf("writing the report: %w", err)
	}
	return status(doc, false), nil
}

// status returns the exit status for a document; changed says that there are
// fixes that were shown and not made.
func status(doc *report.Document, changed bool) int {
	switch {
	case len(doc.Errors) > 0:
		return exitFailed
	case len(doc.Findings) > 0 || changed:
		return exitFindings
	}
	return exitClean
}

// run analyses the module around the working directory, and returns the
// settings that it has found for it too.
func (o *options) run(ctx context.Context, patterns []string, stderr io.Writer) (*driver.Outcome, *config.Config, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, nil, fmt.Errorf("finding the working directory: %w", err)
	}
	cfg, root, err := o.settings(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	show := newProgress(stderr, o.verbose)
	defer show.clear()
	out, err := driver.Run(ctx, driver.Options{
		Dir: dir, Root: root, Patterns: patterns, Tests: cfg.Tests, Tags: o.tags, Config: cfg,
		Suite: suite(cfg, show.note),
		Log:   show.note, Progress: show.stage,
	})
	if err != nil {
		return nil, nil, err
	}
	s := out.Stats
	show.note("%d packages loaded in %s, %d analysed in %s and %d rounds, %d models inferred",
		s.Loaded, s.Load.Round(time.Millisecond), s.Analysed, s.Analyse.Round(time.Millisecond), s.Rounds, s.Inferred)
	return out, cfg, nil
}

// suite returns the rules with the settings of a module.
func suite(cfg *config.Config, trace func(string, ...any)) driver.Suite {
	cfg.Optional = passes.Optional()
	memo := leaseflow.NewMemo()
	return driver.Suite{
		Analyzers: func(cat *models.Catalogue, enabled func(string) bool) (*analysis.Analyzer, []*analysis.Analyzer) {
			return passes.New(leaseflow.Config{Catalogue: cat, SharedPaths: cfg.SharedPaths, Memo: memo, Trace: trace}, enabled)
		},
		Infer: passes.Infer,
	}
}

// printErrors says, one line each, what was not analysed.
func printErrors(w io.Writer, errs []report.Error) {
	for _, e := range errs {
		if e.Package != "" && !strings.HasPrefix(e.Message, e.Package+":") {
			e.Message = e.Package + ": " + e.Message
		}
		fmt.Fprintf(w, "fencelint: %s\n", e.Message)
	}
}
