// Package redis has the shape of the client that the scripts use.
package redis

import (
	"context"
	"time"
)

type Client struct{ cmdable }

type cmdable struct{}

type BoolCmd struct{}

func (*BoolCmd) Result() (bool, error) { return false, nil }

type IntCmd struct{}

func (*IntCmd) Err() error { return nil }

type StringCmd struct{}

func (*StringCmd) Result() (string, error) { return "", nil }

func (cmdable) SetNX(ctx context.Context, key string, value any, expiration time.Duration) *BoolCmd {
	return nil
}

func (cmdable) Get(ctx context.Context, key string) *StringCmd { return nil }

func (cmdable) Del(ctx context.Context, keys ...string) *IntCmd { return nil }
