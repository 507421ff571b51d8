// Case P024: a generic table reads a document, changes it and puts it back whole. The caller holds a
// redsync mutex of 8 seconds, of which DynamoDB knows nothing: a late put wipes out what the
// next holder stored.
// To flag: the PutItem in the generic Modify (the item is built before the call).
package main

import (
	"context"
	"encoding/json"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

type Table[T any] struct {
	ddb  *dynamodb.Client
	name string
}

func (t *Table[T]) Modify(ctx context.Context, id string, change func(*T)) error {
	key := map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}}
	out, err := t.ddb.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: key})
	if err != nil {
		return err
	}
	var doc T
	if s, ok := out.Item["doc"].(*types.AttributeValueMemberS); ok {
		if err := json.Unmarshal([]byte(s.Value), &doc); err != nil {
			return err
		}
	}
	change(&doc)
	body, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	in := &dynamodb.PutItemInput{TableName: &t.name, Item: key}
	in.Item["doc"] = &types.AttributeValueMemberS{Value: string(body)}
	_, err = t.ddb.PutItem(ctx, in) // want `unfencedwrite \(rmw\)`
	return err
}

type Quota struct{ Used, Limit int }

func spend(ctx context.Context, rs *redsync.Redsync, quotas *Table[Quota], tenant string, n int) error {
	m := rs.NewMutex("quota-mutex:"+tenant, redsync.WithExpiry(8*time.Second))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(context.WithoutCancel(ctx))
	return quotas.Modify(ctx, tenant, func(q *Quota) { q.Used += n })
}

func main() {
	rs := redsync.New(goredis.NewPool(redis.NewClient(&redis.Options{})))
	quotas := &Table[Quota]{dynamodb.New(dynamodb.Options{}), "quotas"}
	log.Println(spend(context.Background(), rs, quotas, "acme", 3))
}
