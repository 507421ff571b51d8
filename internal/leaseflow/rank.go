package leaseflow

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// once keeps one exposure for each write of the package, however many regions
// and checks reach it: one that hangs on a check before any other, and of these
// one that compares the token before one that only remembers who leads.
func once(xs []Exposure) []Exposure {
	at := map[token.Pos]int{}
	var out []Exposure
	for _, x := range xs {
		i, again := at[x.Pos]
		if !again {
			at[x.Pos] = len(out)
			out = append(out, x)
			continue
		}
		if out[i].Check == nil && x.Check != nil || out[i].Remembered && x.CheckKind == TokenCompare {
			x.Also, out[i].Also = out[i].Also, nil
			x, out[i] = out[i], x
		}
		told := &out[i]
		if x.From != nil && (told.From == nil || told.From.Pos != x.From.Pos) && len(told.Also) < maxAlso {
			told.Also = append(told.Also, *x.From)
		}
	}
	return out
}

// maxAlso bounds how many more ways to one write are told.
const maxAlso = 3

// rank numbers the writes of each lease, or remembered leadership, to each
// store: the one that loses most comes first. Where there are many, one mistake
// stands behind them all, and the first ones tell it.
func (p *program) rank(xs []Exposure) {
	type lease struct {
		from   token.Pos
		flag   string
		store  string
		escape ssa.CallInstruction
	}
	byLease := map[lease][]int{}
	for i, x := range xs {
		of := lease{store: x.Write.Store}
		if x.Write.Inferred {
			of.store = "inferred"
		}
		if x.Dropped { // the acquire is what has to change
			of.store = ""
		}
		if x.Escaped { // the statement is what has to change
			of.store, of.escape = "", x.call
		}
		switch {
		case x.Remembered:
			of.flag = x.Check.API
		case x.Acquire != nil:
			of.from = x.Acquire.Pos
		default:
			of.from = x.Check.Pos
		}
		byLease[of] = append(byLease[of], i)
	}
	for _, group := range byLease {
		slices.SortStableFunc(group, func(a, b int) int {
			return cmp.Or(cmp.Compare(xs[b].weight(), xs[a].weight()), p.inText(xs[a].Pos, xs[b].Pos))
		})
		for n, i := range group {
			worst := &xs[group[0]]
			xs[i].Rank, xs[i].Among = n, len(group)
			xs[i].Outdone = worst.Write.RMW && !xs[i].Write.RMW && !xs[i].Escaped && xs[i].Check == nil
			worst.Outdoes = worst.Outdoes || xs[i].Outdone
			xs[i].Beside = n > 0 && xs[i].Escaped && xs[group[0]].Write.Action != Delete
		}
	}
}

// worst keeps one exposure for each call in the region and each store: of the
// writes behind it the one that loses most. Behind an interface stand several
// stores of which a program uses one.
func worst(xs []Exposure) []Exposure {
	type change struct {
		call  ssa.CallInstruction
		store string
	}
	var out []Exposure
	at := map[change]int{}
	for _, x := range xs {
		of := change{x.call, x.Write.Store}
		if x.Write.Inferred {
			of.store = "inferred"
		}
		i, again := at[of]
		if !again {
			at[of] = len(out)
			out = append(out, x)
			continue
		}
		if x.weight() > out[i].weight() {
			out[i] = x
		}
	}
	return out
}

// weight orders the writes of a lease by what they lose. That what is written was
// read before counts where the region shows it, or the function that it calls: with
// every further call there is more in between that makes another value of it.
func (x *Exposure) weight() int {
	n := x.Write.harm()
	if x.told {
		n -= rmwHarm
	}
	return n
}
