// Package baseline remembers the findings that a project has decided to live
// with for now, by fingerprints that survive moved lines.
package baseline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/report"
)

// Version is the version of the form of the file.
const Version = "1"

// A Baseline is a list of known findings.
type Baseline struct {
	Version  string  `json:"version"`
	Findings []Entry `json:"findings"`
}

// An Entry names one finding. Only the fingerprint is compared; the rest tells
// a reader, and a run that looks for less, what it is about.
type Entry struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	Category    string `json:"category"`
	Confidence  string `json:"confidence"`
	Package     string `json:"package"`
	Path        string `json:"path"`
	Message     string `json:"message"`
}

// New lists findings.
func New(findings []report.Finding) *Baseline {
	b := &Baseline{Version: Version, Findings: []Entry{}}
	for _, f := range findings {
		b.Findings = append(b.Findings, Entry{
			Fingerprint: f.Fingerprint, Rule: f.Rule, Category: f.Category, Confidence: f.Confidence,
			Package: f.Package, Path: f.Location.Path, Message: f.Message,
		})
	}
	return b
}

// Read reads a file. The errors say what is wrong in one line.
func Read(file string) (*Baseline, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the baseline: %w", err)
	}
	b := new(Baseline)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(b); err != nil {
		return nil, fmt.Errorf("%s:%d: no baseline: %w; write one with -write-baseline", file, lineAt(data, d, err), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%d: something follows the baseline", file, lineAt(data, d, nil))
	}
	if b.Version != Version {
		return nil, fmt.Errorf("%s: the baseline has version %q, this program reads %q; write it anew with -write-baseline", file, b.Version, Version)
	}
	for i, e := range b.Findings {
		if !fingerprint.MatchString(e.Fingerprint) {
			return nil, fmt.Errorf("%s: finding %d of the baseline has the fingerprint %q, which is none", file, i+1, e.Fingerprint)
		}
		if _, ok := finding.ParseConfidence(e.Confidence); !ok {
			return nil, fmt.Errorf("%s: finding %d of the baseline has the confidence %q, which is none", file, i+1, e.Confidence)
		}
	}
	return b, nil
}

var fingerprint = regexp.MustCompile(`^[0-9a-f]{32}(:[0-9]+)?$`)

// lineAt returns the line that a decoder stopped at.
func lineAt(data []byte, d *json.Decoder, err error) int {
	offset := d.InputOffset()
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &typ):
		offset = typ.Offset
	}
	return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte{'\n'})
}

// Write writes a file.
func (b *Baseline) Write(file string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(b); err != nil {
		return fmt.Errorf("writing the baseline: %w", err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
		return fmt.Errorf("writing the baseline: %w", err)
	}
	return nil
}

// Apply returns the findings that the baseline does not know, and its entries
// that are no longer found although the run looked for them.
func (b *Baseline) Apply(findings []report.Finding, sought func(*Entry) bool) (fresh []report.Finding, fixed []Entry) {
	found := map[string]bool{}
	known := map[string]bool{}
	for _, e := range b.Findings {
		known[e.Fingerprint] = true
	}
	for _, f := range findings {
		found[f.Fingerprint] = true
		if !known[f.Fingerprint] {
			fresh = append(fresh, f)
		}
	}
	for _, e := range b.Findings {
		if !found[e.Fingerprint] && sought(&e) {
			fixed = append(fixed, e)
		}
	}
	return fresh, fixed
}
