// Case P028: two stores are written under an etcd mutex. The row is fenced by the mutex's revision,
// the object in S3 is not: a stale holder replaces the artifact before its UPDATE is refused,
// and the row of the new holder then points at the wrong bytes.
// To flag: the PutObject only; the UPDATE stays silent.
package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type Releases struct {
	etcd *clientv3.Client
	s3   *s3.Client
	db   *sql.DB
}

func (r *Releases) Promote(ctx context.Context, app string, image []byte) error {
	sess, err := concurrency.NewSession(r.etcd, concurrency.WithTTL(12))
	if err != nil {
		return err
	}
	defer sess.Close()
	mu := concurrency.NewMutex(sess, "/release-lock/"+app)
	if err := mu.Lock(ctx); err != nil {
		return err
	}
	defer mu.Unlock(context.WithoutCancel(ctx))
	object := app + "/current.tar"
	_, err = r.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("releases"), Key: &object, Body: bytes.NewReader(image)}) // want `unfencedwrite \(partial\)`
	if err != nil {
		return err
	}
	return r.point(ctx, app, object, mu.Header().Revision)
}

func (r *Releases) point(ctx context.Context, app, object string, fence int64) error {
	res, err := r.db.ExecContext(ctx, `UPDATE releases SET object = $2, fence = $3 WHERE app = $1 AND fence <= $3`, app, object, fence)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("a newer holder promoted already"))
	}
	return nil
}

func main() {
	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	r := &Releases{etcd: cli, s3: s3.New(s3.Options{}), db: new(sql.DB)}
	log.Println(r.Promote(context.Background(), "shop", []byte("tar")))
}
