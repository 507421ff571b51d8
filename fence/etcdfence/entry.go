package etcdfence

import clientv3 "go.etcd.io/etcd/client/v3"

// An entry is one key as a transaction has read it.
type entry struct {
	key, value           string
	create, mod, version int64
	lease                clientv3.LeaseID
}

// read gives the first key of the answer to a Get, nil if there was none.
func read(resp *clientv3.GetResponse) *entry {
	if resp == nil || len(resp.Kvs) == 0 {
		return nil
	}
	kv := resp.Kvs[0]
	return &entry{
		key: string(kv.Key), value: string(kv.Value),
		create: kv.CreateRevision, mod: kv.ModRevision, version: kv.Version, lease: clientv3.LeaseID(kv.Lease),
	}
}

// readAt is read for operation i of a transaction.
func readAt(resp *clientv3.TxnResponse, i int) *entry {
	return read((*clientv3.GetResponse)(resp.Responses[i].GetResponseRange()))
}

// nested is the answer to operation i of a transaction, itself a transaction.
func nested(resp *clientv3.TxnResponse, i int) *clientv3.TxnResponse {
	return (*clientv3.TxnResponse)(resp.Responses[i].GetResponseTxn())
}

// replaced gives the lease that a key had before operation i, a put that asked
// for it.
func replaced(resp *clientv3.TxnResponse, i int) clientv3.LeaseID {
	kv := resp.Responses[i].GetResponsePut().PrevKv
	if kv == nil {
		return clientv3.NoLease
	}
	return clientv3.LeaseID(kv.Lease)
}
