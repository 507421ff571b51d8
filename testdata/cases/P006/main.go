// Case P006: a DynamoDB item with an expiry is the lease, and the put is conditional on absence or
// expiry. GiveUp deletes the item by its key, so a holder that overran its lease removes the
// item of its successor.
// To flag: the DeleteItem without condition; client and table sit in an embedded struct.
package main

import (
	"context"
	"log"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
)

type item = map[string]types.AttributeValue

type table struct {
	ddb  *dynamodb.Client
	name string
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func num(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

type Leases struct {
	table
	holder string
}

func (l *Leases) Grab(ctx context.Context, shard string, d time.Duration) error {
	l.holder = uuid.NewString()
	_, err := l.ddb.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:                 &l.name,
		Item:                      item{"pk": str("lease#" + shard), "holder": str(l.holder), "until": num(time.Now().Add(d).Unix())},
		ConditionExpression:       aws.String("attribute_not_exists(pk) OR #u < :now"),
		ExpressionAttributeNames:  map[string]string{"#u": "until"},
		ExpressionAttributeValues: item{":now": num(time.Now().Unix())},
	})
	return err
}

func (l *Leases) GiveUp(ctx context.Context, shard string) error {
	_, err := l.ddb.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &l.name, Key: item{"pk": str("lease#" + shard)}}) // want `keyonlyrelease \(keyonly\)`
	return err
}

func main() {
	ctx := context.Background()
	l := &Leases{table: table{ddb: dynamodb.New(dynamodb.Options{}), name: "coordination"}}
	if l.Grab(ctx, "eu-3", time.Minute) == nil {
		log.Println(l.GiveUp(ctx, "eu-3"))
	}
}
