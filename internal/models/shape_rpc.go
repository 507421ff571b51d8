package models

import (
	"go/types"
	"regexp"
	"strings"
)

// grpcUnary matches the unary methods of generated gRPC and Google API clients.
func grpcUnary(_ *Catalogue, fn *types.Func) []Row {
	if !isUnary(fn) {
		return nil
	}
	return outside(fn, "grpc", subject("req", arg(1)))
}

// IsStub reports whether fn has the form of a generated client of an RPC. What
// it does is done elsewhere: its declaration says more than its body.
func IsStub(fn *types.Func) bool { return isUnary(fn) || connectUnary(nil, fn) != nil }

// isUnary reports whether fn has the form of a unary client stub.
func isUnary(fn *types.Func) bool {
	params, results := fn.Signature().Params(), fn.Signature().Results()
	if receiverOf(fn) == nil || params.Len() != 3 || results.Len() == 0 || results.Len() > 2 || !fn.Signature().Variadic() {
		return false
	}
	option, ok := params.At(2).Type().(*types.Slice)
	if !ok || !is(option.Elem(), "google.golang.org/grpc", "CallOption") &&
		!is(option.Elem(), "github.com/googleapis/gax-go/v2", "CallOption") {
		return false
	}
	last := results.At(results.Len() - 1).Type()
	if !isContext(params.At(0).Type()) || !isNamedPointer(params.At(1).Type()) || !isError(last) {
		return false
	}
	return results.Len() == 1 || isNamedPointer(results.At(0).Type()) // else the server streams: nothing is done yet
}

// connectPaths are where the Connect runtime lives and lived.
var connectPaths = []string{"connectrpc.com/connect", "github.com/bufbuild/connect-go"}

// connectUnary matches the unary methods of Connect clients. Handlers of the
// same service have the same signature: the name of the type tells them apart.
func connectUnary(_ *Catalogue, fn *types.Func) []Row {
	params, results := fn.Signature().Params(), fn.Signature().Results()
	named := receiverOf(fn)
	if named == nil || params.Len() != 2 || results.Len() != 2 ||
		!strings.HasSuffix(strings.ToLower(named.Obj().Name()), "client") {
		return nil
	}
	for _, path := range connectPaths {
		if isContext(params.At(0).Type()) && is(params.At(1).Type(), path, "Request") &&
			is(results.At(0).Type(), path, "Response") && isError(results.At(1).Type()) {
			return outside(fn, "grpc", subject("req", arg(1, "Msg")))
		}
	}
	return nil
}

const awsServices = "github.com/aws/aws-sdk-go-v2/service/"

// awsTokens are fields of AWS inputs that let the service drop a duplicate.
var awsTokens = []string{"ClientToken", "ClientRequestToken", "IdempotencyToken", "IdempotencyId", "CallerReference"}

// awsOperation matches the operations of AWS SDK v2 clients. Where the
// catalogue has rows of the service, it adds the reads only: what changes
// data there has a row, and what has none administers the service.
func awsOperation(c *Catalogue, fn *types.Func) []Row {
	path := unvendor(fn.Pkg().Path())
	service, ok := strings.CutPrefix(path, awsServices)
	named := receiverOf(fn)
	if !ok || strings.Contains(service, "/") || named == nil || named.Obj().Name() != "Client" {
		return nil
	}
	params, results := fn.Signature().Params(), fn.Signature().Results()
	if params.Len() != 3 || results.Len() != 2 || !isContext(params.At(0).Type()) ||
		!is(params.At(1).Type(), path, fn.Name()+"Input") {
		return nil
	}
	store := service
	if p := c.lookup(path); p != nil {
		if !VerbReads(fn.Name()) {
			return nil
		}
		store = p.sections[0].store
	}
	subj := subject("req", arg(1))
	for _, field := range awsTokens {
		if obj, _, _ := types.LookupFieldOrMethod(params.At(1).Type(), true, nil, field); obj != nil {
			subj["dedup"] = append(subj["dedup"], arg(1, field))
		}
	}
	return outside(fn, store, subj)
}

// cloudOperation matches the operations of the clients that several cloud
// providers generate: the request and the response bear the operation's name.
// The path says that it is an SDK: services of a program's own look alike.
func cloudOperation(_ *Catalogue, fn *types.Func) []Row {
	named := receiverOf(fn)
	if named == nil || !strings.HasSuffix(named.Obj().Name(), "Client") || !strings.Contains(fn.Pkg().Path(), "sdk") {
		return nil
	}
	params, results := fn.Signature().Params(), fn.Signature().Results()
	first := 0
	if params.Len() > 0 && isContext(params.At(0).Type()) {
		first = 1
	}
	if params.Len() != first+1 || results.Len() != 2 || !isError(results.At(1).Type()) {
		return nil
	}
	req, resp := receiver(params.At(first).Type()), receiver(results.At(0).Type())
	name := strings.TrimSuffix(fn.Name(), "WithContext")
	if req == nil || resp == nil || req.Obj().Name() != name+"Request" || resp.Obj().Name() != name+"Response" {
		return nil
	}
	subj := subject("req", arg(first))
	if obj, _, _ := types.LookupFieldOrMethod(params.At(first).Type(), true, nil, "ClientToken"); obj != nil {
		subj["dedup"] = []Place{arg(first, "ClientToken")}
	}
	return outside(fn, "cloud", subj)
}

var (
	stripePath = regexp.MustCompile(`^github\.com/stripe/stripe-go(/v\d+)?(/.+)?$`)
	stripeType = regexp.MustCompile(`^(v[12]\w+Service|Client)$`)
)

// stripe matches New, Update, Cancel and the like, as functions or methods of
// Client in a sub package and as methods of the services of package stripe.
func stripe(_ *Catalogue, fn *types.Func) []Row {
	path := stripePath.FindStringSubmatch(unvendor(fn.Pkg().Path()))
	if path == nil {
		return nil
	}
	named := receiverOf(fn)
	service := named != nil && stripeType.MatchString(named.Obj().Name())
	if path[2] == "" && !service || path[2] != "" && named != nil && !service {
		return nil
	}
	params, results := fn.Signature().Params(), fn.Signature().Results()
	if n := results.Len(); n == 0 || !isError(results.At(n-1).Type()) {
		return nil
	}
	subj := subject()
	for i := range params.Len() {
		if named := receiver(params.At(i).Type()); named != nil && strings.HasSuffix(named.Obj().Name(), "Params") {
			subj["params"] = []Place{arg(i)}
			subj["dedup"] = []Place{arg(i, "IdempotencyKey")}
		}
	}
	if len(subj) == 0 {
		return nil
	}
	return outside(fn, "stripe", subj)
}
