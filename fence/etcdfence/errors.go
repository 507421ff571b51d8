package etcdfence

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fencelint/fencelint/fence/driver"
)

// ErrRecord: a key below the prefix holds what this package has not written.
// Nothing was changed. It is a driver.ErrUnavailable.
var ErrRecord = fmt.Errorf("%w: record has an unknown form", driver.ErrUnavailable)

// errNoLease: a lease has ended before a key could be bound to it.
var errNoLease = errors.New("lease has ended")

// refusals are the errors with which etcd says that it has done nothing, by
// their text: the constants are in a module that this one does not need
// otherwise. nil stands for a fault in the caller's own operations, which is
// passed on as it is.
var refusals = map[string]error{
	"requested lease not found":                    errNoLease,
	"too many requests":                            driver.ErrBusy,
	"no leader":                                    driver.ErrUnavailable,
	"not capable":                                  driver.ErrUnavailable,
	"corrupt cluster":                              driver.ErrUnavailable,
	"mvcc: database space exceeded":                driver.ErrUnavailable,
	"permission denied":                            driver.ErrUnavailable,
	"user name is empty":                           driver.ErrUnavailable,
	"invalid auth token":                           driver.ErrUnavailable,
	"revision of auth store is old":                driver.ErrUnavailable,
	"rpc not supported for learner":                driver.ErrUnavailable,
	"request is too large":                         nil,
	"too many operations in txn request":           nil,
	"duplicate key given in txn request":           nil,
	"key is not provided":                          nil,
	"key not found":                                nil,
	"value is provided":                            nil,
	"lease is provided":                            nil,
	"too large lease TTL":                          nil,
	"invalid sort option":                          nil,
	"mvcc: required revision has been compacted":   nil,
	"mvcc: required revision is a future revision": nil,
}

// unreached are the texts with which the client says that it has sent nothing.
var unreached = []string{
	"Error while dialing",
	"authentication handshake failed",
	"there is no address available",
	"there is no connection available",
	"no available endpoints",
	"produced zero addresses",
}

// nameOf gives the named error for an error of the client, nil if it has no
// name, and whether it is certain that nothing was done.
func nameOf(err error) (name error, known bool) {
	text := err.Error()
	if _, reason, ok := strings.Cut(text, "etcdserver: "); ok {
		name, known = refusals[reason]
		return name, known
	}
	if strings.Contains(text, "trying to send message larger than max") {
		return nil, true
	}
	for _, t := range unreached {
		if strings.Contains(text, t) {
			return driver.ErrUnavailable, true
		}
	}
	return nil, false
}

// sent names the error of a request that may have changed something.
func sent(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	name, known := nameOf(err)
	if !known {
		name = driver.ErrUncertain
	}
	return wrap(ctx, name, err)
}

// unsent names the error of a request that, if it fails, has changed nothing.
func unsent(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	name, known := nameOf(err)
	if !known {
		name = driver.ErrUnavailable
	}
	return wrap(ctx, name, err)
}

// wrap joins the name, the cause and, where the client does not tell, that the
// context ended.
func wrap(ctx context.Context, name, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	if name == nil {
		return fmt.Errorf("etcdfence: %w", err)
	}
	return fmt.Errorf("%w: %w", name, err)
}
