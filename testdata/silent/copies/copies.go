// Package copies keeps answers of other systems for a while, under a lease that
// is there for something else.
package copies

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

type user struct{ Name string }

type directory struct {
	mutex *redsync.Mutex
	rdb   *redis.Client
	http  *http.Client
}

// report looks somebody up while it holds the lease.
func (d *directory) report(ctx context.Context, id string) (string, error) {
	if err := d.mutex.LockContext(ctx); err != nil {
		return "", err
	}
	defer d.mutex.UnlockContext(context.WithoutCancel(ctx))
	u, err := d.user(ctx, id)
	if err != nil {
		return "", err
	}
	var groups []string
	if err := d.ask(ctx, "groups/"+id, &groups); err != nil {
		return "", err
	}
	names, err := d.names(ctx, id)
	if err != nil {
		return "", err
	}
	return u.Name + groups[0] + names[0], nil
}

// user stores what it answers with, for an hour.
func (d *directory) user(ctx context.Context, id string) (*user, error) {
	key := "user:" + id
	u := &user{}
	if text, err := d.rdb.Get(ctx, key).Result(); err == nil {
		return u, json.Unmarshal([]byte(text), u)
	}
	if err := d.fetch(ctx, id, u); err != nil {
		return nil, err
	}
	text, err := json.Marshal(u)
	if err != nil {
		return nil, err
	}
	if err := d.rdb.Set(ctx, key, text, time.Hour).Err(); err != nil {
		return nil, err
	}
	return u, nil
}

// names answers with a part of what it stores.
func (d *directory) names(ctx context.Context, id string) ([]string, error) {
	var users []user
	if err := d.load(ctx, "friends:"+id, &users); err != nil {
		if err := d.fetch(ctx, id, &users); err != nil {
			return nil, err
		}
		if err := d.save(ctx, "friends:"+id, users, 60*60); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, u := range users {
		names = append(names, u.Name)
	}
	return names, nil
}

// ask fills what its caller wants to know, and keeps it as it is.
func (d *directory) ask(ctx context.Context, path string, into any) error {
	if d.load(ctx, path, into) == nil {
		return nil
	}
	if err := d.fetch(ctx, path, into); err != nil {
		return err
	}
	return d.save(ctx, path, into, 0)
}

func (d *directory) load(ctx context.Context, key string, into any) error {
	text, err := d.rdb.Get(ctx, key).Result()
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

func (d *directory) save(ctx context.Context, key string, v any, seconds int) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return d.rdb.Set(ctx, key, text, time.Duration(seconds)*time.Second).Err()
}

func (d *directory) fetch(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://directory.example/"+path, nil)
	if err != nil {
		return err
	}
	res, err := d.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	// what a cache asks with whether its copy still holds
	if err := d.rdb.Set(ctx, "etag:"+path, res.Header.Get("ETag"), 0).Err(); err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}
