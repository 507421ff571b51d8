package fencetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"

	"github.com/fencelint/fencelint/fence"
)

// An Exploration is what [Explore] has seen.
type Exploration struct {
	Runs   int      // all that there are
	Result          // sums over all runs
	First  []string // timeline of the first run with a stale or lost write
}

// Explore runs every interleaving of two workers, each of which acquires the
// lock, prepares its guard, reads, writes and releases once, with every choice
// of up to faults faults at every place: the lease ends, a worker crashes with
// its request sent or not, a request or a reply is lost or late, and, if the
// world can, the lock service fails over. newWorld must give an independent,
// deterministic world for every run: one in memory, as there are thousands.
//
// Errors: one of the world, after which nothing more is run; ctx.Err(). What the
// runs have shown is in the Exploration.
func Explore(ctx context.Context, newWorld func() World, mode Mode, faults int) (Exploration, error) {
	var e Exploration
	for heal := range 2 {
		c := new(choices)
		for more := true; more; more = c.next() {
			r, err := exploreOne(ctx, newWorld(), mode, heal == 1, faults, c, false)
			if err != nil {
				return e, err
			}
			if r.Stale+r.Lost+r.Twice > 0 && e.First == nil {
				c.at = 0
				again, _ := exploreOne(ctx, newWorld(), mode, heal == 1, faults, c, true)
				e.First = again.Timeline
			}
			e.Runs++
			e.Add(r)
		}
	}
	return e, ctx.Err()
}

// exploreOne is the run that c chooses.
func exploreOne(ctx context.Context, w World, mode Mode, heal bool, faults int, c *choices, timeline bool) (Result, error) {
	s := &scheduler{
		ctx: ctx, world: w, heal: heal,
		plan:  Plan{Mode: mode, Workers: 2, Name: "job", Timeline: timeline},
		rng:   rand.New(rand.NewPCG(0, 0)), // not asked for anything that matters
		order: make(map[ownership]int),
	}
	defer s.stop()
	x := &explorer{scheduler: s, choices: c, faults: faults}
	s.fate = x.fate
	for i := range 2 {
		s.start(i, (*worker).once)
	}
	for ; s.err == nil && (len(s.actors) > 0 || len(s.late) > 0); s.step++ {
		x.act()
	}
	s.judge()
	return s.result, s.err
}

// once is one tenure with one write, without waiting for the lock.
func (w *worker) once() {
	s := w.sched
	l, err := w.client.TryAcquire(s.ctx, s.plan.Name, w.options()...)
	if err == nil {
		s.result.Tenures++
		g, _ := l.Grant(w.guard)
		if s.plan.Mode == Unfenced {
			g = fence.Grant{}
		}
		s.entries++
		err = w.write(g, entry{id: string(rune('a' + w.index))})
		_ = l.Release(s.ctx)
	}
	if !w.crashed && !errors.Is(err, fence.ErrNotAcquired) {
		w.expected(err)
	}
}

// An explorer makes the choices of one run.
type explorer struct {
	*scheduler
	*choices
	faults int // left
}

// act does the chosen thing: somebody goes on, or something fails.
func (x *explorer) act() {
	var options []func()
	for _, a := range x.actors {
		options = append(options, func() { x.resume(a) })
	}
	for i := range x.late {
		options = append(options, func() {
			f := x.late[i]
			x.late = append(x.late[:i:i], x.late[i+1:]...)
			f()
		})
	}
	if x.faults > 0 && len(x.actors) > 0 {
		failing := func(f func()) { options = append(options, func() { x.faults--; f() }) }
		failing(x.expire)
		for _, a := range x.actors {
			failing(func() { x.kill(a.proc, false) })
			if a.send != nil {
				failing(func() { x.kill(a.proc, true) })
			}
		}
		if x.world.Failover != nil {
			failing(func() {
				x.note(nil, "lock service fails over")
				x.failovers++
				x.fail(x.world.Failover(x.ctx, x.plan.Name, 1))
			})
		}
	}
	options[x.choose(len(options))]()
}

func (x *explorer) fate() fate {
	if x.faults == 0 {
		return delivered
	}
	f := fate(x.choose(int(requestLate) + 1))
	if f != delivered {
		x.faults--
	}
	return f
}

// choices enumerates all paths through a tree of choices whose shape shows only
// while it is walked.
type choices struct {
	path   []int
	widths []int
	at     int
}

// choose returns the choice among n of the present path.
func (c *choices) choose(n int) int {
	if c.at == len(c.path) {
		c.path = append(c.path, 0)
		c.widths = append(c.widths, n)
	}
	c.at++
	return c.path[c.at-1]
}

// next goes to the next path; false if there is none.
func (c *choices) next() bool {
	c.at = 0
	for i := len(c.path) - 1; i >= 0; i-- {
		if c.path[i]+1 < c.widths[i] {
			c.path[i]++
			c.path, c.widths = c.path[:i+1], c.widths[:i+1]
			return true
		}
	}
	return false
}

// String returns the timeline of the first bad run.
func (e Exploration) String() string { return strings.Join(e.First, "\n") }
