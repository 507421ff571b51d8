package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
)

// listModels prints the rows of the catalogue in the form that users write
// their own in.
func listModels(ctx context.Context, o *options, args []string, stdout, stderr io.Writer) (int, error) {
	var packages []string
	if o.infer { // fencelint models -infer ./..., as of any go command
		args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
			if isPackages(arg) {
				packages = append(packages, arg)
			}
			return isPackages(arg)
		})
	}
	if len(args) > 1 {
		return exitFailed, fmt.Errorf("models takes one pattern, found %q", args[1])
	}
	pattern := ""
	if len(args) == 1 {
		pattern = args[0]
	}
	if o.infer {
		return inferModels(ctx, o, packages, pattern, stdout, stderr)
	}
	dir, err := os.Getwd()
	if err != nil {
		return exitFailed, fmt.Errorf("finding the working directory: %w", err)
	}
	cfg, _, err := o.settings(ctx, dir)
	if err != nil {
		return exitFailed, err
	}
	sources, err := cfg.Sources()
	if err != nil {
		return exitFailed, err
	}
	cat, err := models.Load(sources...)
	if err != nil {
		return exitFailed, err
	}
	rows := cat.Rows(pattern)
	if len(rows) == 0 {
		return exitFailed, fmt.Errorf("no models match %q", pattern)
	}
	_, err = io.WriteString(stdout, models.Format(rows))
	return exitClean, err
}

// isPackages tells patterns of packages from those of names.
func isPackages(arg string) bool {
	return strings.HasPrefix(arg, ".") || strings.Contains(arg, "...")
}

func inferModels(ctx context.Context, o *options, packages []string, pattern string, stdout, stderr io.Writer) (int, error) {
	out, _, err := o.run(ctx, packages, stderr)
	if err != nil {
		return exitFailed, err
	}
	rows := out.Inferred
	if pattern != "" {
		inferred, err := models.Load(models.Source{Name: "inferred", Data: []byte(models.Format(rows))})
		if err != nil {
			return exitFailed, err
		}
		kept := map[string]bool{}
		for _, row := range inferred.Rows(pattern) {
			kept[row.String()] = true
		}
		n := 0
		for _, row := range rows {
			if kept[row.String()] {
				rows[n] = row
				n++
			}
		}
		if rows = rows[:n]; n == 0 {
			return exitFailed, fmt.Errorf("no inferred models match %q", pattern)
		}
	}
	if _, err := io.WriteString(stdout, models.Format(rows)); err != nil {
		return exitFailed, err
	}
	printErrors(stderr, out.Document.Errors)
	if len(out.Document.Errors) > 0 {
		return exitFailed, nil
	}
	return exitClean, nil
}
