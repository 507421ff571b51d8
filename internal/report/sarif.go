package report

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// What GitHub and editors make of SARIF, and so what is written here: paths
// are relative to the root of the repository, which SRCROOT names; columns
// count UTF-16 units, as columnKind says; all four numbers of a region are
// there; related locations are shown only when a message links them, but code
// flows unfold, so the story is a code flow; of the fingerprints only
// primaryLocationLineHash is used, which the upload action computes itself; of
// more than 5,000 results GitHub keeps 5,000, so the surest are written; a
// rule's name must differ from its id, and its full description has at most
// 1,024 characters.

const (
	sarifResults     = 5000
	sarifDescription = 1024
)

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool                `json:"tool"`
		ColumnKind  string                   `json:"columnKind"`
		BaseIDs     map[string]sarifArtifact `json:"originalUriBaseIds"`
		Invocations []sarifInvocation        `json:"invocations"`
		Results     []sarifResult            `json:"results"`
		Properties  map[string]any           `json:"properties,omitempty"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		Semantic       string      `json:"semanticVersion,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID         string         `json:"id"`
		Name       string         `json:"name"`
		Short      sarifMessage   `json:"shortDescription"`
		Full       sarifMessage   `json:"fullDescription"`
		Help       sarifMessage   `json:"help"`
		HelpURI    string         `json:"helpUri"`
		Default    sarifLevel     `json:"defaultConfiguration"`
		Properties map[string]any `json:"properties"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		CodeFlows    []sarifCodeFlow   `json:"codeFlows,omitempty"`
		Fixes        []sarifFix        `json:"fixes,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   map[string]any    `json:"properties"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI   string `json:"uri"`
		Index string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifCodeFlow struct {
		Threads []sarifThread `json:"threadFlows"`
	}
	sarifThread struct {
		Locations []sarifThreadLocation `json:"locations"`
	}
	sarifThreadLocation struct {
		Location sarifLocation `json:"location"`
	}
	sarifFix struct {
		Description sarifMessage  `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion   `json:"deletedRegion"`
		Inserted *sarifMessage `json:"insertedContent"`
	}
)

// sarifWriter knows where places lie.
type sarifWriter struct {
	base base
	src  *sources
}

func writeSARIF(w io.Writer, doc *Document, o Options) error {
	s := sarifWriter{repository(o.Dir), newSources(o.Dir)}
	semantic, _ := strings.CutPrefix(o.Version, "v")
	if semantic == o.Version {
		semantic = "" // not built from a version
	}
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "fencelint", Version: o.Version, Semantic: semantic, InformationURI: "https://github.com/fencelint/fencelint", Rules: []sarifRule{},
		}},
		ColumnKind:  "utf16CodeUnits",
		BaseIDs:     map[string]sarifArtifact{"SRCROOT": {URI: fileURI(s.base.root) + "/"}},
		Invocations: []sarifInvocation{{Successful: len(doc.Errors) == 0}},
		Results:     []sarifResult{},
	}
	index := map[string]int{}
	for _, r := range o.Rules {
		index[r.Name] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSARIFRule(r))
	}
	for _, f := range surest(doc.Findings, sarifResults) {
		if _, ok := index[f.Rule]; !ok {
			index[f.Rule] = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSARIFRule(Rule{Name: f.Rule, Title: f.Rule, Help: f.Rule, URL: f.URL}))
		}
		run.Results = append(run.Results, s.result(&f, index[f.Rule]))
	}
	for _, e := range doc.Errors {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications,
			sarifNotification{"error", sarifMessage{Text: strings.TrimPrefix(e.Package+": "+e.Message, ": ")}})
	}
	if len(doc.Limits) > 0 {
		run.Properties = map[string]any{"limits": doc.Limits}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// surest returns at most n findings: when there are more, those of the highest
// confidence, still in their order.
func surest(findings []Finding, n int) []Finding {
	if len(findings) <= n {
		return findings
	}
	kept := slices.Clone(findings)
	slices.SortStableFunc(kept, func(a, b Finding) int { return rank(a.Confidence) - rank(b.Confidence) })
	kept = kept[:n]
	slices.SortStableFunc(kept, compareFindings)
	return kept
}

func newSARIFRule(r Rule) sarifRule {
	full := r.Help
	if text := []rune(full); len(text) > sarifDescription {
		full = string(text[:sarifDescription-3]) + "..."
	}
	return sarifRule{
		ID: r.Name, Name: "fencelint/" + r.Name,
		Short: sarifMessage{Text: r.Title}, Full: sarifMessage{Text: full},
		Help: sarifMessage{Text: r.Help, Markdown: r.Help}, HelpURI: r.URL,
		Default: sarifLevel{"warning"},
		Properties: map[string]any{
			"tags": []string{"concurrency", "correctness", "distributed-lock"}, "precision": "high", "problem.severity": "warning",
		},
	}
}

func (s sarifWriter) result(f *Finding, rule int) sarifResult {
	r := sarifResult{
		RuleID: f.Rule, RuleIndex: rule, Level: sarifLevelOf(f.Confidence),
		Message:      sarifMessage{Text: f.Message},
		Locations:    []sarifLocation{s.location(f.Location)},
		Fingerprints: map[string]string{"fencelint/v1": f.Fingerprint},
		Properties:   map[string]any{"category": f.Category, "confidence": f.Confidence},
	}
	var flow []sarifThreadLocation
	for _, step := range story(f) {
		l := s.location(step.Location)
		l.Message = &sarifMessage{Text: step.Message}
		flow = append(flow, sarifThreadLocation{l})
	}
	for i, step := range f.Related {
		l := s.location(step.Location)
		l.ID, l.Message = i+1, &sarifMessage{Text: step.Message}
		r.Related = append(r.Related, l)
	}
	if len(flow) > 1 {
		r.CodeFlows = []sarifCodeFlow{{[]sarifThread{{flow}}}}
	}
	for _, fix := range f.Fixes {
		r.Fixes = append(r.Fixes, s.fix(fix))
	}
	return r
}

func (s sarifWriter) fix(fix Fix) sarifFix {
	out := sarifFix{Description: sarifMessage{Text: fix.Message}}
	for _, e := range fix.Edits {
		at := s.artifact(e.Path)
		i := slices.IndexFunc(out.Changes, func(c sarifChange) bool { return c.Artifact == at })
		if i < 0 {
			i = len(out.Changes)
			out.Changes = append(out.Changes, sarifChange{Artifact: at})
		}
		out.Changes[i].Replacements = append(out.Changes[i].Replacements,
			sarifReplacement{s.region(Location{e.Path, e.Start, e.End}), &sarifMessage{Text: e.New}})
	}
	return out
}

func (s sarifWriter) location(l Location) sarifLocation {
	return sarifLocation{Physical: sarifPhysical{s.artifact(l.Path), s.region(l)}}
}

func (s sarifWriter) artifact(p string) sarifArtifact {
	if s.base.inside(p) {
		return sarifArtifact{URI: (&url.URL{Path: s.base.path(p)}).String(), Index: "SRCROOT"}
	}
	return sarifArtifact{URI: fileURI(filepath.Join(s.base.root, filepath.FromSlash(s.base.path(p))))}
}

func (s sarifWriter) region(l Location) sarifRegion {
	return sarifRegion{
		StartLine: l.Start.Line, StartColumn: utf16Column(s.src.line(l.Path, l.Start.Line), l.Start.Column),
		EndLine: l.End.Line, EndColumn: utf16Column(s.src.line(l.Path, l.End.Line), l.End.Column),
	}
}

func fileURI(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a volume letter
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

func sarifLevelOf(confidence string) string {
	return [...]string{"error", "warning", "note"}[rank(confidence)]
}
