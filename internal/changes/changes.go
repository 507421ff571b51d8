// Package changes knows which lines of the work tree differ from a revision,
// so that a review sees what it has to do with.
package changes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/fencelint/fencelint/internal/report"
)

// Lines are the changed lines of the files of a repository.
type Lines struct {
	dir   string // working directory
	files map[string]*fileLines
}

// fileLines are the changed lines of one file.
type fileLines struct {
	all    bool // the file is new
	ranges [][2]int
}

// Since compares the work tree around dir, with what is not committed or not
// even added, with a revision.
func Since(ctx context.Context, dir, revision string) (*Lines, error) {
	top, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("-new-from needs a git repository: %w", err)
	}
	commit, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("-new-from: there is no revision %q here; in a shallow clone, fetch it first", revision)
	}
	root := strings.TrimSpace(string(top))
	diff, err := git(ctx, root, "-c", "core.quotePath=false", "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv",
		"--no-renames", "--src-prefix=a/", "--dst-prefix=b/", strings.TrimSpace(string(commit)), "--", "*.go")
	if err != nil {
		return nil, fmt.Errorf("comparing with %s: %w", revision, err)
	}
	l := &Lines{dir: dir, files: map[string]*fileLines{}}
	l.parse(root, diff)
	untracked, err := git(ctx, root, "ls-files", "-z", "--others", "--exclude-standard", "--", "*.go")
	if err != nil {
		return nil, fmt.Errorf("listing new files: %w", err)
	}
	for name := range strings.SplitSeq(string(untracked), "\x00") {
		if name != "" {
			l.files[filepath.Join(root, filepath.FromSlash(name))] = &fileLines{all: true}
		}
	}
	return l, nil
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		line, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		return nil, errors.New(strings.TrimPrefix(line, "fatal: "))
	}
	return out, err
}

var hunk = regexp.MustCompile(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)

// parse reads a diff without context lines.
func (l *Lines) parse(root string, diff []byte) {
	var file *fileLines
	body := 0 // lines of the present hunk that are still to come
	for line := range bytes.SplitSeq(diff, []byte{'\n'}) {
		text := string(line)
		if body > 0 {
			if strings.HasPrefix(text, "+") {
				body--
			}
			continue
		}
		if name, ok := strings.CutPrefix(text, "+++ "); ok {
			name = strings.TrimSuffix(name, "\t") // follows a name with spaces
			if unquoted, err := strconv.Unquote(name); err == nil {
				name = unquoted
			}
			file = nil
			if name, ok := strings.CutPrefix(name, "b/"); ok {
				file = new(fileLines)
				l.files[filepath.Join(root, filepath.FromSlash(name))] = file
			}
		}
		m := hunk.FindStringSubmatch(text)
		if m == nil || file == nil {
			continue
		}
		start, _ := strconv.Atoi(m[1]) // digits, by the pattern
		count := 1
		if m[2] != "" {
			count, _ = strconv.Atoi(m[2])
		}
		body = count
		end := start + count - 1
		if count == 0 {
			// Lines were taken away after start: the neighbours have changed,
			// as when a condition was dropped.
			end = start + 1
		}
		file.ranges = append(file.ranges, [2]int{start, end})
	}
}

// Touch reports whether any step of the story of a finding has changed.
func (l *Lines) Touch(f *report.Finding) bool {
	if l.touched(f.Location) {
		return true
	}
	for _, step := range f.Related {
		if l.touched(step.Location) {
			return true
		}
	}
	return false
}

func (l *Lines) touched(at report.Location) bool {
	name := filepath.FromSlash(at.Path)
	if !filepath.IsAbs(name) {
		name = filepath.Join(l.dir, name)
	}
	file := l.files[name]
	if file == nil {
		return false
	}
	for _, r := range file.ranges {
		if at.Start.Line <= r[1] && at.End.Line >= r[0] {
			return true
		}
	}
	return file.all
}
