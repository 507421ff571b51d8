package etcdfence

import (
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
)

// A record is the key of a guard. The value of a registered record is
// issuer:token:owner; tokens have 19 digits, so texts of one issuer are in the
// order of their tokens. The value of a claimed record is store:owner, and its
// token is the key's version, which etcd itself increases with every put.
type record struct{ key, resource string }

const claimed = driver.StoreIssuer + ":"

func value(g driver.Grant) string {
	if g.Issuer == driver.StoreIssuer {
		return claimed + g.Owner
	}
	return g.Issuer + ":" + g.Token.String() + ":" + g.Owner
}

// absent: there is no record.
func (r record) absent() []clientv3.Cmp {
	return []clientv3.Cmp{clientv3.Compare(clientv3.CreateRevision(r.key), "=", 0)}
}

// shows: the record is g, in all fields.
func (r record) shows(g driver.Grant) []clientv3.Cmp {
	cmps := []clientv3.Cmp{clientv3.Compare(clientv3.Value(r.key), "=", value(g))}
	if g.Issuer == driver.StoreIssuer {
		cmps = append(cmps, clientv3.Compare(clientv3.Version(r.key), "=", int64(g.Token)))
	}
	return cmps
}

// below: the record has the issuer of g and a lower token. A text between
// "issuer:" and "issuer:token:" begins with "issuer:".
func (r record) below(g driver.Grant) []clientv3.Cmp {
	return []clientv3.Cmp{
		clientv3.Compare(clientv3.Value(r.key), ">", g.Issuer+":"),
		clientv3.Compare(clientv3.Value(r.key), "<", g.Issuer+":"+g.Token.String()+":"),
	}
}

// claimedByOther: the record is a claim, and not owner's. The character after
// ':' ends the range of texts that begin with "store:".
func (r record) claimedByOther(owner string) []clientv3.Cmp {
	return []clientv3.Cmp{
		clientv3.Compare(clientv3.Value(r.key), ">", claimed),
		clientv3.Compare(clientv3.Value(r.key), "<", driver.StoreIssuer+";"),
		clientv3.Compare(clientv3.Value(r.key), "!=", claimed+owner),
	}
}

func (r record) put(g driver.Grant) clientv3.Op { return clientv3.OpPut(r.key, value(g)) }

func (r record) get() clientv3.Op { return clientv3.OpGet(r.key) }

// parse reads the key of the record: the zero Grant if there is none.
func (r record) parse(e *entry) (driver.Grant, error) {
	if e == nil {
		return driver.Grant{}, nil
	}
	g, err := parseRecord(r.resource, e.value, e.version)
	if err != nil {
		return driver.Grant{}, fmt.Errorf("%w: guard of %s", ErrRecord, r.resource)
	}
	return g, nil
}

func parseRecord(resource, text string, version int64) (driver.Grant, error) {
	g := driver.Grant{Resource: resource}
	if owner, ok := strings.CutPrefix(text, claimed); ok {
		g.Issuer, g.Owner, g.Token = driver.StoreIssuer, owner, driver.Token(version)
		return g, g.WellFormed()
	}
	issuer, rest, _ := strings.Cut(text, ":")
	token, owner, _ := strings.Cut(rest, ":")
	t, err := driver.ParseToken(token)
	if err != nil {
		return driver.Grant{}, err
	}
	g.Issuer, g.Owner, g.Token = issuer, owner, t
	if value(g) != text {
		return driver.Grant{}, &driver.InvalidError{What: "record", Reason: "is not in the form in which it is written"}
	}
	return g, g.WellFormed()
}
