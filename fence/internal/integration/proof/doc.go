// Package proof has what is proved of every store alike: that histories of its
// guard have an order, that random schedules lose nothing, that it behaves as
// the guard in memory, that broken servers leave no request in doubt. The tests
// of each store bring the store.
package proof
