package models

import (
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// restated matches a method of a user's interface that has the name and the
// signature of a modelled method. A signature of basic types alone says
// nothing: one of its types must come from the client's own module.
func restated(c *Catalogue, fn *types.Func) []Row {
	if interfaceOf(fn) == nil || c.IsClient(fn.Pkg().Path()) {
		return nil
	}
	for _, p := range clientsOf(c, fn) {
		known := c.lookup(p.Path())
		for _, r := range known.rows {
			if r.Name != fn.Name() || r.Recv == "" {
				continue
			}
			t, ok := p.Scope().Lookup(r.Recv).(*types.TypeName)
			if !ok {
				continue
			}
			obj, _, _ := types.LookupFieldOrMethod(t.Type(), true, p, fn.Name())
			m, ok := obj.(*types.Func)
			if !ok || !sameSignature(m.Signature(), fn.Signature()) {
				continue
			}
			rows := slices.Clone(known.byName[name{r.Recv, r.Name}])
			restated := make([]Row, len(rows))
			for i, r := range rows {
				restated[i] = *r
			}
			return restated
		}
	}
	return nil
}

// sameSignature reports whether two methods, apart from their receivers, are
// of identical types.
func sameSignature(a, b *types.Signature) bool {
	return types.Identical(a.Params(), b.Params()) && types.Identical(a.Results(), b.Results()) &&
		a.Variadic() == b.Variadic()
}

// clientsOf returns the modelled packages that fn's signature may restate:
// those of its types, and those among the imports that live in the same
// module as one of its types.
func clientsOf(c *Catalogue, fn *types.Func) []*types.Package {
	var clients []*types.Package
	add := func(p *types.Package) {
		if c.Knows(p.Path()) && p.Path() != "context" && !slices.Contains(clients, p) {
			clients = append(clients, p)
		}
	}
	var mentioned []*types.Package
	for _, tuple := range []*types.Tuple{fn.Signature().Params(), fn.Signature().Results()} {
		for v := range tuple.Variables() {
			mentioned = appendPackages(mentioned, v.Type())
		}
	}
	for _, p := range mentioned {
		add(p)
	}
	for _, imported := range fn.Pkg().Imports() {
		for _, p := range mentioned {
			if p.Path() != "context" && root(p.Path()) == root(imported.Path()) {
				add(imported)
			}
		}
	}
	return clients
}

func appendPackages(pkgs []*types.Package, t types.Type) []*types.Package {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return appendPackages(pkgs, t.Elem())
	case *types.Slice:
		return appendPackages(pkgs, t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			pkgs = appendPackages(pkgs, v.Type())
		}
		return pkgs
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && !slices.Contains(pkgs, p) {
			return append(pkgs, p)
		}
	}
	return pkgs
}

// root returns the leading elements of a package path that usually name its
// repository.
func root(path string) string {
	parts := strings.Split(unvendor(path), "/")
	n := 2
	if parts[0] == "github.com" {
		n = 3
	}
	return strings.Join(parts[:min(n, len(parts))], "/")
}

var clientsetPath = regexp.MustCompile(`^k8s\.io/client-go/kubernetes/typed/|(^|/)(clientset|clientsets)(/|$)|/typed/`)

// clientset matches the typed clients of Kubernetes resources, built in or
// generated for custom ones.
func clientset(_ *Catalogue, fn *types.Func) []Row {
	named := receiverOf(fn)
	if named == nil || interfaceOf(fn) == nil || !strings.HasSuffix(named.Obj().Name(), "Interface") ||
		!clientsetPath.MatchString(unvendor(fn.Pkg().Path())) {
		return nil
	}
	params := fn.Signature().Params()
	if params.Len() < 2 || !isContext(params.At(0).Type()) {
		return nil
	}
	row := Row{Store: "kubernetes"}
	switch fn.Name() {
	case "Create":
		row.Role, row.Subject = CWrite, subject("value", arg(1))
		row.Note = "create-only"
	case "Update", "UpdateStatus":
		row.Role, row.Subject = CWrite, subject("value", arg(1), "cond", arg(1, "ResourceVersion"))
		row.Note = "conditional only when ResourceVersion is set"
	case "Patch":
		row.Role, row.Subject = Write, subject("key", arg(1), "data", arg(3))
		row.Note = "conditional only if the patch has metadata.resourceVersion"
	case "Apply", "ApplyStatus":
		row.Role, row.Subject = Write, subject("value", arg(1))
		row.Note = "server-side apply: field ownership, not a fence"
	case "Delete":
		row.Role, row.KeyOnly = Write, true
		row.Subject = subject("key", arg(1), "cond", arg(2, "Preconditions"))
		row.Attr = map[string]string{"verb": "delete"}
	case "DeleteCollection":
		row.Role, row.Subject = Write, subject("opts", arg(1))
	case "Get", "List", "Watch":
		row.Role, row.Subject = Read, subject("key", arg(1))
		if fn.Name() != "Get" {
			row.Subject = subject("opts", arg(1))
		}
	default:
		return nil
	}
	return []Row{row}
}

var (
	entChange = regexp.MustCompile(`^[A-Z]\w*(Create|CreateBulk|Update|UpdateOne|Delete|DeleteOne|UpsertOne|UpsertBulk)$`)
	entQuery  = regexp.MustCompile(`^[A-Z]\w*Query$`)
)

// ent matches the builders and transactions of a package that ent generated.
func ent(_ *Catalogue, fn *types.Func) []Row {
	named := receiverOf(fn)
	if named == nil || !importsEnt(fn.Pkg()) {
		return nil
	}
	row := Row{Store: "sql"}
	recvName, method := named.Obj().Name(), strings.TrimSuffix(fn.Name(), "X")
	switch {
	case entChange.MatchString(recvName) && (method == "Save" || method == "Exec"):
		row.Role, row.Subject = Write, subject("query", recv())
		if strings.HasSuffix(recvName, "UpdateOne") || strings.HasSuffix(recvName, "DeleteOne") {
			row.Note = "by id alone unless Where adds a condition"
		}
	case entChange.MatchString(recvName) && method == "Where",
		entQuery.MatchString(recvName) && (method == "ForUpdate" || method == "ForShare"):
		row.Role, row.Subject = Condition, subject("cond", arg(0))
	case entQuery.MatchString(recvName) && slices.Contains(entReads, method):
		row.Role, row.Subject = Read, subject("query", recv())
	case recvName == "Client" && (method == "Tx" || method == "BeginTx"):
		row.Role, row.Subject = TxBegin, subject("tx", result(0))
	case recvName == "Tx" && method == "Commit":
		row.Role, row.Subject = TxCommit, subject("handle", recv())
	case recvName == "Tx" && method == "Rollback":
		row.Role, row.Subject = TxRollback, subject("handle", recv())
	default:
		return nil
	}
	return []Row{row}
}

var entReads = []string{"Only", "OnlyID", "First", "FirstID", "All", "IDs", "Count", "Exist"}

func importsEnt(p *types.Package) bool {
	return slices.ContainsFunc(p.Imports(), func(i *types.Package) bool {
		return root(i.Path()) == "entgo.io/ent"
	})
}
