package memfence_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/memfence"
)

// A test of code that holds a lock: end its lease in the middle and look at the
// data.
func Example() {
	ctx := context.Background()
	locks, store := memfence.NewLocks(), memfence.NewStore()
	client := fence.New(locks, fence.WithTTL(time.Minute))

	balance := 100 // state of the code under test
	withdraw := func(amount int, stall func()) error {
		return client.Do(ctx, "account", func(ctx context.Context, lease *fence.Lease) error {
			grant, err := lease.Grant(store)
			if err != nil {
				return err
			}
			read := balance
			stall()
			return store.Write(ctx, grant, func() error {
				balance = read - amount
				return nil
			})
		}, fence.Guarding(store))
	}

	err := withdraw(30, func() {
		locks.Expire("account")
		_ = withdraw(50, func() {})
	})
	fmt.Println(balance, errors.Is(err, fence.ErrStale))
	// Output: 50 true
}
