package integration

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
)

// A mutant is an edit of the transactions that the shipped code sends. caught
// is a case of the suite that has to fail because of it.
type mutant struct {
	name   string
	caught string
	edit   func(r *pb.TxnRequest)
	apart  bool // see editor
}

// An editor changes transactions, and those nested in them, on their way out.
type editor struct {
	pb.KVClient
	edit func(r *pb.TxnRequest)
	hits atomic.Int64

	// apart executes the checks of a transaction in one request and its changes
	// in another. between is called between the two.
	apart   bool
	between func()
}

func (e *editor) Txn(ctx context.Context, r *pb.TxnRequest, opts ...grpc.CallOption) (*pb.TxnResponse, error) {
	r = proto.Clone(r).(*pb.TxnRequest)
	e.apply(r)
	if e.apart {
		return e.inTwo(ctx, r, opts...)
	}
	return e.KVClient.Txn(ctx, r, opts...)
}

func (e *editor) apply(r *pb.TxnRequest) {
	before := proto.Clone(r)
	if e.edit != nil {
		e.edit(r)
	}
	if !proto.Equal(before, r) {
		e.hits.Add(1)
	}
	for _, ops := range [][]*pb.RequestOp{r.Success, r.Failure} {
		for _, op := range ops {
			if inner := op.GetRequestTxn(); inner != nil {
				e.apply(inner)
			}
		}
	}
}

// inTwo is what code does that looks first and writes then.
func (e *editor) inTwo(ctx context.Context, r *pb.TxnRequest, opts ...grpc.CallOption) (*pb.TxnResponse, error) {
	if len(r.Compare) == 0 || r.Compare[0].Target != pb.Compare_VALUE {
		return e.KVClient.Txn(ctx, r, opts...)
	}
	e.hits.Add(1)
	look, err := e.KVClient.Txn(ctx, &pb.TxnRequest{Compare: r.Compare}, opts...)
	if err != nil {
		return nil, err
	}
	if !look.Succeeded {
		return e.KVClient.Txn(ctx, r, opts...)
	}
	if e.between != nil {
		e.between()
	}
	return e.KVClient.Txn(ctx, &pb.TxnRequest{Success: r.Success}, opts...)
}

// on is the kind of key of a compare or an operation.
func on(key []byte, kind string) bool { return strings.Contains(string(key), "/"+kind+"/") }

// drop takes comparisons away.
func drop(r *pb.TxnRequest, which func(*pb.Compare) bool) {
	var kept []*pb.Compare
	for _, c := range r.Compare {
		if !which(c) {
			kept = append(kept, c)
		}
	}
	r.Compare = kept
}

// is describes a comparison.
func is(kind string, target pb.Compare_CompareTarget, result pb.Compare_CompareResult) func(*pb.Compare) bool {
	return func(c *pb.Compare) bool { return on(c.Key, kind) && c.Target == target && c.Result == result }
}

// dropping is the edit that takes comparisons away.
func dropping(which func(*pb.Compare) bool) func(*pb.TxnRequest) {
	return func(r *pb.TxnRequest) { drop(r, which) }
}

// shows finds the comparison of a registered record with a grant, whose three
// parts the edits of records take apart.
func shows(r *pb.TxnRequest) (*pb.Compare, []string) {
	for _, c := range r.Compare {
		if is("guard", pb.Compare_VALUE, pb.Compare_EQUAL)(c) {
			if parts := strings.Split(string(c.GetValue()), ":"); len(parts) == 3 {
				return c, parts
			}
		}
	}
	return nil, nil
}

// between compares the record's text with a range instead of one text.
func between(r *pb.TxnRequest, c *pb.Compare, low, high string) {
	c.Result, c.TargetUnion = pb.Compare_GREATER, &pb.Compare_Value{Value: []byte(low)}
	more := proto.Clone(c).(*pb.Compare)
	more.Result, more.TargetUnion = pb.Compare_LESS, &pb.Compare_Value{Value: []byte(high)}
	r.Compare = append(r.Compare, more)
}

