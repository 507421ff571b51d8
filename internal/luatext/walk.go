package luatext

import "github.com/yuin/gopher-lua/ast"

// maxNesting bounds the nesting of statements and expressions, maxInline that
// of calls of the script's own functions.
const (
	maxNesting = 400
	maxInline  = 5
)

// walker runs through a script once, with what is known of each local and the
// condition under which the present point is reached.
type walker struct {
	script  Script
	path    *path
	dead    bool // the present point is not reached
	scope   *scope
	frames  []*frame
	journal []change
	steps   int // left
	nesting int
	seen    map[*ast.FunctionExpr]bool
	made    []*closure
}

type cell struct{ v value }

type scope struct {
	vars map[string]*cell
	up   *scope
}

// change is an assignment, kept to be taken back at the end of a branch.
type change struct {
	cell *cell
	old  value
}

// frame is a call of a function of the script.
type frame struct {
	fn      *ast.FunctionExpr
	base    *path
	returns []alt
	values  [][]value
	thrown  []*formula // paths that end in error()
}

type closure struct {
	fn    *ast.FunctionExpr
	scope *scope
}

// ending is how a branch ends.
type ending struct {
	path *path
	dead bool
}

func newWalker(size int) *walker {
	w := &walker{steps: 20000 + 10*size, seen: make(map[*ast.FunctionExpr]bool)}
	w.scope = &scope{vars: make(map[string]*cell)}
	return w
}

// step counts the work and reports whether there is some left.
func (w *walker) step() bool {
	w.steps--
	if w.steps < 0 || w.nesting > maxNesting {
		w.script.Unknown = true
		return false
	}
	return true
}

func (w *walker) declare(name string, v value) { w.scope.vars[name] = &cell{v} }

func (w *walker) lookup(name string) *cell {
	for s := w.scope; s != nil; s = s.up {
		if c := s.vars[name]; c != nil {
			return c
		}
	}
	return nil
}

func (w *walker) set(c *cell, v value) {
	w.journal = append(w.journal, change{c, c.v})
	c.v = v
}

func (w *walker) assign(name string, v value) {
	if c := w.lookup(name); c != nil {
		w.set(c, v)
		return
	}
	root := w.scope
	for root.up != nil {
		root = root.up
	}
	c := &cell{v: value{word: true, arg: Arg{Kind: Literal, Text: "nil"}}}
	root.vars[name] = c
	w.set(c, v)
}

// scoped walks statements in a scope of their own.
func (w *walker) scoped(stmts []ast.Stmt) {
	w.scope = &scope{vars: make(map[string]*cell), up: w.scope}
	w.block(stmts)
	w.scope = w.scope.up
}

func (w *walker) block(stmts []ast.Stmt) {
	w.nesting++
	defer func() { w.nesting-- }()
	for _, s := range stmts {
		if !w.step() {
			return
		}
		w.stmt(s)
		if w.dead {
			return
		}
	}
}

func (w *walker) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		values := w.list(s.Exprs)
		if len(s.Exprs) == 1 {
			if f, ok := s.Exprs[0].(*ast.FunctionExpr); ok && len(s.Names) == 1 { // may call itself
				w.declare(s.Names[0], value{})
				w.lookup(s.Names[0]).v = w.function(f)
				return
			}
		}
		for i, name := range s.Names {
			w.declare(name, at(values, i))
		}
	case *ast.AssignStmt:
		values := w.list(s.Rhs)
		for i, target := range s.Lhs {
			w.store(target, at(values, i))
		}
	case *ast.FuncCallStmt:
		w.eval(s.Expr)
	case *ast.DoBlockStmt:
		w.scoped(s.Stmts)
	case *ast.IfStmt:
		w.ifStmt(s)
	case *ast.WhileStmt:
		c := w.eval(s.Condition).truth()
		w.loop(c, func() { w.scoped(s.Stmts) })
		if c.op == isTrue {
			return
		}
	case *ast.RepeatStmt:
		w.loop(constant(true), func() {
			w.scoped(s.Stmts)
			if !w.dead {
				w.eval(s.Condition)
			}
		})
	case *ast.NumberForStmt:
		w.list([]ast.Expr{s.Init, s.Limit})
		w.loop(constant(true), func() {
			w.scope = &scope{vars: map[string]*cell{s.Name: {opaque(s.Name)}}, up: w.scope}
			w.scoped(s.Stmts)
			w.scope = w.scope.up
		})
	case *ast.GenericForStmt:
		w.forEach(s)
	case *ast.FuncDefStmt:
		v := w.function(s.Func)
		if s.Name.Func != nil {
			w.store(s.Name.Func, v)
		}
	case *ast.ReturnStmt:
		w.leave(w.list(s.Exprs))
	case *ast.BreakStmt:
		w.dead = true
	case *ast.GotoStmt, *ast.LabelStmt:
		w.script.Unknown = true
	}
}

func at(values []value, i int) value {
	switch {
	case i < len(values):
		return values[i]
	case len(values) > 0 && values[len(values)-1].multi:
		return opaque("")
	}
	return keyword("nil")
}

// store assigns to a variable, or to an element of a table.
func (w *walker) store(target ast.Expr, v value) {
	switch t := target.(type) {
	case *ast.IdentExpr:
		w.assign(t.Value, v)
	case *ast.AttrGetExpr:
		key := w.single(t.Key)
		id, ok := t.Object.(*ast.IdentExpr)
		if !ok {
			w.eval(t.Object)
			return
		}
		c := w.lookup(id.Value)
		if c == nil {
			return
		}
		table := c.v.with(key, v)
		if table.items != nil {
			table.items = []value{} // its elements are no longer known
		}
		if v.read != nil { // t[name] = stored value: what is found in t comes from there
			r := *v.read
			r.field, r.fields, r.keys = Arg{}, nil, nil
			table.read = &r
		}
		w.set(c, table)
	}
}

