// Package repair applies the fixes of findings to files.
package repair

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/report"
	"github.com/rogpeppe/go-internal/diff"
)

// A Change is the new text of one file.
type Change struct {
	Path     string // as in the findings
	Old, New []byte
}

// replacement is an edit in byte offsets.
type replacement struct {
	start, end int
	text       string
}

// Plan applies the first fix of each finding, and returns the changed files
// and the findings without a fix that was applied: they have none, or it would
// touch what another one changes. Paths are relative to dir.
func Plan(dir string, findings []report.Finding) (changes []Change, rest []report.Finding, err error) {
	planned := map[string][]replacement{}
	texts := map[string][]byte{}
	for _, f := range findings {
		if len(f.Fixes) == 0 {
			rest = append(rest, f)
			continue
		}
		added := map[string][]replacement{}
		fits := true
		for _, e := range f.Fixes[0].Edits {
			text, ok := texts[e.Path]
			if !ok {
				if text, err = os.ReadFile(file(dir, e.Path)); err != nil {
					return nil, nil, fmt.Errorf("reading a file to fix: %w", err)
				}
				texts[e.Path] = text
			}
			start, okStart := offset(text, e.Start)
			end, okEnd := offset(text, e.End)
			if !okStart || !okEnd || end < start {
				return nil, nil, fmt.Errorf("%s has changed while it was analysed", e.Path)
			}
			r := replacement{start, end, e.New}
			fits = fits && !slices.ContainsFunc(append(planned[e.Path], added[e.Path]...), r.overlaps)
			added[e.Path] = append(added[e.Path], r)
		}
		if !fits {
			rest = append(rest, f)
			continue
		}
		for path, rs := range added {
			planned[path] = append(planned[path], rs...)
		}
	}
	for path, rs := range planned {
		text := apply(texts[path], rs)
		if formatted, err := format.Source(text); err == nil {
			text = formatted
		}
		changes = append(changes, Change{path, texts[path], text})
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, rest, nil
}

// overlaps reports whether two edits cannot both be made. Two insertions at
// one point cannot: their order would be left to chance.
func (r replacement) overlaps(other replacement) bool {
	if r.start == other.start {
		return true
	}
	return r.start < other.end && other.start < r.end
}

func apply(text []byte, rs []replacement) []byte {
	slices.SortFunc(rs, func(a, b replacement) int { return a.start - b.start })
	var out bytes.Buffer
	last := 0
	for _, r := range rs {
		out.Write(text[last:r.start])
		out.WriteString(r.text)
		last = r.end
	}
	out.Write(text[last:])
	return out.Bytes()
}

// offset returns the place of a point in a text.
func offset(text []byte, p report.Point) (int, bool) {
	at := 0
	for range p.Line - 1 {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return 0, false
		}
		at += i + 1
	}
	at += p.Column - 1
	return at, at <= len(text)
}

func file(dir, path string) string {
	if name := filepath.FromSlash(path); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// Write writes a changed file. The mode of the file stays.
func (c Change) Write(dir string) error {
	if err := os.WriteFile(file(dir, c.Path), c.New, 0o666); err != nil {
		return fmt.Errorf("writing a fix: %w", err)
	}
	return nil
}

// Diff returns the change as a unified diff.
func (c Change) Diff() []byte { return diff.Diff("a/"+c.Path, c.Old, "b/"+c.Path, c.New) }
