package fencetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

var loadCases = []guardCase{
	{name: "load/siblings of one grant", check: func(r *guardRun) {
		g := r.registered(1, "a")
		r.together(8, func(ctx context.Context, i int) error {
			for n := range 5 {
				err := r.retryBusy(ctx, func() error {
					return r.GuardHarness.Write(ctx, g, r.name("k"+strconv.Itoa(i)), strconv.Itoa(n))
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		for i := range 8 {
			if v, err := r.GuardHarness.Read(r.ctx, r.name("k"+strconv.Itoa(i))); err != nil || v != "4" {
				r.Fatalf("key %d has %q, %v; want the last write", i, v, err)
			}
		}
	}},
	{name: "load/register, read, write", check: func(r *guardRun) {
		var last atomic.Int64
		r.contend(func(ctx context.Context, owner string) (driver.Grant, error) {
			g := driver.Grant{Resource: r.name("r"), Issuer: "alpha", Owner: owner, Token: driver.Token(last.Add(1))}
			return g, r.retryBusy(ctx, func() error { return r.Guard.Register(ctx, g) })
		})
	}},
	{name: "load/claim, read, write", check: func(r *guardRun) {
		r.contend(r.retryClaim)
	}},
	{name: "load/no write after a takeover", check: func(r *guardRun) {
		// An old holder writes as fast as it can while a new one takes over and
		// writes once. Once that write was acknowledged, it stands.
		old := r.registered(1, "a")
		for round := range 20 {
			var wg sync.WaitGroup
			var over atomic.Bool
			started := make(chan struct{})
			var last error // what ended the old holder
			wg.Go(func() {
				for n := 0; last == nil; n++ {
					late := over.Load()
					err := r.set(old, "old-"+strconv.Itoa(n))
					if n == 0 {
						close(started)
					}
					switch {
					case err == nil && late:
						last = errors.New("accepted after the takeover")
					case !errors.Is(err, driver.ErrBusy):
						last = err
					}
				}
			})
			<-started
			young := r.grant(driver.Token(round+2), "b"+strconv.Itoa(round))
			err := r.retryBusy(r.ctx, func() error { return r.Guard.Register(r.ctx, young) })
			if err == nil {
				err = r.retryBusy(r.ctx, func() error { return r.set(young, "young") })
			}
			over.Store(true)
			wg.Wait()
			sure(r, err, "takeover")
			wants(r, last, driver.ErrStale, "the old holder's last write")
			if got := r.value(); got != "young" {
				r.Fatalf("round %d: after the takeover's write the store has %q", round, got)
			}
			old = young
		}
	}},
}

// contend lets workers take ownerships as they like, read a list and write it
// back with one entry more. Every acknowledged entry must be in the list at the
// end.
func (r *guardRun) contend(take func(ctx context.Context, owner string) (driver.Grant, error)) {
	r.Helper()
	const workers, tenures = 6, 15
	var mu sync.Mutex
	acknowledged := make(map[string]bool)
	r.together(workers, func(ctx context.Context, i int) error {
		for n := range tenures {
			entry := fmt.Sprintf("%d.%d", i, n)
			g, err := take(ctx, owner(entry))
			if errors.Is(err, driver.ErrStale) {
				continue
			}
			if err != nil {
				return err
			}
			list, err := r.GuardHarness.Read(ctx, r.name("k"))
			if err != nil {
				return err
			}
			err = r.retryBusy(ctx, func() error { return r.set(g, list+" "+entry) })
			switch {
			case err == nil:
				mu.Lock()
				acknowledged[entry] = true
				mu.Unlock()
			case !errors.Is(err, driver.ErrStale):
				return err
			}
		}
		return nil
	})
	if len(acknowledged) == 0 {
		r.Fatal("no write was accepted: the case shows nothing")
	}
	kept := make(map[string]bool)
	for _, entry := range strings.Fields(r.value()) {
		if kept[entry] {
			r.Fatalf("entry %s was written twice", entry)
		}
		kept[entry] = true
	}
	for entry := range acknowledged {
		if !kept[entry] {
			r.Fatalf("the acknowledged entry %s was lost", entry)
		}
	}
}

// retryBusy repeats f while the guard is busy.
func (r *guardRun) retryBusy(ctx context.Context, f func() error) error {
	for {
		err := f()
		if !errors.Is(err, driver.ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Millisecond):
		}
	}
}

func (r *guardRun) retryClaim(ctx context.Context, owner string) (driver.Grant, error) {
	var g driver.Grant
	err := r.retryBusy(ctx, func() error {
		var err error
		g, err = r.Guard.Claim(ctx, r.name("r"), owner)
		return err
	})
	return g, err
}
