// Package state keeps a state with whatever client it is given.
package state

import (
	"context"

	_ "github.com/redis/go-redis/v9"
)

type Client interface {
	Put(ctx context.Context, data string) error
}

type State struct {
	Client Client
	data   string
}

func New(c Client, name string) *State { return &State{Client: c, data: name} }

func (s *State) Persist(ctx context.Context) error { return s.Client.Put(ctx, s.data) }
