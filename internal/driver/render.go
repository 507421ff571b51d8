package driver

import (
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/fencelint/fencelint/internal/config"
	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/report"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// renderer turns positions of a file set into places of a document.
type renderer struct {
	dirs   map[string]string    // of packages, by import path
	syntax map[string]*ast.File // of the packages that were analysed, by file name
	dir    string
	cfg    *config.Config
	files  map[string][]byte
}

func newRenderer(o Options) *renderer {
	return &renderer{dir: o.Dir, cfg: o.Config, files: map[string][]byte{}}
}

// add puts the result of one rule on one package into the document.
func (r *renderer) add(doc *report.Document, pkg *packages.Package, res *finding.Result) {
	for i := range res.Findings {
		f := &res.Findings[i]
		if f.Confidence >= r.cfg.Confidence && r.wanted(pkg, f.Pos) {
			doc.Findings = append(doc.Findings, r.finding(pkg, f))
		}
	}
	for _, l := range res.Limits {
		if r.wanted(pkg, l.Pos) {
			doc.Limits = append(doc.Limits, report.Limit{Reason: l.Reason, Location: r.location(pkg.Fset, l.Pos, l.End)})
		}
	}
}

func (r *renderer) wanted(pkg *packages.Package, pos token.Pos) bool {
	if r.cfg.Excluded(pkg.Fset.Position(pos).Filename) {
		return false
	}
	file := enclosingFile(pkg.Syntax, pos)
	return r.cfg.Generated || file == nil || !ast.IsGenerated(file)
}

func (r *renderer) finding(pkg *packages.Package, f *finding.Finding) report.Finding {
	pkgPath := strings.TrimSuffix(pkg.PkgPath, "_test")
	out := report.Finding{
		Rule: f.Rule, Category: f.Category, Confidence: f.Confidence.String(),
		Message: f.Message, URL: finding.URL(f.Rule, f.Category),
		Location: r.location(pkg.Fset, f.Pos, f.End),
		Package:  pkgPath, Links: f.Links,
	}
	out.Fingerprint = fingerprint(out, enclosingFunc(pkg.Syntax, f.Pos), r.text(pkg.Fset, f.Pos, f.End))
	for _, rel := range f.Related {
		step := report.Step{Role: string(rel.Role), Message: rel.Message}
		if rel.Pos.IsValid() {
			step.Location = r.location(pkg.Fset, rel.Pos, rel.End)
		} else if rel.Position.IsValid() {
			step.Location = r.elsewhere(pkg.Fset, rel.Position)
		} else {
			continue
		}
		out.Related = append(out.Related, step)
	}
	for _, fix := range f.Fixes {
		if rendered, ok := r.fix(pkg.Fset, fix); ok {
			out.Fixes = append(out.Fixes, rendered)
		}
	}
	return out
}

func (r *renderer) location(fset *token.FileSet, pos, end token.Pos) report.Location {
	p := fset.Position(pos)
	l := report.Location{Path: r.path(p.Filename), Start: point(p)}
	l.End = l.Start
	if end.IsValid() && end > pos {
		if e := fset.Position(end); e.Filename == p.Filename && e.Line >= p.Line {
			l.End = point(e)
		}
	}
	return l
}

// elsewhere returns a place that a fact of another package names, marked as
// one of this package would be if its file was loaded.
func (r *renderer) elsewhere(fset *token.FileSet, p token.Position) report.Location {
	name := r.source(p.Filename)
	if file := r.syntax[name]; file != nil && p.Line >= 1 {
		if tf := fset.File(file.FileStart); p.Line <= tf.LineCount() {
			start, end := finding.Extent(fset, file, tf.LineStart(p.Line)+token.Pos(max(p.Column-1, 0)))
			return r.location(fset, start, end)
		}
	}
	at := report.Point{Line: p.Line, Column: max(p.Column, 1)}
	return report.Location{Path: r.path(name), Start: at, End: at}
}

func point(p token.Position) report.Point {
	return report.Point{Line: p.Line, Column: max(p.Column, 1)}
}

// fix renders a suggested fix, unless it would edit a file that only the
// build has made.
func (r *renderer) fix(fset *token.FileSet, fix analysis.SuggestedFix) (report.Fix, bool) {
	out := report.Fix{Message: fix.Message}
	for _, e := range fix.TextEdits {
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		from, to := fset.PositionFor(e.Pos, false), fset.PositionFor(end, false)
		if from.Filename == "" || from.Filename != fset.Position(e.Pos).Filename {
			return out, false
		}
		out.Edits = append(out.Edits, report.Edit{Path: r.path(from.Filename), Start: point(from), End: point(to), New: string(e.NewText)})
	}
	return out, len(out.Edits) > 0
}

// sourceDirs maps the import paths of packages to the directories of their files.
func sourceDirs(pkgs []*packages.Package) map[string]string {
	dirs := map[string]string{}
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if len(pkg.GoFiles) > 0 {
			dirs[pkg.PkgPath] = filepath.Dir(pkg.GoFiles[0])
		}
	})
	return dirs
}

// syntaxByName maps the names of files to their syntax.
func syntaxByName(pkgs []*packages.Package) map[string]*ast.File {
	files := map[string]*ast.File{}
	for _, pkg := range pkgs {
		for _, file := range pkg.Syntax {
			files[pkg.Fset.PositionFor(file.FileStart, false).Filename] = file
		}
	}
	return files
}

// source finds the file that a fact names by import path and base name.
func (r *renderer) source(name string) string {
	if dir, ok := r.dirs[path.Dir(name)]; ok && !filepath.IsAbs(name) {
		return filepath.Join(dir, path.Base(name))
	}
	return name
}

func (r *renderer) path(file string) string { return relative(r.dir, file) }

// relative makes a file name relative to the working directory.
func relative(dir, file string) string {
	if filepath.IsAbs(file) {
		if rel, err := filepath.Rel(dir, file); err == nil {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}

// text returns the source from pos to end, or the line at pos if there is no end.
func (r *renderer) text(fset *token.FileSet, pos, end token.Pos) string {
	from := fset.PositionFor(pos, false)
	data, ok := r.files[from.Filename]
	if !ok {
		data, _ = os.ReadFile(from.Filename) // a file that is gone has no text
		r.files[from.Filename] = data
	}
	if to := fset.PositionFor(end, false); end > pos && to.Filename == from.Filename && to.Offset <= len(data) {
		return string(data[from.Offset:to.Offset])
	}
	start := min(max(from.Offset-(from.Column-1), 0), len(data))
	line, _, _ := strings.Cut(string(data[start:]), "\n")
	return line
}

func enclosingFile(files []*ast.File, pos token.Pos) *ast.File {
	for _, f := range files {
		if f.FileStart <= pos && pos <= f.FileEnd {
			return f
		}
	}
	return nil
}

// enclosingFunc names the declaration that pos lies in: T.method, function,
// or "" at package level.
func enclosingFunc(files []*ast.File, pos token.Pos) string {
	file := enclosingFile(files, pos)
	if file == nil {
		return ""
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || pos < fn.Pos() || pos > fn.End() {
			continue
		}
		if fn.Recv.NumFields() == 0 {
			return fn.Name.Name
		}
		return receiver(fn.Recv.List[0].Type) + "." + fn.Name.Name
	}
	return ""
}

func receiver(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
