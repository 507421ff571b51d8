// Package folded defers the release of a lock after it has looked at the one
// bool that it got, and once before.
package folded

import (
	"context"
	"log"

	"github.com/fencelint/fencelint/testdata/kinds/folded/tasks"
)

func daily(ctx context.Context, t *tasks.Tasks, owner string) {
	ok := t.Try(ctx, "daily", owner)
	if !ok {
		log.Print("somebody else does it")
		return
	}
	defer t.Free(ctx, "daily")
	log.Print("at work")
}

func hourly(ctx context.Context, t *tasks.Tasks, owner string) {
	if !t.Try(ctx, "hourly", owner) {
		return
	}
	defer t.Free(ctx, "hourly")
	log.Print("at work")
}
