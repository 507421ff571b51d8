package wrappers

import (
	"context"
	"log"
	"time"

	"github.com/bsm/redislock"
)

// spare runs work at most once at a time where it can, and anyway where the lock
// is not to be had: it is there to spare work.
func (s *store) spare(ctx context.Context, name string, work func(context.Context) error) error {
	if lock, err := s.locks.Obtain(ctx, "spare:"+name, time.Minute, nil); err != nil {
		log.Print(name, " is worked on twice")
	} else {
		defer lock.Release(ctx)
	}
	return work(ctx)
}

// alone runs work under the lock, or not at all.
func (s *store) alone(ctx context.Context, name string, work func(context.Context) error) error {
	lock, err := s.locks.Obtain(ctx, "alone:"+name, time.Minute, nil)
	if err == redislock.ErrNotObtained {
		log.Print(name, " is worked on")
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	return work(ctx)
}

// blind runs work under the lock, and forgets to ask whether it got it.
func (s *store) blind(ctx context.Context, name string, work func(context.Context) error) error {
	lock, _ := s.locks.Obtain(ctx, "blind:"+name, time.Minute, nil) // want `^lockresult`
	defer lock.Release(ctx)
	return work(ctx)
}

func (s *store) draw(ctx context.Context, id string) error {
	return s.spare(ctx, id, func(ctx context.Context) error {
		return s.rdb.Set(ctx, "drawn:"+id, time.Now().String(), 0).Err()
	})
}

func (s *store) bill(ctx context.Context, id string) error {
	return s.alone(ctx, id, func(ctx context.Context) error {
		return s.rdb.Set(ctx, "billed:"+id, time.Now().String(), 0).Err() // want `^unfencedwrite`
	})
}

func (s *store) ship(ctx context.Context, id string) error {
	return s.blind(ctx, id, func(ctx context.Context) error {
		return s.rdb.Set(ctx, "shipped:"+id, time.Now().String(), 0).Err() // want `^unfencedwrite`
	})
}