// puts finds the operations that put a kind of key.
func puts(ops []*pb.RequestOp, kind string) []*pb.PutRequest {
	var found []*pb.PutRequest
	for _, op := range ops {
		if p := op.GetRequestPut(); p != nil && on(p.Key, kind) {
			found = append(found, p)
		}
	}
	return found
}

var guardMutants = []mutant{
	{name: "check compares nothing", caught: "register/unwritten successor refuses", edit: dropping(is("guard", pb.Compare_VALUE, pb.Compare_EQUAL))},
	{name: "check compares no owner", caught: "register/same token of another owner", edit: func(r *pb.TxnRequest) {
		if c, p := shows(r); c != nil {
			between(r, c, p[0]+":"+p[1]+":", p[0]+":"+p[1]+";")
		}
	}},
	{name: "ratchet: check takes any token that is not lower", caught: "register/write never raises", edit: func(r *pb.TxnRequest) {
		if c, p := shows(r); c != nil {
			between(r, c, p[0]+":", p[0]+":"+p[1]+":~")
		}
	}},
	{name: "check takes any token that is not higher", caught: "register/unwritten successor refuses", edit: func(r *pb.TxnRequest) {
		if c, p := shows(r); c != nil {
			between(r, c, p[0]+":"+p[1], p[0]+";")
		}
	}},
	{name: "check compares no issuer", caught: "loss/restored issuer", edit: func(r *pb.TxnRequest) {
		if c, p := shows(r); c != nil && p[0] == "alpha" { // also takes beta's record of the same token
			between(r, c, "alpha:"+p[1]+":", "beta:"+p[1]+":~")
		}
	}},
	{name: "check and change are two requests", caught: "around/register during a write", apart: true},
	{name: "missing guard accepts", caught: "loss/missing guard refuses", edit: func(r *pb.TxnRequest) {
		if c, _ := shows(r); c != nil && len(r.Compare) == 1 {
			missing := &pb.Compare{Key: c.Key, Target: pb.Compare_CREATE, Result: pb.Compare_EQUAL, TargetUnion: &pb.Compare_CreateRevision{}}
			r.Failure = []*pb.RequestOp{{Request: &pb.RequestOp_RequestTxn{RequestTxn: &pb.TxnRequest{
				Compare: []*pb.Compare{missing}, Success: r.Success, Failure: r.Failure,
			}}}}
		}
	}},
	{name: "write makes the guard again", caught: "register/write never creates", edit: func(r *pb.TxnRequest) {
		if c, _ := shows(r); c != nil {
			r.Failure = append(r.Failure, &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: &pb.PutRequest{Key: c.Key, Value: c.GetValue()}}})
		}
	}},
	{name: "claim's token not compared", caught: "claim/forged grants", edit: dropping(is("guard", pb.Compare_VERSION, pb.Compare_EQUAL))},
	{name: "register takes a lower token", caught: "register/older is refused", edit: func(r *pb.TxnRequest) {
		for _, c := range r.Compare {
			if is("guard", pb.Compare_VALUE, pb.Compare_LESS)(c) && !strings.HasSuffix(string(c.GetValue()), ";") {
				issuer, _, _ := strings.Cut(string(c.GetValue()), ":")
				c.TargetUnion = &pb.Compare_Value{Value: []byte(issuer + ";")}
			}
		}
	}},
	{name: "register takes an equal token of another owner", caught: "register/same token of another owner", edit: func(r *pb.TxnRequest) {
		for _, c := range r.Compare {
			if v := string(c.GetValue()); is("guard", pb.Compare_VALUE, pb.Compare_LESS)(c) && strings.HasSuffix(v, ":") {
				c.TargetUnion = &pb.Compare_Value{Value: []byte(v + "~")}
			}
		}
	}},
	{name: "register takes another issuer", caught: "register/another issuer", edit: func(r *pb.TxnRequest) {
		for _, c := range r.Compare {
			if v := string(c.GetValue()); is("guard", pb.Compare_VALUE, pb.Compare_GREATER)(c) && v == "beta:" {
				c.TargetUnion = &pb.Compare_Value{Value: []byte("a")}
			}
		}
	}},
	{name: "register never replaces", caught: "register/unwritten successor refuses", edit: func(r *pb.TxnRequest) {
		if len(r.Compare) == 2 && is("guard", pb.Compare_VALUE, pb.Compare_LESS)(r.Compare[1]) {
			r.Success = r.Failure
		}
	}},
	{name: "claim takes a registered guard", caught: "claim/not beside register", edit: dropping(func(c *pb.Compare) bool {
		return on(c.Key, "guard") && strings.HasPrefix(string(c.GetValue()), "store") && c.Result != pb.Compare_NOT_EQUAL && c.Result != pb.Compare_EQUAL
	})},
	{name: "claim is not idempotent", caught: "claim/same again", edit: dropping(is("guard", pb.Compare_VALUE, pb.Compare_NOT_EQUAL))},
	{name: "request id keyed with the owner", caught: "once/duplicate for the next holder", edit: func(r *pb.TxnRequest) {
		_, p := shows(r)
		if p == nil {
			return
		}
		for _, c := range r.Compare {
			if is("request", pb.Compare_CREATE, pb.Compare_EQUAL)(c) {
				c.Key = append(c.Key, p[2]...)
				for _, put := range puts(r.Success, "request") {
					put.Key = append(put.Key, p[2]...)
				}
			}
		}
	}},
	{name: "request id not compared", caught: "once/second is a duplicate", edit: dropping(is("request", pb.Compare_CREATE, pb.Compare_EQUAL))},
	{name: "request id not recorded", caught: "once/second is a duplicate", edit: func(r *pb.TxnRequest) {
		for _, p := range puts(r.Success, "request") {
			p.Key = append(p.Key, "elsewhere"...)
		}
	}},
	{name: "lazy write does not raise", caught: "lazy/write raises", edit: func(r *pb.TxnRequest) {
		if len(r.Success) > 1 { // a record with a change beside it
			for _, p := range puts(r.Success, "guard") {
				p.Key = append(p.Key, "elsewhere"...)
			}
		}
	}},
	{name: "adopt compares nothing", caught: "adopt/compare and set", edit: func(r *pb.TxnRequest) {
		if len(puts(r.Success, "guard")) == 1 && len(r.Success) == 1 {
			drop(r, is("guard", pb.Compare_VALUE, pb.Compare_EQUAL))
		}
	}},
}

