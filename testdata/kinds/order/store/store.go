// Package store writes what package order is told to.
package store

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Put stores a value.
func Put(ctx context.Context, rdb *redis.Client, key, value string) error {
	return rdb.Set(ctx, key, value, 0).Err()
}
