package driver

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/fencelint/fencelint/internal/report"
	"github.com/stretchr/testify/require"
)

// TestElsewhere marks places that facts name, in files that are loaded and not.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "/m/locks/a.go", "package locks\n\nvar x = rdb.Del(key)\n", 0)
	require.NoError(t, err)
	r := &renderer{
		dir:    "/m",
		dirs:   map[string]string{"example.com/m/locks": "/m/locks"},
		syntax: map[string]*ast.File{"/m/locks/a.go": file},
	}
	for _, tt := range []struct {
		at   token.Position
		want report.Location
	}{
		{token.Position{Filename: "example.com/m/locks/a.go", Line: 3, Column: 16}, report.Location{
			Path: "locks/a.go", Start: report.Point{Line: 3, Column: 9}, End: report.Point{Line: 3, Column: 21}}},
		{token.Position{Filename: "example.com/m/locks/a.go", Line: 9, Column: 2}, report.Location{
			Path: "locks/a.go", Start: report.Point{Line: 9, Column: 2}, End: report.Point{Line: 9, Column: 2}}},
		{token.Position{Filename: "example.com/m/locks/b.go", Line: 3}, report.Location{
			Path: "locks/b.go", Start: report.Point{Line: 3, Column: 1}, End: report.Point{Line: 3, Column: 1}}},
		{token.Position{Filename: "example.com/other/c.go", Line: 3}, report.Location{
			Path: "example.com/other/c.go", Start: report.Point{Line: 3, Column: 1}, End: report.Point{Line: 3, Column: 1}}},
	} {
		require.Equal(t, tt.want, r.elsewhere(fset, tt.at))
	}
}
