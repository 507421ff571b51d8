// Package blobs is one of the clients.
package blobs

import (
	"context"

	"github.com/redis/go-redis/v9"
)

type Client struct{ Rdb *redis.Client }

func (c *Client) Put(ctx context.Context, data string) error {
	return c.Rdb.Set(ctx, "blob", data, 0).Err()
}

// Tagged has the Put of Client too: one write, to which two types lead.
type Tagged struct {
	Client
	Tag string
}
