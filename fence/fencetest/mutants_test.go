package fencetest_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/memfence"
)

type writeFunc = func(context.Context, driver.Grant, string, string, ...driver.WriteOption) error

// A guardMutant breaks the in-memory guard in one way. caught is the case of the
// suite, or the group of cases, that has to fail because of it.
type guardMutant struct {
	caught string
	breaks func(*fencetest.GuardHarness, *memfence.Store)
}

// guard lets mutants replace single methods.
type guard struct {
	*memfence.Store
	register func(context.Context, driver.Grant) error
	claim    func(context.Context, string, string) (driver.Grant, error)
	adopt    func(context.Context, driver.Grant, driver.Grant) error
}

func (g *guard) Register(ctx context.Context, x driver.Grant) error {
	if g.register != nil {
		return g.register(ctx, x)
	}
	return g.Store.Register(ctx, x)
}

func (g *guard) Claim(ctx context.Context, resource, owner string) (driver.Grant, error) {
	if g.claim != nil {
		return g.claim(ctx, resource, owner)
	}
	return g.Store.Claim(ctx, resource, owner)
}

func (g *guard) Adopt(ctx context.Context, seen, next driver.Grant) error {
	if g.adopt != nil {
		return g.adopt(ctx, seen, next)
	}
	return g.Store.Adopt(ctx, seen, next)
}

func seen(s *memfence.Store, resource string) driver.Grant {
	g, _ := s.Seen(context.Background(), resource)
	return g
}

// accepting makes a store that writes what the true store accepts, and also
// what more accepts.
func accepting(more func(have, record driver.Grant) bool, raise bool) func(*fencetest.GuardHarness, *memfence.Store) {
	return func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			err := s.Put(ctx, g, key, value, opts...)
			record := seen(s, g.Resource)
			if !errors.Is(err, driver.ErrStale) && !errors.Is(err, driver.ErrIssuer) || !more(g, record) {
				return err
			}
			if raise {
				s.SetRecord(g)
			}
			return s.PutUnfenced(ctx, key, value)
		}
	}
}

// registering makes a guard that registers what the true guard does, and also
// what more accepts.
func registering(more func(have, record driver.Grant) bool) func(*fencetest.GuardHarness, *memfence.Store) {
	return func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Guard = &guard{Store: s, register: func(ctx context.Context, g driver.Grant) error {
			err := s.Register(ctx, g)
			if err == nil || ctx.Err() != nil || g.WellFormed() != nil || !more(g, seen(s, g.Resource)) {
				return err
			}
			s.SetRecord(g)
			return nil
		}}
	}
}

