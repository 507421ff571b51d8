// Package factories asks, under a lease, clients that came out of functions: of
// all that implement the interface the one that the function makes is meant.
package factories

import (
	"context"

	"github.com/fencelint/fencelint/testdata/kinds/factories/remotes"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

func branch(ctx context.Context, mutex *redsync.Mutex, repo string) (string, error) {
	if err := mutex.LockContext(ctx); err != nil {
		return "", err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	client, err := remotes.Plain("localhost")
	if err != nil {
		return "", err
	}
	return client.Branch(ctx, repo)
}

func anyBranch(ctx context.Context, mutex *redsync.Mutex, rdb *redis.Client, repo string) (string, error) {
	if err := mutex.LockContext(ctx); err != nil {
		return "", err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	return remotes.Any(rdb).Branch(ctx, repo) // want `^unfencedwrite \(rmw\)`
}
