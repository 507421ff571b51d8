// Case P027, fixed: the ETag of the record that was read goes back in If-Match, and the provider
// refuses a PUT based on an older record. Nothing to flag.
package main

import (
	"context"
	"log"
	"net/http"
	"time"

	"github.com/fencelint/fencelint/testdata/cases/P027fix/dnsapi"
	"github.com/go-zookeeper/zk"
)

type Zone interface {
	Read(ctx context.Context, host string) (dnsapi.Record, error)
	Write(ctx context.Context, r dnsapi.Record) error
}

func addTarget(ctx context.Context, conn *zk.Conn, z Zone, host, ip string) error {
	lock := zk.NewLock(conn, "/locks/dns/"+host, zk.WorldACL(zk.PermAll))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	rec, err := z.Read(ctx, host)
	if err != nil {
		return err
	}
	rec.Targets = append(rec.Targets, ip)
	return z.Write(ctx, rec)
}

func main() {
	conn, _, err := zk.Connect([]string{"127.0.0.1"}, 6*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	z := &dnsapi.Client{HTTP: http.DefaultClient, Base: "https://dns.invalid/v1"}
	log.Println(addTarget(context.Background(), conn, z, "www", "192.0.2.7"))
}
