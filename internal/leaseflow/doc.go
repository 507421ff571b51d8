// Package leaseflow is the one analysis under all rules: it finds who acquires,
// checks, releases and renews a lease, where a lease is held, and which changes
// to a store run there. Rules read its Result; they touch no SSA.
//
// It works on one package at a time, bottom up: what it learns of a function
// (its effects, in the words of the models) is exported as a fact, so that a
// caller in another package sees the function as it sees a modelled API.
package leaseflow
