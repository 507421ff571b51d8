// Package minted names what it writes by a random value, which travels through
// a constructor and a getter of another package, a setting and a parameter; and
// beside each there is a name that others have too.
package minted

import (
	"bytes"
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/fencelint/fencelint/testdata/kinds/minted/entry"
	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type table struct {
	mutex  *redsync.Mutex
	rdb    *redis.Client
	s3     *s3.Client
	bucket string
}

func (t *table) tempPath(name string) (entry.Path, error) {
	return entry.NewPath(fmt.Sprintf(".tmp/%s.%s", name, uuid.New().String())), nil
}

func (t *table) put(ctx context.Context, path entry.Path, data []byte) error {
	_, err := t.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(t.bucket), Key: aws.String(path.Raw), Body: bytes.NewReader(data)})
	return err
}

func (t *table) putFinal(ctx context.Context, path entry.Path, data []byte) error {
	_, err := t.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(t.bucket), Key: aws.String(path.Raw), Body: bytes.NewReader(data)}) // want `^unfencedwrite \(unfenced\)`
	return err
}

// commit writes under a name of its own, and then under one that all share: both
// come out of one record.
func (t *table) commit(ctx context.Context, name string, data []byte) error {
	if err := t.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer t.mutex.UnlockContext(context.WithoutCancel(ctx))
	temp, err := t.tempPath(name)
	if err != nil {
		return err
	}
	e := entry.New(entry.NewPath(name), temp)
	if err := t.put(ctx, e.RelativeTempPath(), data); err != nil {
		return err
	}
	return t.putFinal(ctx, e.RelativeFilePath(), data)
}

// repair writes what another run has begun.
func (t *table) repair(ctx context.Context, e *entry.Entry, data []byte) error {
	if err := t.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer t.mutex.UnlockContext(context.WithoutCancel(ctx))
	path := e.RelativeTempPath()
	_, err := t.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(t.bucket), Key: aws.String(path.Raw), Body: bytes.NewReader(data)}) // want `^unfencedwrite \(unfenced\)`
	return err
}

// sink is where files go, which no store can give back.
type sink interface {
	Done(ctx context.Context) error
}

type scratch struct {
	to     sink
	folder string
	tenant string
}

func newScratch(to sink, tenant string) *scratch {
	return &scratch{to: to, folder: "scratch/" + uuid.NewString(), tenant: tenant}
}

func (t *table) spill(ctx context.Context, s *scratch, part int) error {
	if err := t.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer t.mutex.UnlockContext(context.WithoutCancel(ctx))
	if err := t.rdb.Set(ctx, fmt.Sprintf("%s/%d", s.folder, part), "x", 0).Err(); err != nil {
		return err
	}
	return t.rdb.Set(ctx, fmt.Sprintf("%s/%d", s.tenant, part), "x", 0).Err() // want `^unfencedwrite \(unfenced\)`
}

type job struct {
	ID    string
	State string
}

// start begins a job of its own, which runs on beside it.
func (t *table) start(ctx context.Context) {
	j := &job{ID: uuid.NewString(), State: "queued"}
	go t.execute(ctx, j)
}

func (t *table) execute(ctx context.Context, j *job) {
	if err := t.mutex.LockContext(ctx); err != nil {
		return
	}
	defer t.mutex.UnlockContext(context.WithoutCancel(ctx))
	j.State = "running"
	_ = t.rdb.Set(ctx, "job:"+j.ID, j.State, 0).Err()
}

// resume goes on with a job that any process may have begun.
func (t *table) resume(ctx context.Context, id string) {
	t.proceed(ctx, &job{ID: id})
	t.proceed(ctx, &job{ID: uuid.NewString()})
}

func (t *table) proceed(ctx context.Context, j *job) {
	if err := t.mutex.LockContext(ctx); err != nil {
		return
	}
	defer t.mutex.UnlockContext(context.WithoutCancel(ctx))
	_ = t.rdb.Set(ctx, "job:"+j.ID, "running", 0).Err() // want `^unfencedwrite \(unfenced\)`
}
