// Case P005: an object in S3 is the lock of a state file. It is created only if absent, and one
// that is older than 15 minutes is taken over by a conditional put. The release deletes the
// object by name: the object of whoever took over.
// To flag: the DeleteObject without IfMatch (the input is filled before the call).
package main

import (
	"context"
	"log"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const maxAge = 15 * time.Minute

type StateLock struct {
	api            *s3.Client
	bucket, object string
}

func (l *StateLock) Acquire(ctx context.Context, who string) error {
	in := &s3.PutObjectInput{Bucket: &l.bucket, Key: &l.object, Body: strings.NewReader(who)}
	head, err := l.api.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &l.bucket, Key: &l.object})
	if err == nil && time.Since(aws.ToTime(head.LastModified)) > maxAge {
		in.IfMatch = head.ETag
	} else {
		in.IfNoneMatch = aws.String("*")
	}
	_, err = l.api.PutObject(ctx, in)
	return err
}

func (l *StateLock) Release(ctx context.Context) error {
	in := &s3.DeleteObjectInput{}
	in.Bucket = aws.String(l.bucket)
	in.Key = aws.String(l.object)
	_, err := l.api.DeleteObject(ctx, in) // want `keyonlyrelease \(keyonly\)`
	return err
}

func main() {
	ctx := context.Background()
	l := &StateLock{api: s3.New(s3.Options{}), bucket: "infra", object: "prod/state.lock"}
	if err := l.Acquire(ctx, "ci-4711"); err != nil {
		log.Fatal(err)
	}
	defer l.Release(ctx)
	log.Println("plan only, nothing is applied")
}
