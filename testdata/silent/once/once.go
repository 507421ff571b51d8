// Package once marks what must not be done again for a while. Such marks are
// meant to run out, whatever is said around them.
package once

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

type tokens struct{ rdb *redis.Client }

func claimOf(token, name string) string { return token + "/" + name }

// Use lets a token be used once.
func (t *tokens) Use(ctx context.Context, token, session string) error {
	claimed, err := t.rdb.SetNX(ctx, "replay:"+claimOf(token, "jti"), "1", time.Hour).Result()
	if err != nil {
		return err
	}
	if !claimed {
		return errors.New("used before")
	}
	return t.rdb.Set(ctx, "session:"+claimOf(token, "sub"), session, time.Hour).Err()
}
