package leaseflow

import "go/types"

// logWords begin the names of functions that write a line of a log.
var logWords = map[string]bool{
	"trace": true, "debug": true, "verbose": true, "info": true, "notice": true, "warn": true, "warning": true, "error": true, "critical": true,
	"fatal": true, "panic": true, "exit": true, "log": true, "print": true,
	"tracef": true, "debugf": true, "verbosef": true, "infof": true, "noticef": true, "warnf": true, "warningf": true, "errorf": true, "criticalf": true,
	"fatalf": true, "panicf": true, "exitf": true, "logf": true, "printf": true,
	"traceln": true, "debugln": true, "infoln": true, "warnln": true, "warningln": true, "errorln": true,
	"fatalln": true, "panicln": true, "exitln": true, "logln": true, "println": true,
}

// isLogCall reports whether a function writes a line of a log: it is named so,
// takes any number of values, and answers nothing. What a logger of the project
// does to its files is no business of those who log: it would fill what is
// known of every function, and crowd out what the function is there for.
func isLogCall(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	sig := fn.Signature()
	if !sig.Variadic() || sig.Results().Len() > 0 {
		return false
	}
	words := split(fn.Name())
	return len(words) > 0 && logWords[words[0]]
}
