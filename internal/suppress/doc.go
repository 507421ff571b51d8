// Package suppress reads the directives that authors write beside their code:
// what to leave unreported and why, where a guarantee is limited on purpose,
// and which role a function of their own plays.
//
//	//fencelint:ignore rule[,rule] reason
//	//fencelint:limit reason
//	//fencelint:acquire [key=ARG] [handle=RESULT]
//	//fencelint:release [key=ARG|handle=ARG]
//	//fencelint:check
//	//fencelint:write
//	//fencelint:fenced
//
// They are read inside the analyzers, so that every driver honours them.
package suppress
