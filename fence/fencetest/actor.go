package fencetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// leaseTTL is long in real time: in schedules leases end when the scheduler
// says so.
const leaseTTL = time.Hour

// An actor is one line of execution within a process: its worker, or a timer
// of its client.
type actor struct {
	proc *process
	next func() (struct{}, bool)
	stop func()
	park func(struct{}) bool
	send func() // executes the request the actor is about to send, nil if none
}

// A process is one incarnation of a worker: its client, its clock.
type process struct {
	sched   *scheduler
	index   int
	life    int
	crashed bool
	paused  int // step at which it goes on
	now     time.Time
	timers  []*timer
}

type timer struct {
	at time.Time
	f  func()
}

func (p *process) String() string { return fmt.Sprintf("%c%d", 'A'+p.index, p.life) }

// start begins a new process at index, whose worker does run.
func (s *scheduler) start(index int, run func(*worker)) {
	p := &process{sched: s, index: index, now: time.Unix(1_000_000, 0)}
	if index < len(s.procs) {
		p.life = s.procs[index].life + 1
		s.procs[index] = p
	} else {
		s.procs = append(s.procs, p)
	}
	s.spawn(p, func() { run(newWorker(p)) })
}

// spawn adds an actor that executes f. It runs up to its first request.
func (s *scheduler) spawn(p *process, f func()) {
	a := &actor{proc: p}
	a.next, a.stop = iter.Pull(func(park func(struct{}) bool) {
		a.park = park
		f()
	})
	s.actors = append(s.actors, a)
	s.resume(a)
}

// resume lets a run up to its next request or its end.
func (s *scheduler) resume(a *actor) {
	outer := s.running
	s.running = a
	_, more := a.next()
	s.running = outer
	if !more {
		s.actors = slices.DeleteFunc(s.actors, func(b *actor) bool { return b == a })
	}
}

// reap ends the actors of a crashed process: none of their requests is sent.
func (s *scheduler) reap(p *process) {
	for _, a := range slices.Clone(s.actors) {
		if a.proc == p {
			s.running = a
			a.stop()
			s.running = nil
			s.actors = slices.DeleteFunc(s.actors, func(b *actor) bool { return b == a })
		}
	}
}

// stop ends all actors.
func (s *scheduler) stop() {
	for _, p := range s.procs {
		p.crashed = true
		s.reap(p)
	}
}

var errCrashed = errors.New("fencetest: the process has crashed")

// pass is where the scheduler takes over: before a request is sent. It reports
// false if the process has crashed meanwhile.
func (p *process) pass(send func()) bool {
	a := p.sched.running
	if p.crashed {
		return false
	}
	a.send = send
	alive := a.park(struct{}{})
	a.send = nil
	return alive && !p.crashed
}

// request sends a request that changes something, subject to loss. execute does
// it and must not use the sender's context.
func (p *process) request(what string, execute func() error) error {
	s := p.sched
	deliver := func(how string) error {
		err := execute()
		s.note(p, "%s%s: %s", what, how, outcome(err))
		return err
	}
	if !p.pass(func() { _ = deliver(" (after the crash)") }) {
		return errCrashed
	}
	switch s.fate() {
	case requestLost:
		s.note(p, "%s: request lost", what)
	case replyLost:
		_ = deliver(" (reply lost)")
	case requestLate:
		s.note(p, "%s: request is late", what)
		s.late = append(s.late, func() { _ = deliver(" (late)") })
	default:
		return deliver("")
	}
	return driver.ErrUncertain
}

// A fate is what becomes of a request.
type fate int

const (
	delivered fate = iota
	requestLost
	replyLost
	requestLate // its sender gives up, and it arrives afterwards
)

// outcome names err without its details, which differ from run to run.
func outcome(err error) string {
	if err == nil {
		return "ok"
	}
	for _, e := range []error{
		driver.ErrNotAcquired, driver.ErrNotOwner, driver.ErrStale, driver.ErrIssuer,
		driver.ErrBusy, driver.ErrDuplicate, driver.ErrUncertain,
	} {
		if errors.Is(err, e) {
			return strings.TrimPrefix(e.Error(), "fence: ")
		}
	}
	return err.Error()
}

// Now implements [fence.Clock].
func (p *process) Now() time.Time { return p.now }

// Sleep implements [fence.Clock]: how long it takes is up to the scheduler.
func (p *process) Sleep(ctx context.Context, _ time.Duration) error {
	if !p.pass(nil) {
		return errCrashed
	}
	return ctx.Err()
}

// AfterFunc implements [fence.Clock].
func (p *process) AfterFunc(d time.Duration, f func()) func() bool {
	t := &timer{p.now.Add(d), f}
	p.timers = append(p.timers, t)
	return func() bool {
		n := len(p.timers)
		p.timers = slices.DeleteFunc(p.timers, func(u *timer) bool { return u == t })
		return len(p.timers) < n
	}
}

// due removes and returns the timers whose time has come.
func (p *process) due() []*timer {
	var due []*timer
	p.timers = slices.DeleteFunc(p.timers, func(t *timer) bool {
		if t.at.After(p.now) {
			return false
		}
		due = append(due, t)
		return true
	})
	return due
}
