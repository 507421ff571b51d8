// Package lasting takes locks that end only when somebody removes them. Writes
// under such a lock are no finding, and to free it by its name alone is one: a
// forced unlock may have come in between.
package lasting

import (
	"bytes"
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

type state struct {
	dyn   *dynamodb.Client
	s3    *s3.Client
	table string
	path  string
}

func (s *state) lockName() string { return "lock/" + s.path }

func (s *state) lock(ctx context.Context, info string) error {
	_, err := s.dyn.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(s.table),
		Item: map[string]types.AttributeValue{
			"LockID": &types.AttributeValueMemberS{Value: s.lockName()},
			"Info":   &types.AttributeValueMemberS{Value: info},
		},
		ConditionExpression: aws.String("attribute_not_exists(LockID)"),
	})
	return err
}

func (s *state) unlock(ctx context.Context, info string) error {
	got, err := s.dyn.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(s.table),
		Key:       map[string]types.AttributeValue{"LockID": &types.AttributeValueMemberS{Value: s.lockName()}},
	})
	if err != nil {
		return err
	}
	if held, ok := got.Item["Info"].(*types.AttributeValueMemberS); !ok || held.Value != info {
		return errors.New("not held")
	}
	_, err = s.dyn.DeleteItem(ctx, &dynamodb.DeleteItemInput{ // want `^keyonlyrelease`
		TableName: aws.String(s.table),
		Key:       map[string]types.AttributeValue{"LockID": &types.AttributeValueMemberS{Value: s.lockName()}},
	})
	return err
}

// lockFile takes the lock as an object that is not there yet.
func (s *state) lockFile(ctx context.Context, info []byte) error {
	_, err := s.s3.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(s.table), Key: aws.String(s.path + ".lock"), Body: bytes.NewReader(info), IfNoneMatch: aws.String("*"),
	})
	return err
}

func (s *state) unlockFile(ctx context.Context) error {
	_, err := s.s3.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String(s.table), Key: aws.String(s.path + ".lock")}) // want `^keyonlyrelease`
	return err
}

func (s *state) save(ctx context.Context, info string, data []byte) error {
	if err := s.lock(ctx, info); err != nil {
		return err
	}
	defer s.unlock(context.WithoutCancel(ctx), info)
	_, err := s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(s.table), Key: aws.String(s.path), Body: bytes.NewReader(data)})
	return err
}

func (s *state) saveBesideFile(ctx context.Context, data []byte) error {
	if err := s.lockFile(ctx, data); err != nil {
		return err
	}
	defer s.unlockFile(context.WithoutCancel(ctx))
	_, err := s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(s.table), Key: aws.String(s.path), Body: bytes.NewReader(data)})
	return err
}
