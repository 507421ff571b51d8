package models

import (
	"go/types"
	"slices"
	"strings"
)

// A Shape recognises functions that no list can name, because they are
// generated or the user's own, by the form of their declaration.
type Shape struct {
	Name string // as models listings and notes show it
	Doc  string // what it recognises and what it makes of it
	rows func(*Catalogue, *types.Func) []Row
}

// Shapes returns the shapes in the order in which MatchShape tries them.
func Shapes() []Shape {
	return []Shape{
		{"restated", "a method of an interface that repeats the name and signature of a modelled method, " +
			"such as sqlc's DBTX or a narrow interface over one client: the rows of that method", restated},
		{"lockrpc", "two unary client stubs, such as Lock and Unlock, whose requests share the name of the lock " +
			"and a token or owner: one takes a lease, the other gives it up", lockService},
		{"grpc", "a unary client stub, func(context.Context, *Req, ...grpc.CallOption) (*Resp, error), " +
			"or gax.CallOption: a call of an outside system, a read if its verb reads", grpcUnary},
		{"connect", "a Connect client stub, func(context.Context, *connect.Request[T]) (*connect.Response[U], error): " +
			"the same", connectUnary},
		{"aws", "an operation of an AWS client without rows, func(context.Context, *Input, ...func(*Options)) (*Output, error): " +
			"the same", awsOperation},
		{"cloud", "an operation of a cloud provider's client, M(*MRequest) (*MResponse, error), in a package of an SDK: " +
			"the same", cloudOperation},
		{"stripe", "an operation of a Stripe package or service: a call of an outside system", stripe},
		{"clientset", "a typed Kubernetes client, interface XInterface of a generated clientset: " +
			"Create, Update, Patch, Delete and the like", clientset},
		{"ent", "a builder that ent generated, such as *UserUpdate: Save and Exec write, Where is a condition; and its Tx", ent},
		{"lock", "Lock and Unlock of an interface that take a context, and perhaps a key: " +
			"a lease perhaps, so the rows are candidates", lockInterface},
		{"keyed", "Add(key, value, time) bool of an interface that can also Forget(key), and the like: " +
			"it may take a lock, and the other may free it by name alone", keyedStore},
	}
}

// MatchShape returns rows made for fn from the first shape that it has, nil
// when it has none. Their Source is "shape:" and the name of the shape. Ask
// it when Match returned nothing.
func (c *Catalogue) MatchShape(fn *types.Func) []*Row {
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	fn = fn.Origin()
	for _, s := range Shapes() {
		found := s.rows(c, fn)
		if len(found) == 0 {
			continue
		}
		rows := make([]*Row, len(found))
		for i := range found {
			r := &found[i]
			r.Pkg, r.Recv, r.Name = unvendor(fn.Pkg().Path()), "", fn.Name()
			if named := receiverOf(fn); named != nil {
				r.Recv = named.Obj().Name()
			}
			r.Source = "shape:" + s.Name
			rows[i] = r
		}
		return rows
	}
	return nil
}

// receiverOf returns the named type that declares a method, nil for functions.
func receiverOf(fn *types.Func) *types.Named {
	if r := fn.Signature().Recv(); r != nil {
		return receiver(r.Type())
	}
	return nil
}

// interfaceOf returns the interface that declares fn, nil if none does.
func interfaceOf(fn *types.Func) *types.Interface {
	r := fn.Signature().Recv()
	if r == nil {
		return nil
	}
	iface, _ := r.Type().Underlying().(*types.Interface)
	return iface
}

// is reports whether t is the named type path.name, or a pointer to it.
func is(t types.Type, path, name string) bool {
	named := receiver(t)
	return named != nil && named.Obj().Name() == name && named.Obj().Pkg() != nil &&
		unvendor(named.Obj().Pkg().Path()) == path
}

func isContext(t types.Type) bool { return is(t, "context", "Context") }

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}

func isNamedPointer(t types.Type) bool {
	_, pointer := types.Unalias(t).(*types.Pointer)
	return pointer && receiver(t) != nil
}

// subject makes the subject of a synthesized row from words and places.
func subject(pairs ...any) map[string][]Place {
	m := make(map[string][]Place, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		word := pairs[i].(string)
		m[word] = append(m[word], pairs[i+1].(Place))
	}
	return m
}

func arg(i int, path ...string) Place { return Place{Root: Arg, Index: i, Path: path} }

