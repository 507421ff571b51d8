// Package background asks a part of the program for something; one of the parts
// keeps a goroutine running from then on.
package background

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// A Part is one of several.
type Part interface {
	Start(ctx context.Context, name string) error
	Note(ctx context.Context, name string) error
}

type pool struct {
	rdb   *redis.Client
	tasks chan string
}

func (p *pool) Start(ctx context.Context, name string) error {
	go func() {
		for t := range p.tasks {
			p.rdb.Set(ctx, "part-task", t, 0)
		}
	}()
	return nil
}

func (p *pool) Note(ctx context.Context, name string) error {
	return p.rdb.Set(ctx, "part-name", name, 0).Err()
}

type plain struct{}

func (plain) Start(ctx context.Context, name string) error { return nil }
func (plain) Note(ctx context.Context, name string) error  { return nil }

type program struct {
	locks *redislock.Client
	part  Part
}

// start runs no task of the part.
func (p *program) start(ctx context.Context, name string) error {
	lock, err := p.locks.Obtain(ctx, "program", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	return p.part.Start(ctx, name)
}

func (p *program) note(ctx context.Context, name string) error {
	lock, err := p.locks.Obtain(ctx, "program", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	return p.part.Note(ctx, name) // want `^unfencedwrite \(unfenced\)`
}
