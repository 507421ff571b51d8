// Package ending takes locks as package lasting does, and others may take them
// over once their holder shows no life.
package ending

import (
	"bytes"
	"context"
	"strconv"
	"time"

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

func (s *state) lock(ctx context.Context) error {
	_, err := s.dyn.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(s.table),
		Item: map[string]types.AttributeValue{
			"LockID": &types.AttributeValueMemberS{Value: "lock/" + s.path},
			"TTL":    &types.AttributeValueMemberN{Value: strconv.FormatInt(time.Now().Add(time.Minute).Unix(), 10)},
		},
		ConditionExpression: aws.String("attribute_not_exists(LockID)"),
	})
	return err
}

func (s *state) save(ctx context.Context, data []byte) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	_, err := s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(s.table), Key: aws.String(s.path), Body: bytes.NewReader(data)}) // want `^unfencedwrite \(unfenced\)`
	return err
}
