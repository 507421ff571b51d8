package suppress

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// A RoleDirective says which role a function or interface method plays.
type RoleDirective struct {
	Role Verb // Acquire, Release, Check, Write or Fenced
	// Key and Handle name the subjects in models' words: "recv", "argN" or
	// "resultN", counted from 0 with the receiver left out and the context
	// counted. Empty where the author said nothing.
	Key, Handle string
	Pos         token.Pos
}

// Roles returns the role directives in the doc comment of a function
// declaration (*ast.FuncDecl) or an interface method (*ast.Field).
func (d *Directives) Roles(fn ast.Node) []RoleDirective {
	if d == nil {
		return nil
	}
	return d.roles[fn]
}

// function is what a role directive can stand on.
type function struct {
	node ast.Node
	typ  *ast.FuncType
	recv bool // whether it has a receiver
}

// functions maps doc comments to the functions and interface methods below them.
func functions(file *ast.File) map[*ast.CommentGroup]function {
	owners := map[*ast.CommentGroup]function{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Doc != nil {
				owners[n.Doc] = function{node: n, typ: n.Type, recv: n.Recv != nil}
			}
		case *ast.InterfaceType:
			for _, field := range n.Methods.List {
				typ, ok := field.Type.(*ast.FuncType)
				if !ok {
					continue
				}
				fn := function{node: field, typ: typ, recv: true}
				if field.Doc != nil {
					owners[field.Doc] = fn
				}
				if field.Comment != nil {
					owners[field.Comment] = fn
				}
			}
		}
		return true
	})
	return owners
}

func (d *Directives) addRole(st statement, c *ast.Comment, fn function) error {
	if fn.node == nil {
		return fmt.Errorf("%s belongs in the doc comment of a function or interface method", st.verb)
	}
	role := RoleDirective{Role: st.verb, Pos: c.Pos()}
	var err error
	if st.key != "" {
		if role.Key, err = fn.subject(st.key); err != nil {
			return err
		}
		if strings.HasPrefix(role.Key, "result") {
			return errors.New("the key of a lock is an argument, not a result")
		}
	}
	if st.handle != "" {
		if role.Handle, err = fn.subject(st.handle); err != nil {
			return err
		}
	}
	d.roles[fn.node] = append(d.roles[fn.node], role)
	return nil
}

// subject turns the name of a parameter, result or receiver into models' words.
// Those words themselves (arg0, result1, recv) are taken too, for parameters
// without a name.
func (fn function) subject(name string) (string, error) {
	if i, ok := index(fn.typ.Params, name); ok {
		return "arg" + strconv.Itoa(i), nil
	}
	if i, ok := index(fn.typ.Results, name); ok {
		return "result" + strconv.Itoa(i), nil
	}
	if decl, ok := fn.node.(*ast.FuncDecl); ok && decl.Recv != nil {
		if _, ok := index(decl.Recv, name); ok {
			return "recv", nil
		}
	}
	if name == "recv" && fn.recv {
		return name, nil
	}
	for _, side := range []struct {
		word string
		list *ast.FieldList
	}{{"arg", fn.typ.Params}, {"result", fn.typ.Results}} {
		digits, ok := strings.CutPrefix(name, side.word)
		if n, err := strconv.Atoi(digits); ok && err == nil && digits == strconv.Itoa(n) && n >= 0 && n < side.list.NumFields() {
			return name, nil
		}
	}
	return "", fmt.Errorf("the function has no parameter or result %q", name)
}

// index returns the place of the named variable in a parameter or result list.
func index(list *ast.FieldList, name string) (int, bool) {
	if list == nil {
		return 0, false
	}
	i := 0
	for _, field := range list.List {
		for _, ident := range field.Names {
			if ident.Name == name && name != "_" {
				return i, true
			}
			i++
		}
		if len(field.Names) == 0 {
			i++
		}
	}
	return 0, false
}
