package leaseflow

import (
	"go/types"
	"reflect"
	"strings"
)

// comparedByMapper reports whether a mapper compares field i by itself when it
// stores the row: a number that a tag of the mapper's own calls a version, or a
// type made for it. A version in what is sent as JSON, or a text, is that of
// some program or document.
func comparedByMapper(st *types.Struct, i int) bool {
	t := st.Field(i).Type()
	if n := namedOf(t); n != nil && n.Obj().Name() == "Version" {
		return true
	}
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if !isInteger(t) {
		return false
	}
	tag := reflect.StructTag(st.Tag(i))
	for _, mapper := range []string{"xorm", "gorm", "bun", "pg", "db"} {
		if strings.Contains(tag.Get(mapper), "version") {
			return true
		}
	}
	return false
}
