package models

import (
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRealClients looks up calls as programs spell them on real clients:
// promoted methods, interfaces made of interfaces, generic types, func types.
func TestRealClients(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads client libraries")
	}
	c, err := Load()
	require.NoError(t, err)
	const (
		redis  = "github.com/redis/go-redis/v9"
		river  = "github.com/riverqueue/river"
		esapi  = "github.com/elastic/go-elasticsearch/v8/esapi"
		etcd   = "go.etcd.io/etcd/client/v3"
		sqlx   = "github.com/jmoiron/sqlx"
		kube   = "k8s.io/client-go/kubernetes/typed/apps/v1"
		ctrl   = "sigs.k8s.io/controller-runtime/pkg/client"
		goPG   = "github.com/go-pg/pg/v10"
		aws    = "github.com/aws/aws-sdk-go-v2/service/dynamodb"
		stripe = "github.com/stripe/stripe-go/v82/customer"
	)
	loaded := loadClients(t, redis, river, esapi, etcd, sqlx, kube, ctrl, goPG, aws, stripe)
	for _, tt := range []struct{ pkg, typ, name, want string }{
		{redis, "Client", "SetNX", redis + ".cmdable.SetNX tryacquire"},
		{redis, "ClusterClient", "Del", redis + ".cmdable.Del write"},
		{redis, "UniversalClient", "SetNX", redis + ".StringCmdable.SetNX tryacquire"},
		{redis, "Cmdable", "Expire", redis + ".GenericCmdable.Expire write"},
		{redis, "Client", "TxPipeline", redis + ".Client.TxPipeline txbegin"},
		{redis, "BoolCmd", "Err", redis + ".baseCmd.Err unwrap"},
		{redis, "BoolCmd", "Result", redis + ".BoolCmd.Result unwrap"},
		{redis, "Client", "PoolStats", ""},
		{river, "Client", "InsertTx", river + ".Client.InsertTx cwrite"},
		{etcd, "Client", "Put", etcd + ".KV.Put write"},
		{sqlx, "DB", "ExecContext", "database/sql.DB.ExecContext sqlexec"},
		{ctrl, "Client", "Update", ctrl + ".Writer.Update cwrite"},
		{goPG, "DB", "Exec", goPG + ".baseDB.Exec sqlexec"},
		{kube, "DeploymentInterface", "Update", kube + ".DeploymentInterface.Update cwrite"},
		{kube, "DeploymentInterface", "List", kube + ".DeploymentInterface.List read"},
		{aws, "Client", "DescribeTable", aws + ".Client.DescribeTable read"},
		{stripe, "", "New", stripe + ".New external"},
	} {
		require.Contains(t, loaded, tt.pkg)
		fn := callee(t, loaded[tt.pkg], tt.typ, tt.name)
		rows := c.Match(fn)
		if rows == nil {
			rows = c.MatchShape(fn)
		}
		var found string
		for _, r := range rows {
			found += r.String() + " " + string(r.Role)
		}
		require.Equal(t, tt.want, found, "%s.%s.%s", tt.pkg, tt.typ, tt.name)
	}
	index := loaded[esapi].Scope().Lookup("Index").Type().(*types.Named)
	require.Len(t, c.MatchType(index, ""), 1)
}
