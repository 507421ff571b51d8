package leaseflow

import (
	"go/types"
	"strings"
)

// logWords begin the names of functions that write a line of a log; an ending
// for a format, a new line or pairs with names is left away.
var logWords = map[string]bool{
	"trace": true, "debug": true, "verbose": true, "info": true, "notice": true, "warn": true, "warning": true,
	"error": true, "critical": true, "fatal": true, "panic": true, "exit": true, "log": true, "print": true,
}

// isLogCall reports whether a function writes a line of a log: it is named so,
// takes any number of values of any type, and answers nothing. What a logger of
// the project does to its files is no business of those who log: it would fill
// what is known of every function, and crowd out what the function is there for.
func isLogCall(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	sig := fn.Signature()
	if !sig.Variadic() || sig.Results().Len() > 0 {
		return false
	}
	values, ok := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice)
	if !ok || !types.Identical(values.Elem().Underlying(), types.NewInterfaceType(nil, nil)) {
		return false
	}
	words := split(fn.Name())
	if len(words) == 0 {
		return false
	}
	for _, ending := range []string{"", "f", "ln", "w"} {
		if word, ok := strings.CutSuffix(words[0], ending); ok && logWords[word] {
			return true
		}
	}
	return false
}
