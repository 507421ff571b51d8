package memfence

import (
	"context"
	"fmt"
	"sync"

	"github.com/fencelint/fencelint/fence/driver"
)

// Store is a store of texts in memory whose writes are checked against a guard
// per resource. It implements [driver.Guard] and [driver.Adopter]. The zero
// value is an empty store. All methods are safe for concurrent use.
type Store struct {
	mu       sync.Mutex
	guards   map[string]driver.Grant
	requests map[request]driver.Token
	values   map[string]string
}

type request struct{ resource, id string }

// NewStore returns an empty store.
func NewStore() *Store { return new(Store) }

// enter locks the store unless ctx is done.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.guards == nil {
		s.guards = make(map[string]driver.Grant)
		s.requests = make(map[request]driver.Token)
		s.values = make(map[string]string)
	}
	return nil
}

// Register implements [driver.Guard].
func (s *Store) Register(ctx context.Context, g driver.Grant) error {
	if err := g.WellFormed(); err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	return s.register(g)
}

// register applies the rule of [driver.Guard]. s.mu is held.
func (s *Store) register(g driver.Grant) error {
	if g.Issuer == driver.StoreIssuer {
		return fmt.Errorf("%w: only Claim issues for the store", driver.ErrIssuer)
	}
	record, known := s.guards[g.Resource]
	switch {
	case !known, record == g:
	case record.Issuer != g.Issuer, record.Token >= g.Token:
		return driver.Refused(g, record)
	}
	s.guards[g.Resource] = g
	return nil
}

// Claim implements [driver.Guard].
func (s *Store) Claim(ctx context.Context, resource, owner string) (driver.Grant, error) {
	if err := driver.WellFormedName("resource", resource); err != nil {
		return driver.Grant{}, err
	}
	if err := driver.WellFormedName("owner", owner); err != nil {
		return driver.Grant{}, err
	}
	if err := s.enter(ctx); err != nil {
		return driver.Grant{}, err
	}
	defer s.mu.Unlock()
	record := s.guards[resource]
	g := driver.Grant{Resource: resource, Issuer: driver.StoreIssuer, Owner: owner, Token: record.Token + 1}
	switch {
	case record != driver.Grant{} && record.Issuer != driver.StoreIssuer:
		return driver.Grant{}, driver.Refused(g, record)
	case record.Owner == owner:
		return record, nil
	}
	if err := g.Token.WellFormed(); err != nil {
		return driver.Grant{}, err
	}
	s.guards[resource] = g
	return g, nil
}

// Seen implements [driver.Guard].
func (s *Store) Seen(ctx context.Context, resource string) (driver.Grant, error) {
	if err := driver.WellFormedName("resource", resource); err != nil {
		return driver.Grant{}, err
	}
	if err := s.enter(ctx); err != nil {
		return driver.Grant{}, err
	}
	defer s.mu.Unlock()
	return s.guards[resource], nil
}

// Adopt implements [driver.Adopter].
func (s *Store) Adopt(ctx context.Context, seen, next driver.Grant) error {
	if err := driver.WellFormedAdoption(seen, next); err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	switch record := s.guards[seen.Resource]; record {
	case next:
	case seen:
		s.guards[seen.Resource] = next
	default:
		return &driver.StaleError{Have: next, Seen: record}
	}
	return nil
}

// Write calls change if the guard of g.Resource shows g, and records the
// request id if the options have one, all in one atomic step: change runs under
// the store's lock, must not call the store, and must change nothing if it
// returns an error, which Write returns as it is. It lets tests guard state of
// their own.
//
// Errors: those of a guarded write in package driver: a [*driver.StaleError],
// [driver.ErrIssuer], a [*driver.DuplicateError] or [driver.ErrInvalid].
func (s *Store) Write(ctx context.Context, g driver.Grant, change func() error, opts ...driver.WriteOption) error {
	w, err := driver.NewWrite(opts...)
	if err != nil {
		return err
	}
	if err := g.WellFormed(); err != nil {
		return err
	}
	if change == nil {
		return &driver.InvalidError{What: "change", Reason: "is nil"}
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	record := s.guards[g.Resource]
	if w.Lazy {
		if err := s.register(g); err != nil {
			return err
		}
	} else if record != g {
		return driver.Refused(g, record)
	}
	r := request{g.Resource, w.Request}
	if token, applied := s.requests[r]; applied && w.Request != "" {
		if w.Lazy { // nothing is written, so nothing is raised
			s.set(g.Resource, record)
		}
		return &driver.DuplicateError{Resource: r.resource, Request: r.id, Token: token}
	}
	if err := change(); err != nil {
		if w.Lazy { // one atomic step: the raise goes with the change
			s.set(g.Resource, record)
		}
		return err
	}
	if w.Request != "" {
		s.requests[r] = g.Token
	}
	return nil
}

// Put sets key to value as one [Store.Write], whose errors it returns.
func (s *Store) Put(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
	return s.Write(ctx, g, func() error { s.values[key] = value; return nil }, opts...)
}

// PutUnfenced sets key to value without a guard: the mistake that package
// fence is about, for controls. Errors: ctx.Err() if ctx is done.
func (s *Store) PutUnfenced(ctx context.Context, key, value string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.values[key] = value
	return nil
}

// Get returns the value of key, "" if there is none. Errors: ctx.Err() if ctx is
// done.
func (s *Store) Get(ctx context.Context, key string) (string, error) {
	if err := s.enter(ctx); err != nil {
		return "", err
	}
	defer s.mu.Unlock()
	return s.values[key], nil
}

// SetRecord replaces the guard's record of g.Resource by exactly g, as a
// restored backup would, or removes it if only g.Resource is set.
func (s *Store) SetRecord(g driver.Grant) {
	_ = s.enter(context.Background())
	defer s.mu.Unlock()
	if g == (driver.Grant{Resource: g.Resource}) {
		s.set(g.Resource, driver.Grant{})
		return
	}
	s.set(g.Resource, g)
}

// set replaces a record; the zero grant removes it. s.mu is held.
func (s *Store) set(resource string, g driver.Grant) {
	if g == (driver.Grant{}) {
		delete(s.guards, resource)
		return
	}
	s.guards[resource] = g
}
