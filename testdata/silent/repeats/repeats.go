// Package repeats does, behind interfaces and under a lease, what the other
// side may well take twice.
package repeats

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

type outbox interface {
	push(ctx context.Context, event string) error
}

type list struct{ rdb *redis.Client }

func (l *list) push(ctx context.Context, event string) error {
	return l.rdb.LPush(ctx, "events", event).Err()
}

type judge interface {
	score(ctx context.Context, name string) (bool, error)
}

type remote struct{ client *http.Client }

// score asks with a form, as many services want it.
func (r *remote) score(ctx context.Context, name string) (bool, error) {
	form := strings.NewReader(url.Values{"name": {name}}.Encode())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://users.example/score", form)
	if err != nil {
		return false, err
	}
	res, err := r.client.Do(req)
	if err != nil {
		return false, err
	}
	return res.StatusCode == http.StatusOK, res.Body.Close()
}

type worker struct {
	mutex  *redsync.Mutex
	events outbox
	users  judge
}

func newWorker(mutex *redsync.Mutex, rdb *redis.Client) *worker {
	return &worker{mutex: mutex, events: &list{rdb}, users: &remote{http.DefaultClient}}
}

func (w *worker) tell(ctx context.Context, name string) error {
	if err := w.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer w.mutex.UnlockContext(context.WithoutCancel(ctx))
	known, err := w.users.score(ctx, name)
	if err != nil || !known {
		return err
	}
	return w.events.push(ctx, "seen "+name)
}
