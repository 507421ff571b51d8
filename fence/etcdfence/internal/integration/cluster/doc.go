// Package cluster starts real etcd servers for tests, one or several members,
// on free loopback ports and in temporary directories.
//
// A member can be killed as by kill -9 and started again on its data, and a
// cluster can be restored from a snapshot. Nothing outlives the test binary:
// every member gets a parent death signal.
package cluster
