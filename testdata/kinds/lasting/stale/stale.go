// Package stale keeps nothing in the record of its lock that ends it, and takes
// it over when its object is old.
package stale

import (
	"bytes"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

type files struct {
	client *s3.Client
	bucket string
}

func (f *files) put(ctx context.Context, name string, data []byte) error {
	_, err := f.client.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(f.bucket), Key: aws.String(name), Body: bytes.NewReader(data)}) // want `^unfencedwrite \(unfenced\)`
	return err
}

func (f *files) lock(ctx context.Context) error {
	_, err := f.client.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(f.bucket), Key: aws.String("index.lock"), IfNoneMatch: aws.String("*")})
	return err
}

// stale reports whether the holder has been silent for too long.
func stale(at time.Time) bool { return time.Since(at) > time.Hour }

func (f *files) save(ctx context.Context, data []byte) error {
	if err := f.lock(ctx); err != nil {
		return err
	}
	return f.put(ctx, "index", data)
}
