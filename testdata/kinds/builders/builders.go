// Package builders writes and frees through chains of calls, of which no
// single one says all.
package builders

import (
	"context"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/gomodule/redigo/redis"
	"github.com/google/uuid"
	"github.com/redis/rueidis"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
)

type wall struct {
	ID      int64
	Color   string
	Version int64
}

func viaGorm(rs *redsync.Redsync, db *gorm.DB, id int64) error {
	mu := rs.NewMutex("gorm-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	return db.Model(&wall{}).Where("id = ?", id).Update("color", "red").Error // want `unfencedwrite \(unfenced\)`
}

func viaGormCallback(rs *redsync.Redsync, db *gorm.DB, id int64) error {
	mu := rs.NewMutex("gorm-tx-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	return db.Transaction(func(tx *gorm.DB) error {
		return tx.Model(&wall{}).Where("id = ?", id).Update("color", "blue").Error // want `unfencedwrite \(unfenced\)`
	})
}

func viaGormVersion(rs *redsync.Redsync, db *gorm.DB, w wall) error {
	mu := rs.NewMutex("gorm-version-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	return db.Model(&wall{}).Where("id = ? AND version = ?", w.ID, w.Version).
		Updates(map[string]any{"color": "red", "version": w.Version + 1}).Error
}

func viaBun(ctx context.Context, rs *redsync.Redsync, db *bun.DB, id int64) error {
	mu := rs.NewMutex("bun-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	_, err := db.NewUpdate().Model((*wall)(nil)).Set("color = ?", "red").Where("id = ?", id).Exec(ctx) // want `unfencedwrite \(unfenced\)`
	return err
}

func viaBunVersion(ctx context.Context, rs *redsync.Redsync, db *bun.DB, w wall) error {
	mu := rs.NewMutex("bun-version-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	_, err := db.NewUpdate().Model(&w).Set("color = ?", "red").Where("id = ?", w.ID).Where("version = ?", w.Version).Exec(ctx)
	return err
}

func viaRueidis(ctx context.Context, c rueidis.Client, name string) error {
	token := uuid.NewString()
	set := c.B().Set().Key("lock:" + name).Value(token).Nx().Px(30 * time.Second).Build()
	if err := c.Do(ctx, set).Error(); err != nil {
		return err
	}
	return c.Do(ctx, c.B().Del().Key("lock:"+name).Build()).Error() // want `keyonlyrelease \(keyonly\)`
}

func rueidisWrite(ctx context.Context, rs *redsync.Redsync, c rueidis.Client) error {
	mu := rs.NewMutex("rueidis-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	return c.Do(ctx, c.B().Hset().Key("profile").FieldValue().FieldValue("name", "x").Build()).Error() // want `unfencedwrite \(unfenced\)`
}

func viaRedigo(c redis.Conn, name string) error {
	reply, err := redis.String(c.Do("SET", "lock:"+name, uuid.NewString(), "NX", "PX", 30000))
	if err != nil || reply != "OK" {
		return err
	}
	defer c.Do("DEL", "lock:"+name) // want `keyonlyrelease \(keyonly\)`
	return nil
}

func redigoWrite(rs *redsync.Redsync, c redis.Conn) error {
	mu := rs.NewMutex("redigo-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	_, err := c.Do("HSET", "profile", "name", "x") // want `unfencedwrite \(unfenced\)`
	return err
}
