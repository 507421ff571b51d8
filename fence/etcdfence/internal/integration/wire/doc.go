// Package wire is a proxy on loopback between an etcd client and a server in
// tests. It reads the frames of HTTP/2, so it can count calls by their method,
// lose the answer to one call, and hold one back; and it can make a round trip
// longer without making calls wait for each other.
package wire
