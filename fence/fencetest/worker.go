package fencetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
)

// A worker is the code of one process: what a user of package fence writes.
type worker struct {
	*process
	client *fence.Client
	guard  driver.Guard
}

// An entry is one element of the list that the workers write.
type entry struct {
	id      string
	request string
}

func newWorker(p *process) *worker {
	s := p.sched
	w := &worker{process: p}
	var locker driver.Locker = lockWire{p}
	if i, ok := s.world.Locker.(driver.Issuer); ok {
		locker = issuerWire{lockWire{p}, i}
	}
	if a, ok := s.world.Guard.(driver.Adopter); ok {
		w.guard = &adopterWire{guardWire{p}, a}
	} else if s.world.Guard != nil {
		w.guard = &guardWire{p}
	}
	w.client = fence.New(locker, s.options(p)...)
	return w
}

// run does tenures until the schedule ends and no request is open, or until the
// process crashes.
func (w *worker) run() {
	s := w.sched
	for {
		var err error
		if s.rng.IntN(2) == 0 {
			err = w.client.Do(s.ctx, s.plan.Name, w.tenure, w.options()...)
		} else {
			var l *fence.Lease
			if l, err = w.client.Acquire(s.ctx, s.plan.Name, w.options()...); err == nil {
				err = w.tenure(s.ctx, l)
				_ = l.Release(s.ctx)
			}
		}
		if w.crashed || !w.expected(err) {
			return
		}
		if s.draining && len(s.pending) == 0 {
			return
		}
	}
}

// expected reports whether a worker may meet err; other errors end the
// schedule.
func (w *worker) expected(err error) bool {
	for _, e := range []error{fence.ErrStale, fence.ErrLost, fence.ErrRegressed, fence.ErrUncertain, fence.ErrNotOwner, fence.ErrBusy, fence.ErrIssuer} {
		if errors.Is(err, e) {
			return true
		}
	}
	if err != nil && !errors.Is(err, errCrashed) {
		w.sched.fail(err)
	}
	return err == nil
}

func (w *worker) options() []fence.AcquireOption {
	switch w.sched.plan.Mode {
	case RegisterMode:
		return []fence.AcquireOption{fence.Registering(w.guard)}
	case ClaimMode:
		return []fence.AcquireOption{fence.Claiming(w.guard)}
	case LazyMode:
		return []fence.AcquireOption{fence.Lazy(w.guard)}
	}
	return nil
}

// tenure settles open requests and writes one to three entries. It pays no heed
// to the context that tells of a lost lease: that is the point.
func (w *worker) tenure(_ context.Context, l *fence.Lease) error {
	s := w.sched
	s.result.Tenures++
	var g driver.Grant
	if s.plan.Mode != Unfenced {
		var err error
		if g, err = l.Grant(w.guard); err != nil {
			return err
		}
	}
	if s.plan.Once {
		for len(s.pending) > 0 {
			if err := w.settle(g, s.pending[0]); err != nil {
				return err
			}
		}
	}
	for range 1 + s.rng.IntN(3) {
		s.entries++
		e := entry{id: fmt.Sprintf("%v.%d", w.process, s.entries)}
		if s.plan.Once {
			e.request = fmt.Sprintf("%s-%d", s.plan.Name, s.entries)
		}
		err := w.write(g, e)
		if errors.Is(err, driver.ErrUncertain) && s.plan.Once {
			s.pending = append(s.pending, e)
			err = w.settle(g, e)
		}
		if err != nil {
			return err // without a request id an uncertain write ends the tenure
		}
		if s.rng.IntN(4) == 0 {
			if err := l.Extend(s.ctx, leaseTTL); err != nil && w.crashed {
				return err
			}
		}
	}
	return nil
}

// settle sends an entry until its fate is known.
func (w *worker) settle(g driver.Grant, e entry) error {
	s := w.sched
	for {
		err := w.write(g, e)
		if err == nil || errors.Is(err, driver.ErrDuplicate) {
			s.settled(e)
			return nil
		}
		if !errors.Is(err, driver.ErrUncertain) {
			return err
		}
	}
}

// settled removes e from the open requests, in which it may be no longer if
// another worker was faster.
func (s *scheduler) settled(e entry) {
	for i, p := range s.pending {
		if p == e {
			s.pending = append(s.pending[:i:i], s.pending[i+1:]...)
			s.result.Resolved++
			return
		}
	}
}

