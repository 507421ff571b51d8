package etcdfence_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/etcdfence"
)

// offline is a client whose server nobody runs, enough to show the calls.
func offline() *clientv3.Client {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:1"}})
	if err != nil {
		panic(err)
	}
	return client
}

// The whole of it: a lock, a guard, and work that reads and writes. Without a
// server it ends when its time is over.
func Example() {
	client := offline()
	defer client.Close()
	locker, err := etcdfence.NewLocker(client)
	if err != nil {
		panic(err)
	}
	guard, err := etcdfence.NewGuard(client)
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	locks := fence.New(locker, fence.WithTTL(10*time.Second))
	err = locks.Do(ctx, "job-7", func(ctx context.Context, lease *fence.Lease) error {
		grant, err := lease.Grant(guard)
		if err != nil {
			return err
		}
		done, err := client.Get(ctx, "jobs/7/done")
		if err != nil {
			return err
		}
		next := fmt.Sprint(len(done.Kvs) + 1)
		_, err = guard.Txn(ctx, grant).Then(clientv3.OpPut("jobs/7/done", next)).Commit()
		return err
	}, fence.Registering(guard))
	fmt.Println(errors.Is(err, fence.ErrUnavailable), errors.Is(err, context.DeadlineExceeded))
	// Output: true true
}

// A Mutex that the program has already. Its writes are refused once its lease
// has ended, and its grant can be registered at a guard in another store.
func ExampleOfMutex() {
	work := func(ctx context.Context, client *clientv3.Client, m *concurrency.Mutex) error {
		if err := m.Lock(ctx); err != nil {
			return err
		}
		defer func() { _ = m.Unlock(context.WithoutCancel(ctx)) }()
		tenure, err := etcdfence.OfMutex(ctx, client, m, "job-7")
		if err != nil {
			return err
		}
		_, err = tenure.Txn(ctx).Then(clientv3.OpPut("jobs/7/done", "3")).Commit()
		return err
	}
	_ = work // it needs a server

	client := offline()
	defer client.Close()
	_, err := etcdfence.OfMutex(context.Background(), client, new(concurrency.Mutex), "job-7")
	fmt.Println(err)
	// Output: fence: not the owner of the lock
}

// A condition of your own beside that of the guard.
func ExampleGuard_Txn() {
	client := offline()
	defer client.Close()
	guard, err := etcdfence.NewGuard(client, etcdfence.WithPrefix("billing/fence"))
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	grant := fence.Grant{Resource: "invoice-42", Issuer: "locks", Owner: "worker-1", Token: 12}
	_, err = guard.Txn(ctx, grant, fence.OncePerRequest("payment-9")).
		If(clientv3.Compare(clientv3.Value("invoices/42"), "=", "open")).
		Then(clientv3.OpPut("invoices/42", "paid")).
		Else(clientv3.OpGet("invoices/42")).
		Commit()
	fmt.Println(errors.Is(err, fence.ErrUncertain)) // it may have been sent
	// Output: true
}
