package report

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html.tmpl
var pageText string

// page is what the template shows.
type page struct {
	Version  string
	Total    string
	Count    map[string]int // findings by confidence
	Findings []pageFinding
	Limits   []Limit
	Errors   []Error
}

type pageFinding struct {
	Finding
	Place string
	Steps []pageStep
}

type pageStep struct {
	Role, Message, Place string
	Lines                []pageLine
}

type pageLine struct {
	Number int
	Text   string
	Marked bool
}

// context is how many lines are shown around the line of a step.
const context = 2

// writeHTML writes one page that needs nothing else: no script, no network.
func writeHTML(w io.Writer, doc *Document, o Options) error {
	t, err := template.New("page").Funcs(template.FuncMap{"place": place}).Parse(pageText)
	if err != nil {
		return err
	}
	src := newSources(o.Dir)
	p := page{Version: o.Version, Total: doc.Count(), Count: map[string]int{}, Limits: doc.Limits, Errors: doc.Errors}
	for _, f := range doc.Findings {
		p.Count[f.Confidence]++
		shown := pageFinding{Finding: f, Place: place(f.Location)}
		for _, step := range story(&f) {
			s := pageStep{Role: step.Role, Message: step.Message, Place: place(step.Location)}
			if step.Role == f.Rule {
				s.Role, s.Message = "here", ""
			}
			for n := step.Location.Start.Line - context; n <= step.Location.Start.Line+context; n++ {
				if text := src.line(step.Location.Path, n); n > 0 && (strings.TrimSpace(text) != "" || n == step.Location.Start.Line) {
					s.Lines = append(s.Lines, pageLine{n, text, n == step.Location.Start.Line})
				}
			}
			shown.Steps = append(shown.Steps, s)
		}
		p.Findings = append(p.Findings, shown)
	}
	return t.Execute(w, p)
}
