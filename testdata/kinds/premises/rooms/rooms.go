// Package rooms writes what its arguments ask for.
package rooms

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

type Room struct{ Name, Floor string }

type Store interface {
	Add(ctx context.Context, r *Room) error
	Change(ctx context.Context, r *Room) error
	Status(ctx context.Context, r *Room, ttl int64) error
}

type Redis struct{ Rdb *redis.Client }

func (s *Redis) Add(ctx context.Context, r *Room) error    { return s.save(ctx, r, true) }
func (s *Redis) Change(ctx context.Context, r *Room) error { return s.save(ctx, r, false) }

// One function for both: which of them is a constant of the caller.
func (s *Redis) save(ctx context.Context, r *Room, create bool) error {
	if create {
		return s.Rdb.SetNX(ctx, "room:"+r.Name, r.Floor, 0).Err()
	}
	return s.Rdb.Set(ctx, "room:"+r.Name, r.Floor, 0).Err()
}

func (s *Redis) Status(ctx context.Context, r *Room, ttl int64) error {
	if ttl == 0 {
		return s.Rdb.Set(ctx, "status:"+r.Name, r.Floor, 0).Err()
	}
	return s.Rdb.SetNX(ctx, "status:"+r.Name, r.Floor, time.Duration(ttl)*time.Second).Err()
}

// Work is a place for what does not fit into memory.
type Work struct {
	Rdb    *redis.Client
	Prefix string
}

type task struct {
	room string
	work *Work
}

type Plan struct{ onDisk bool }

// The flag is set only for those who give a place to work in.
func (p *Plan) setUp(w *Work) {
	if w != nil && w.Rdb != nil {
		p.onDisk = true
	}
}

func (p *Plan) do(ctx context.Context, t task) error {
	if p.onDisk {
		return t.work.Rdb.Set(ctx, t.work.Prefix+t.room, "", 0).Err()
	}
	return nil
}

// Restore reads a plan, through w if that is given.
func Restore(ctx context.Context, names []string, w *Work) error {
	p := new(Plan)
	p.setUp(w)
	for _, n := range names {
		t := task{room: n, work: w}
		if err := p.do(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// Options say how Put writes.
type Options struct {
	Kind  int
	After func() error
}

// The kinds of writes.
const (
	Fresh = iota
	Plain
)

func Put(ctx context.Context, rdb *redis.Client, r *Room, o Options) error {
	var err error
	switch o.Kind {
	case Fresh:
		err = rdb.SetNX(ctx, "put:"+r.Name, r.Floor, 0).Err()
	case Plain:
		err = rdb.Set(ctx, "put:"+r.Name, r.Floor, 0).Err()
	}
	if err != nil || o.After == nil {
		return err
	}
	return o.After()
}

// Fill writes as Put does.
func Fill(ctx context.Context, rdb *redis.Client, r *Room, o Options) error {
	if o.Kind == Fresh {
		return nil
	}
	return rdb.Set(ctx, "fill:"+r.Name, r.Floor, 0).Err()
}

// Move writes unless it is told that the room is a new one.
func Move(ctx context.Context, rdb *redis.Client, r *Room, isNew bool) error {
	if !isNew {
		return rdb.Set(ctx, "move:"+r.Name, r.Floor, 0).Err()
	}
	return nil
}

// Each runs f, unless it is only asked what it would do.
func Each(ctx context.Context, dry bool, f func(ctx context.Context) error) error {
	if dry {
		return nil
	}
	return f(ctx)
}

// A parameter that is changed says nothing of what was passed.
func Default(ctx context.Context, rdb *redis.Client, r *Room, n int) error {
	if n == 0 {
		n = 5
	}
	if n > 3 {
		return rdb.Set(ctx, "default:"+r.Name, r.Floor, 0).Err()
	}
	return nil
}
