// Case R025: a backup holds a lock file in the repository and trusts the time of its last
// refresh. The host sleeps; meanwhile the stale lock is removed and a prune runs; on
// wake-up the backup asks "is my lock still fresh?" and saves a snapshot that points at
// pruned data. The check uses Go's monotonic clock, which stands still in suspend.
// To flag: the Save that depends on the age check (check and write are two steps), behind
// an interface (its one implementation puts objects in S3) and a closure.
package main

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

type Backend interface {
	Save(ctx context.Context, name string, data []byte) error
	Remove(ctx context.Context, name string) error
}

type bucket struct {
	client *s3.Client
	name   string
}

func (b *bucket) Save(ctx context.Context, name string, data []byte) error {
	_, err := b.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &b.name, Key: &name, Body: bytes.NewReader(data)})
	return err
}

func (b *bucket) Remove(ctx context.Context, name string) error {
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &name})
	return err
}

type RepoLock struct {
	be   Backend
	last time.Time
}

func (l *RepoLock) Refresh(ctx context.Context) error {
	l.last = time.Now()
	return l.be.Save(ctx, "lock/1", []byte(l.last.Format(time.RFC3339)))
}

func (l *RepoLock) Fresh() bool { return time.Since(l.last) < 30*time.Minute }

func backup(ctx context.Context, be Backend, l *RepoLock) error {
	put := func(name string, b []byte) error {
		if !l.Fresh() {
			return errors.New("lock is stale")
		}
		return be.Save(ctx, name, b) // want `ttlcheck \(clock\)`
	}
	return put("snapshot/1", []byte("tree"))
}

func main() {
	be := &bucket{client: s3.New(s3.Options{}), name: "repo"}
	_ = backup(context.Background(), be, &RepoLock{be: be})
}
