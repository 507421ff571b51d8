// Package directive reports fencelint directives that their author must look
// at: malformed ones, which do nothing, and those that silence nothing, which
// would hide the next fault on their line. It runs after the rules whose
// findings a directive can silence, and says nothing about a directive of a
// rule that did not run.
package directive