// leave ends the path with a return.
func (w *walker) leave(values []value) {
	if n := len(w.frames); n > 0 {
		f := w.frames[n-1]
		f.returns = append(f.returns, alt{w.path.since(f.base), at(values, 0)})
		f.values = append(f.values, values)
	}
	w.dead = true
}

// throw ends the path with an error, which functions do not catch.
func (w *walker) throw() {
	for _, f := range w.frames {
		f.thrown = append(f.thrown, w.path.since(f.base))
	}
	w.dead = true
}

// branch walks a part of the code under a condition and returns how it ends
// and what it assigns; the assignments are taken back.
func (w *walker) branch(when *formula, part func()) (ending, map[*cell]value) {
	base, journal := w.path, w.journal
	w.path, w.journal = base.push(when), nil
	part()
	end := ending{w.path, w.dead}
	changed := make(map[*cell]value)
	for i := len(w.journal) - 1; i >= 0; i-- {
		c := w.journal[i]
		if _, ok := changed[c.cell]; !ok {
			changed[c.cell] = c.cell.v
		}
		c.cell.v = c.old
	}
	w.path, w.journal, w.dead = base, journal, false
	return end, changed
}

func (w *walker) ifStmt(s *ast.IfStmt) {
	c := w.eval(s.Condition).truth()
	base := w.path
	var ends [2]ending
	var changed [2]map[*cell]value
	for i, part := range [][]ast.Stmt{s.Then, s.Else} {
		when := c
		if i == 1 {
			when = not(c)
		}
		if when.op == isFalse {
			ends[i].dead = true
			continue
		}
		ends[i], changed[i] = w.branch(when, func() { w.scoped(part) })
	}
	switch {
	case ends[0].dead && ends[1].dead:
		w.dead = true
		return
	case ends[0].dead:
		w.path = ends[1].path
	case ends[1].dead:
		w.path = ends[0].path
	default:
		if narrows(ends[0].path, base, c) || narrows(ends[1].path, base, not(c)) {
			w.path = base.push(or(ends[0].path.since(base), ends[1].path.since(base)))
		}
	}
	cells := make(map[*cell]bool)
	for _, m := range changed {
		for cell := range m {
			cells[cell] = true
		}
	}
	for cell := range cells {
		var v [2]value
		for i := range v {
			v[i] = cell.v
			if after, ok := changed[i][cell]; ok {
				v[i] = after
			}
		}
		switch {
		case ends[0].dead:
			w.set(cell, v[1])
		case ends[1].dead:
			w.set(cell, v[0])
		default:
			w.set(cell, choose(c, v[0], v[1]))
		}
	}
}

// narrows reports whether a branch that was entered under c ends under more.
func narrows(end, base *path, c *formula) bool {
	return end != base && end != base.push(c) && (end.up != base || end.f.op != c.op || end.f.size != c.size)
}

// choose is the value that is a when c holds and else b. A literal that
// replaces a missing stored value does not hide where the value came from.
func choose(c *formula, a, b value) value {
	switch {
	case a.read != nil && b.read == nil && b.arg.Kind == Literal && !b.word:
		return a.otherwise(b)
	case b.read != nil && a.read == nil && a.arg.Kind == Literal && !a.word:
		return b.otherwise(a)
	case a.arg.Kind != NoArg && a.arg.Kind != Unknown && a.arg == b.arg && a.word == b.word && a.cond == nil && b.cond == nil:
		return a
	case len(a.alts)+len(b.alts) > 8:
		return opaque("")
	}
	v := value{arg: Arg{Kind: Unknown}}
	v.alts = append(v.alts, flat(c, a)...)
	v.alts = append(v.alts, flat(not(c), b)...)
	return v
}

// otherwise is v with a literal in place of a missing stored value.
func (v value) otherwise(missing value) value {
	if v.read != nil {
		r := *v.read
		r.missing = missing.arg
		v.read = &r
	}
	return v
}

func flat(c *formula, v value) []alt {
	if len(v.alts) == 0 {
		return []alt{{c, v}}
	}
	var out []alt
	for _, a := range v.alts {
		out = append(out, alt{and(c, a.when), a.is})
	}
	return out
}

// loop walks the body once. What holds at its end holds for every element, and
// so after the loop, where the body does not leave early.
func (w *walker) loop(when *formula, body func()) {
	base := w.path
	end, changed := w.branch(when, body)
	if end.dead {
		if when.op != isTrue {
			w.path = w.path.push(not(when))
		}
		return
	}
	w.path = base.push(end.path.since(base.push(when)))
	for cell, v := range changed {
		w.set(cell, v)
	}
}

func (w *walker) forEach(s *ast.GenericForStmt) {
	each := []value{opaque(""), opaque("")}
	if call, ok := first(s.Exprs).(*ast.FuncCallExpr); ok && len(call.Args) > 0 {
		over := w.eval(call.Args[0])
		index := value{arg: Arg{Kind: Expr, Text: cut("each " + over.show())}}
		each = []value{index, over.index(index)}
	} else {
		w.list(s.Exprs)
	}
	w.loop(constant(true), func() {
		vars := make(map[string]*cell)
		for i, name := range s.Names {
			vars[name] = &cell{at(each, i)}
		}
		w.scope = &scope{vars: vars, up: w.scope}
		w.scoped(s.Stmts)
		w.scope = w.scope.up
	})
}

func first(list []ast.Expr) ast.Expr {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}
