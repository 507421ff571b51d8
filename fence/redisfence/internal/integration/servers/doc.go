// Package servers starts real Redis servers for tests, each on a free loopback
// port and in a temporary directory: single ones, replicas, Sentinels, and
// clusters.
//
// A server can be killed as by kill -9 and started again on the same data and
// port, and it can be stopped and continued as by SIGSTOP and SIGCONT. Nothing
// outlives the test binary: every server gets a parent death signal.
//
// A missing server program skips a test with the reason, but fails it where the
// environment says CI=true, so that a proof is never lost in silence.
package servers
