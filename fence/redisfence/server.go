package redisfence

import (
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/fencelint/fencelint/fence/driver"
)

// newServer looks at the client and asks its servers for their eviction policy.
func newServer(ctx context.Context, client redis.UniversalClient, o options) (*server, error) {
	s := &server{client: client}
	switch c := client.(type) {
	case nil:
		return nil, invalid("client", "is nil")
	case *redis.Client:
		if c == nil {
			return nil, invalid("client", "is nil")
		}
	case *redis.ClusterClient:
		if c == nil {
			return nil, invalid("client", "is nil")
		}
		s.cluster = c
	case *redis.Ring:
		return nil, fmt.Errorf("%w: a Ring moves keys to other servers when one is away, and their tokens begin anew", driver.ErrUnsupported)
	case *redis.AutoPipeliner:
		return nil, fmt.Errorf("%w: an AutoPipeliner repeats commands: give its client", driver.ErrUnsupported)
	}
	if err := ctx.Err(); err != nil {
		return nil, unsent(err)
	}
	if o.evictable {
		return s, nil
	}
	if s.cluster != nil {
		err := s.cluster.ForEachShard(ctx, func(ctx context.Context, c *redis.Client) error { return keepsAll(ctx, c) })
		return s, err
	}
	return s, keepsAll(ctx, client)
}

// keepsAll asks one server whether it may evict keys. A policy that is changed
// later is not noticed.
func keepsAll(ctx context.Context, c redis.Cmdable) error {
	info, err := c.Info(ctx, "memory").Result()
	if err != nil {
		return wrap(ctx, driver.ErrUnavailable, err)
	}
	_, rest, found := strings.Cut(info, "maxmemory_policy:")
	if !found {
		return fmt.Errorf("%w: the server does not tell its policy; look yourself and use WithoutEvictionCheck", ErrEviction)
	}
	policy, _, _ := strings.Cut(rest, "\r\n")
	if policy != "noeviction" {
		return fmt.Errorf("%w but %s: CONFIG SET maxmemory-policy noeviction, or use a server of its own for locks and guards, or WithoutEvictionCheck", ErrEviction, policy)
	}
	return nil
}
