package sqlfence_test

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/sqlfence"
)

// offline is a database without a server, enough for what sends nothing.
type offline struct{}

func (offline) Connect(context.Context) (sqldriver.Conn, error) {
	return nil, &net.OpError{Op: "dial", Err: errors.New("offline")}
}

func (offline) Driver() sqldriver.Driver { return nil }

func ExampleGuard_Statement() {
	guard, err := sqlfence.NewGuard(sql.OpenDB(offline{}), sqlfence.SQLite)
	if err != nil {
		panic(err)
	}
	grant := driver.Grant{Resource: "account-7", Issuer: "locks", Owner: "worker-1", Token: 12}
	text, args, err := guard.Statement(grant, "UPDATE account SET balance = ? WHERE id = ? AND {fence}", 90, 7)
	fmt.Println(text)
	fmt.Println(len(args), err)
	// Output:
	// UPDATE account SET balance = ? WHERE id = ? AND EXISTS (SELECT 1 FROM fence_guard WHERE resource = ? AND issuer = ? AND token = ? AND owner = ?)
	// 6 <nil>
}

func ExampleNewColumns() {
	db := sql.OpenDB(offline{})
	// The lock "account-7" guards the row 7.
	guard, err := sqlfence.NewColumns(db, sqlfence.PostgreSQL, "account", "id", sqlfence.WithKey(func(resource string) any {
		var id int64
		_, _ = fmt.Sscanf(resource, "account-%d", &id) // 0, no row, if it is something else
		return id
	}))
	if err != nil {
		panic(err)
	}
	grant := driver.Grant{Resource: "account-7", Issuer: "locks", Owner: "worker-1", Token: 12}
	text, args, err := guard.Statement(grant, "UPDATE account SET balance = $1 WHERE {fence}", 90)
	fmt.Println(text)
	fmt.Println(args[1], err)
	// Output:
	// UPDATE account SET balance = $1 WHERE id = $2 AND fence_issuer = $3 AND fence_token = $4 AND fence_owner = $5
	// 7 <nil>
}

func ExampleSchema() {
	statements, err := sqlfence.Schema(sqlfence.SQLite)
	fmt.Println(len(statements), err)
	_, err = sqlfence.Schema(0)
	fmt.Println(err)
	// Output:
	// 6 <nil>
	// fence: invalid argument: dialect is unknown
}

// The whole of it: a lease, a guard, and work that reads and writes in one
// guarded transaction.
func ExampleGuard_Tx() {
	db := sql.OpenDB(offline{})
	ctx := context.Background()
	locker, err := sqlfence.NewLocker(db, sqlfence.PostgreSQL)
	if err != nil {
		panic(err)
	}
	guard, err := sqlfence.NewGuard(db, sqlfence.PostgreSQL)
	if err != nil {
		panic(err)
	}
	client := fence.New(locker, fence.WithTTL(10*time.Second))
	lease, err := client.TryAcquire(ctx, "account-7", fence.Registering(guard))
	if err != nil {
		fmt.Println(errors.Is(err, fence.ErrUnavailable))
		return
	}
	grant, err := lease.Grant(guard)
	if err != nil {
		panic(err)
	}
	err = guard.Tx(ctx, grant, func(tx *sql.Tx) error {
		var balance int64
		if err := tx.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = 7").Scan(&balance); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE account SET balance = $1 WHERE id = 7", balance-10)
		return err
	})
	fmt.Println(err)
	// Output: true
}
