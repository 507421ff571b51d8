package finding

import (
	"go/ast"
	"go/token"
)

// Extent returns what a reader expects to see marked for a position of the
// analysis, which knows a call by its opening parenthesis and a comparison by
// its operator: the whole of it, from where it begins on that line; or else the
// longest piece of the program that begins at pos and ends on its line. Start
// stays on the line of pos, which directives and fingerprints speak of. End is
// not valid if there is no such piece.
func Extent(fset *token.FileSet, file *ast.File, pos token.Pos) (start, end token.Pos) {
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	at := line(pos)
	// from returns the first of several beginnings that lies on the line.
	from := func(beginnings ...token.Pos) token.Pos {
		for _, p := range beginnings {
			if line(p) == at {
				return p
			}
		}
		return pos
	}
	start = pos
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			if n.Lparen == pos {
				start, end = from(n.Pos(), method(n).Pos()), beforeBody(n.End(), n.Args...)
				return false
			}
		case *ast.BinaryExpr:
			if n.OpPos == pos {
				start, end = from(n.Pos()), n.End()
				return false
			}
		case *ast.DeferStmt:
			if n.Defer == pos {
				end = beforeBody(n.End(), append(n.Call.Args, n.Call.Fun)...)
			}
		case *ast.GoStmt:
			if n.Go == pos {
				end = beforeBody(n.End(), append(n.Call.Args, n.Call.Fun)...)
			}
		}
		if n.Pos() == pos && n.End() > end && line(n.End()) == at {
			end = n.End()
		}
		return true
	})
	return start, end
}

// method returns the name of the method that is called, at which a chain over
// several lines continues, or else what is called.
func method(call *ast.CallExpr) ast.Expr {
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
		return sel.Sel
	}
	return call.Fun
}

// beforeBody returns end, or where the first body of a function in one of the
// expressions begins: what happens in there is another matter.
func beforeBody(end token.Pos, in ...ast.Expr) token.Pos {
	for _, e := range in {
		ast.Inspect(e, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if ok {
				end = min(end, lit.Type.End())
			}
			return !ok
		})
	}
	return end
}
