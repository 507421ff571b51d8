// Package redislocks frees and prolongs Redis locks by name alone, in the
// shapes in which programs hide it.
package redislocks

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

const ttl = 30 * time.Second

var errBusy = errors.New("busy")

// A deferred closure.
func closure(ctx context.Context, rdb *redis.Client, id string) error {
	ok, err := rdb.SetNX(ctx, "lock:"+id, uuid.NewString(), ttl).Result()
	if err != nil || !ok {
		return err
	}
	defer func() {
		rdb.Del(context.WithoutCancel(ctx), "lock:"+id) // want `keyonlyrelease \(keyonly\)`
	}()
	return nil
}

// A returned unlock function.
func lock(ctx context.Context, rdb *redis.Client, id string) (unlock func() error, err error) {
	key := "mutex/" + id
	ok, err := rdb.SetNX(ctx, key, 1, ttl).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errBusy
	}
	return func() error { return rdb.Unlink(ctx, key).Err() }, nil // want `keyonlyrelease \(keyonly\)`
}

// A callback under the lock.
func withLock(ctx context.Context, rdb redis.Cmdable, key string, fn func(context.Context) error) error {
	got, err := rdb.SetNX(ctx, "withlock:"+key, "1", ttl).Result()
	if err != nil {
		return err
	}
	if !got {
		return errBusy
	}
	defer rdb.Del(ctx, "withlock:"+key) // want `keyonlyrelease \(keyonly\)`
	return fn(ctx)
}

// Sibling methods that build the key with one helper.
type tenants struct {
	rdb    redis.UniversalClient
	prefix string
}

func (t *tenants) lockKey(name string) string { return fmt.Sprintf("%s:lock:%s", t.prefix, name) }

func (t *tenants) Lock(ctx context.Context, name string) (bool, error) {
	return t.rdb.SetNX(ctx, t.lockKey(name), uuid.NewString(), ttl).Result()
}

func (t *tenants) Unlock(ctx context.Context, name string) error {
	return t.rdb.Del(ctx, t.lockKey(name)).Err() // want `keyonlyrelease \(keyonly\)`
}

func (t *tenants) Refresh(ctx context.Context, name string) error {
	return t.rdb.Expire(ctx, t.lockKey(name), ttl).Err() // want `keyonlyrelease \(keyonly\): .* prolongs`
}

// The key in a struct field.
type held struct {
	rdb *redis.Client
	key string
}

func take(ctx context.Context, rdb *redis.Client, name string) (*held, error) {
	h := &held{rdb: rdb, key: "job-lock-" + name}
	ok, err := rdb.SetNX(ctx, h.key, uuid.NewString(), ttl).Result()
	if err != nil || !ok {
		return nil, errors.Join(err, errBusy)
	}
	return h, nil
}

func (h *held) Release(ctx context.Context) error {
	return h.rdb.Del(ctx, h.key).Err() // want `keyonlyrelease \(keyonly\)`
}

// Handles in a map.
type registry struct {
	rdb   *redis.Client
	mu    sync.Mutex
	locks map[string]*held
}

func (r *registry) Acquire(ctx context.Context, name string) error {
	h, err := take(ctx, r.rdb, name)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.locks[name] = h
	return nil
}

func (r *registry) Release(ctx context.Context, name string) error {
	r.mu.Lock()
	h := r.locks[name]
	delete(r.locks, name)
	r.mu.Unlock()
	return r.rdb.Del(ctx, h.key).Err() // want `keyonlyrelease \(keyonly\)`
}

// A loop that retries.
func retry(ctx context.Context, rdb *redis.Client) error {
	const key = "lock:retry"
	for {
		ok, err := rdb.SetNX(ctx, key, "x", ttl).Result()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	defer rdb.Del(ctx, key) // want `keyonlyrelease \(keyonly\)`
	return nil
}

// A goroutine that renews by name.
func renewer(ctx context.Context, rdb *redis.Client, work func()) error {
	const key = "leader:reports"
	ok, err := rdb.SetNX(ctx, key, uuid.NewString(), ttl).Result()
	if err != nil || !ok {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		t := time.NewTicker(ttl / 3)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				rdb.PExpire(ctx, key, ttl) // want `keyonlyrelease \(keyonly\)`
			}
		}
	}()
	work()
	return nil
}

// A pipeline and a transaction callback.
func pipelines(ctx context.Context, rdb *redis.Client, id string) error {
	ok, err := rdb.SetNX(ctx, "pipe:lock:"+id, 1, ttl).Result()
	if err != nil || !ok {
		return err
	}
	pipe := rdb.TxPipeline()
	pipe.Del(ctx, "pipe:lock:"+id) // want `keyonlyrelease \(keyonly\)`
	_, err = pipe.Exec(ctx)
	return err
}

func txCallback(ctx context.Context, rdb *redis.Client, id string) error {
	ok, err := rdb.SetNX(ctx, "txlock:"+id, 1, ttl).Result()
	if err != nil || !ok {
		return err
	}
	_, err = rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		return p.Del(ctx, "txlock:"+id).Err() // want `keyonlyrelease \(keyonly\)`
	})
	return err
}

// Commands spelled out as words.
func words(ctx context.Context, rdb *redis.Client, id string) error {
	key := "do:lock:" + id
	if err := rdb.Do(ctx, "SET", key, uuid.NewString(), "NX", "PX", 30000).Err(); err != nil {
		return err
	}
	return rdb.Do(ctx, "DEL", key).Err() // want `keyonlyrelease \(keyonly\)`
}

// Options that are filled before the call.
func options(ctx context.Context, rdb *redis.Client, id string) error {
	var args redis.SetArgs
	args.Mode = "NX"
	args.TTL = ttl
	if err := rdb.SetArgs(ctx, "opt:lock:"+id, "1", args).Err(); err != nil {
		return err
	}
	return rdb.GetDel(ctx, "opt:lock:"+id).Err() // want `keyonlyrelease \(keyonly\)`
}
