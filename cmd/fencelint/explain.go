package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/fencelint/fencelint/docs"
	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/report"
)

// explain prints the documentation of a rule, a category or, without an
// argument, the list of both.
func explain(_ context.Context, _ *options, args []string, stdout, _ io.Writer) (int, error) {
	if len(args) > 1 {
		return exitFailed, fmt.Errorf("explain takes one rule or category, found %q", args[1])
	}
	if len(args) == 0 {
		for _, rule := range docs.Rules() {
			fmt.Fprintf(stdout, "%-16s %s\n", rule.Name, rule.Title)
			for _, category := range rule.Categories {
				fmt.Fprintf(stdout, "  %-14s %s\n", category.Name, category.Title)
			}
		}
		return exitClean, nil
	}
	wanted := strings.NewReplacer("/", " ", "(", " ", ")", "").Replace(args[0])
	wanted = strings.ToLower(strings.Join(strings.Fields(wanted), " "))
	found := false
	for _, rule := range docs.Rules() {
		if wanted == rule.Name {
			found = true
			fmt.Fprintf(stdout, "%s\n\n%s\n\ncategories:\n", rule.Name, rule.Text)
			for _, category := range rule.Categories {
				fmt.Fprintf(stdout, "  %-14s %s\n", category.Name, category.Title)
			}
			fmt.Fprintf(stdout, "\n%s\n", finding.URL(rule.Name, ""))
		}
		for _, category := range rule.Categories {
			if wanted == category.Name || wanted == rule.Name+" "+category.Name {
				found = true
				fmt.Fprintf(stdout, "%s (%s)\n\n%s\n\n%s\n", rule.Name, category.Name, category.Text, finding.URL(rule.Name, category.Name))
			}
		}
	}
	if !found {
		return exitFailed, fmt.Errorf("there is no rule or category %q; fencelint explain lists them", args[0])
	}
	return exitClean, nil
}

// ruleDocs turns the documentation into what reports carry.
func ruleDocs() []report.Rule {
	var rules []report.Rule
	for _, rule := range docs.Rules() {
		help := rule.Text
		for _, category := range rule.Categories {
			help += "\n\n### " + category.Name + "\n\n" + category.Text
		}
		rules = append(rules, report.Rule{Name: rule.Name, Title: rule.Title, Help: help, URL: finding.URL(rule.Name, "")})
	}
	return rules
}
