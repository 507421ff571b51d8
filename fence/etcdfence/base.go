package etcdfence

import (
	"context"
	"fmt"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
)

// A base is what a lock's tokens stand on: a token is the base plus the create
// revision of the lock's key. It is zero and has no key until a Raise. An
// acquisition compares the revision of the key, and keeps the base in the value
// of the lock's key and in that of issued/<name>, whose own revision is the one
// of the last acquisition.
type base struct {
	offset int64
	mod    int64 // revision of the key, zero if there is none
}

func (b *base) text() string { return strconv.FormatInt(b.offset, 10) }

func (b *base) token(revision int64) driver.Token { return driver.Token(b.offset + revision) }

func (l *Locker) baseKey(name string) string   { return l.prefix + "base/" + name }
func (l *Locker) issuedKey(name string) string { return l.prefix + "issued/" + name }

// base is that of name as far as this Locker has seen.
func (l *Locker) base(name string) *base {
	if b, ok := l.bases.Load(name); ok {
		return b.(*base)
	}
	return new(base)
}

// learn keeps what a transaction has read of a base.
func (l *Locker) learn(name string, e *entry) error {
	b, err := parseBase(e)
	if err != nil {
		return err
	}
	l.bases.Store(name, b)
	return nil
}

func parseBase(e *entry) (*base, error) {
	if e == nil {
		return new(base), nil
	}
	offset, err := offsetOf(e)
	return &base{offset: offset, mod: e.mod}, err
}

func offsetOf(e *entry) (int64, error) {
	if e.value == "" { // the key of a concurrency.Mutex
		return 0, nil
	}
	offset, err := strconv.ParseInt(e.value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: base of a lock", ErrRecord)
	}
	return offset, nil
}

// tokenOf is the token of the hold that the key of a lock stands for.
func tokenOf(e *entry) (driver.Token, error) {
	offset, err := offsetOf(e)
	return driver.Token(offset + e.create), err
}

// Issued implements [driver.Issuer].
func (l *Locker) Issued(ctx context.Context, name string) (driver.Token, error) {
	if err := driver.WellFormedName("name", name); err != nil {
		return 0, err
	}
	e, _, err := l.look(ctx, l.issuedKey(name))
	if err != nil || e == nil {
		return 0, err
	}
	offset, err := offsetOf(e)
	return driver.Token(offset + e.mod), err
}

// Raise implements [driver.Issuer]. [driver.ErrBusy] if others raise all the
// time.
func (l *Locker) Raise(ctx context.Context, name string, to driver.Token) error {
	if err := driver.WellFormedName("name", name); err != nil {
		return err
	}
	if err := to.WellFormed(); err != nil {
		return err
	}
	for range rounds {
		e, now, err := l.look(ctx, l.baseKey(name))
		if err != nil {
			return err
		}
		b, err := parseBase(e)
		if err != nil {
			return err
		}
		if b.token(now) >= to { // the next acquisition has a greater revision
			return nil
		}
		next := base{offset: int64(to) - now}
		resp, err := l.client.Txn(ctx).
			If(clientv3.Compare(clientv3.ModRevision(l.baseKey(name)), "=", b.mod)).
			Then(clientv3.OpPut(l.baseKey(name), next.text())).
			Commit()
		if err != nil {
			return sent(ctx, err)
		}
		if resp.Succeeded {
			return nil
		}
	}
	return driver.ErrBusy
}

// look reads one key, and the cluster's revision at that time.
func (l *Locker) look(ctx context.Context, key string) (*entry, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, wrap(ctx, nil, err)
	}
	resp, err := l.client.Get(ctx, key)
	if err != nil {
		return nil, 0, unsent(ctx, err)
	}
	return read(resp), resp.Header.Revision, nil
}
