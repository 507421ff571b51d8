// Case P011: the release is a script, so it looks atomic, but the script (scripts.go) deletes the
// key whoever owns it. A batch that overran its 2 minutes frees the batch that runs now.
// To flag: the Run of the script in Close; it gets a key and no owner.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type batch struct {
	rdb    redis.UniversalClient
	tenant int
}

// Open returns the held lock as an io.Closer, or nil when another batch runs.
func Open(ctx context.Context, rdb redis.UniversalClient, tenant int) (io.Closer, error) {
	ok, err := rdb.SetNX(ctx, fmt.Sprintf("batch:{%d}:mutex", tenant), uuid.NewString(), 2*time.Minute).Result()
	if err != nil || !ok {
		return nil, err
	}
	return &batch{rdb, tenant}, nil
}

func (b *batch) Close() error {
	key := fmt.Sprintf("batch:{%d}:mutex", b.tenant)
	return redis.NewScript(freeBatch).Run(context.Background(), b.rdb, []string{key}).Err() // want `keyonlyrelease \(luakeyonly\)`
}

func main() {
	c, err := Open(context.Background(), redis.NewClient(&redis.Options{}), 7)
	if err != nil || c == nil {
		log.Fatal("no batch now: ", err)
	}
	defer c.Close()
	log.Println("dry run of batch 7")
}
