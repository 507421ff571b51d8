// Package docs holds the documentation of the rules in the form in which the
// command explains them, reports carry them and the repository shows them:
// one source for all three.
package docs

import (
	_ "embed"
	"strings"
)

//go:embed rules.md
var rules string

// A Rule is the documentation of one rule or, in Categories, of one category.
type Rule struct {
	Name       string // of the category without its rule
	Title      string // the first sentence
	Text       string // Markdown, without the heading and the categories
	Categories []Rule
}

// Rules returns the documentation of all rules in order.
func Rules() []Rule {
	var out []Rule
	for i, section := range strings.Split("\n"+rules, "\n## ") {
		if i == 0 {
			continue // the introduction
		}
		parts := strings.Split(section, "\n### ")
		rule := newRule(parts[0])
		for _, part := range parts[1:] {
			category := newRule(part)
			category.Name = strings.TrimPrefix(category.Name, rule.Name+" ")
			rule.Categories = append(rule.Categories, category)
		}
		out = append(out, rule)
	}
	return out
}

func newRule(section string) Rule {
	name, text, _ := strings.Cut(section, "\n")
	text = strings.TrimSpace(text)
	paragraph, _, _ := strings.Cut(text, "\n\n")
	title := strings.Join(strings.Fields(paragraph), " ")
	if i := strings.Index(title, ". "); i >= 0 {
		title = title[:i]
	}
	return Rule{Name: name, Title: strings.TrimSuffix(title, "."), Text: text}
}
