package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// follows reports whether b can run after a in the same call of their function.
func follows(a, b ssa.Instruction) bool {
	if a.Block() == nil || b.Block() == nil || a.Parent() != b.Parent() {
		return false
	}
	if a.Block() == b.Block() && slices.Index(a.Block().Instrs, a) < slices.Index(a.Block().Instrs, b) {
		return true
	}
	return reachable(a.Block().Succs, b.Block(), nil)
}

// reachable reports whether control goes from one of the blocks to b without
// passing a block of avoid.
func reachable(from []*ssa.BasicBlock, b *ssa.BasicBlock, avoid map[*ssa.BasicBlock]bool) bool {
	seen := map[*ssa.BasicBlock]bool{}
	queue := slices.Clone(from)
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		if seen[x] || avoid[x] {
			continue
		}
		if x == b {
			return true
		}
		seen[x] = true
		queue = append(queue, x.Succs...)
	}
	return false
}

// calls visits the calls of fn in the order of the code.
func calls(fn *ssa.Function, visit func(ssa.CallInstruction)) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if call, ok := in.(ssa.CallInstruction); ok {
				visit(call)
			}
		}
	}
}

// used reports whether anything but debug information refers to v.
func used(v ssa.Value) bool {
	if v == nil || v.Referrers() == nil {
		return false
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		_, debug := r.(*ssa.DebugRef)
		return !debug
	})
}

// tellsOnly reports whether a call only tells people something, or ends a wait.
func (p *program) tellsOnly(call ssa.CallInstruction) bool {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "close", "panic", "recover":
			return false
		}
		return true
	}
	c := p.callee(common)
	if c.obj == nil {
		return false
	}
	words := split(c.obj.Name())
	if hasAny(fatalWords, words) {
		return false
	}
	if pkg := c.obj.Pkg(); pkg != nil {
		switch pkg.Path() {
		case "fmt", "log", "log/slog", "strconv", "strings", "time", "errors":
			return true
		}
	}
	return hasAny(tellingWords, words) || c.obj.Name() == "Error" && isString(call)
}

func isString(call ssa.CallInstruction) bool {
	res := call.Common().Signature().Results()
	return res.Len() == 1 && res.At(0).Type().String() == "string"
}

// fatalWords name what ends the process, which is an answer to a lost lease.
var fatalWords = map[string]bool{"fatal": true, "fatalf": true, "fatalln": true, "panic": true, "panicf": true, "panicln": true, "exit": true, "must": true}

// tellingWords name what writes a log or a metric.
var tellingWords = map[string]bool{"log": true, "logf": true, "logger": true, "print": true, "printf": true, "println": true, "info": true, "infof": true, "infow": true, "infos": true,
	"warn": true, "warnf": true, "warnw": true, "warning": true, "warningf": true, "debug": true, "debugf": true, "error": true, "errorf": true, "errorw": true, "errors": true, "trace": true, "tracef": true,
	"sprint": true, "sprintf": true, "inc": true, "observe": true, "with": true, "field": true, "fields": true, "msg": true, "msgf": true, "err": true, "str": true, "string": true, "sleep": true, "since": true, "now": true}
