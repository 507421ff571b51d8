// Package fencetest checks that a store refuses stale writes.
//
// [TestGuard] and [TestLocker] are conformance suites for adapters: run them on
// your own store. [Schedule] drives the client of package fence through random
// pauses, crashes, failovers and lost replies. [Child] stops and continues a
// real process. The measure is always that the stale result was refused and the
// store's content is right, never how often a lock was taken.
package fencetest
