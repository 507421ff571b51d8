// Package mappers stores rows whose version the mapper compares.
package mappers

import (
	"github.com/go-gorp/gorp/v3"
	"github.com/go-redsync/redsync/v4"
)

type stock struct {
	ID      int64 `db:"id"`
	N       int64 `db:"n"`
	Version int64 `db:"version"`
}

func reserve(rs *redsync.Redsync, db *gorp.DbMap, id int64) error {
	mu := rs.NewMutex("stock-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	s := new(stock)
	if err := db.SelectOne(s, "SELECT * FROM stock WHERE id = $1", id); err != nil {
		return err
	}
	s.N--
	_, err := db.Update(s)
	return err
}
