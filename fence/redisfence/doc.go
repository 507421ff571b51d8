// Package redisfence keeps leases and guards in Redis.
package redisfence
