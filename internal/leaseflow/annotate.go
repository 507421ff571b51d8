package leaseflow

import (
	"go/ast"
	"go/types"

	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/suppress"
)

// annotate reads the role directives of the package: what an author says of a
// function stands above what its body shows.
func (p *program) annotate(d *suppress.Directives) {
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				p.annotateOne(d.Roles(n), n.Name)
			case *ast.InterfaceType:
				for _, field := range n.Methods.List {
					if len(field.Names) == 1 {
						p.annotateOne(d.Roles(field), field.Names[0])
					}
				}
			}
			return true
		})
	}
}

func (p *program) annotateOne(roles []suppress.RoleDirective, name *ast.Ident) {
	if len(roles) == 0 {
		return
	}
	obj, ok := p.pass.TypesInfo.Defs[name].(*types.Func)
	if !ok {
		return
	}
	s := &Summary{}
	for _, r := range roles {
		s.add(p.annotatedEffect(r, obj))
	}
	p.said[obj] = s
}

// annotatedEffect is what one directive says of a function.
func (p *program) annotatedEffect(r suppress.RoleDirective, fn *types.Func) Effect {
	sig := fn.Signature()
	e := Effect{API: fn.Name(), At: p.position(fn.Pos()), Within: fn.Name(), Verdict: -1, Func: -1, Gates: gateResults(sig)}
	e.Key = placeTerm(r.Key, sig)
	e.Handle = placeTerm(r.Handle, sig)
	switch r.Role {
	case suppress.Acquire:
		e.Kind = Acquire
	case suppress.Release:
		e.Kind, e.Guard = Release, OwnerGuard
	case suppress.Check:
		e.Kind, e.Check = Check, OwnerCheck
		if len(e.Gates) > 0 {
			e.Verdict = e.Gates[0]
		}
	case suppress.Write:
		e.Kind, e.Store = Write, "store"
	case suppress.Fenced:
		e.Kind, e.Store, e.Guard = Write, "store", Fenced
	}
	return e
}

// placeTerm turns a subject in models' words into a term of the function.
func placeTerm(subject string, sig *types.Signature) Term {
	if subject == "" {
		return Term{}
	}
	pl, err := models.ParsePlace(subject)
	if err != nil {
		return Term{}
	}
	n := pl.Index
	switch pl.Root {
	case models.Recv:
		return Term{Op: opParam}
	case models.Result:
		return Term{Op: opResult, N: n}
	}
	if sig.Recv() != nil {
		n++
	}
	return Term{Op: opParam, N: n}
}
