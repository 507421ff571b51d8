package fencetest

import (
	"context"

	"github.com/fencelint/fencelint/fence/driver"
)

// A World is the lock service and the store on which [Schedule] runs. One
// World serves many schedules one after the other: each has names of its own.
type World struct {
	Locker driver.Locker
	Guard  driver.Guard

	// Write and Read are those of GuardHarness. In mode Unfenced, Write gets the
	// zero Grant and must write without a guard.
	Write func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error
	Read  func(ctx context.Context, key string) (string, error)

	// Expire ends the current lease of name now.
	Expire func(ctx context.Context, name string) error

	// Failover loses the last n tokens that were issued for name, and the current
	// lease with them. Optional: without it no schedule has failovers.
	Failover func(ctx context.Context, name string, n int) error
}

// A Mode says how workers protect their writes.
type Mode int

// The modes. Unfenced and LazyMode are controls: they must lose updates.
const (
	RegisterMode Mode = iota // fence.Registering
	ClaimMode                // fence.Claiming
	LazyMode                 // fence.Lazy and driver.LazyWrite
	Unfenced                 // no guard
)

// A Plan chooses one schedule. Equal plans on equal worlds give equal runs.
type Plan struct {
	Seed    uint64
	Mode    Mode
	Workers int    // 0 means 3
	Steps   int    // random steps before all workers may finish; 0 means 60
	Name    string // the lock, the resource and the key; a name not used before
	Once    bool   // writes carry request ids, and uncertain ones are sent again
}

// A Result counts what happened in one schedule.
type Result struct {
	Tenures   int // acquisitions
	Accepted  int // writes with a reply of success
	Refused   int // writes refused as stale
	Uncertain int // writes whose reply was lost
	Stale     int // accepted writes that overwrote a value they had not read, or of an older registered ownership
	Lost      int // accepted writes whose effect is not in the final value
	Timeline  []string
}
