package leaseflow

import (
	"go/ast"
	"go/types"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// neverFreed reports whether a lock that this package makes by hand is one that
// it never gives up: it declares and calls nothing that frees or removes. Such a
// lock is there so that something happens only once in a while.
func (p *program) neverFreed() bool {
	if p.freesKnown == maybe {
		p.freesKnown = no
		if p.namesFreeing(p.pass.TypesInfo.Defs) || p.namesFreeing(p.pass.TypesInfo.Uses) {
			p.freesKnown = yes
		}
		for _, fn := range p.fns {
			calls(fn, func(call ssa.CallInstruction) { // commands and scripts have their verb in a text
				if p.rowWith(p.callee(call.Common()), models.Command, models.Script) != nil && !p.inTest(fn) {
					p.freesKnown = yes
				}
			})
		}
	}
	return p.freesKnown == no
}

// namesFreeing reports whether some function is called after what frees a lock or
// removes its record. What the sync package frees is within this process.
func (p *program) namesFreeing(objs map[*ast.Ident]types.Object) bool {
	for id, obj := range objs {
		fn, ok := obj.(*types.Func)
		if !ok || fn.Pkg() != nil && fn.Pkg().Path() == "sync" || p.testFile(id.Pos()) {
			continue
		}
		if words := split(fn.Name()); hasAny(freeWords, words) || hasAny(removeWords, words) || hasAny(eraseWords, words) {
			return true
		}
	}
	return false
}

// eraseWords are the short names of removing.
var eraseWords = map[string]bool{"del": true, "unlink": true}
