package models

import (
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

// shapeWorld has made-up versions of the packages that shapes look for.
func shapeWorld(t *testing.T) world {
	w := world{}
	w.check(t, "context", `package context
type Context interface { Err() error }
`)
	w.check(t, "database/sql", `package sql
import "context"
type Result interface { RowsAffected() (int64, error) }
type Row struct{}
type DB struct{}
func (*DB) ExecContext(ctx context.Context, query string, args ...any) (Result, error) { return nil, nil }
func (*DB) QueryRowContext(ctx context.Context, query string, args ...any) *Row { return nil }
`)
	w.check(t, "github.com/jackc/pgx/v5/pgconn", `package pgconn
type CommandTag struct{}
`)
	w.check(t, "github.com/jackc/pgx/v5", `package pgx
import ("context"; "github.com/jackc/pgx/v5/pgconn")
type Rows interface{ Next() bool }
type Conn struct{}
func (*Conn) Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error) { panic(0) }
func (*Conn) Query(ctx context.Context, sql string, args ...any) (Rows, error) { return nil, nil }
`)
	w.check(t, "google.golang.org/grpc", `package grpc
type CallOption interface{ before() }
`)
	w.check(t, "github.com/googleapis/gax-go/v2", `package gax
type CallOption interface{ Resolve() }
`)
	w.check(t, "connectrpc.com/connect", `package connect
type Request[T any] struct { Msg *T }
type Response[T any] struct { Msg *T }
`)
	w.check(t, "entgo.io/ent", `package ent
type Op int
`)
	return w
}

// got is what tests look at in a synthesized row.
func got(rows []*Row) []string {
	var list []string
	for _, r := range rows {
		s := r.Source + " " + r.name() + " " + string(r.Role) + " " + r.subject()
		if r.Candidate {
			s += " candidate"
		}
		if r.KeyOnly {
			s += " keyonly"
		}
		list = append(list, s)
	}
	return list
}

func TestMatchShape(t *testing.T) {
	t.Parallel()
	c, err := Load()
	require.NoError(t, err)
	w := shapeWorld(t)
	for _, tt := range []struct {
		path, src string
		want      map[[2]string][]string // type and method
	}{
		{"example.com/store", `package store
import ("context"; "database/sql"; "github.com/jackc/pgx/v5"; "github.com/jackc/pgx/v5/pgconn")
type DBTX interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
	Close() error
}
type Other interface {
	ExecContext(string, ...any) (sql.Result, error)
}
type PGX interface {
	Exec(context.Context, string, ...interface{}) (pgconn.CommandTag, error)
	Query(context.Context, string, ...interface{}) (pgx.Rows, error)
}
type Impl struct{}
func (Impl) ExecContext(context.Context, string, ...any) (sql.Result, error) { return nil, nil }
`, map[[2]string][]string{
			{"DBTX", "ExecContext"}:     {"shape:restated DBTX.ExecContext sqlexec sql=arg1;args=arg2"},
			{"DBTX", "QueryRowContext"}: {"shape:restated DBTX.QueryRowContext sqlquery sql=arg1;args=arg2"},
			{"DBTX", "Close"}:           nil,
			{"Other", "ExecContext"}:    nil,
			{"PGX", "Exec"}:             {"shape:restated PGX.Exec sqlexec sql=arg1;args=arg2"},
			{"PGX", "Query"}:            {"shape:restated PGX.Query sqlquery sql=arg1;args=arg2"},
			{"Impl", "ExecContext"}:     nil, // its body tells
		}},
		{"example.com/payments", `package payments
import ("context"; "google.golang.org/grpc"; "github.com/googleapis/gax-go/v2")
type Req struct{}
type Resp struct{}
type Client interface {
	Charge(ctx context.Context, in *Req, opts ...grpc.CallOption) (*Resp, error)
	GetCharge(ctx context.Context, in *Req, opts ...grpc.CallOption) (*Resp, error)
	Getaway(ctx context.Context, in *Req, opts ...grpc.CallOption) (*Resp, error)
	Stream(ctx context.Context, in *Req, opts ...grpc.CallOption) (Streamer, error)
	Plain(ctx context.Context, in *Req) (*Resp, error)
}
type Streamer interface { Recv() error }
type client struct{}
func (*client) Delete(ctx context.Context, in *Req, opts ...gax.CallOption) error { return nil }
type Uses struct { *client }
`, map[[2]string][]string{
			{"Client", "Charge"}:    {"shape:grpc Client.Charge external req=arg1"},
			{"Client", "GetCharge"}: {"shape:grpc Client.GetCharge read req=arg1"},
			{"Client", "Getaway"}:   {"shape:grpc Client.Getaway external req=arg1"},
			{"Client", "Stream"}:    nil,
			{"Client", "Plain"}:     nil,
			{"Uses", "Delete"}:      {"shape:grpc client.Delete external req=arg1"},
		}},
		{"example.com/lending", `package lending
import ("context"; "google.golang.org/grpc")
type LendRequest struct { Name string; SecondsToLock int64; RenewToken string }
type LendReply struct { RenewToken string }
type ReturnRequest struct { Name, RenewToken string }
type Void struct{}
type BarRequest struct { Name string; Until int64 }
type Desk interface {
	DistributedLock(ctx context.Context, in *LendRequest, opts ...grpc.CallOption) (*LendReply, error)
	ReleaseLock(ctx context.Context, in *ReturnRequest, opts ...grpc.CallOption) (*Void, error)
	FindLock(ctx context.Context, in *LendRequest, opts ...grpc.CallOption) (*LendReply, error)
	BlockGuest(ctx context.Context, in *LendRequest, opts ...grpc.CallOption) (*LendReply, error)
}
type Accounts interface {
	LockAccount(ctx context.Context, in *BarRequest, opts ...grpc.CallOption) (*Void, error)
	UnlockAccount(ctx context.Context, in *BarRequest, opts ...grpc.CallOption) (*Void, error)
}
type OneWay interface {
	AcquireLock(ctx context.Context, in *LendRequest, opts ...grpc.CallOption) (*LendReply, error)
}
`, map[[2]string][]string{
			{"Desk", "DistributedLock"}:   {"shape:lockrpc Desk.DistributedLock tryacquire key=arg1.Name;ttl=arg1.SecondsToLock;owner=arg1.RenewToken;req=arg1"},
			{"Desk", "ReleaseLock"}:       {"shape:lockrpc Desk.ReleaseLock release key=arg1.Name;owner=arg1.RenewToken;req=arg1"},
			{"Desk", "FindLock"}:          {"shape:grpc Desk.FindLock read req=arg1"},
			{"Desk", "BlockGuest"}:        {"shape:grpc Desk.BlockGuest external req=arg1"},
			{"Accounts", "LockAccount"}:   {"shape:grpc Accounts.LockAccount external req=arg1"}, // an admin's, for good
			{"Accounts", "UnlockAccount"}: {"shape:grpc Accounts.UnlockAccount external req=arg1"},
			{"OneWay", "AcquireLock"}:     {"shape:grpc OneWay.AcquireLock external req=arg1"},
		}},
		{"example.com/greetconnect", `package greetconnect
import ("context"; "connectrpc.com/connect")
type Req struct{}
type Resp struct{}
type GreetServiceClient interface {
	Greet(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error)
	ListGreetings(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error)
}
type GreetServiceHandler interface {
	Greet(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error)
}
`, map[[2]string][]string{
			{"GreetServiceClient", "Greet"}:         {"shape:connect GreetServiceClient.Greet external req=arg1.Msg"},
			{"GreetServiceClient", "ListGreetings"}: {"shape:connect GreetServiceClient.ListGreetings read req=arg1.Msg"},
			{"GreetServiceHandler", "Greet"}:        nil,
		}},
		{"github.com/aws/aws-sdk-go-v2/service/ec2", `package ec2
import "context"
type Options struct{}
type RunInstancesInput struct { ClientToken *string }
type RunInstancesOutput struct{}
type DescribeImagesInput struct {}
type DescribeImagesOutput struct{}
type Client struct{}
func (*Client) RunInstances(context.Context, *RunInstancesInput, ...func(*Options)) (*RunInstancesOutput, error) { return nil, nil }
func (*Client) DescribeImages(context.Context, *DescribeImagesInput, ...func(*Options)) (*DescribeImagesOutput, error) { return nil, nil }
func (*Client) Options() Options { return Options{} }
`, map[[2]string][]string{
			{"Client", "RunInstances"}:   {"shape:aws Client.RunInstances external dedup=arg1.ClientToken;req=arg1"},
			{"Client", "DescribeImages"}: {"shape:aws Client.DescribeImages read req=arg1"},
			{"Client", "Options"}:        nil,
		}},
		{"example.com/cloud/sdk/vpc", `package vpc
import "context"
type AddCidrRequest struct { ClientToken *string }
type AddCidrResponse struct{}
type DescribeCidrsRequest struct{}
type DescribeCidrsResponse struct{}
type Client struct{}
func (*Client) AddCidr(*AddCidrRequest) (*AddCidrResponse, error) { return nil, nil }
func (*Client) AddCidrWithContext(context.Context, *AddCidrRequest) (*AddCidrResponse, error) { return nil, nil }
func (*Client) DescribeCidrs(*DescribeCidrsRequest) (*DescribeCidrsResponse, error) { return nil, nil }
func (*Client) Send(*AddCidrRequest, *AddCidrResponse) error { return nil }
type Server struct{}
func (*Server) AddCidr(context.Context, *AddCidrRequest) (*AddCidrResponse, error) { return nil, nil }
`, map[[2]string][]string{
			{"Client", "AddCidr"}:            {"shape:cloud Client.AddCidr external dedup=arg0.ClientToken;req=arg0"},
			{"Client", "AddCidrWithContext"}: {"shape:cloud Client.AddCidrWithContext external dedup=arg1.ClientToken;req=arg1"},
			{"Client", "DescribeCidrs"}:      {"shape:cloud Client.DescribeCidrs read req=arg0"},
			{"Client", "Send"}:               nil,
			{"Server", "AddCidr"}:            nil,
		}},
		{"github.com/aws/aws-sdk-go-v2/service/dynamodb", `package dynamodb
import "context"
type Options struct{}
type CreateTableInput struct {}
type CreateTableOutput struct{}
type DescribeTableInput struct {}
type DescribeTableOutput struct{}
type Client struct{}
func (*Client) CreateTable(context.Context, *CreateTableInput, ...func(*Options)) (*CreateTableOutput, error) { return nil, nil }
func (*Client) DescribeTable(context.Context, *DescribeTableInput, ...func(*Options)) (*DescribeTableOutput, error) { return nil, nil }
`, map[[2]string][]string{
			{"Client", "CreateTable"}:   nil,
			{"Client", "DescribeTable"}: {"shape:aws Client.DescribeTable read req=arg1"},
		}},
		{"github.com/stripe/stripe-go/v76/transfer", `package transfer
type Params struct{}
type Transfer struct{}
type ReversalParams struct { IdempotencyKey *string }
type Client struct{}
func New(params *ReversalParams) (*Transfer, error) { return nil, nil }
func (Client) Reverse(id string, params *ReversalParams) (*Transfer, error) { return nil, nil }
func Get(id string, params *ReversalParams) (*Transfer, error) { return nil, nil }
func Help(id string) error { return nil }
`, map[[2]string][]string{
			{"", "New"}:           {"shape:stripe New external dedup=arg0.IdempotencyKey;params=arg0"},
			{"Client", "Reverse"}: {"shape:stripe Client.Reverse external dedup=arg1.IdempotencyKey;params=arg1"},
			{"", "Get"}:           {"shape:stripe Get read dedup=arg1.IdempotencyKey;params=arg1"},
			{"", "Help"}:          nil,
		}},
		{"example.com/crd/pkg/generated/clientset/versioned/typed/crd/v1", `package v1
import "context"
type Widget struct { ResourceVersion string }
type Options struct { Preconditions *int }
type WidgetInterface interface {
	Create(ctx context.Context, w *Widget, opts Options) (*Widget, error)
	UpdateStatus(ctx context.Context, w *Widget, opts Options) (*Widget, error)
	Delete(ctx context.Context, name string, opts Options) error
	Get(ctx context.Context, name string, opts Options) (*Widget, error)
	Expand()
}
type Expansion interface { Create(ctx context.Context, w *Widget, opts Options) (*Widget, error) }
`, map[[2]string][]string{
			{"WidgetInterface", "Create"}:       {"shape:clientset WidgetInterface.Create cwrite value=arg1"},
			{"WidgetInterface", "UpdateStatus"}: {"shape:clientset WidgetInterface.UpdateStatus cwrite value=arg1;cond=arg1.ResourceVersion"},
			{"WidgetInterface", "Delete"}:       {"shape:clientset WidgetInterface.Delete write key=arg1;cond=arg2.Preconditions;verb=delete keyonly"},
			{"WidgetInterface", "Get"}:          {"shape:clientset WidgetInterface.Get read key=arg1"},
			{"WidgetInterface", "Expand"}:       nil,
			{"Expansion", "Create"}:             nil,
		}},
		{"example.com/app/ent", `package ent
import "entgo.io/ent"
type Op = ent.Op
type UserUpdateOne struct{}
func (*UserUpdateOne) Save() {}
func (*UserUpdateOne) SetName() {}
type UserQuery struct{}
func (*UserQuery) Exec() {}
func (*UserQuery) OnlyX() int { return 0 }
func (*UserQuery) ForUpdate(opts ...int) {}
func (*UserUpdateOne) Where(ps ...int) {}
type Tx struct{}
func (*Tx) Commit() error { return nil }
type Client struct{}
func (*Client) Tx() (*Tx, error) { return nil, nil }
func (*Client) Close() {}
`, map[[2]string][]string{
			{"UserUpdateOne", "Save"}:    {"shape:ent UserUpdateOne.Save write query=recv"},
			{"UserUpdateOne", "SetName"}: nil,
			{"UserUpdateOne", "Where"}:   {"shape:ent UserUpdateOne.Where condition cond=arg0"},
			{"UserQuery", "Exec"}:        nil,
			{"UserQuery", "OnlyX"}:       {"shape:ent UserQuery.OnlyX read query=recv"},
			{"UserQuery", "ForUpdate"}:   {"shape:ent UserQuery.ForUpdate condition cond=arg0"},
			{"Client", "Tx"}:             {"shape:ent Client.Tx txbegin tx=result0"},
			{"Client", "Close"}:          nil,
			{"Tx", "Commit"}:             {"shape:ent Tx.Commit txcommit handle=recv"},
		}},
		{"example.com/other", `package other
type UserUpdateOne struct{}
func (*UserUpdateOne) Save() {}
`, map[[2]string][]string{{"UserUpdateOne", "Save"}: nil}},
		{"example.com/locks", `package locks
import "context"
type Locker interface {
	Lock(ctx context.Context, key string) error
	TryLock(ctx context.Context, key string) (bool, error)
	Unlock(ctx context.Context, key string) error
}
type Mutex interface {
	Lock(ctx context.Context) error
	Unlock(ctx context.Context) error
}
type Local interface { Lock(); Unlock() }
type Half interface { Lock(ctx context.Context) error }
type Impl struct{}
func (Impl) Lock(ctx context.Context) error { return nil }
func (Impl) Unlock(ctx context.Context) error { return nil }
`, map[[2]string][]string{
			{"Locker", "Lock"}:    {"shape:lock Locker.Lock acquire key=arg1;locker=recv candidate"},
			{"Locker", "TryLock"}: {"shape:lock Locker.TryLock tryacquire key=arg1;locker=recv;ok=result0 candidate"},
			{"Locker", "Unlock"}:  {"shape:lock Locker.Unlock release key=arg1;locker=recv candidate"},
			{"Mutex", "Lock"}:     {"shape:lock Mutex.Lock acquire handle=recv candidate"},
			{"Mutex", "Unlock"}:   {"shape:lock Mutex.Unlock release handle=recv candidate"},
			{"Local", "Lock"}:     nil,
			{"Half", "Lock"}:      nil,
			{"Impl", "Lock"}:      nil,
		}},
		{"example.com/caches", `package caches
import ("context"; "time")
type Driver interface {
	Add(key string, value any, t time.Duration) bool
	Forget(key string) bool
	Get(key string) any
}
type Contextual interface {
	SetNX(ctx context.Context, key string, value any, t time.Duration) (bool, error)
	Del(ctx context.Context, key string) error
}
type Set interface {
	Add(member string)
	Remove(member string)
}
type Counter interface {
	Add(key string, n int, t time.Duration) error
	Delete(key, field string) error
}
`, map[[2]string][]string{
			{"Driver", "Add"}:       {"shape:keyed Driver.Add tryacquire key=arg0;ttl=arg2;ok=result0;value=arg1 candidate"},
			{"Driver", "Forget"}:    {"shape:keyed Driver.Forget write key=arg0;verb=delete keyonly"},
			{"Driver", "Get"}:       nil,
			{"Contextual", "SetNX"}: {"shape:keyed Contextual.SetNX tryacquire key=arg1;ttl=arg3;ok=result0;value=arg2 candidate"},
			{"Contextual", "Del"}:   {"shape:keyed Contextual.Del write key=arg1;verb=delete keyonly"},
			{"Set", "Add"}:          nil,
			{"Counter", "Add"}:      nil,
			{"Counter", "Delete"}:   nil,
		}},
	} {
		p := w.check(t, tt.path, tt.src)
		for callAt, want := range tt.want {
			rows := c.MatchShape(callee(t, p, callAt[0], callAt[1]))
			require.Equal(t, want, got(rows), "%s %v", tt.path, callAt)
			for _, r := range rows {
				require.Equal(t, tt.path, r.Pkg)
			}
		}
	}
	require.Nil(t, c.MatchShape(nil))
	require.Nil(t, c.MatchShape(types.Universe.Lookup("error").Type().Underlying().(*types.Interface).Method(0)))
}

func TestVerbReads(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Get": true, "GetUser": true, "List2": true, "Getaway": false, "IssueRefund": false, "Create": false,
		"IsOpen": true, "HeadObject": true, "Headline": false, "": false,
	} {
		require.Equal(t, want, VerbReads(name), name)
	}
}
