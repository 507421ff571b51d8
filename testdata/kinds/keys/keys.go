// Package keys makes keys for the packages beside it.
package keys

import "strings"

// Key joins the parts of a key.
func Key(parts ...string) string { return strings.Join(parts, ":") }
