package leaseflow

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"sync"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// program is one package under analysis.
type program struct {
	pass  *analysis.Pass
	cat   *models.Catalogue
	cfg   Config
	fns   []*ssa.Function // every function with a body here, closures after their parents
	decls map[*ssa.Function]*ast.FuncDecl

	closures  map[*ssa.Function]*ssa.MakeClosure
	fields    map[string][]ssa.Value      // what is stored into a struct field, by fieldName
	globals   map[*ssa.Global][]ssa.Value // what is stored into a package variable
	terms     map[ssa.Value]Term
	concretes map[ssa.Value]types.Type // answers of concrete
	holders   *holders                 // fields by what they hold
	lockish   map[*ssa.Function]bool
	inlining  int
	nesting   int

	sums        map[*ssa.Function]*Summary
	facts       map[*types.Func]*Summary // of other packages, nil entries included
	said        map[*types.Func]*Summary // by role directives
	ifaces      map[*types.Func]*Summary // of interface methods, merged from the implementations here
	callers     map[*ssa.Function][]ssa.CallInstruction
	rows        map[*types.Func][]*models.Row
	lockKeys    []Term          // keys of the locks that this package takes
	lockAliases []string        // shapes of fields that hold such keys
	leaseFields map[string]bool // fields that are set where a lease is taken
	hasLeases   bool
	heldEntry   map[*ssa.Function][]*event // bodies that run under a lease from their first line
	pairs       []pairing
	all         map[*ssa.Function][]*event
	writes      []Exposure
	handed      map[*ssa.Function]map[*ssa.Function]bool // who hands a function on as a value
	touched     map[*ssa.Function]bool                   // functions whose events pair has changed in this round
	invokers    map[*types.Func]map[*ssa.Function]bool   // who calls an interface method
	watched     map[*ssa.Function]bool                   // bodies that a change of the keys they watch makes fail
	queued      map[*ssa.Function]bool                   // bodies whose commands take effect when a watched body commits
	transacted  map[*ssa.Function]bool                   // bodies that a transaction of a database is made of
	pools       map[*types.Named]bool                    // answers of poolType
	oneConn     tri                                      // answer of singleConnection
	harness     map[string]bool                          // files that import testing
	endsKnown   tri                                      // answer of endsLeases
	freesKnown  tri                                      // answer of neverFreed
	broken      map[*ssa.Function]bool
	premises    map[*ssa.BasicBlock][]Premise // answers of entering
}

// Memo keeps the SSA of packages between runs of one process, so that the
// rounds of the driver build it once. It is safe for concurrent use.
type Memo struct {
	mu   sync.Mutex
	pkgs map[*types.Package]*ssa.Package
}

// NewMemo returns an empty Memo.
func NewMemo() *Memo { return &Memo{pkgs: map[*types.Package]*ssa.Package{}} }

func (m *Memo) get(pkg *types.Package, build func() *ssa.Package) *ssa.Package {
	if m == nil {
		return build()
	}
	m.mu.Lock()
	p := m.pkgs[pkg]
	m.mu.Unlock()
	if p == nil {
		p = build()
		m.mu.Lock()
		m.pkgs[pkg] = p
		m.mu.Unlock()
	}
	return p
}

// buildSSA builds this package alone; its imports have types and no bodies.
func buildSSA(pass *analysis.Pass) *ssa.Package {
	prog := ssa.NewProgram(pass.Fset, 0)
	for _, imp := range pass.Pkg.Imports() {
		prog.CreatePackage(imp, nil, nil, true)
	}
	p := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	p.Build()
	return p
}

