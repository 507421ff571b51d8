package report

import (
	"encoding/json"
	"io"
)

type (
	gitlabIssue struct {
		Description string         `json:"description"`
		CheckName   string         `json:"check_name"`
		Fingerprint string         `json:"fingerprint"`
		Severity    string         `json:"severity"` // info, minor, major, critical or blocker
		Location    gitlabLocation `json:"location"`
	}
	gitlabLocation struct {
		Path  string      `json:"path"`
		Lines gitlabLines `json:"lines"`
	}
	gitlabLines struct {
		Begin int `json:"begin"`
		End   int `json:"end"`
	}
)

// writeGitLab writes a code quality report: an array, empty when all is well.
func writeGitLab(w io.Writer, doc *Document, o Options) error {
	at := repository(o.Dir)
	issues := []gitlabIssue{}
	for _, f := range doc.Findings {
		issues = append(issues, gitlabIssue{
			Description: f.Message, CheckName: f.Rule + "/" + f.Category, Fingerprint: f.Fingerprint,
			Severity: [...]string{"critical", "major", "minor"}[rank(f.Confidence)],
			Location: gitlabLocation{at.path(f.Location.Path), gitlabLines{f.Location.Start.Line, f.Location.End.Line}},
		})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(issues)
}