var lockMutants = []mutant{
	{name: "acquire takes a held lock", caught: "hold/excludes others", edit: dropping(func(c *pb.Compare) bool { return on(c.Key, "lock") && len(c.RangeEnd) > 0 })},
	{name: "acquire without a lease", caught: "lease/ends by itself", edit: func(r *pb.TxnRequest) {
		for _, p := range puts(r.Success, "lock") {
			if !p.IgnoreValue {
				p.Lease = 0
			}
		}
	}},
	{name: "acquire does not renew", caught: "lease/repeated request renews", edit: func(r *pb.TxnRequest) {
		if len(r.Compare) == 1 && is("lock", pb.Compare_CREATE, pb.Compare_GREATER)(r.Compare[0]) {
			for _, p := range puts(r.Success, "lock") {
				p.Lease, p.IgnoreLease = 0, true
			}
		}
	}},
	{name: "release by name and owner only", caught: "hold/release with another token", edit: dropping(func(c *pb.Compare) bool {
		return is("lock", pb.Compare_CREATE, pb.Compare_EQUAL)(c) && len(c.RangeEnd) == 0
	})},
	{name: "release frees the whole queue", caught: "lease/old release frees nothing", edit: func(r *pb.TxnRequest) {
		for _, op := range r.Success {
			if d := op.GetRequestDeleteRange(); d != nil && on(d.Key, "lock") {
				drop(r, is("lock", pb.Compare_CREATE, pb.Compare_EQUAL))
				d.Key = d.Key[:strings.LastIndexByte(string(d.Key), '/')+1]
				d.RangeEnd = []byte(clientv3.GetPrefixRangeEnd(string(d.Key)))
			}
		}
	}},
	{name: "release does nothing", caught: "hold/release frees, tokens grow", edit: func(r *pb.TxnRequest) {
		for _, op := range r.Success {
			if d := op.GetRequestDeleteRange(); d != nil {
				d.Key = append(d.Key, "elsewhere"...)
			}
		}
	}},
	{name: "extension makes the key again", caught: "lease/ended is not revived", edit: func(r *pb.TxnRequest) {
		for _, p := range puts(r.Success, "lock") {
			if p.IgnoreValue && is("lock", pb.Compare_CREATE, pb.Compare_EQUAL)(r.Compare[0]) {
				p.IgnoreValue, p.Value = false, []byte("0")
				r.Compare = nil
			}
		}
	}},
	{name: "extension keeps the old lease", caught: "lease/extension prolongs", edit: func(r *pb.TxnRequest) {
		for _, p := range puts(r.Success, "lock") {
			if p.IgnoreValue && is("lock", pb.Compare_CREATE, pb.Compare_EQUAL)(r.Compare[0]) {
				p.Lease, p.IgnoreLease = 0, true
			}
		}
	}},
	{name: "base not compared", caught: "issuer/raise", edit: dropping(is("base", pb.Compare_MOD, pb.Compare_EQUAL))},
	{name: "acquisition not noted", caught: "issuer/knows its tokens", edit: func(r *pb.TxnRequest) {
		for _, p := range puts(r.Success, "issued") {
			p.Key = append(p.Key, "elsewhere"...)
		}
	}},
}

