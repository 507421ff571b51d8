package suppress

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Verb is the word after "fencelint:".
type Verb string

// The verbs. Acquire to Fenced name the role of a function.
const (
	Ignore  Verb = "ignore"
	Limit   Verb = "limit"
	Acquire Verb = "acquire"
	Release Verb = "release"
	Check   Verb = "check"
	Write   Verb = "write"
	Fenced  Verb = "fenced"
)

// subjects names, for each role, the subjects it may be told about.
var subjects = map[Verb][]string{
	Acquire: {"key", "handle"},
	Release: {"key", "handle"},
	Check:   nil,
	Write:   nil,
	Fenced:  nil,
}

const prefix = "//fencelint:"

// statement is one directive as written, before it is tied to a place.
type statement struct {
	verb   Verb
	rules  []string // of ignore
	reason string   // of ignore and limit
	key    string   // of acquire and release, as written
	handle string
}

// isDirective reports whether a comment was meant as a directive. Those that
// only look like one (a space before the word, a block comment) count: to pass
// over them would leave their author believing that they work.
func isDirective(comment string) bool {
	body := strings.TrimLeftFunc(comment[min(len(comment), 2):], unicode.IsSpace)
	rest, ok := strings.CutPrefix(body, "fencelint:")
	if !ok {
		return false
	}
	if strings.HasPrefix(comment, prefix) {
		return true
	}
	word := rest[:wordEnd(rest)]
	_, role := subjects[Verb(word)]
	return role || Verb(word) == Ignore || Verb(word) == Limit
}

// parseStatement reads the text of one comment for which isDirective holds.
func parseStatement(comment string) (statement, error) {
	rest, ok := strings.CutPrefix(comment, prefix)
	if !ok {
		return statement{}, errors.New("a directive is a line comment that begins with //fencelint: without a space")
	}
	// A second comment on the line is no part of the directive: test files
	// write their expectations there.
	rest, _, _ = strings.Cut(rest, " //")
	end := wordEnd(rest)
	st := statement{verb: Verb(rest[:end])}
	rest = strings.TrimSpace(rest[end:])
	switch st.verb {
	case Ignore:
		return parseIgnore(st, rest)
	case Limit:
		if rest == "" {
			return st, errors.New("limit needs a reason")
		}
		st.reason = rest
		return st, nil
	}
	allowed, ok := subjects[st.verb]
	if !ok {
		return st, fmt.Errorf("unknown directive %q; there are ignore, limit, acquire, release, check, write and fenced", st.verb)
	}
	return parseRole(st, rest, allowed)
}

func parseIgnore(st statement, rest string) (statement, error) {
	end := wordEnd(rest)
	if end == 0 {
		return st, errors.New("ignore needs a rule and a reason")
	}
	for rule := range strings.SplitSeq(rest[:end], ",") {
		if rule == "" {
			return st, errors.New("ignore needs rule names separated by commas without spaces")
		}
		if slices.Contains(st.rules, rule) {
			return st, fmt.Errorf("rule %q is named twice", rule)
		}
		st.rules = append(st.rules, rule)
	}
	if st.reason = strings.TrimSpace(rest[end:]); st.reason == "" {
		return st, errors.New("ignore needs a reason after the rule")
	}
	return st, nil
}

func parseRole(st statement, rest string, allowed []string) (statement, error) {
	for field := range strings.FieldsSeq(rest) {
		name, value, ok := strings.Cut(field, "=")
		if !ok || value == "" || !slices.Contains(allowed, name) {
			if len(allowed) == 0 {
				return st, fmt.Errorf("%s takes nothing after it, found %q", st.verb, field)
			}
			return st, fmt.Errorf("%s takes key=ARG and handle=NAME, found %q", st.verb, field)
		}
		target := &st.key
		if name == "handle" {
			target = &st.handle
		}
		if *target != "" {
			return st, fmt.Errorf("%s is given twice", name)
		}
		*target = value
	}
	return st, nil
}

// wordEnd returns the length of the word that s begins with.
func wordEnd(s string) int {
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return i
	}
	return len(s)
}
