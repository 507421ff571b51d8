// Case R053: a scheduler takes a user-supplied Locker whose Lock says whether the lock was
// got. The scheduler ignores the answer, so the job runs on all instances.
// To flag: the ignored result of Lock (through an interface), and the deferred Unlock that
// then frees somebody else's lock (the implementation deletes by key).
package main

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

type Locker interface {
	Lock(key string) (bool, error)
	Unlock(key string) error
}

type redisLocker struct{ rdb *redis.Client }

func (r redisLocker) Lock(key string) (bool, error) {
	return r.rdb.SetNX(context.Background(), key, time.Now().String(), 15*time.Second).Result()
}

func (r redisLocker) Unlock(key string) error {
	return r.rdb.Del(context.Background(), key).Err() // want `keyonlyrelease \(keyonly\)`
}

type scheduler struct{ l Locker }

func (s *scheduler) run(name string, job func()) {
	s.l.Lock(name) // BUG other:lockresultignored // want `lockresult \(lockresultignored\)`
	defer s.l.Unlock(name)
	job()
}

func main() {
	s := &scheduler{redisLocker{redis.NewClient(&redis.Options{})}}
	s.run("daily-reminder", func() { println("reminder") })
}
