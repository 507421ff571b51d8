// Package tokens compares tokens that belong to no lease, and prolongs a lease
// that is no lock.
package tokens

import (
	"context"
	"database/sql"
	"net/http"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// The token of an invitation is a password.
func accept(ctx context.Context, db *sql.DB, token string) error {
	var user string
	if err := db.QueryRowContext(ctx, "SELECT email FROM invitations WHERE owner_id = ?", token).Scan(&user); err != nil {
		return err
	}
	_, err := http.Post("http://localhost/welcome", "text/plain", nil)
	return err
}

// A service registers itself for as long as it lives.
func register(ctx context.Context, cli *clientv3.Client, addr string) error {
	lease, err := cli.Grant(ctx, 10)
	if err != nil {
		return err
	}
	alive, err := cli.KeepAlive(ctx, lease.ID)
	if err != nil {
		return err
	}
	if _, err := cli.Put(ctx, "/services/"+addr, addr, clientv3.WithLease(lease.ID)); err != nil {
		return err
	}
	for range alive {
	}
	return nil
}
