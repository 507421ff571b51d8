package etcdfence

import (
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
)

// An Option configures [NewLocker] or [NewGuard].
type Option func(*options)

// WithPrefix puts all keys below prefix instead of "fence/". A slash is added
// if prefix does not end with one.
func WithPrefix(prefix string) Option { return func(o *options) { o.prefix = prefix } }

// WithLocks puts the keys of the locks, and only these, below prefix instead
// of "fence/lock/". The lock name is then the same lock as a
// concurrency.NewMutex(session, prefix+name): programs with one and programs
// with the other exclude each other. For a [Locker].
func WithLocks(prefix string) Option { return func(o *options) { o.locks = &prefix } }

type options struct {
	prefix string
	locks  *string
}

func newOptions(client *clientv3.Client, opts []Option) (options, error) {
	o := options{prefix: "fence/"}
	for _, f := range opts {
		if f != nil {
			f(&o)
		}
	}
	switch {
	case client == nil:
		return o, &driver.InvalidError{What: "client", Reason: "is nil"}
	case strings.Trim(o.prefix, "/") == "":
		return o, &driver.InvalidError{What: "prefix", Reason: "is empty"}
	case o.locks != nil && strings.Trim(*o.locks, "/") == "":
		return o, &driver.InvalidError{What: "prefix of the locks", Reason: "is empty"}
	}
	o.prefix = slashed(o.prefix)
	if o.locks == nil {
		locks := o.prefix + "lock/"
		o.locks = &locks
	}
	return o, nil
}

func slashed(prefix string) string {
	if strings.HasSuffix(prefix, "/") {
		return prefix
	}
	return prefix + "/"
}
