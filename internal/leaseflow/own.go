package leaseflow

import (
	"slices"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// ownRecord reports whether a write changes a record that nobody else can mean:
// one whose name this run has made up, or one that bears the name of this
// process. A successor writes another record.
func (p *program) ownRecord(e *Effect) bool {
	for _, t := range []Term{e.Key, e.Row} {
		if t.known() && (p.mintedHere(t, 0) || p.namesProcess(t, 0)) {
			return true
		}
	}
	return false
}

// namesProcess reports whether a name is that of this process, host or pod, or
// holds it.
func (p *program) namesProcess(t Term, depth int) bool {
	if depth > 4 {
		return false
	}
	switch t.Op {
	case opConcat:
		return slices.ContainsFunc(t.Args, func(a Term) bool { return p.namesProcess(a, depth+1) })
	case opField:
		vals := p.fields[t.Text]
		return len(vals) > 0 && !slices.ContainsFunc(vals, func(v ssa.Value) bool { return v == t.v || !p.namesProcess(p.term(v), depth+1) })
	case opGlobal:
		load, ok := t.v.(*ssa.UnOp)
		if !ok {
			return false
		}
		g, ok := load.X.(*ssa.Global)
		return ok && len(p.globals[g]) == 1 && p.namesProcess(p.term(p.globals[g][0]), depth+1)
	case opCall, opUnknown:
		v := t.v
		if e, ok := v.(*ssa.Extract); ok {
			v = e.Tuple
		}
		call, ok := v.(*ssa.Call)
		if !ok {
			return false
		}
		switch c := p.callee(&call.Call); c.name() {
		case "os.Getpid", "os.Hostname":
			return true
		case "os.Getenv", "os.LookupEnv": // of settings, those that differ between processes
			return hasAny(processWords, p.keyWords(p.term(c.args[0])))
		}
	}
	return false
}

// processWords name, in settings, what tells one process from another.
var processWords = map[string]bool{"host": true, "hostname": true, "pod": true, "podname": true, "node": true, "nodename": true}

// livesByLease reports whether what is written hangs on a lease by an option of
// the call: the store refuses it once the lease has run out.
func (s site) livesByLease() bool {
	pl, ok := s.row.First("opts")
	if !ok {
		return false
	}
	opts, _ := s.p.elements(s.value(pl))
	return slices.ContainsFunc(opts, func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		if !ok {
			return false
		}
		row := s.p.rowWith(s.p.callee(&call.Call), models.Option)
		return row != nil && len(row.Subject["lease"]) > 0
	})
}