// write reads the list and writes it back with e.
func (w *worker) write(g driver.Grant, e entry) error {
	s := w.sched
	if !w.pass(nil) {
		return errCrashed
	}
	base, err := s.world.Read(s.ctx, s.plan.Name)
	if err != nil {
		return err
	}
	s.note(w.process, "reads%s", base)
	var opts []driver.WriteOption
	if s.plan.Mode == LazyMode {
		opts = append(opts, driver.LazyWrite())
	}
	if e.request != "" {
		opts = append(opts, driver.OncePerRequest(e.request))
	}
	err = w.request("write "+e.id, func() error { return w.execute(g, e, base, opts) })
	switch {
	case err == nil:
		s.result.Accepted++
	case errors.Is(err, driver.ErrStale), errors.Is(err, driver.ErrIssuer):
		s.result.Refused++
	case errors.Is(err, driver.ErrUncertain):
		s.result.Uncertain++
	}
	return err
}

// execute is the arrival of a write at the store: the moment of truth.
func (w *worker) execute(g driver.Grant, e entry, base string, opts []driver.WriteOption) error {
	s := w.sched
	now, err := s.world.Read(s.ctx, s.plan.Name)
	if err != nil {
		return err
	}
	err = s.world.Write(s.ctx, g, s.plan.Name, base+" "+e.id, opts...)
	if err != nil {
		return err
	}
	s.accepted = append(s.accepted, e.id)
	older := s.plan.Mode == RegisterMode && s.failovers == 0 && s.order[ownership{g.Owner, g.Token}] < s.registered
	if now != base || older {
		s.result.Stale++
		s.note(w.process, "STALE write accepted: it had read%s, the store had%s", base, now)
	}
	return nil
}

// The wires pass the requests of one process to the world, by way of the
// scheduler.

type lockWire struct{ *process }

func (w lockWire) Acquire(_ context.Context, r driver.Request) (driver.Hold, error) {
	s := w.sched
	var h driver.Hold
	err := w.request("acquire", func() (err error) {
		if h, err = s.world.Locker.Acquire(s.ctx, r); err == nil {
			if o := (ownership{h.Owner, h.Token}); s.order[o] == 0 {
				s.order[o] = len(s.order) + 1
			}
		}
		return err
	})
	return h, err
}

func (w lockWire) Extend(_ context.Context, h driver.Hold, d time.Duration) error {
	return w.request("extend", func() error { return w.sched.world.Locker.Extend(w.sched.ctx, h, d) })
}

func (w lockWire) Release(_ context.Context, h driver.Hold) error {
	return w.request("release", func() error { return w.sched.world.Locker.Release(w.sched.ctx, h) })
}

type issuerWire struct {
	lockWire
	issuer driver.Issuer
}

func (w issuerWire) Issued(_ context.Context, name string) (driver.Token, error) {
	if !w.pass(nil) {
		return 0, errCrashed
	}
	return w.issuer.Issued(w.sched.ctx, name)
}

func (w issuerWire) Raise(_ context.Context, name string, to driver.Token) error {
	return w.request("raise", func() error { return w.issuer.Raise(w.sched.ctx, name, to) })
}

type guardWire struct{ *process }

func (w *guardWire) Register(_ context.Context, g driver.Grant) error {
	s := w.sched
	return w.request("register", func() error {
		err := s.world.Guard.Register(s.ctx, g)
		if err == nil {
			s.registered = max(s.registered, s.order[ownership{g.Owner, g.Token}])
		}
		return err
	})
}

func (w *guardWire) Claim(_ context.Context, resource, owner string) (driver.Grant, error) {
	var g driver.Grant
	err := w.request("claim", func() (err error) {
		g, err = w.sched.world.Guard.Claim(w.sched.ctx, resource, owner)
		return err
	})
	return g, err
}

func (w *guardWire) Seen(_ context.Context, resource string) (driver.Grant, error) {
	if !w.pass(nil) {
		return driver.Grant{}, errCrashed
	}
	return w.sched.world.Guard.Seen(w.sched.ctx, resource)
}

type adopterWire struct {
	guardWire
	adopter driver.Adopter
}

func (w *adopterWire) Adopt(_ context.Context, seen, next driver.Grant) error {
	return w.request("adopt", func() error { return w.adopter.Adopt(w.sched.ctx, seen, next) })
}
