package fencetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
)

// A World is the lock service and the store on which [Schedule] runs. One
// World serves many schedules one after the other: each has names of its own.
type World struct {
	Locker driver.Locker // asked by every worker
	Guard  driver.Guard  // may be nil in mode Unfenced

	// Write is that of GuardHarness. In mode Unfenced it gets the zero Grant and
	// must write without a guard.
	Write func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error

	// Read is that of GuardHarness.
	Read func(ctx context.Context, key string) (string, error)

	// Expire ends the current lease of name now, if there is one. Leases should
	// be so long that they never end otherwise.
	Expire func(ctx context.Context, name string) error

	// Failover loses the last n tokens that were issued for name, and the current
	// lease with them, or replaces the service by one with another issuer, if the
	// guard is a driver.Adopter. Optional: without it no schedule has failovers.
	Failover func(ctx context.Context, name string, n int) error
}

// A Mode says how workers protect their writes.
type Mode int

// The modes. LazyMode and Unfenced are controls: they must lose updates.
const (
	RegisterMode Mode = iota // fence.Registering
	ClaimMode                // fence.Claiming
	LazyMode                 // fence.Lazy and driver.LazyWrite
	Unfenced                 // no guard
)

// String names the mode.
func (m Mode) String() string {
	return [...]string{"register", "claim", "lazy", "unfenced"}[m]
}

// A Plan chooses one schedule. Equal plans on equal worlds give equal runs.
type Plan struct {
	Seed     uint64 // of all random choices
	Mode     Mode   // in which every worker writes
	Workers  int    // 0 means 3
	Steps    int    // random steps before all workers may finish; 0 means 60
	Name     string // the lock, the resource and the key; a name not used before
	Once     bool   // writes carry request ids, and uncertain ones are sent again
	Timeline bool   // fill Result.Timeline
}

// A Result counts what happened in one schedule, or in several that were added.
// Stale, Lost and Twice must be zero wherever a guard is used strictly. It is a
// plain value: add to it from one goroutine.
type Result struct {
	Tenures   int // acquisitions with their guards prepared
	Accepted  int // writes with a reply of success
	Refused   int // writes refused, as stale or because of their issuer
	Uncertain int // writes whose reply was lost
	Resolved  int // of these, writes that another request settled

	// Stale counts writes that the store accepted although they replaced a value
	// that their worker had not read, or, in RegisterMode without failover, were
	// made by an older ownership than one that had registered.
	Stale int
	Lost  int // writes that the store accepted and that are not in the final value
	Twice int // writes that are in the final value more than once

	Timeline []string // one line for each event, if the Plan asks for it
}

// Add adds the counts of another schedule. The timelines stay apart.
func (r *Result) Add(other Result) {
	r.Tenures += other.Tenures
	r.Accepted += other.Accepted
	r.Refused += other.Refused
	r.Uncertain += other.Uncertain
	r.Resolved += other.Resolved
	r.Stale += other.Stale
	r.Lost += other.Lost
	r.Twice += other.Twice
}

// Schedule lets workers take turns at reading a list and writing it back with
// one entry more, each through a [fence.Client] of its own, while a scheduler
// decides at every request who goes on. Workers are paused and crash, leases
// end at any time, clocks jump, requests and replies are lost or delivered
// late, and tokens are lost by failover. Only one request is under way at a
// time, so a run depends on the plan alone.
//
// The error is one of the world, or says that the workers did not come to an
// end; the outcome is in the Result.
func Schedule(ctx context.Context, w World, p Plan) (Result, error) {
	if p.Workers == 0 {
		p.Workers = 3
	}
	if p.Steps == 0 {
		p.Steps = 60
	}
	s := &scheduler{
		ctx: ctx, world: w, plan: p,
		rng:   rand.New(rand.NewPCG(p.Seed, 0)),
		order: make(map[ownership]int),
	}
	s.fate = s.randomFate
	defer s.stop()
	s.heal = s.rng.IntN(2) == 0
	for i := range p.Workers {
		s.start(i, (*worker).run)
	}
	for s.step = 0; s.step < p.Steps && s.err == nil; s.step++ {
		s.act()
	}
	s.drain()
	s.judge()
	return s.result, s.err
}

// A scheduler runs one plan. Its actors are coroutines: while one runs, nothing
// else does.
type scheduler struct {
	ctx    context.Context
	world  World
	plan   Plan
	rng    *rand.Rand
	fate   func() fate // of the request that is being sent
	heal   bool
	err    error // of the world
	result Result

	step     int
	draining bool
	procs    []*process
	actors   []*actor
	running  *actor
	late     []func() // requests under way whose senders do not wait any more

	order      map[ownership]int // in which the lock was held
	registered int               // the highest such order at the guard
	failovers  int
	entries    int
	accepted   []string // entries that the store has accepted
	pending    []entry  // sent, outcome unknown
}

type ownership struct {
	owner string
	token driver.Token
}

