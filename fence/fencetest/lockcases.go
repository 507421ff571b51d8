package fencetest

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fencelint/fencelint/fence/driver"
)

var holdCases = []lockCase{
	{name: "hold/excludes others", check: func(r *lockRun) {
		h := r.acquire("a", long)
		r.held("after an acquisition")
		r.held("after a failed acquisition")
		sure(r, r.Locker.Release(r.ctx, h), "Release after others tried")
	}},
	{name: "hold/same owner again", check: func(r *lockRun) {
		h := r.acquire("a", long)
		if again := r.acquire("a", long); again != h {
			r.Fatalf("a repeated request gave %v, want %v", again, h)
		}
		sure(r, r.Locker.Release(r.ctx, h), "Release")
		r.free("after the one release")
	}},
	{name: "hold/release frees, tokens grow", check: func(r *lockRun) {
		h := r.acquire("a", long)
		for _, letter := range []string{"b", "c", "a", "d"} {
			sure(r, r.Locker.Release(r.ctx, h), "Release")
			next := r.acquire(letter, long)
			r.above(next, h)
			h = next
		}
	}},
	{name: "hold/release by another", check: func(r *lockRun) {
		h := r.acquire("a", long)
		forged := h
		forged.Owner = owner("b")
		wants(r, r.Locker.Release(r.ctx, forged), driver.ErrNotOwner, "Release by another owner")
		r.held("after a release by another")
		sure(r, r.Locker.Release(r.ctx, h), "Release")
	}},
	{name: "hold/release with another token", needs: ordered, check: func(r *lockRun) {
		h := r.acquire("a", long)
		sure(r, r.Locker.Release(r.ctx, h), "Release")
		again := r.acquire("a", long) // the same owner, a new ownership
		r.above(again, h)
		wants(r, r.Locker.Release(r.ctx, h), driver.ErrNotOwner, "Release of the earlier ownership")
		wants(r, r.Locker.Extend(r.ctx, h, long), driver.ErrNotOwner, "Extend of the earlier ownership")
		r.held("after a release of the earlier ownership")
	}},
	{name: "hold/release twice", check: func(r *lockRun) {
		h := r.acquire("a", long)
		sure(r, r.Locker.Release(r.ctx, h), "Release")
		wants(r, r.Locker.Release(r.ctx, h), driver.ErrNotOwner, "second Release")
		r.free("after both releases")
		wants(r, r.Locker.Release(r.ctx, h), driver.ErrNotOwner, "Release while another holds")
		if _, err := r.try("n", "c", long); !errors.Is(err, driver.ErrNotAcquired) {
			r.Fatalf("a late release freed the lock of another: Acquire gave %v", err)
		}
	}},
	{name: "hold/release of a lock never taken", check: func(r *lockRun) {
		h := r.acquire("a", long)
		h.Name = r.name("n2")
		wants(r, r.Locker.Release(r.ctx, h), driver.ErrNotOwner, "Release")
		wants(r, r.Locker.Extend(r.ctx, h, long), driver.ErrNotOwner, "Extend")
		r.held("after a release of another name")
	}},
	{name: "hold/names are apart", check: func(r *lockRun) {
		for _, name := range []string{"n", "N", "n.", "n-", "n_1", "n1"} {
			r.acquireNamed(name, "a", long)
		}
		r.held("with other names held")
	}},
	{name: "hold/owners are apart", check: func(r *lockRun) {
		h := r.acquire("a", long)
		forged := h
		forged.Owner = strings.ToUpper(h.Owner)
		wants(r, r.Locker.Release(r.ctx, forged), driver.ErrNotOwner, "Release with the owner in capitals")
		_, err := r.Locker.Acquire(r.ctx, driver.Request{Name: h.Name, Owner: forged.Owner, TTL: long})
		wants(r, err, driver.ErrNotAcquired, "Acquire with the owner in capitals")
	}},
	{name: "hold/all at once", check: func(r *lockRun) {
		var won atomic.Int32
		var wg sync.WaitGroup
		errs := make(chan error, 16)
		for i := range 16 {
			wg.Go(func() {
				err := driver.ErrBusy
				for errors.Is(err, driver.ErrBusy) && r.ctx.Err() == nil {
					_, err = r.try("n", string(rune('a'+i)), long)
				}
				if err == nil {
					won.Add(1)
				}
				errs <- err
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			if err != nil {
				wants(r, err, driver.ErrNotAcquired, "one of several at once")
			}
		}
		if n := won.Load(); n != 1 {
			r.Fatalf("%d of 16 acquired the lock, want 1", n)
		}
	}},
	{name: "hold/in turns", check: func(r *lockRun) {
		var mu sync.Mutex
		var holds []driver.Hold // in the order in which the lock was held
		var inside atomic.Int32
		var wg sync.WaitGroup
		errs := make(chan error, 4)
		for i := range 4 {
			wg.Go(func() { errs <- r.takeTurns(i, &mu, &holds, &inside) })
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			sure(r, err, "taking turns")
		}
		for i := range holds[1:] {
			r.above(holds[i+1], holds[i])
		}
	}},
	{name: "hold/bad input", check: func(r *lockRun) {
		good := driver.Request{Name: r.name("n"), Owner: owner("a"), TTL: long}
		for what, change := range map[string]func(*driver.Request){
			"an empty name":    func(q *driver.Request) { q.Name = "" },
			"a long name":      func(q *driver.Request) { q.Name = strings.Repeat("n", driver.MaxName+1) },
			"a name with /":    func(q *driver.Request) { q.Name = "a/b" },
			"an empty owner":   func(q *driver.Request) { q.Owner = "" },
			"an owner with :":  func(q *driver.Request) { q.Owner = "a:b" },
			"a zero ttl":       func(q *driver.Request) { q.TTL = 0 },
			"a negative ttl":   func(q *driver.Request) { q.TTL = -long },
			"a ttl below 1 ms": func(q *driver.Request) { q.TTL = driver.MinTTL - 1 },
		} {
			q := good
			change(&q)
			_, err := r.Locker.Acquire(r.ctx, q)
			wants(r, err, driver.ErrInvalid, "Acquire with "+what)
		}
		h := r.acquire("a", long)
		wants(r, r.Locker.Extend(r.ctx, h, 0), driver.ErrInvalid, "Extend by nothing")
		wants(r, r.Locker.Extend(r.ctx, driver.Hold{}, long), driver.ErrInvalid, "Extend of no hold")
		wants(r, r.Locker.Release(r.ctx, driver.Hold{}), driver.ErrInvalid, "Release of no hold")
		r.held("after bad input")
	}},
	{name: "hold/longest names", check: func(r *lockRun) {
		fill := func(s string) string { return s + strings.Repeat("x", driver.MaxName-len(s)) }
		h, err := r.Locker.Acquire(r.ctx, driver.Request{Name: fill(r.name("n")), Owner: fill("o"), TTL: long})
		sure(r, err, "Acquire")
		_, err = r.Locker.Acquire(r.ctx, driver.Request{Name: h.Name, Owner: h.Owner[1:], TTL: long})
		wants(r, err, driver.ErrNotAcquired, "Acquire by another")
		sure(r, r.Locker.Release(r.ctx, h), "Release")
	}},
	{name: "hold/done context", check: func(r *lockRun) {
		_, err := r.Locker.Acquire(done(), driver.Request{Name: r.name("n"), Owner: owner("a"), TTL: long})
		unsent(r, err, "Acquire")
		h := r.free("after an Acquire that was not sent")
		unsent(r, r.Locker.Release(done(), h), "Release")
		unsent(r, r.Locker.Extend(done(), h, driver.MinTTL), "Extend")
		sure(r, r.Locker.Release(r.ctx, h), "Release")
	}},
}

func ordered(h *LockHarness) bool { return !h.Unordered }

// takeTurns acquires and releases the lock "n" some times, noting each hold.
func (r *lockRun) takeTurns(i int, mu *sync.Mutex, holds *[]driver.Hold, inside *atomic.Int32) error {
	for turn := 0; turn < 10; {
		q := driver.Request{Name: r.name("n"), Owner: owner(string(rune('a'+i)) + "-" + string(rune('a'+turn))), TTL: long}
		h, err := r.Locker.Acquire(r.ctx, q)
		if (errors.Is(err, driver.ErrNotAcquired) || errors.Is(err, driver.ErrBusy)) && r.ctx.Err() == nil {
			continue
		}
		if err != nil {
			return err
		}
		if inside.Add(1) != 1 {
			return errors.New("two hold the lock")
		}
		mu.Lock()
		*holds = append(*holds, h)
		mu.Unlock()
		inside.Add(-1)
		for err = driver.ErrBusy; errors.Is(err, driver.ErrBusy) && r.ctx.Err() == nil; {
			err = r.Locker.Release(r.ctx, h)
		}
		if err != nil {
			return err
		}
		turn++
	}
	return nil
}
