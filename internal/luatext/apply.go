package luatext

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// call evaluates a call of any kind.
func (w *walker) call(e *ast.FuncCallExpr) value {
	if e.Receiver != nil { // v:method(...)
		v := w.single(e.Receiver)
		args := w.list(e.Args)
		if v.lib == "redis" && (e.Method == "call" || e.Method == "pcall") {
			return w.redis(args, e.Line())
		}
		return v.derived(v.show() + ":" + e.Method + show(args))
	}
	fn := w.single(e.Func)
	args := w.list(e.Args)
	switch {
	case fn.fn != nil:
		return w.apply(fn.fn, args)
	case len(fn.alts) > 0:
		for _, a := range fn.alts {
			if a.is.fn != nil || a.is.lib != "" {
				w.script.Unknown = true
			}
		}
		return opaque("")
	}
	return w.library(fn.lib, args, e.Line())
}

func show(args []value) string {
	var parts []string
	for _, a := range args {
		parts = append(parts, a.show())
	}
	return "(" + strings.Join(parts, ",") + ")"
}

func (w *walker) library(name string, args []value, line int) value {
	arg := at(args, 0)
	switch name {
	case "redis.call", "redis.pcall", "server.call", "server.pcall":
		return w.redis(args, line)
	case "redis.register_function", "server.register_function":
		for _, a := range append(args, arg.fields["callback"]) {
			if a.fn != nil {
				w.apply(a.fn, []value{{lib: "KEYS"}, {lib: "ARGV"}})
			}
		}
		return opaque("")
	case "tonumber", "tostring":
		return arg
	case "type":
		v := arg.derived("type" + show(args))
		v.typeOf = true
		return v
	case "unpack", "table.unpack":
		return spread(arg)
	case "select":
		return value{arg: Arg{Kind: Unknown}, multi: true}
	case "error":
		w.throw()
		return opaque("")
	case "assert":
		w.path = w.path.push(arg.truth())
		return arg
	case "pcall", "xpcall":
		result := opaque("")
		switch {
		case arg.fn != nil:
			result = w.apply(arg.fn, args[1:])
		case arg.lib != "":
			result = w.library(arg.lib, args[1:], line)
		}
		w.dead = false
		return value{arg: Arg{Kind: Unknown}, multi: true, items: []value{opaque(""), result}}
	}
	for _, a := range args {
		if a.fn != nil { // called by the library, as by table.sort
			w.apply(a.fn, nil)
		}
	}
	text := name + show(args)
	if name == "" {
		text = ""
	}
	for _, a := range args {
		if a.read != nil || len(a.alts) > 0 {
			return a.derived(text)
		}
	}
	return opaque(text)
}

// spread is unpack(v).
func spread(v value) value {
	switch v.lib {
	case "KEYS", "ARGV":
		kind := Keys
		if v.lib == "ARGV" {
			kind = Argv
		}
		return value{multi: true, items: []value{{arg: Arg{Kind: kind, Text: v.lib}}}}
	}
	if v.items != nil {
		return value{multi: true, items: v.items}
	}
	if v.read != nil {
		n := max(len(v.read.fields), len(v.read.keys))
		out := value{multi: true, items: []value{}}
		for i := 1; i <= n; i++ {
			out.items = append(out.items, v.index(literal(itoa(i))))
		}
		if n > 0 {
			return out
		}
	}
	return value{arg: Arg{Kind: Unknown}, multi: true, read: v.read}
}

// redis records a call of a command and returns its answer.
func (w *walker) redis(args []value, line int) value {
	name := at(args, 0)
	var list []Arg
	for _, a := range args[min(1, len(args)):] {
		arg := a.arg
		switch {
		case arg.Kind == NoArg:
			arg.Kind = Unknown
		case len(a.alts) > 0:
			arg = sole(a)
		}
		list = append(list, arg)
	}
	command := ""
	if name.arg.Kind == Literal && !name.word {
		command = name.arg.Text
	}
	c := NewCall(command, list)
	c.Line = line
	c.Guards = w.path.guards()
	if c.Command == "" {
		w.script.Unknown = true
	}
	w.script.Calls = append(w.script.Calls, c)
	r := newRead(c)
	return value{arg: Arg{Kind: Result, Text: cut(c.Command + argText(list))}, read: r}
}

// sole is the one argument that the alternatives have in common.
func sole(v value) Arg {
	arg := Arg{Kind: Unknown}
	for i, a := range v.alts {
		if i > 0 && a.is.arg != arg {
			return Arg{Kind: Unknown}
		}
		arg = a.is.arg
	}
	return arg
}

func argText(list []Arg) string {
	var values []value
	for _, a := range list {
		values = append(values, value{arg: a})
	}
	return show(values)
}

// apply runs a function of the script in place.
func (w *walker) apply(c *closure, args []value) value {
	for _, f := range w.frames {
		if f.fn == c.fn {
			w.script.Unknown = true // recursion
			return opaque("")
		}
	}
	if len(w.frames) >= maxInline {
		w.script.Unknown = true
		return opaque("")
	}
	w.seen[c.fn] = true
	f := &frame{fn: c.fn, base: w.path}
	vars := make(map[string]*cell)
	if c.fn.ParList != nil {
		for i, name := range c.fn.ParList.Names {
			v := opaque("")
			if args != nil {
				v = at(args, i)
			}
			vars[name] = &cell{v}
		}
		rest := value{arg: Arg{Kind: Unknown}, multi: true}
		if n := len(c.fn.ParList.Names); args != nil {
			rest.items = args[min(n, len(args)):]
		}
		vars["..."] = &cell{rest}
	}
	scopeBefore := w.scope
	w.frames = append(w.frames, f)
	w.scope = &scope{vars: vars, up: c.scope}
	w.block(c.fn.Stmts)
	if !w.dead {
		f.returns = append(f.returns, alt{w.path.since(f.base), keyword("nil")})
		f.values = append(f.values, nil)
	}
	w.frames = w.frames[:len(w.frames)-1]
	w.scope, w.path, w.dead = scopeBefore, f.base, len(f.returns) == 0
	for _, t := range f.thrown {
		w.path = w.path.push(not(t))
	}
	return f.result()
}

// result merges the returns of a function.
func (f *frame) result() value {
	switch len(f.returns) {
	case 0:
		return opaque("")
	case 1:
		if values := f.values[0]; len(values) > 1 {
			return value{multi: true, items: values}
		}
		return f.returns[0].is
	}
	v := value{arg: Arg{Kind: Unknown}}
	for _, r := range f.returns {
		v.alts = append(v.alts, flat(r.when, r.is)...)
	}
	if len(v.alts) > 8 {
		return opaque("")
	}
	return v
}

// finish walks the functions that nothing called, as they may be called by
// means that are not seen.
func (w *walker) finish() {
	w.path, w.dead, w.frames = nil, false, nil
	for i := 0; i < len(w.made); i++ {
		if c := w.made[i]; !w.seen[c.fn] {
			calls := len(w.script.Calls)
			w.apply(c, nil)
			w.path, w.dead = nil, false
			if len(w.script.Calls) > calls {
				w.script.Unknown = true
			}
		}
	}
}
