// Case P009: redigo, the owner is compared in Go by a helper (mine), then the key is deleted or
// prolonged in a second command. Between the two the key may expire and belong to another
// printer job.
// To flag: the DEL and the PEXPIRE that follow the predicate.
package main

import (
	"errors"
	"log"

	"github.com/gomodule/redigo/redis"
	"github.com/google/uuid"
)

type spoolLock struct {
	pool  *redis.Pool
	queue string
	id    string
}

func (s *spoolLock) key() string { return "spool:" + s.queue + ":lock" }

func (s *spoolLock) Lock() error {
	c := s.pool.Get()
	defer c.Close()
	s.id = uuid.NewString()
	args := []any{s.key(), s.id, "NX", "PX", 9000}
	reply, err := redis.String(c.Do("SET", args...))
	if err == nil && reply != "OK" {
		err = errors.New("queue is busy")
	}
	return err
}

func (s *spoolLock) mine(c redis.Conn) bool {
	v, err := redis.String(c.Do("GET", s.key()))
	return err == nil && v == s.id
}

func (s *spoolLock) Touch() error {
	c := s.pool.Get()
	defer c.Close()
	if !s.mine(c) {
		return errors.New("lock lost")
	}
	_, err := c.Do("PEXPIRE", s.key(), 9000) // want `keyonlyrelease \(getthendel\)`
	return err
}

func (s *spoolLock) Unlock() error {
	c := s.pool.Get()
	defer c.Close()
	if !s.mine(c) {
		return nil
	}
	_, err := c.Do("DEL", s.key()) // want `keyonlyrelease \(getthendel\)`
	return err
}

func main() {
	s := &spoolLock{pool: &redis.Pool{}, queue: "a4"}
	if s.Lock() == nil {
		log.Println("queue length", s.Touch(), s.Unlock())
	}
}
