package driver

import "time"

// MaxName is the greatest length, in bytes, of a name, resource, owner, issuer
// or request id.
const MaxName = 128

// WellFormedName reports, as an [*InvalidError], a text that may not be used
// as a name, resource, owner, issuer or request id. Allowed are 1 to [MaxName]
// bytes of A-Z, a-z, 0-9, '_', '.' and '-'. The characters ':' and '/' separate
// such texts in stores and headers, so they cannot be part of one. what names
// the text in the error; the text itself is not repeated there.
func WellFormedName(what, s string) error {
	switch {
	case s == "":
		return &InvalidError{What: what, Reason: "is empty"}
	case len(s) > MaxName:
		return &InvalidError{What: what, Reason: "is longer than 128 bytes"}
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '.', c == '-':
		default:
			return &InvalidError{What: what, Reason: "has a character outside A-Z a-z 0-9 _ . -"}
		}
	}
	return nil
}

// MinTTL is the shortest lease: stores count in milliseconds.
const MinTTL = time.Millisecond

// WellFormedTTL reports, as an [*InvalidError], a duration shorter than
// [MinTTL].
func WellFormedTTL(d time.Duration) error {
	if d < MinTTL {
		return &InvalidError{What: "ttl", Reason: "is shorter than 1ms"}
	}
	return nil
}
