package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fencelint/fencelint/internal/baseline"
	"github.com/fencelint/fencelint/internal/changes"
	"github.com/fencelint/fencelint/internal/config"
	"github.com/fencelint/fencelint/internal/driver"
	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/repair"
	"github.com/fencelint/fencelint/internal/report"
)

// sifter reads what findings are to be compared with, so that a wrong file or
// revision is told before the long part of the run, and returns what leaves
// out the findings that are known, or have nothing to do with the change.
func (o *options) sifter(ctx context.Context, dir string) (func(*driver.Outcome, *config.Config, io.Writer) error, error) {
	var known *baseline.Baseline
	var changed *changes.Lines
	var err error
	if o.baseline != "" {
		if known, err = baseline.Read(o.baseline); err != nil {
			return nil, err
		}
	}
	if o.set["new-from"] {
		if changed, err = changes.Since(ctx, dir, o.newFrom); err != nil {
			return nil, err
		}
	}
	return func(out *driver.Outcome, cfg *config.Config, stderr io.Writer) error {
		doc := out.Document
		if o.writeBaseline != "" {
			return o.accept(doc, stderr)
		}
		if known != nil {
			fresh, fixed := known.Apply(doc.Findings, func(e *baseline.Entry) bool {
				level, _ := finding.ParseConfidence(e.Confidence) // Read has checked it
				return out.Analysed[e.Package] && cfg.Enabled(e.Rule) && level >= cfg.Confidence
			})
			doc.Findings = fresh
			for _, e := range fixed {
				fmt.Fprintf(stderr, "fencelint: fixed since the baseline: %s: %s (%s)\n", e.Path, e.Rule, e.Category)
			}
			if len(fixed) > 0 {
				fmt.Fprintf(stderr, "fencelint: %d of %d entries of %s are no longer needed; write it anew with -write-baseline\n",
					len(fixed), len(known.Findings), o.baseline)
			}
		}
		if changed != nil {
			doc.Findings = slices.DeleteFunc(doc.Findings, func(f report.Finding) bool { return !changed.Touch(&f) })
		}
		return nil
	}, nil
}

// accept writes all findings to a baseline and leaves none. What -baseline and
// -new-from would leave out is in it too: it has to last for the next runs.
func (o *options) accept(doc *report.Document, stderr io.Writer) error {
	if len(doc.Errors) > 0 {
		return errors.New("the baseline was not written, since it would lack the packages that do not load")
	}
	if err := baseline.New(doc.Findings).Write(o.writeBaseline); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "fencelint: %s written to %s\n", doc.Count(), o.writeBaseline)
	doc.Findings = nil
	return nil
}

// repair makes the fixes of a document, or shows them as a diff, and leaves
// the other findings in it. It reports whether there were any.
func (o *options) repair(dir string, doc *report.Document, stdout io.Writer) (bool, error) {
	fixes, rest, err := repair.Plan(dir, doc.Findings)
	if err != nil {
		return false, err
	}
	for _, c := range fixes {
		if o.diff {
			_, err = stdout.Write(c.Diff())
		} else {
			err = c.Write(dir)
		}
		if err != nil {
			return false, err
		}
	}
	doc.Findings = rest
	return len(fixes) > 0, nil
}
