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
	chunk, err := parseChunk(strings.ReplaceAll(src, string(hole), stand))
	w := newWalker(len(src))
	if err != nil { // once more without what only a formatted script would have
		var second error
		if chunk, second = parseChunk(fill(src)); second != nil {
			return Script{Unknown: true}, err
		}
		w.script.Unknown = true
	}
	w.block(chunk)
	w.finish()
	return w.script, nil
}

// fill removes the holes that stand alone on a line, as definitions put in front
// of a script do, and puts a name in place of the other holes and of formatting
// verbs.
func fill(src string) string {
	src = strings.NewReplacer("%s", string(hole), "%d", string(hole), "%v", string(hole), "%q", string(hole)).Replace(src)
	lines := strings.Split(src, "\n")
	for i, line := range lines {
		if strings.Trim(line, " \t\r;"+string(hole)) == "" {
			lines[i] = ""
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), string(hole), stand)
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
