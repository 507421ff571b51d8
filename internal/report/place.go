package report

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
)

// base is the directory that review services count paths from: the root of
// the repository, since a run may have been made below it.
type base struct {
	root   string // absolute
	prefix string // from root to the working directory, slash-separated
}

func repository(dir string) base {
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
			rel, err := filepath.Rel(root, dir)
			if err != nil {
				break
			}
			return base{root, filepath.ToSlash(rel)}
		}
		if root == filepath.Dir(root) {
			break
		}
	}
	return base{dir, "."}
}

// path returns a path of a document relative to the root.
func (b base) path(p string) string {
	if path.IsAbs(p) {
		return p
	}
	return path.Join(b.prefix, p)
}

// inside reports whether a path lies in the repository.
func (b base) inside(p string) bool {
	p = b.path(p)
	return !path.IsAbs(p) && p != ".." && !strings.HasPrefix(p, "../")
}

// utf16Column converts a column in bytes to one in UTF-16 units, both from 1.
func utf16Column(line string, column int) int {
	if column-1 > len(line) {
		return column
	}
	n := 1
	for _, r := range line[:column-1] {
		n += max(utf16.RuneLen(r), 1) // an invalid byte is shown as one unit
	}
	return n
}

// story returns the steps of a finding in the order of events, the place of
// the finding itself among them: before the release, and before a write in
// another package that it leads to. What escapes a lease comes after it.
func story(f *Finding) []Step {
	next := len(f.Related)
	for i, s := range f.Related {
		if s.Location.Path == f.Location.Path && s.Location.Start == f.Location.Start {
			return f.Related
		}
		elsewhere := path.Dir(s.Location.Path) != path.Dir(f.Location.Path)
		if f.Category != "escaped" && (s.Role == "release" || s.Role == "write" && elsewhere) {
			next = min(next, i)
		}
	}
	return slices.Insert(slices.Clone(f.Related), next, Step{Role: f.Rule, Message: f.Message, Location: f.Location})
}

// rank orders confidences, the highest first.
func rank(confidence string) int {
	switch confidence {
	case "high":
		return 0
	case "medium":
		return 1
	}
	return 2
}
