package redisfence_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/redisfence"
)

// offline makes a client without a server.
func offline() *redis.Client {
	return redis.NewClient(&redis.Options{
		MaxRetries: -1, DialerRetries: 1,
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("offline")}
		},
	})
}

// The whole of it: a lease, a guard, and work that reads and writes through a
// guarded script.
func Example() {
	ctx := context.Background()
	rdb := offline() // in your program: redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	locker, err := redisfence.NewLocker(ctx, rdb, redisfence.WithoutEvictionCheck())
	if err != nil {
		panic(err)
	}
	guard, err := redisfence.NewGuard(ctx, rdb, redisfence.WithoutEvictionCheck())
	if err != nil {
		panic(err)
	}
	setBalance := redisfence.NewScript(`return redis.call('SET', KEYS[1], ARGV[1])`)

	client := fence.New(locker, fence.WithTTL(10*time.Second), fence.WithAdopt())
	err = client.Do(ctx, "account-7", func(ctx context.Context, lease *fence.Lease) error {
		grant, err := lease.Grant(guard)
		if err != nil {
			return err
		}
		balance, err := rdb.Get(ctx, "balance:{account-7}").Int64()
		if err != nil {
			return err
		}
		_, err = guard.Eval(ctx, grant, setBalance, []string{"balance:{account-7}"}, []any{balance - 10})
		return err
	}, fence.Registering(guard))
	fmt.Println(errors.Is(err, fence.ErrUnavailable))
	// Output: true
}

// A write whose reply was lost is sent again under the same request id, by the
// same holder or by the next one.
func ExampleGuard_Eval() {
	ctx := context.Background()
	guard, err := redisfence.NewGuard(ctx, offline(), redisfence.WithoutEvictionCheck())
	if err != nil {
		panic(err)
	}
	withdraw := redisfence.NewScript(`
		local balance = tonumber(redis.call('GET', KEYS[1]) or '0')
		if balance < tonumber(ARGV[1]) then return redis.error_reply('NOFUNDS') end
		return redis.call('DECRBY', KEYS[1], ARGV[1])`)
	grant := driver.Grant{Resource: "account-7", Issuer: "locks", Owner: "worker-1", Token: 12}
	pay := func() error {
		_, err := guard.Eval(ctx, grant, withdraw, []string{"balance:{account-7}"}, []any{10}, driver.OncePerRequest("payment-31"))
		return err
	}
	err = pay()
	if errors.Is(err, driver.ErrUncertain) {
		err = pay()
	}
	if errors.Is(err, driver.ErrDuplicate) {
		err = nil // it was applied, once
	}
	var refused *redisfence.ScriptError
	fmt.Println(errors.As(err, &refused), errors.Is(err, driver.ErrUnavailable))
	// Output: false true
}

// One counter for the locks of a shard of customers, so that counters do not
// grow with the number of customers.
func ExampleWithTag() {
	shard := redisfence.WithTag(func(name string) string {
		return "shard-" + name[len(name)-1:]
	})
	_, err := redisfence.NewLocker(context.Background(), offline(), shard, redisfence.WithoutEvictionCheck())
	fmt.Println(err)
	// Output: <nil>
}