// TestMutants breaks what the shipped code sends in one place at a time: the
// suite must notice, by the case that is there for it, and must not be broken
// for every case, or else the edit has broken more than it says.
func TestMutants(t *testing.T) {
	t.Parallel()
	endpoints := shared.get(t).Endpoints()
	for suite, mutants := range map[string][]mutant{"guard": guardMutants, "lock": lockMutants} {
		for _, m := range mutants {
			t.Run(suite+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				client := dial(t, endpoints...)
				e := &editor{KVClient: clientv3.RetryKVClient(client), edit: m.edit, apart: m.apart}
				client.KV = clientv3.NewKVFromKVClient(e, client)
				// The harness of the case is honest; only the store is broken.
				plain := dial(t, endpoints...)
				failed := func(names ...string) []string {
					var failures []fencetest.Failure
					if suite == "guard" {
						failures = fencetest.GuardFailures(t, func(tb testing.TB) *fencetest.GuardHarness {
							prefix := unused()
							honest := over(tb, plain, prefix).guardHarness(nil)
							broken := over(tb, client, prefix)
							honest.Guard, honest.Write = broken.guard, broken.write
							honest.WriteAround = broken.guardHarness(broken.write).WriteAround
							if m.apart {
								honest.WriteAround = func(ctx context.Context, g driver.Grant, key, value string, between func()) error {
									e.between = sync.OnceFunc(between)
									return broken.write(ctx, g, key, value)
								}
							}
							return honest
						}, names...)
					} else {
						failures = fencetest.LockFailures(t, func(tb testing.TB) *fencetest.LockHarness {
							prefix := unused()
							h := over(tb, client, prefix).lockHarness()
							h.Expire = over(tb, plain, prefix).expire
							return h
						}, names...)
					}
					var all []string
					for _, f := range failures {
						all = append(all, f.Case)
					}
					return all
				}
				require.Contains(t, failed(m.caught), m.caught)
				require.NotZero(t, e.hits.Load(), "the edit fits no transaction")
				controls := []string{"register/then write", "claim/then write", "register/resources are apart", "hold/bad input", "hold/longest names", "waiter/free lock"}
				require.Less(t, len(failed(controls...)), 3, "broken for every case")
			})
		}
	}
}
