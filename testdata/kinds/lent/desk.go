// Package lent takes its locks from a service of its own, by RPC.
package lent

import (
	"context"

	"google.golang.org/grpc"
)

type LendRequest struct {
	Name          string
	SecondsToLock int64
	RenewToken    string
}

type LendReply struct{ RenewToken, Error string }

type ReturnRequest struct{ Name, RenewToken string }

type ReturnReply struct{ Error string }

type DropRequest struct{ ID uint32 }

type DropReply struct{}

// DeskClient is the client of the service, as it is generated.
type DeskClient interface {
	DistributedLock(ctx context.Context, in *LendRequest, opts ...grpc.CallOption) (*LendReply, error)
	DistributedUnlock(ctx context.Context, in *ReturnRequest, opts ...grpc.CallOption) (*ReturnReply, error)
	DropVolume(ctx context.Context, in *DropRequest, opts ...grpc.CallOption) (*DropReply, error)
}

type deskClient struct{ conn grpc.ClientConnInterface }

func NewDeskClient(conn grpc.ClientConnInterface) DeskClient { return &deskClient{conn} }

func (c *deskClient) DistributedLock(ctx context.Context, in *LendRequest, opts ...grpc.CallOption) (*LendReply, error) {
	out := new(LendReply)
	if err := c.conn.Invoke(ctx, "/desk.Desk/DistributedLock", in, out, opts...); err != nil {
		return nil, err
	}
	return out, nil
}

func (c *deskClient) DistributedUnlock(ctx context.Context, in *ReturnRequest, opts ...grpc.CallOption) (*ReturnReply, error) {
	out := new(ReturnReply)
	if err := c.conn.Invoke(ctx, "/desk.Desk/DistributedUnlock", in, out, opts...); err != nil {
		return nil, err
	}
	return out, nil
}

func (c *deskClient) DropVolume(ctx context.Context, in *DropRequest, opts ...grpc.CallOption) (*DropReply, error) {
	out := new(DropReply)
	if err := c.conn.Invoke(ctx, "/desk.Desk/DropVolume", in, out, opts...); err != nil {
		return nil, err
	}
	return out, nil
}
