// Package memfence is a lock service and a guarded store in memory, for tests
// of code that uses package fence. [Locks] is the lock service, [Store] the
// store. Both keep the contract of package driver, and both can be made to
// fail as real ones do: leases that end early, a sequence of tokens that goes
// back, a guard that is lost or restored.
//
// It protects nothing beyond one process.
package memfence
