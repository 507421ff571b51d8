// Package inventory is the stock of a shop: counts in a SQL database, guarded
// by a lock in Redis. It is here to be looked at by fencelint:
//
//	go run ./cmd/fencelint -C examples/inventory ./...
//
// lock.go, reserve.go and restock.go each hold one fault, a common one. All
// three compile, pass a review and work in every test that does not stop a
// worker for longer than its lease. repaired.go does the same work so that the
// stores refuse the late worker; fencelint has nothing to say about it.
package inventory
