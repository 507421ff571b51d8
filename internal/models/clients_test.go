package models

import (
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	redisPath    = "github.com/redis/go-redis/v9"
	redis8Path   = "github.com/go-redis/redis/v8"
	etcdPath     = "go.etcd.io/etcd/client/v3"
	esapiPath    = "github.com/elastic/go-elasticsearch/v8/esapi"
	riverPath    = "github.com/riverqueue/river"
	ctrlPath     = "sigs.k8s.io/controller-runtime/pkg/client"
	dynamoPath   = "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	goPGPath     = "github.com/go-pg/pg/v10"
	sqlxPath     = "github.com/jmoiron/sqlx"
	appsPath     = "k8s.io/client-go/kubernetes/typed/apps/v1"
	customerPath = "github.com/stripe/stripe-go/v82/customer"
)

// withoutRows are packages that only shapes know.
var withoutRows = []string{appsPath, customerPath}

// testCalls looks up calls as programs spell them: promoted methods,
// interfaces made of interfaces, generic types, func types, shapes.
func testCalls(t *testing.T, c *Catalogue, loaded map[string]*types.Package) {
	for _, tt := range []struct{ pkg, typ, name, want string }{
		{redisPath, "Client", "SetNX", redisPath + ".cmdable.SetNX tryacquire"},
		{redisPath, "ClusterClient", "Del", redisPath + ".cmdable.Del write"},
		{redisPath, "UniversalClient", "SetNX", redisPath + ".StringCmdable.SetNX tryacquire"},
		{redisPath, "Cmdable", "Expire", redisPath + ".GenericCmdable.Expire write"},
		{redisPath, "Client", "TxPipeline", redisPath + ".Client.TxPipeline txbegin"},
		{redisPath, "BoolCmd", "Err", redisPath + ".baseCmd.Err unwrap"},
		{redisPath, "BoolCmd", "Result", redisPath + ".BoolCmd.Result unwrap"},
		{redisPath, "Client", "PoolStats", ""},
		{redis8Path, "Client", "SetNX", redis8Path + ".cmdable.SetNX tryacquire"},
		{redis8Path, "UniversalClient", "Del", redis8Path + ".Cmdable.Del write"},
		{riverPath, "Client", "InsertTx", riverPath + ".Client.InsertTx cwrite"},
		{etcdPath, "Client", "Put", etcdPath + ".KV.Put write"},
		{sqlxPath, "DB", "ExecContext", "database/sql.DB.ExecContext sqlexec"},
		{ctrlPath, "Client", "Update", ctrlPath + ".Writer.Update cwrite"},
		{goPGPath, "DB", "Exec", goPGPath + ".baseDB.Exec sqlexec"},
		{appsPath, "DeploymentInterface", "Update", appsPath + ".DeploymentInterface.Update cwrite"},
		{appsPath, "DeploymentInterface", "List", appsPath + ".DeploymentInterface.List read"},
		{dynamoPath, "Client", "DescribeTable", dynamoPath + ".Client.DescribeTable read"},
		{customerPath, "", "New", customerPath + ".New external"},
	} {
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
	index := loaded[esapiPath].Scope().Lookup("Index").Type().(*types.Named)
	require.Len(t, c.MatchType(index, ""), 1)
}
