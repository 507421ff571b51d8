package report

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options is what a format may need besides the document.
type Options struct {
	Dir     string // the working directory, absolute
	Version string // of fencelint
	Color   bool   // of the text
	Verbose bool
	Rules   []Rule
	Summary string // file that the github format appends a summary to; "" for none
}

// A Rule describes one rule to the reader of a report.
type Rule struct {
	Name  string
	Title string // one line
	Help  string // Markdown
	URL   string
}

// A Writer writes a document in one format.
type Writer func(w io.Writer, doc *Document, o Options) error

var writers = map[string]Writer{
	"text":       writeText,
	"json":       writeJSON,
	"sarif":      writeSARIF,
	"github":     writeGitHub,
	"gitlab":     writeGitLab,
	"checkstyle": writeCheckstyle,
	"rdjsonl":    writeRDJSONL,
	"html":       writeHTML,
}

// ForFormat returns the writer of a format.
func ForFormat(name string) (Writer, error) {
	if w, ok := writers[name]; ok {
		return w, nil
	}
	return nil, fmt.Errorf("there is no format %q; there are %s", name, strings.Join(Formats(), ", "))
}

// Formats returns the names of the formats, sorted.
func Formats() []string { return slices.Sorted(maps.Keys(writers)) }

// sources reads lines of the files that a document speaks of.
type sources struct {
	dir   string
	files map[string][]string
}

func newSources(dir string) *sources { return &sources{dir, map[string][]string{}} }

// line returns a line without its end, "" when there is none.
func (s *sources) line(path string, n int) string {
	lines, ok := s.files[path]
	if !ok {
		file := filepath.FromSlash(path)
		if !filepath.IsAbs(file) {
			file = filepath.Join(s.dir, file)
		}
		data, _ := os.ReadFile(file) // a file that is gone has no lines to show
		lines = strings.Split(string(data), "\n")
		s.files[path] = lines
	}
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[n-1], "\r")
}
