package leaseflow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

var flagWords = map[string]bool{"leader": true, "primary": true, "master": true, "leading": true, "leadership": true, "elected": true, "writer": true, "owner": true,
	"locked": true, "holder": true, "held": true, "holding": true, "active": true}

// isLeaderFlag reports whether a bool field remembers leadership: its name
// says so, and the package campaigns, or it is set where a lease is taken.
func (p *program) isLeaderFlag(field string) bool {
	name := field[strings.LastIndexByte(field, '.')+1:]
	words := split(name)
	if hasAny(leaderWords, words) && p.hasLeases {
		return true
	}
	return hasAny(flagWords, words) && p.leaseFields[field]
}

// leaderWords name a role that is won by election. A bool so called, in a
// package that campaigns, is kept by a loop or a callback, wherever that stands.
var leaderWords = map[string]bool{"leader": true, "primary": true, "master": true, "leading": true, "leadership": true, "elected": true}

// isFlagLoad reports whether a call reads an atomic leader flag.
func isFlagLoad(p *program, c callee) bool {
	if c.obj == nil || !strings.HasPrefix(c.obj.Name(), "Load") || c.obj.Pkg() == nil || c.obj.Pkg().Path() != "sync/atomic" || len(c.args) == 0 {
		return false
	}
	if basic, ok := c.obj.Signature().Results().At(0).Type().Underlying().(*types.Basic); !ok || basic.Kind() != types.Bool && basic.Kind() != types.Int32 && basic.Kind() != types.Uint32 {
		return false // a number of more bits is a term or an epoch
	}
	fa, ok := c.args[0].(*ssa.FieldAddr)
	return ok && p.isLeaderFlag(fieldName(fa.X.Type(), fa.Field))
}

func flagName(_ *program, c callee) string {
	fa := c.args[0].(*ssa.FieldAddr)
	return unqualified(fieldName(fa.X.Type(), fa.Field))
}

// namedCheck recognises predicates that nothing is known of but their name.
func (p *program) namedCheck(in *ssa.Call, c callee, add addCheck) {
	if c.obj == nil || len(p.rowsOf(c.obj)) > 0 || !isBool(in.Type()) {
		return
	}
	if !hasLeaderName(c.obj.Name()) || c.obj.Pkg() == nil {
		return
	}
	sig := c.obj.Signature()
	if sig.Recv() == nil || sig.Params().Len() > 1 {
		return
	}
	if s := p.summaryOf(c); s != nil && slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Kind == Check }) {
		return
	}
	if c.fn != nil || !p.hasLeases { // with its body in sight, predicate has judged it
		return
	}
	add(OwnerCheck, in, in, c.obj.Name(), unsaid, Term{})
}

// predicate returns the check that a method such as IsLeader makes by its name
// alone, in a package that campaigns; nil for any other function.
func (p *program) predicate(fn *ssa.Function) *Effect {
	sig := fn.Signature
	if !p.hasLeases || fn.Parent() != nil || sig.Recv() == nil || sig.Params().Len() > 1 || !hasLeaderName(fn.Name()) {
		return nil
	}
	if sig.Results().Len() == 0 || !isBool(sig.Results().At(0).Type()) {
		return nil
	}
	return &Effect{Kind: Check, Check: OwnerCheck, API: fn.Name(), At: p.position(fn.Pos()), Within: shortName(fn), Verdict: 0, Gates: []int{0}, Func: -1}
}

func hasLeaderName(name string) bool {
	switch strings.ToLower(name) {
	case "isleader", "isprimary", "ismaster", "isleading", "amleader", "amileader", "iamleader", "isowner", "islocked", "hasleadership",
		"haslock", "holdslock", "ownslock", "isheld", "stillheld", "stillholds", "stillleader", "isactiveleader", "isactivemaster", "checkleader":
		return true
	}
	return false
}
