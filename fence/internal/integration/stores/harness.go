package stores

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/sqlfence"
)

var harnesses atomic.Int64

// prefix keeps the harnesses of one database apart.
func prefix() string { return fmt.Sprintf("h%d-", harnesses.Add(1)) }

// LockHarness makes harnesses for fencetest.TestLocker.
func (s *Store) LockHarness(testing.TB) *fencetest.LockHarness {
	return &fencetest.LockHarness{
		Prefix: prefix(),
		Locker: s.Locker,
		Expire: s.Expire,
		Lose:   s.Lose,
		ReleaseAround: func(ctx context.Context, h driver.Hold, between func()) error {
			between()
			return s.Locker.Release(ctx, h)
		},
	}
}

// TxHarness makes harnesses for fencetest.TestGuard with guarded
// transactions. WriteUnheard may be nil.
func (s *Store) TxHarness(testing.TB) *fencetest.GuardHarness {
	return &fencetest.GuardHarness{
		Prefix:   prefix(),
		Guard:    s.Guard,
		Write:    s.Write,
		Read:     s.Read,
		Record:   s.Record,
		Features: fencetest.Features{Lazy: true, Once: true, Adopter: true},
		WriteAround: func(ctx context.Context, g driver.Grant, key, value string, between func()) error {
			return s.Guard.Tx(ctx, g, func(tx *sql.Tx) error {
				between()
				return s.Put(ctx, tx, key, value)
			})
		},
	}
}

// ExecHarness makes harnesses with guarded statements.
func (s *Store) ExecHarness(testing.TB) *fencetest.GuardHarness {
	write := func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
		w, err := driver.NewWrite(opts...)
		if err != nil {
			return err
		}
		if w.Lazy || w.Request != "" {
			return driver.ErrUnsupported
		}
		if err := s.ensure(ctx, key); err != nil {
			return err
		}
		_, err = s.Guard.Exec(ctx, g, s.Text("UPDATE item SET value = $1 WHERE id = $2 AND "+sqlfence.Marker), value, key)
		return err
	}
	return &fencetest.GuardHarness{
		Prefix:   prefix(),
		Guard:    s.Guard,
		Write:    write,
		Read:     s.Read,
		Record:   s.Record,
		Features: fencetest.Features{Adopter: true},
		WriteAround: func(ctx context.Context, g driver.Grant, key, value string, between func()) error {
			between()
			return write(ctx, g, key, value)
		},
	}
}

// ColumnsHarness makes harnesses with records in rows of item.
func (s *Store) ColumnsHarness(testing.TB) *fencetest.GuardHarness {
	return &fencetest.GuardHarness{
		Prefix: prefix(),
		Guard:  &rowGuard{Guard: s.Columns, s: s},
		Write: func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			return s.Columns.Tx(ctx, g, func(tx *sql.Tx) error { return s.Put(ctx, tx, key, value) }, append(opts, ensuring(s, g)...)...)
		},
		Read: s.Read,
		Record: func(ctx context.Context, g driver.Grant) error {
			if g.Issuer == "" {
				return s.Exec(ctx, s.DB, "UPDATE item SET fence_issuer = NULL, fence_token = NULL, fence_owner = NULL WHERE id = $1", g.Resource)
			}
			return s.Exec(ctx, s.DB, "UPDATE item SET fence_issuer = $1, fence_token = $2, fence_owner = $3 WHERE id = $4", g.Issuer, int64(g.Token), g.Owner, g.Resource)
		},
		Features: fencetest.Features{Lazy: true, Once: true, Adopter: true},
	}
}

// ensuring makes the row for a lazy write, which may be the first to meet it.
func ensuring(s *Store, g driver.Grant) []driver.WriteOption {
	if g.WellFormed() == nil {
		_ = s.ensure(context.Background(), g.Resource) // its absence shows in the write
	}
	return nil
}

// rowGuard makes the row that a resource needs.
type rowGuard struct {
	*sqlfence.Guard
	s *Store
}

func (g *rowGuard) Register(ctx context.Context, grant driver.Grant) error {
	if grant.WellFormed() == nil && ctx.Err() == nil {
		if err := g.s.ensure(ctx, grant.Resource); err != nil {
			return err
		}
	}
	return g.Guard.Register(ctx, grant)
}

func (g *rowGuard) Claim(ctx context.Context, resource, owner string) (driver.Grant, error) {
	if driver.WellFormedName("resource", resource) == nil && ctx.Err() == nil {
		if err := g.s.ensure(ctx, resource); err != nil {
			return driver.Grant{}, err
		}
	}
	return g.Guard.Claim(ctx, resource, owner)
}

func (g *rowGuard) Adopt(ctx context.Context, seen, next driver.Grant) error {
	if seen.WellFormed() == nil && ctx.Err() == nil {
		if err := g.s.ensure(ctx, seen.Resource); err != nil {
			return err
		}
	}
	return g.Guard.Adopt(ctx, seen, next)
}

// ensure makes an empty item if there is none.
func (s *Store) ensure(ctx context.Context, key string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.Dialect == sqlfence.MySQL {
		return s.Exec(ctx, s.DB, "INSERT IGNORE INTO item (id, value) VALUES ($1, '')", key)
	}
	return s.Exec(ctx, s.DB, "INSERT INTO item (id, value) VALUES ($1, '') ON CONFLICT DO NOTHING", key)
}
