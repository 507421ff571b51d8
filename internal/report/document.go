package report

import (
	"cmp"
	"fmt"
	"slices"
)

// A Document is all that a run has to say. Its JSON form is a contract.
type Document struct {
	Version  string    `json:"version"`
	Findings []Finding `json:"findings"`
	Limits   []Limit   `json:"limits"`
	Errors   []Error   `json:"errors"`
}

// SchemaVersion is the version of the JSON form.
const SchemaVersion = "1"

// A Finding is one fault.
type Finding struct {
	Rule        string   `json:"rule"`
	Category    string   `json:"category"`
	Confidence  string   `json:"confidence"` // high, medium or low
	Message     string   `json:"message"`
	URL         string   `json:"url"`
	Fingerprint string   `json:"fingerprint"` // the same after the code has moved
	Location    Location `json:"location"`
	Related     []Step   `json:"related"` // in the order of the story
	Fixes       []Fix    `json:"fixes"`

	Package string   `json:"-"` // path of the package it lies in
	Links   []string `json:"-"` // how each step of the story is known, for -v
}

// A Location is a stretch of a file. Path is relative to the working
// directory, with forward slashes.
type Location struct {
	Path  string `json:"path"`
	Start Point  `json:"start"`
	End   Point  `json:"end"` // just after the last byte
}

// A Point is a place in a file; lines and columns count from 1, columns in bytes.
type Point struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// A Step is one place of the story of a finding.
type Step struct {
	Role     string   `json:"role"` // acquire, check, write or release
	Message  string   `json:"message"`
	Location Location `json:"location"`
}

// A Fix is one way to repair a finding.
type Fix struct {
	Message string `json:"message"`
	Edits   []Edit `json:"edits"`
}

// An Edit replaces a stretch of a file.
type Edit struct {
	Path  string `json:"path"`
	Start Point  `json:"start"`
	End   Point  `json:"end"`
	New   string `json:"new"`
}

// A Limit is what a limit directive says.
type Limit struct {
	Reason   string   `json:"reason"`
	Location Location `json:"location"`
}

// An Error says why a package was not analysed.
type Error struct {
	Package string `json:"package"`
	Message string `json:"message"`
}

// Count says how many findings there are: "1 finding", "2 findings".
func (d *Document) Count() string {
	if len(d.Findings) == 1 {
		return "1 finding"
	}
	return fmt.Sprintf("%d findings", len(d.Findings))
}

// Sort puts everything in the order of the contract and drops what is there
// twice, since a file may belong to several packages.
func (d *Document) Sort() {
	slices.SortStableFunc(d.Findings, compareFindings)
	d.Findings = slices.CompactFunc(d.Findings, func(a, b Finding) bool {
		return a.Rule == b.Rule && a.Message == b.Message && a.Location == b.Location
	})
	slices.SortStableFunc(d.Limits, func(a, b Limit) int {
		return cmp.Or(compareLocations(a.Location, b.Location), cmp.Compare(a.Reason, b.Reason))
	})
	d.Limits = slices.Compact(d.Limits)
}

func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Location.Path, b.Location.Path),
		comparePoints(a.Location.Start, b.Location.Start),
		cmp.Compare(a.Rule, b.Rule),
		comparePoints(a.Location.End, b.Location.End),
		cmp.Compare(a.Category, b.Category),
		cmp.Compare(a.Message, b.Message),
		cmp.Compare(a.Package, b.Package),
	)
}

func compareLocations(a, b Location) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), comparePoints(a.Start, b.Start), comparePoints(a.End, b.End))
}

func comparePoints(a, b Point) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