// act does one random thing.
func (s *scheduler) act() {
	switch n := s.rng.IntN(100); {
	case n < 6:
		s.expire()
	case n < 13 && len(s.late) > 0:
		s.deliver()
	case n < 20:
		s.tick()
	case n < 25 && !s.draining:
		p := s.procs[s.rng.IntN(len(s.procs))]
		p.paused = s.step + s.rng.IntN(30)
		s.note(p, "pauses")
	case n < 27 && !s.draining:
		s.crash(s.procs[s.rng.IntN(len(s.procs))])
	case n < 28 && !s.draining && s.world.Failover != nil:
		lost := s.rng.IntN(4)
		s.note(nil, "lock service fails over, tokens lost: %d", lost)
		s.failovers++
		s.fail(s.world.Failover(s.ctx, s.plan.Name, lost))
	default:
		s.resumeAny()
	}
}

func (s *scheduler) randomFate() fate {
	n := s.rng.IntN(100)
	switch {
	case s.draining:
		return delivered
	case n < 4:
		return requestLost
	case n < 8:
		return replyLost
	case n < 11:
		return requestLate
	}
	return delivered
}

func (s *scheduler) expire() {
	s.note(nil, "lease ends")
	s.fail(s.world.Expire(s.ctx, s.plan.Name))
}

// deliver executes one late request.
func (s *scheduler) deliver() {
	i := s.rng.IntN(len(s.late))
	f := s.late[i]
	s.late = append(s.late[:i], s.late[i+1:]...)
	f()
}

// tick moves the clock of one process and starts its due timers.
func (s *scheduler) tick() {
	p := s.procs[s.rng.IntN(len(s.procs))]
	p.now = p.now.Add(time.Duration(s.rng.Int64N(int64(leaseTTL))))
	for _, t := range p.due() {
		s.spawn(p, t.f)
	}
}

func (s *scheduler) resumeAny() {
	ready := make([]*actor, 0, 8)
	for _, a := range s.actors {
		if a.proc.paused <= s.step || s.draining {
			ready = append(ready, a)
		}
	}
	if len(ready) > 0 {
		s.resume(ready[s.rng.IntN(len(ready))])
	}
}

// crash ends a process and puts a new one into its place. A request of its that
// was under way may still arrive.
func (s *scheduler) crash(p *process) {
	s.kill(p, s.rng.IntN(2) == 0)
	s.start(p.index, (*worker).run)
}

// kill ends a process. With sent, requests that it was about to send arrive
// later.
func (s *scheduler) kill(p *process, sent bool) {
	s.note(p, "crashes")
	p.crashed = true
	for _, a := range s.actors {
		if a.proc == p && a.send != nil && sent {
			s.late = append(s.late, a.send)
		}
	}
	s.reap(p)
}

// drain lets everybody finish without further faults, and then one last worker
// settle what is open.
func (s *scheduler) drain() {
	s.draining = true
	s.finish()
	if s.plan.Once && len(s.pending) > 0 {
		s.start(s.plan.Workers, (*worker).run)
		s.finish()
	}
	for s.err == nil && len(s.late) > 0 {
		s.deliver()
	}
	if s.plan.Once && len(s.pending) > 0 {
		s.fail(fmt.Errorf("fencetest: %d uncertain writes were not settled", len(s.pending)))
	}
}

func (s *scheduler) finish() {
	for limit := s.step + 100_000; len(s.actors) > 0 && s.err == nil; s.step++ {
		s.act()
		if s.step == limit {
			s.fail(errors.New("fencetest: the workers do not come to an end"))
		}
	}
}

// judge compares the final value with what the store has accepted.
func (s *scheduler) judge() {
	if s.err != nil {
		return
	}
	value, err := s.world.Read(s.ctx, s.plan.Name)
	s.fail(err)
	count := make(map[string]int)
	for _, e := range strings.Fields(value) {
		count[e]++
		if count[e] == 2 {
			s.result.Twice++
		}
	}
	for _, e := range s.accepted {
		if count[e] == 0 {
			s.result.Lost++
			s.note(nil, "LOST: %s", e)
		}
	}
	s.note(nil, "final value:%s", value)
}

func (s *scheduler) fail(err error) {
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("seed %d, step %d: %w", s.plan.Seed, s.step, err)
	}
}

// note adds a line to the timeline; p is nil for the world.
func (s *scheduler) note(p *process, format string, args ...any) {
	if !s.plan.Timeline {
		return
	}
	who := "world"
	if p != nil {
		who = p.String()
	}
	s.result.Timeline = append(s.result.Timeline, fmt.Sprintf("%4d %-6s ", s.step, who)+fmt.Sprintf(format, args...))
}

// options are those of the workers' client.
func (s *scheduler) options(p *process) []fence.Option {
	opts := []fence.Option{fence.WithTTL(leaseTTL), fence.WithClock(p), fence.WithAdopt()}
	if s.heal {
		opts = append(opts, fence.HealForward())
	}
	return opts
}
