package report

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// The Reviewdog Diagnostic Format: one object a line, columns in bytes from 1,
// the end exclusive.
type (
	rdDiagnostic struct {
		Message     string         `json:"message"`
		Location    rdLocation     `json:"location"`
		Severity    string         `json:"severity"` // ERROR, WARNING or INFO
		Source      rdSource       `json:"source"`
		Code        rdCode         `json:"code"`
		Suggestions []rdSuggestion `json:"suggestions,omitempty"`
		Related     []rdRelated    `json:"related_locations,omitempty"`
	}
	rdLocation struct {
		Path  string  `json:"path"`
		Range rdRange `json:"range"`
	}
	rdRange struct {
		Start Point `json:"start"`
		End   Point `json:"end"`
	}
	rdSource struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	rdCode struct {
		Value string `json:"value"`
		URL   string `json:"url,omitempty"`
	}
	rdSuggestion struct {
		Range rdRange `json:"range"`
		Text  string  `json:"text"`
	}
	rdRelated struct {
		Message  string     `json:"message"`
		Location rdLocation `json:"location"`
	}
)

func writeRDJSONL(w io.Writer, doc *Document, o Options) error {
	src := newSources(o.Dir)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, f := range doc.Findings {
		d := rdDiagnostic{
			Message: f.Message, Location: newRDLocation(f.Location),
			Severity: [...]string{"ERROR", "WARNING", "INFO"}[rank(f.Confidence)],
			Source:   rdSource{"fencelint", "https://github.com/fencelint/fencelint"},
			Code:     rdCode{f.Rule + "/" + f.Category, f.URL},
		}
		for _, fix := range f.Fixes {
			if s, ok := suggest(src, f.Location.Path, fix); ok {
				d.Suggestions = append(d.Suggestions, s)
			}
		}
		for _, step := range f.Related {
			d.Related = append(d.Related, rdRelated{step.Message, newRDLocation(step.Location)})
		}
		if err := e.Encode(d); err != nil {
			return err
		}
	}
	return nil
}

func newRDLocation(l Location) rdLocation { return rdLocation{l.Path, rdRange{l.Start, l.End}} }

// suggest makes one replacement of a fix: its edits, and the text that stands
// between them. A fix that also changes other files is no suggestion.
func suggest(src *sources, path string, fix Fix) (rdSuggestion, bool) {
	edits := slices.Clone(fix.Edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return comparePoints(a.Start, b.Start) })
	var text strings.Builder
	for i, e := range edits {
		if e.Path != path {
			return rdSuggestion{}, false
		}
		if i > 0 {
			if comparePoints(edits[i-1].End, e.Start) > 0 {
				return rdSuggestion{}, false // the edits overlap
			}
			text.WriteString(src.between(path, edits[i-1].End, e.Start))
		}
		text.WriteString(e.New)
	}
	if len(edits) == 0 {
		return rdSuggestion{}, false
	}
	return rdSuggestion{rdRange{edits[0].Start, edits[len(edits)-1].End}, text.String()}, true
}

// between returns the text of a file from one point to another.
func (s *sources) between(path string, from, to Point) string {
	var b strings.Builder
	for n := from.Line; n <= to.Line; n++ {
		line := s.line(path, n)
		start, end := 0, len(line)
		if n == from.Line {
			start = min(from.Column-1, len(line))
		}
		if n == to.Line {
			end = max(min(to.Column-1, len(line)), start)
		}
		b.WriteString(line[start:end])
		if n < to.Line {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
