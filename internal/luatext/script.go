package luatext

import (
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Script is what a script does.
type Script struct {
	Calls []Call // in the order of the walk, which is that of the source but for functions
	// Unknown: something could not be followed, so that calls may be missing
	// or may have more guards than are shown.
	Unknown bool
}

// maxSource bounds the size of a script, in bytes.
const maxSource = 1 << 20

// stand is put in place of a hole, as a name may not hold U+FFFD.
const stand = "_fFfD_"

// Parse reads a script. A script that it cannot read is Unknown, and the error
// says why.
func Parse(src string) (Script, error) {
	if len(src) > maxSource {
		return Script{Unknown: true}, fmt.Errorf("script of %d bytes is too long", len(src))
	}
	if strings.HasPrefix(src, "#!") { // of a library of functions
		src = "--" + src
	}
	src = strings.ReplaceAll(src, string(hole), stand)
	chunk, err := parseChunk(src)
	if err != nil {
		return Script{Unknown: true}, err
	}
	w := newWalker(len(src))
	w.block(chunk)
	w.finish()
	return w.script, nil
}

func parseChunk(src string) (chunk []ast.Stmt, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("parse script: %v", r)
		}
	}()
	if chunk, err = parse.Parse(strings.NewReader(src), "script"); err != nil {
		return nil, fmt.Errorf("parse script: %w", err)
	}
	return chunk, nil
}
