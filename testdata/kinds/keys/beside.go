package keys

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/redis/go-redis/v9"
)

// state keeps a lock for a path, and a digest beside it under the lock's name
// and a suffix.
type state struct {
	dyn   *dynamodb.Client
	rdb   *redis.Client
	table string
	path  string
}

func (s *state) lockName() string { return "lock/" + s.path }

func (s *state) lock(ctx context.Context, info string) error {
	_, err := s.dyn.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(s.table),
		Item: map[string]types.AttributeValue{
			"LockID":  &types.AttributeValueMemberS{Value: s.lockName()},
			"Info":    &types.AttributeValueMemberS{Value: info},
			"Expires": &types.AttributeValueMemberN{Value: time.Now().Add(time.Minute).Format("20060102150405")},
		},
		ConditionExpression: aws.String("attribute_not_exists(LockID) OR Expires < :now"),
	})
	return err
}

func (s *state) unlock(ctx context.Context) error {
	_, err := s.dyn.DeleteItem(ctx, &dynamodb.DeleteItemInput{ // want `^keyonlyrelease`
		TableName: aws.String(s.table),
		Key:       map[string]types.AttributeValue{"LockID": &types.AttributeValueMemberS{Value: s.lockName()}},
	})
	return err
}

// forgetDigest deletes no lock.
func (s *state) forgetDigest(ctx context.Context) error {
	_, err := s.dyn.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String(s.table),
		Key:       map[string]types.AttributeValue{"LockID": &types.AttributeValueMemberS{Value: s.lockName() + "-md5"}},
	})
	return err
}

func (s *state) claim(ctx context.Context, owner string) error {
	ok, err := s.rdb.SetNX(ctx, s.lockName(), owner, time.Minute).Result()
	if err == nil && !ok {
		err = errors.New("locked")
	}
	return err
}

func (s *state) unclaim(ctx context.Context) error {
	if err := s.rdb.Del(ctx, s.lockName()+":info").Err(); err != nil { // says who holds it
		return err
	}
	return s.rdb.Del(ctx, s.lockName()).Err() // want `^keyonlyrelease`
}
