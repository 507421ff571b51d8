// Package caches locks in a store of which only the interface is in sight.
package caches

import (
	"database/sql"
	"time"
)

type Driver interface {
	Add(key string, value any, ttl time.Duration) bool
	Forget(key string) bool
}

type Lock struct {
	store Driver
	key   string
}

func (l *Lock) Get(ttl time.Duration) bool { return l.store.Add(l.key, 1, ttl) }

func (l *Lock) Release() bool { return l.ForceRelease() }

func (l *Lock) ForceRelease() bool {
	return l.store.Forget(l.key) // want `keyonlyrelease \(keyonly\)`
}

// A marker is no lock.
type seen struct {
	store Driver
	db    *sql.DB
}

func (s *seen) count() (n int, err error) {
	return n, s.db.QueryRow("SELECT count(*) FROM seen").Scan(&n)
}

func (s *seen) first(id string) bool { return s.store.Add("seen:"+id, true, time.Hour) }

func (s *seen) reset(id string) bool { return s.store.Forget("seen:" + id) }
