// Package stores opens databases for the proofs: the tables of sqlfence, a
// table to write in, and guarded writes on it as a user would write them.
//
// A [Store] is described by plain text, so that a child process can open the
// same one.
package stores
