package driver

import (
	"fmt"
	"strings"
)

// A Token is the number of one ownership. Tokens of one issuer and one name
// grow with every ownership. Zero means that there is none: the lock issues no
// ordered token.
type Token int64

// MaxToken is the greatest token that is accepted. A greater one, sent by
// mistake or by malice, would lock every later holder out for ever.
const MaxToken Token = 1 << 62

// String returns the token as 19 decimal digits, so that the order of the text
// is the order of the numbers. This is the form to store. It is the whole
// token: do not log it, log the [Grant].
func (t Token) String() string { return fmt.Sprintf("%019d", int64(t)) }

// WellFormed reports, as an [*InvalidError], a token below 1 or above
// [MaxToken]. It says nothing about ownership.
func (t Token) WellFormed() error {
	switch {
	case t <= 0:
		return &InvalidError{What: "token", Reason: "is not positive"}
	case t > MaxToken:
		return &InvalidError{What: "token", Reason: "is above 2^62"}
	}
	return nil
}

// ParseToken reads what [Token.String] wrote, or the same number with fewer
// leading zeros. It refuses signs, spaces, more than 19 digits and whatever
// [Token.WellFormed] refuses, with an [*InvalidError].
func ParseToken(s string) (Token, error) {
	if s == "" || len(s) > 19 {
		return 0, &InvalidError{What: "token", Reason: "does not have 1 to 19 digits"}
	}
	var n uint64 // 19 digits fit: 10^19 < 2^64
	for i := range len(s) {
		c := s[i]
		if c < '0' || c > '9' {
			return 0, &InvalidError{What: "token", Reason: "is not decimal"}
		}
		n = n*10 + uint64(c-'0')
	}
	if n > uint64(MaxToken) {
		return 0, &InvalidError{What: "token", Reason: "is above 2^62"}
	}
	t := Token(n)
	return t, t.WellFormed()
}

// short drops at least the first digit and keeps at most the last three.
func (t Token) short() string {
	s := strings.TrimLeft(t.String(), "0")
	return "…" + s[max(min(1, len(s)), len(s)-3):]
}