func result(i int) Place { return Place{Root: Result, Index: i} }

func recv() Place { return Place{Root: Recv} }

// reads are verbs of operations that change nothing.
var reads = []string{
	"Get", "List", "Watch", "Describe", "Query", "Read", "Find", "Search", "Lookup", "Head", "Count",
	"Fetch", "Check", "Exists", "BatchGet", "Scan", "Select", "Stat", "Show", "Export", "Download",
	"Subscribe", "Ping", "Health", "Test", "Validate", "Verify", "Estimate", "Preview", "Has", "Is",
	"Load", "Probe", "Resolve", "Inspect",
}

// VerbReads reports whether the name of a function, exported or not, begins
// with a reading verb.
func VerbReads(name string) bool {
	if name != "" {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	for _, v := range reads {
		rest, ok := strings.CutPrefix(name, v)
		if ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	return false
}

// outside returns the row of an operation of an outside system.
func outside(fn *types.Func, store string, subj map[string][]Place) []Row {
	role := External
	if VerbReads(fn.Name()) {
		role = Read
	}
	return []Row{{Role: role, Subject: subj, Store: store}}
}

// lockInterface matches Lock, TryLock and Unlock of an interface with both a
// Lock and an Unlock, when they take a context and at most a key.
func lockInterface(_ *Catalogue, fn *types.Func) []Row {
	iface := interfaceOf(fn)
	if iface == nil || receiverOf(fn) == nil || fn.Pkg().Path() == "sync" {
		return nil
	}
	var role Role
	switch fn.Name() {
	case "Lock":
		role = Acquire
	case "TryLock":
		role = TryAcquire
	case "Unlock":
		role = Release
	default:
		return nil
	}
	if !hasMethod(iface, "Lock") || !hasMethod(iface, "Unlock") {
		return nil
	}
	params, results := fn.Signature().Params(), fn.Signature().Results()
	if params.Len() == 0 || params.Len() > 3 || !isContext(params.At(0).Type()) {
		return nil
	}
	row := Row{Role: role, Candidate: true}
	if params.Len() > 1 && isString(params.At(1).Type()) {
		row.Subject = subject("locker", recv(), "key", arg(1))
	} else {
		row.Subject = subject("handle", recv())
	}
	for i := range results.Len() {
		if b, ok := results.At(i).Type().Underlying().(*types.Basic); ok && b.Kind() == types.Bool && role != Acquire {
			row.Subject["ok"] = []Place{result(i)}
		}
	}
	return []Row{row}
}

// addsIfAbsent and forgets are the names that caches and the like give to the
// two methods that locks are made of.
var (
	addsIfAbsent = []string{"Add", "SetNX", "SetNx", "SetIfAbsent", "SetIfNotExist", "SetIfNotExists", "PutIfAbsent"}
	forgets      = []string{"Forget", "Delete", "Del", "Remove", "Evict"}
)

// keyedStore matches an interface whose implementations stand elsewhere: a
// method that sets a key for some time unless it is there, which answers
// whether it did, and beside it one that removes a key.
func keyedStore(_ *Catalogue, fn *types.Func) []Row {
	iface := interfaceOf(fn)
	if iface == nil || receiverOf(fn) == nil {
		return nil
	}
	has := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return hasMethod(iface, name) })
	}
	if !has(addsIfAbsent) || !has(forgets) {
		return nil
	}
	params, results := fn.Signature().Params(), fn.Signature().Results()
	key := 0
	if params.Len() > 0 && isContext(params.At(0).Type()) {
		key = 1
	}
	if params.Len() <= key || !isString(params.At(key).Type()) {
		return nil
	}
	switch {
	case slices.Contains(forgets, fn.Name()) && params.Len() == key+1:
		return []Row{{Role: Write, KeyOnly: true, Subject: subject("key", arg(key)), Attr: map[string]string{"verb": "delete"}}}
	case slices.Contains(addsIfAbsent, fn.Name()) && params.Len() == key+3 && is(params.At(key+2).Type(), "time", "Duration") && results.Len() > 0:
		if b, ok := results.At(0).Type().Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
			return []Row{{Role: TryAcquire, Candidate: true, Subject: subject("key", arg(key), "value", arg(key+1), "ttl", arg(key+2), "ok", result(0))}}
		}
	}
	return nil
}

func hasMethod(iface *types.Interface, name string) bool {
	for m := range iface.Methods() {
		if m.Name() == name {
			return true
		}
	}
	return false
}
