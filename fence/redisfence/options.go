package redisfence

import (
	"strings"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// An Option configures [NewLocker] or [NewGuard].
type Option func(*options)

type options struct {
	prefix    string
	tag       func(name string) string // nil: by kind of client
	issuer    *string                  // nil: the server's replication id
	retention *time.Duration           // nil: week
	evictable bool
}

// week is the default retention.
const week = 7 * 24 * time.Hour

// WithPrefix sets what all keys begin with, "fence" by default. It is not
// empty and has no brace, colon or blank.
func WithPrefix(prefix string) Option { return func(o *options) { o.prefix = prefix } }

// WithTag sets the hash tag of the keys of a lock or a guard: what stands in
// braces and decides the slot in Redis Cluster. It is not empty and has no
// brace.
//
// A guard's default is the resource: data that it guards has {resource} in its
// keys. Give a Tag if your keys have another.
//
// A locker's default is the lock's name if the client is a ClusterClient, and
// the same tag for all locks otherwise. Locks of one tag share one counter of
// tokens, and counters live for ever: group names that are made by the million
// by a coarser tag. The tag of a name must never change: the tokens would begin
// anew.
func WithTag(tag func(name string) string) Option { return func(o *options) { o.tag = tag } }

// WithIssuer sets the issuer of a locker's tokens, a name. By default it is the
// replication id of the server that counts, which changes whenever a server is
// started or a replica is promoted, whether or not tokens were lost: guards
// then answer driver.ErrIssuer until fence.WithAdopt or an operator hands them
// over.
//
// With a name of your own, holders go on after a failover without that. In
// exchange a failover that lost tokens is noticed only at guards that have seen
// a higher one, as driver.ErrRegressed. Give every dataset a name of its own,
// and a new one when it is restored from a backup.
func WithIssuer(name string) Option {
	return func(o *options) { o.issuer = &name }
}

// WithRetention sets for how long, by the server's clock, a guard remembers
// the requests of driver.OncePerRequest; it is rounded up to milliseconds, and
// 0 means for ever. The default is 7 days. It must be longer than a request can
// stay on its way, retries by queues and people included: one that comes again
// after it was forgotten is applied again.
func WithRetention(d time.Duration) Option {
	return func(o *options) { o.retention = &d }
}

// WithoutEvictionCheck lets a server be used whose maxmemory-policy is not
// noeviction or cannot be read. A guard that is evicted refuses its holder,
// which costs work; a counter that is evicted issues its tokens again; a
// request that is evicted can be applied twice.
func WithoutEvictionCheck() Option { return func(o *options) { o.evictable = true } }

// newOptions applies the options of a locker or a guard and checks them.
func newOptions(opts []Option) (options, error) {
	o := options{prefix: "fence"}
	for _, f := range opts {
		if f != nil {
			f(&o)
		}
	}
	switch {
	case o.prefix == "":
		return o, invalid("prefix", "is empty")
	case strings.ContainsAny(o.prefix, "{}: \t\r\n"):
		return o, invalid("prefix", "has a brace, colon or blank")
	case o.retention != nil && *o.retention < 0:
		return o, invalid("retention", "is negative")
	case o.issuer != nil && *o.issuer == driver.StoreIssuer:
		return o, invalid("issuer", "is that of claims")
	case o.issuer != nil:
		return o, driver.WellFormedName("issuer", *o.issuer)
	}
	return o, nil
}

func invalid(what, reason string) error {
	return &driver.InvalidError{What: what, Reason: reason}
}

// key gives prefix:kind:{tag}, and the name behind it if there is one.
func (o *options) key(kind, tagged, name string) (string, error) {
	tag := o.tag(tagged)
	if tag == "" || strings.ContainsAny(tag, "{}") {
		return "", invalid("tag", "is empty or has a brace")
	}
	key := o.prefix + ":" + kind + ":{" + tag + "}"
	if name != "" {
		key += ":" + name
	}
	return key, nil
}

// milliseconds rounds up.
func milliseconds(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d > time.Duration(ms)*time.Millisecond {
		ms++
	}
	return ms
}
