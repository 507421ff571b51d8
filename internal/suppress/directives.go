package suppress

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"sync/atomic"
)

// A directive is one well-formed statement at its place.
type directive struct {
	statement
	pos, end token.Pos
	used     atomic.Bool
}

// A Problem is a directive that its author must look at.
type Problem struct {
	Pos, End token.Pos
	Message  string
}

// line is one line of one file.
type line struct {
	file *token.File
	n    int
}

// Directives holds those of one package. Its methods may be called by several
// rules at the same time.
type Directives struct {
	fset *token.FileSet
	all  []*directive // in order of position
	// covering lists the ignore and limit directives that speak for a line,
	// those on the line itself first.
	covering  map[line][]*directive
	roles     map[ast.Node][]RoleDirective
	malformed []Problem
}

// Parse reads the directives of a package's files.
func Parse(fset *token.FileSet, files []*ast.File) *Directives {
	d := &Directives{fset: fset, covering: map[line][]*directive{}, roles: map[ast.Node][]RoleDirective{}}
	var below []func() // the lines below a directive come after every line's own
	for _, file := range files {
		var owners map[*ast.CommentGroup]function
		for _, group := range file.Comments {
			for _, c := range group.List {
				if !isDirective(c.Text) {
					continue
				}
				if owners == nil {
					owners = functions(file)
				}
				st, err := parseStatement(c.Text)
				if err == nil && st.verb != Ignore && st.verb != Limit {
					err = d.addRole(st, c, owners[group])
				} else if err == nil {
					dir := &directive{statement: st, pos: c.Pos(), end: c.End()}
					d.all = append(d.all, dir)
					own, next := d.lineOf(c.Pos()), d.lineOf(group.End())
					next.n++
					d.covering[own] = append(d.covering[own], dir)
					below = append(below, func() { d.covering[next] = append(d.covering[next], dir) })
				}
				if err != nil {
					d.malformed = append(d.malformed, Problem{c.Pos(), c.End(), err.Error()})
				}
			}
		}
	}
	for _, add := range below {
		add()
	}
	return d
}

// Ignored reports whether findings of rule at pos are silenced, and marks the
// directive that does so as used.
func (d *Directives) Ignored(rule string, pos token.Pos) bool {
	for _, dir := range d.at(pos) {
		if dir.verb == Ignore && slices.Contains(dir.rules, rule) {
			dir.used.Store(true)
			return true
		}
	}
	return false
}

// Limit returns the reason of the limit directive on a lock or write at pos,
// and marks the directive as used.
func (d *Directives) Limit(pos token.Pos) (reason string, ok bool) {
	for _, dir := range d.at(pos) {
		if dir.verb == Limit {
			dir.used.Store(true)
			return dir.reason, true
		}
	}
	return "", false
}

// Malformed returns the directives that could not be understood. Known says
// which rules exist; an ignore of any other is malformed too.
func (d *Directives) Malformed(known func(rule string) bool) []Problem {
	problems := slices.Clone(d.malformed)
	for _, dir := range d.all {
		for _, rule := range dir.rules {
			if !known(rule) {
				problems = append(problems, Problem{dir.pos, dir.end,
					fmt.Sprintf("there is no rule %q", rule)})
			}
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return int(a.Pos - b.Pos) })
	return problems
}

// Unused returns the ignore and limit directives that have silenced nothing so
// far, once every rule has run. One that only silences rules for which enabled
// is false is left out: nothing can be said about it.
func (d *Directives) Unused(enabled func(rule string) bool) []Problem {
	var problems []Problem
	for _, dir := range d.all {
		rules := dir.rules
		if dir.verb == Limit {
			rules = limited
		}
		if dir.used.Load() || !slices.ContainsFunc(rules, enabled) {
			continue
		}
		text := "limit directive stands on no lock or write that needs it"
		if dir.verb == Ignore {
			text = "ignore directive silences nothing: no finding of " + strings.Join(rules, ", ") + " on this or the next line"
		}
		problems = append(problems, Problem{dir.pos, dir.end, text})
	}
	return problems
}

// limited names the rules that a limit directive silences.
var limited = []string{"ttlcheck", "unfencedwrite"}

func (d *Directives) at(pos token.Pos) []*directive {
	if d == nil || len(d.covering) == 0 || !pos.IsValid() {
		return nil
	}
	return d.covering[d.lineOf(pos)]
}

// lineOf ignores //line comments: a directive speaks about the text around it.
func (d *Directives) lineOf(pos token.Pos) line {
	f := d.fset.File(pos)
	if f == nil {
		return line{}
	}
	return line{f, f.PositionFor(pos, false).Line}
}
