// Package lent locks accounts by RPC, as an admin does: for good, and whoever did it.
package lent

import (
	"context"

	"github.com/redis/go-redis/v9"
	"google.golang.org/grpc"
)

type AccountRequest struct {
	Name    string
	Seconds int64
}

type AccountReply struct{}

// AccountsClient is the client of the service, as it is generated.
type AccountsClient interface {
	LockAccount(ctx context.Context, in *AccountRequest, opts ...grpc.CallOption) (*AccountReply, error)
	UnlockAccount(ctx context.Context, in *AccountRequest, opts ...grpc.CallOption) (*AccountReply, error)
}

type desk struct {
	accounts AccountsClient
	rdb      *redis.Client
}

func (d *desk) suspend(ctx context.Context, name string) error {
	if _, err := d.accounts.LockAccount(ctx, &AccountRequest{Name: name, Seconds: 3600}); err != nil {
		return err
	}
	n, err := d.rdb.Get(ctx, "suspensions:"+name).Int()
	if err != nil {
		return err
	}
	return d.rdb.Set(ctx, "suspensions:"+name, n+1, 0).Err()
}

func (d *desk) readmit(ctx context.Context, name string) error {
	_, err := d.accounts.UnlockAccount(ctx, &AccountRequest{Name: name})
	return err
}