func newProgram(pass *analysis.Pass, cfg Config) *program {
	pkg := cfg.Memo.get(pass.Pkg, func() *ssa.Package { return buildSSA(pass) })
	p := &program{
		pass: pass, cat: cfg.Catalogue, cfg: cfg,
		decls:      map[*ssa.Function]*ast.FuncDecl{},
		closures:   map[*ssa.Function]*ssa.MakeClosure{},
		fields:     map[string][]ssa.Value{},
		globals:    map[*ssa.Global][]ssa.Value{},
		terms:      map[ssa.Value]Term{},
		concretes:  map[ssa.Value]types.Type{},
		sums:       map[*ssa.Function]*Summary{},
		facts:      map[*types.Func]*Summary{},
		said:       map[*types.Func]*Summary{},
		ifaces:     map[*types.Func]*Summary{},
		callers:    map[*ssa.Function][]ssa.CallInstruction{},
		rows:       map[*types.Func][]*models.Row{},
		broken:     map[*ssa.Function]bool{},
		watched:    map[*ssa.Function]bool{},
		queued:     map[*ssa.Function]bool{},
		transacted: map[*ssa.Function]bool{},
		pools:      map[*types.Named]bool{},
		invokers:   map[*types.Func]map[*ssa.Function]bool{},
		lockish:    map[*ssa.Function]bool{},
		handed:     map[*ssa.Function]map[*ssa.Function]bool{},
		premises:   map[*ssa.BasicBlock][]Premise{},
		harness:    importers(pass, "testing"),
	}
	if init := pkg.Func("init"); init != nil {
		p.addFunction(init)
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			obj, ok := pass.TypesInfo.Defs[d.Name].(*types.Func)
			if !ok {
				continue
			}
			if fn := pkg.Prog.FuncValue(obj); fn != nil {
				p.decls[fn] = d
				p.addFunction(fn)
			}
		}
	}
	for _, fn := range p.fns {
		p.indexFunction(fn)
	}
	return p
}

func (p *program) addFunction(fn *ssa.Function) {
	p.fns = append(p.fns, fn)
	for _, a := range fn.AnonFuncs {
		p.addFunction(a)
	}
}

// indexFunction notes the closures, field stores, variable stores and calls of fn.
func (p *program) indexFunction(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.MakeClosure:
				p.closures[in.Fn.(*ssa.Function)] = in
				if c := p.calleeOf(in, nil); c.fn != nil && c.obj != nil { // a method value
					if p.handed[c.fn] == nil {
						p.handed[c.fn] = map[*ssa.Function]bool{}
					}
					p.handed[c.fn][fn] = true
				}
			case *ssa.Store:
				switch addr := in.Addr.(type) {
				case *ssa.FieldAddr:
					name := fieldName(addr.X.Type(), addr.Field)
					p.fields[name] = append(p.fields[name], in.Val)
				case *ssa.Global:
					p.globals[addr] = append(p.globals[addr], in.Val)
				}
			case ssa.CallInstruction:
				c := p.callee(in.Common())
				if c.fn != nil {
					p.callers[c.fn] = append(p.callers[c.fn], in)
				}
				if c.invoke {
					if p.invokers[c.obj] == nil {
						p.invokers[c.obj] = map[*ssa.Function]bool{}
					}
					p.invokers[c.obj][fn] = true
				}
			}
		}
	}
}

// callee is what a call calls, its receiver among the arguments.
type callee struct {
	obj     *types.Func   // the declared function or method, at its origin
	fn      *ssa.Function // its body, when that is in this package
	invoke  bool          // through an interface
	hasRecv bool
	args    []ssa.Value // the receiver first
	value   ssa.Value   // the func value of a dynamic call
}

func (c callee) signature() *types.Signature {
	if c.obj != nil {
		return c.obj.Signature()
	}
	if c.fn != nil {
		return c.fn.Signature
	}
	return nil
}

func (c callee) name() string {
	switch {
	case c.obj != nil:
		return c.obj.FullName()
	case c.fn != nil:
		return c.fn.String()
	}
	return ""
}

// importers lists the files of a package that import another one.
func importers(pass *analysis.Pass, path string) map[string]bool {
	out := map[string]bool{}
	for _, f := range pass.Files {
		for _, imp := range f.Imports {
			if imp.Path.Value == strconv.Quote(path) {
				out[pass.Fset.Position(f.Package).Filename] = true
			}
		}
	}
	return out
}

// maxNesting bounds how far values are followed from variable to variable:
// real code goes a few steps, a loop of assignments goes on for ever.
const maxNesting = 24