var guardMutants = map[string]guardMutant{
	"no check": {"register/unwritten successor refuses", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Write = func(ctx context.Context, _ driver.Grant, key, value string, _ ...driver.WriteOption) error {
			return s.PutUnfenced(ctx, key, value)
		}
	}},
	"check then write": {"around/register during a write", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.WriteAround = func(ctx context.Context, g driver.Grant, key, value string, between func()) error {
			if err := s.Write(ctx, g, func() error { return nil }); err != nil {
				return err
			}
			between()
			return s.PutUnfenced(ctx, key, value)
		}
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			if err := s.Write(ctx, g, func() error { return nil }, opts...); err != nil {
				return err
			}
			return s.PutUnfenced(ctx, key, value)
		}
	}},
	"check then write, no hook": {"load/", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.WriteAround = nil
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			if err := s.Write(ctx, g, func() error { return nil }, opts...); err != nil {
				return err
			}
			time.Sleep(5 * time.Millisecond) // the others are quicker
			return s.PutUnfenced(ctx, key, value)
		}
	}},
	"worker-side compare": {"register/unwritten successor refuses", func(h *fencetest.GuardHarness, s *memfence.Store) {
		// The worker compares with what it registered itself.
		var mine sync.Map
		h.Guard = &guard{Store: s, register: func(ctx context.Context, g driver.Grant) error {
			mine.Store(g, true)
			return s.Register(ctx, g)
		}}
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			if _, ok := mine.Load(g); ok {
				return s.PutUnfenced(ctx, key, value)
			}
			return s.Put(ctx, g, key, value, opts...)
		}
	}},
	"write without comparing owner": {"register/same token of another owner", accepting(func(have, record driver.Grant) bool {
		return have.Token == record.Token && have.Issuer == record.Issuer
	}, false)},
	"write without comparing issuer": {"register/another issuer", accepting(func(have, record driver.Grant) bool {
		return have.Token == record.Token && have.Owner == record.Owner
	}, false)},
	"write without comparing token": {"register/same owner with another token", accepting(func(have, record driver.Grant) bool {
		return have.Owner == record.Owner && have.Issuer == record.Issuer
	}, false)},
	"write at or above the guard": {"loss/restored guard, stale writer above", accepting(func(have, record driver.Grant) bool {
		return record.Token != 0 && have.Issuer == record.Issuer && have.Token > record.Token
	}, false)},
	"ratchet": {"register/write never raises", accepting(func(have, record driver.Grant) bool {
		return record.Token != 0 && have.Issuer == record.Issuer && have.Token > record.Token
	}, true)},
	"guard re-created": {"loss/missing guard refuses", accepting(func(_, record driver.Grant) bool {
		return record == driver.Grant{}
	}, true)},
	"missing guard lets pass": {"register/write never creates", accepting(func(_, record driver.Grant) bool {
		return record == driver.Grant{}
	}, false)},
	"register <= without owner": {"register/same token of another owner", registering(func(have, record driver.Grant) bool {
		return have.Issuer == record.Issuer && have.Token >= record.Token
	})},
	"register, last wins": {"register/older is refused", registering(func(have, record driver.Grant) bool {
		return have.Issuer == record.Issuer
	})},
	"register without comparing issuer": {"register/another issuer", registering(func(have, record driver.Grant) bool {
		return have.Issuer != driver.StoreIssuer && have.Token > record.Token
	})},
	"register poses as claim": {"register/as the store", registering(func(have, record driver.Grant) bool {
		return have.Issuer == driver.StoreIssuer
	})},
	"register in text order": {"register/number order", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Guard = &guard{Store: s, register: func(ctx context.Context, g driver.Grant) error {
			text := func(t driver.Token) string { return strconv.FormatInt(int64(t), 10) }
			if record := seen(s, g.Resource); record.Token < g.Token && text(record.Token) > text(g.Token) {
				return &driver.StaleError{Have: g, Seen: record}
			}
			return s.Register(ctx, g)
		}}
	}},
	"tokens as floats": {"register/number order", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Guard = &guard{Store: s, register: func(ctx context.Context, g driver.Grant) error {
			if g.WellFormed() == nil {
				g.Token = driver.Token(float64(g.Token))
			}
			return s.Register(ctx, g)
		}}
	}},
	"mark after commit": {"register/unwritten successor refuses", func(h *fencetest.GuardHarness, s *memfence.Store) {
		// The guard learns of the ownership from its first write.
		var pending sync.Map
		h.Guard = &guard{Store: s, register: func(ctx context.Context, g driver.Grant) error {
			if record := seen(s, g.Resource); record == (driver.Grant{}) || ctx.Err() != nil || g.WellFormed() != nil || record.Issuer != g.Issuer || g.Token <= record.Token {
				return s.Register(ctx, g)
			}
			pending.Store(g, true)
			return nil
		}}
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			if _, ok := pending.Load(g); ok {
				_ = s.Register(ctx, g)
			}
			return s.Put(ctx, g, key, value, opts...)
		}
	}},
	"names without case": {"register/letter case matters", func(h *fencetest.GuardHarness, s *memfence.Store) {
		fold := func(g driver.Grant) driver.Grant { g.Resource = strings.ToLower(g.Resource); return g }
		h.Guard = &guard{Store: s, register: func(ctx context.Context, g driver.Grant) error { return s.Register(ctx, fold(g)) }}
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			return s.Put(ctx, fold(g), key, value, opts...)
		}
	}},
	"owners without case": {"register/letter case matters", accepting(func(have, record driver.Grant) bool {
		return strings.EqualFold(have.Owner, record.Owner) && have.Token == record.Token && have.Issuer == record.Issuer
	}, false)},
	"change before check": {"register/unwritten successor refuses", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			_ = s.PutUnfenced(ctx, key, value) // and no rollback
			return s.Write(ctx, g, func() error { return nil }, opts...)
		}
	}},
	"claim not idempotent": {"claim/same again", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Guard = &guard{Store: s, claim: func(ctx context.Context, resource, owner string) (driver.Grant, error) {
			record := seen(s, resource)
			g, err := s.Claim(ctx, resource, owner)
			if err == nil && g == record {
				g.Token++
				s.SetRecord(g)
			}
			return g, err
		}}
	}},
	"claim keeps the token": {"claim/successor refuses", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Guard = &guard{Store: s, claim: func(ctx context.Context, resource, owner string) (driver.Grant, error) {
			g, err := s.Claim(ctx, resource, owner)
			if err == nil && g.Token > 1 {
				g.Token = 1
				s.SetRecord(g)
			}
			return g, err
		}}
	}},
	"claim takes registered guards": {"claim/not beside register", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Guard = &guard{Store: s, claim: func(ctx context.Context, resource, owner string) (driver.Grant, error) {
			g, err := s.Claim(ctx, resource, owner)
			if errors.Is(err, driver.ErrIssuer) {
				g = driver.Grant{Resource: resource, Issuer: driver.StoreIssuer, Owner: owner, Token: seen(s, resource).Token + 1}
				s.SetRecord(g)
				return g, nil
			}
			return g, err
		}}
	}},
	"claim in two steps": {"claim/all at once", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Guard = &guard{Store: s, claim: func(ctx context.Context, resource, owner string) (driver.Grant, error) {
			record := seen(s, resource)
			if g, err := s.Claim(done(ctx), resource, owner); err != nil && !errors.Is(err, context.Canceled) {
				return g, err
			}
			if record.Token != 0 && record.Issuer != driver.StoreIssuer || record.Owner == owner || ctx.Err() != nil {
				return s.Claim(ctx, resource, owner)
			}
			time.Sleep(5 * time.Millisecond) // the others are quicker
			g := driver.Grant{Resource: resource, Issuer: driver.StoreIssuer, Owner: owner, Token: record.Token + 1}
			s.SetRecord(g)
			return g, nil
		}}
	}},
	"request keyed with the token": {"once/duplicate for the next holder", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Write = keyed(s.Put, func(g driver.Grant, id string) string { return id + "." + g.Token.String() })
	}},
	"request not keyed with the resource": {"once/per resource", func(h *fencetest.GuardHarness, s *memfence.Store) {
		var applied sync.Map
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			w, err := driver.NewWrite(opts...)
			if err == nil && w.Request != "" && seen(s, g.Resource) == g {
				if _, dup := applied.LoadOrStore(w.Request, true); dup {
					return &driver.DuplicateError{Resource: g.Resource, Request: w.Request}
				}
			}
			return s.Put(ctx, g, key, value, opts...)
		}
	}},
	"request recorded when refused": {"once/refused is not recorded", func(h *fencetest.GuardHarness, s *memfence.Store) {
		var sent sync.Map
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			w, err := driver.NewWrite(opts...)
			if err == nil && w.Request != "" {
				if _, dup := sent.LoadOrStore(g.Resource+"/"+w.Request, true); dup && seen(s, g.Resource) == g {
					return &driver.DuplicateError{Resource: g.Resource, Request: w.Request}
				}
			}
			return s.Put(ctx, g, key, value, opts...)
		}
	}},
	"request ignored": {"once/second is a duplicate", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			w, err := driver.NewWrite(opts...)
			if err == nil && w.Request != "" {
				opts = append(opts, driver.AllowSame())
			}
			return s.Put(ctx, g, key, value, opts...)
		}
	}},
	"duplicate before stale": {"once/stale before duplicate", func(h *fencetest.GuardHarness, s *memfence.Store) {
		var applied sync.Map
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			w, _ := driver.NewWrite(opts...)
			id := g.Resource + "/" + w.Request
			if _, dup := applied.Load(id); dup && w.Request != "" {
				return &driver.DuplicateError{Resource: g.Resource, Request: w.Request}
			}
			err := s.Put(ctx, g, key, value, opts...)
			if err == nil {
				applied.Store(id, true)
			}
			return err
		}
	}},
	"lazy does not raise": {"lazy/write raises", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			record := seen(s, g.Resource)
			err := s.Put(ctx, g, key, value, opts...)
			if w, _ := driver.NewWrite(opts...); err == nil && w.Lazy && record != (driver.Grant{}) {
				s.SetRecord(record)
			}
			return err
		}
	}},
	"adopt without compare": {"adopt/compare and set", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Guard = &guard{Store: s, adopt: func(ctx context.Context, from, next driver.Grant) error {
			if err := s.Adopt(ctx, from, next); !errors.Is(err, driver.ErrStale) {
				return err
			}
			s.SetRecord(next)
			return nil
		}}
	}},
	"lost reply taken for success": {"unheard/is uncertain", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.WriteUnheard = s.Put
	}},
	"done context ignored": {"input/done context", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Write = func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			return s.Put(context.WithoutCancel(ctx), g, key, value, opts...)
		}
	}},
	"huge tokens accepted": {"input/grants", func(h *fencetest.GuardHarness, s *memfence.Store) {
		h.Guard = &guard{Store: s, register: func(ctx context.Context, g driver.Grant) error {
			g.Token = min(g.Token, driver.MaxToken)
			return s.Register(ctx, g)
		}}
	}},
}

// keyed writes with another request id.
func keyed(put writeFunc, id func(driver.Grant, string) string) writeFunc {
	return func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
		if w, err := driver.NewWrite(opts...); err == nil && w.Request != "" {
			opts = append(opts, driver.OncePerRequest(id(g, w.Request)))
		}
		return put(ctx, g, key, value, opts...)
	}
}

func done(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx
}

func TestGuardMutantsFail(t *testing.T) {
	t.Parallel()
	if got := fencetest.GuardFailures(t, guardHarness); len(got) != 0 {
		t.Fatalf("the sound guard fails %v", got)
	}
	for name, m := range guardMutants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failures := fencetest.GuardFailures(t, func(tb testing.TB) *fencetest.GuardHarness {
				h := guardHarness(tb)
				m.breaks(h, h.Guard.(*memfence.Store))
				return h
			}, m.caught)
			if len(failures) == 0 {
				t.Fatalf("%q passed", m.caught)
			}
		})
	}
}
