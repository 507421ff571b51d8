package driver

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/report"
	"golang.org/x/tools/go/packages"
)

// errorsShown bounds what is said about one package; the rest follows from it
// more often than not.
const errorsShown = 2

// failures tells why packages, or what they import, do not load: the causes,
// and then once how many packages were left out because of them.
func failures(dir string, pkgs []*packages.Package) []report.Error {
	var errs []report.Error
	said := map[report.Error]bool{}
	count := map[string]int{}
	broken := map[string]bool{}
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		sorted := slices.Clone(pkg.Errors)
		slices.SortStableFunc(sorted, func(a, b packages.Error) int { return rank(a) - rank(b) })
		for _, e := range sorted {
			if followsFrom(e, broken) {
				continue
			}
			err := report.Error{Package: pkg.PkgPath, Message: explainError(dir, e)}
			broken[pkg.PkgPath] = true
			if !said[err] && count[pkg.PkgPath] < errorsShown {
				said[err] = true
				count[pkg.PkgPath]++
				errs = append(errs, err)
			}
		}
	})
	var left []string
	for _, pkg := range pkgs {
		if pkg.IllTyped && !broken[pkg.PkgPath] && !slices.Contains(left, pkg.PkgPath) {
			left = append(left, pkg.PkgPath)
		}
	}
	if len(left) > 0 {
		slices.Sort(left)
		text := "not analysed, since a package that it imports does not load"
		if len(left) > 1 {
			text += fmt.Sprintf("; the same holds for %d more", len(left)-1)
		}
		errs = append(errs, report.Error{Package: left[0], Message: text})
	}
	return errs
}

// rank puts causes before what follows from them.
func rank(e packages.Error) int {
	switch e.Kind {
	case packages.ListError:
		return 0
	case packages.ParseError:
		return 1
	}
	return 2
}

// followsFrom reports whether an error only says that an import does not load,
// of which the cause was told.
func followsFrom(e packages.Error, told map[string]bool) bool {
	rest, ok := strings.CutPrefix(e.Msg, "could not import ")
	path, _, _ := strings.Cut(rest, " ")
	return ok && e.Kind == packages.TypeError && told[path]
}

var spaces = regexp.MustCompile(`\s*\n\s*`)

// oneLine joins the lines of a message.
func oneLine(s string) string {
	return spaces.ReplaceAllString(strings.TrimSpace(s), " ")
}

// explainError words one error in one line, with the way out where the go
// command does not name it.
func explainError(dir string, e packages.Error) string {
	text := oneLine(e.Msg)
	if e.Pos != "" && e.Pos != "-" {
		text = relative(dir, e.Pos) + ": " + text
	}
	switch {
	case strings.Contains(text, "does not contain main module or its selected dependencies"):
		text += "; no go.mod was found in this directory or above"
	case strings.Contains(text, "is not in std"):
		text += "; the name of a directory begins with ./"
	case strings.Contains(text, "no Go files in"):
		text += "; name a package, or ./... for all below this directory"
	case strings.Contains(text, "build constraints exclude all Go files"):
		text += "; set -tags, or GOOS and GOARCH"
	case strings.Contains(text, "updates to go.mod needed"), strings.Contains(text, "missing go.sum entry") && !strings.Contains(text, "to add"):
		text += "; run go mod tidy"
	}
	return text
}
