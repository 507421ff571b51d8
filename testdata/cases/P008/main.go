// Case P008: a lease row is prolonged by a ticker and deleted at the end, both by name alone. A
// holder that stalled past the expiry prolongs the lease of the next one, and then
// deletes it.
// To flag: the bun UPDATE that renews (prolonging by name is the same fault as deleting)
// and the bun DELETE.
package main

import (
	"context"
	"database/sql"
	"log"
	"time"

	"github.com/uptrace/bun"
)

const leaseFor = 40 * time.Second

type Lease struct {
	bun.BaseModel `bun:"table:leases"`
	Name          string `bun:",pk"`
	Owner         string
	ExpiresAt     time.Time
}

type keeper struct {
	db *bun.DB
	l  *Lease
}

func (k *keeper) take(ctx context.Context) error {
	k.l.ExpiresAt = time.Now().Add(leaseFor)
	res, err := k.db.NewInsert().Model(k.l).On("CONFLICT (name) DO UPDATE").
		Set("owner = EXCLUDED.owner, expires_at = EXCLUDED.expires_at").Where("lease.expires_at < now()").Exec(ctx)
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return sql.ErrNoRows
	}
	return nil
}

func (k *keeper) renew(ctx context.Context) error {
	_, err := k.db.NewUpdate().Model((*Lease)(nil)).Set("expires_at = ?", time.Now().Add(leaseFor)).
		Where("name = ?", k.l.Name).Exec(ctx) // want `keyonlyrelease \(keyonly\)`
	return err
}

func (k *keeper) drop(ctx context.Context) error {
	_, err := k.db.NewDelete().Model((*Lease)(nil)).Where("name = ?", k.l.Name).Exec(ctx) // want `keyonlyrelease \(keyonly\)`
	return err
}

func (k *keeper) run(ctx context.Context, scan func(context.Context) error) error {
	if err := k.take(ctx); err != nil {
		return err
	}
	defer k.drop(context.WithoutCancel(ctx))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for ctx.Err() == nil {
			time.Sleep(leaseFor / 3)
			if k.renew(ctx) != nil {
				stop()
			}
		}
	}()
	return scan(ctx)
}

func main() {
	k := &keeper{db: &bun.DB{}, l: &Lease{Name: "virus-scan", Owner: "a81f"}}
	log.Println(k.run(context.Background(), func(context.Context) error { return nil }))
}
