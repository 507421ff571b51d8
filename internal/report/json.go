package report

import (
	"encoding/json"
	"io"
)

func writeJSON(w io.Writer, doc *Document, _ Options) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc.filled())
}

// filled returns a copy in which empty lists are lists, not null.
func (d *Document) filled() *Document {
	out := *d
	out.Findings = make([]Finding, len(d.Findings))
	for i, f := range d.Findings {
		f.Related = list(f.Related)
		fixes := make([]Fix, len(f.Fixes))
		for j, fix := range f.Fixes {
			fix.Edits = list(fix.Edits)
			fixes[j] = fix
		}
		f.Fixes = fixes
		out.Findings[i] = f
	}
	out.Limits, out.Errors = list(d.Limits), list(d.Errors)
	return &out
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