// callee resolves the target of a call as far as this package shows it.
func (p *program) callee(call *ssa.CallCommon) callee {
	if call.IsInvoke() {
		c := callee{obj: call.Method.Origin(), invoke: true, hasRecv: true, args: append([]ssa.Value{call.Value}, call.Args...)}
		return p.narrowed(c)
	}
	return p.calleeOf(call.Value, call.Args)
}

// calleeOf resolves a func value that is called with args.
func (p *program) calleeOf(v ssa.Value, args []ssa.Value) callee {
	if p.nesting > maxNesting { // a func that is stored where it was read from
		return callee{args: args, value: v}
	}
	p.nesting++
	defer func() { p.nesting-- }()
	switch v := v.(type) {
	case *ssa.Function:
		return functionCallee(v, args)
	case *ssa.MakeClosure:
		fn := v.Fn.(*ssa.Function)
		if obj, ok := fn.Object().(*types.Func); ok && fn.Synthetic != "" && len(v.Bindings) == 1 { // method value x.M
			c := callee{obj: obj.Origin(), hasRecv: true, args: append([]ssa.Value{v.Bindings[0]}, args...)}
			if _, iface := obj.Signature().Recv().Type().Underlying().(*types.Interface); iface {
				c.invoke = true
			} else {
				c.fn = p.bodyOf(fn, obj)
			}
			return c
		}
		return callee{fn: fn, args: args}
	case *ssa.ChangeType:
		return p.calleeOf(v.X, args)
	case *ssa.MakeInterface:
		return p.calleeOf(v.X, args)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			switch addr := v.X.(type) {
			case *ssa.Alloc:
				if val := onlyStore(p.storesTo(addr)); val != nil {
					return p.calleeOf(val, args)
				}
			case *ssa.FreeVar:
				if b, ok := p.binding(addr).(*ssa.Alloc); ok {
					if val := onlyStore(p.storesTo(b)); val != nil {
						return p.calleeOf(val, args)
					}
				}
			case *ssa.Global:
				if val := onlyStore(p.globals[addr]); val != nil {
					return p.calleeOf(val, args)
				}
			case *ssa.FieldAddr:
				if val := onlyFunc(p.fields[fieldName(addr.X.Type(), addr.Field)]); val != nil {
					if c := p.calleeOf(val, args); c.fn != nil || c.obj != nil {
						return c
					}
				}
			}
		}
	}
	return callee{args: args, value: v}
}

// onlyFunc returns the func that a field holds as far as the package tells. That
// another may be handed in, as tests do, does not change what it is without that.
func onlyFunc(vals []ssa.Value) ssa.Value {
	var known []ssa.Value
	for _, v := range vals {
		if ct, ok := v.(*ssa.ChangeType); ok {
			v = ct.X
		}
		if _, handedIn := v.(*ssa.Parameter); !handedIn {
			known = append(known, v)
		}
	}
	return onlyStore(known)
}

func functionCallee(fn *ssa.Function, args []ssa.Value) callee {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	c := callee{args: args, hasRecv: fn.Signature.Recv() != nil}
	if obj, ok := fn.Object().(*types.Func); ok {
		c.obj = obj.Origin()
		c.hasRecv = obj.Signature().Recv() != nil
	}
	if len(fn.Blocks) > 0 {
		c.fn = fn
	}
	return c
}

// bodyOf finds the method behind a bound or promoted wrapper.
func (p *program) bodyOf(wrapper *ssa.Function, obj *types.Func) *ssa.Function {
	fn := wrapper.Prog.FuncValue(obj.Origin())
	if fn == nil || len(fn.Blocks) == 0 {
		return nil
	}
	return fn
}

// root returns the declared function that fn is written in.
func root(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// context returns the names around a function: its own, its receiver type's
// and its package's.
func (p *program) context(fn *ssa.Function) []string {
	r := root(fn)
	names := []string{r.Name()}
	if recv := r.Signature.Recv(); recv != nil {
		if n := namedOf(recv.Type()); n != nil {
			names = append(names, n.Obj().Name())
		}
	}
	return append(names, p.pass.Pkg.Name())
}

func namedOf(t types.Type) *types.Named {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}
