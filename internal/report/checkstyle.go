package report

import (
	"encoding/xml"
	"io"
)

type (
	checkstyle struct {
		XMLName xml.Name         `xml:"checkstyle"`
		Version string           `xml:"version,attr"`
		Files   []checkstyleFile `xml:"file"`
	}
	checkstyleFile struct {
		Name   string            `xml:"name,attr"`
		Errors []checkstyleError `xml:"error"`
	}
	checkstyleError struct {
		Line     int    `xml:"line,attr"`
		Column   int    `xml:"column,attr"`
		Severity string `xml:"severity,attr"` // info, warning or error
		Message  string `xml:"message,attr"`
		Source   string `xml:"source,attr"`
	}
)

// writeCheckstyle writes the XML that many review tools read. Findings are
// sorted by path, so those of a file stand together.
func writeCheckstyle(w io.Writer, doc *Document, _ Options) error {
	out := checkstyle{Version: "5.0"}
	for _, f := range doc.Findings {
		if n := len(out.Files); n == 0 || out.Files[n-1].Name != f.Location.Path {
			out.Files = append(out.Files, checkstyleFile{Name: f.Location.Path})
		}
		file := &out.Files[len(out.Files)-1]
		file.Errors = append(file.Errors, checkstyleError{
			Line: f.Location.Start.Line, Column: f.Location.Start.Column,
			Severity: [...]string{"error", "warning", "info"}[rank(f.Confidence)],
			Message:  f.Message, Source: "fencelint." + f.Rule + "." + f.Category,
		})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
