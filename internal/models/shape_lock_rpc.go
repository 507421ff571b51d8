package models

import (
	"go/types"
	"regexp"
	"slices"
)

// The words of an RPC that locks: the methods, and the fields of requests that
// name the lock or prove whose it is. The Go names of generated code are
// CamelCase, so a capital begins a word: Block is no Lock.
var (
	lockVerbs   = regexp.MustCompile(`(^|[a-z0-9])(Lock|Lease|Acquire)([A-Z0-9]|$)`)
	unlockVerbs = regexp.MustCompile(`(^|[a-z0-9])(Unlock|Release)([A-Z0-9]|$)`)
	keyFields   = regexp.MustCompile(`(^|[a-z0-9])(Name|Key|Path|Resource|Lock)(ID|Id)?$`)
	proofFields = regexp.MustCompile(`(^|[a-z0-9])(Token|Owner|OwnerID|OwnerId|Holder|HolderID|HolderId)$`)
	ttlFields   = regexp.MustCompile(`(?i)(ttl|seconds|duration|expir|timeout)`)
)

// lockService matches the two methods by which a gRPC service lends a lock:
// what takes it and what gives it up name it by the same field of their
// requests, and prove by another that they share whose it is. That the name of
// one says lock, and of the other unlock, would not do: accounts are locked so
// too, by an admin and for good.
func lockService(_ *Catalogue, fn *types.Func) []Row {
	if !isUnary(fn) {
		return nil
	}
	does := lockVerb(fn.Name())
	if does == "" {
		return nil
	}
	req := requestOf(fn)
	for _, m := range siblings(fn) {
		if undoes := lockVerb(m.Name()); undoes == "" || undoes == does || !isUnary(m) {
			continue
		}
		key, proof := sharedField(req, requestOf(m), keyFields), sharedField(req, requestOf(m), proofFields)
		if key == "" || proof == "" {
			continue
		}
		subj := subject("req", arg(1), "key", arg(1, key), "owner", arg(1, proof))
		if does == Release {
			return []Row{{Role: Release, Safe: true, Subject: subj, Store: "grpc"}}
		}
		for f := range req.Fields() {
			if ttlFields.MatchString(f.Name()) {
				subj["ttl"] = []Place{arg(1, f.Name())}
				break
			}
		}
		return []Row{{Role: TryAcquire, Subject: subj, Store: "grpc"}}
	}
	return nil
}

// lockVerb returns what the name of an RPC says that it does to a lock.
func lockVerb(name string) Role {
	switch {
	case VerbReads(name):
		return ""
	case unlockVerbs.MatchString(name): // ReleaseLock too
		return Release
	case lockVerbs.MatchString(name):
		return TryAcquire
	}
	return ""
}

// siblings returns the methods that are declared with fn, itself among them.
func siblings(fn *types.Func) []*types.Func {
	if iface := interfaceOf(fn); iface != nil {
		return slices.Collect(iface.Methods())
	}
	return slices.Collect(receiverOf(fn).Methods())
}

// requestOf returns the struct that a unary method asks with.
func requestOf(fn *types.Func) *types.Struct {
	s, _ := receiver(fn.Signature().Params().At(1).Type()).Underlying().(*types.Struct)
	return s
}

// sharedField returns the first field of a, so named, that b has too.
func sharedField(a, b *types.Struct, named *regexp.Regexp) string {
	if a == nil || b == nil {
		return ""
	}
	for f := range a.Fields() {
		if !f.Exported() || !named.MatchString(f.Name()) {
			continue
		}
		for g := range b.Fields() {
			if g.Name() == f.Name() && types.Identical(g.Type(), f.Type()) {
				return f.Name()
			}
		}
	}
	return ""
}
