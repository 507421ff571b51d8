package leaseflow

import (
	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// noteWatch notes what a call that runs body in caller makes of its commands.
// An optimistic transaction (WATCH) refuses what is queued inside of it when
// the watched keys have changed; what runs beside the queue is not covered.
func (p *program) noteWatch(run Effect, body, caller *ssa.Function) {
	if body != nil && run.Tx && run.Store == "sql" {
		p.transacted[body] = true
	}
	switch {
	case body == nil || !run.Tx:
	case run.Guard >= Conditional:
		p.watched[body] = true
	case p.watched[caller]:
		p.queued[body] = true
	}
}

// commitsIfUnchanged reports whether a command takes effect only if the keys
// that a transaction around it watches are unchanged.
func (p *program) commitsIfUnchanged(call ssa.CallInstruction, fn *ssa.Function) bool {
	if p.queued[fn] {
		return true
	}
	if !p.watched[fn] {
		return false
	}
	c := p.callee(call.Common())
	if !c.hasRecv || len(c.args) == 0 {
		return false
	}
	queue := false
	p.slice(c.args[0], func(v ssa.Value) bool { // tx.TxPipeline(), then Exec
		if made, ok := v.(*ssa.Call); ok && p.isRow(p.callee(&made.Call), models.TxBegin) {
			queue = true
		}
		return !queue
	})
	return queue
}
