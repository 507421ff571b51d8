package models

import (
	"fmt"
	"slices"
	"strings"
)

// Prefixes of the role column, each for a flag of the row.
const (
	candidatePrefix = "candidate:"
	safePrefix      = "safe:"
	keyOnlyPrefix   = "keyonly:"
)

// maxExpand bounds the rows that one line with {a,b} lists stands for.
const maxExpand = 256

// A header is the line that begins a section.
type header struct {
	pkgs  []string
	store string // "" when the line names none
}

// parseHeader parses "[path path] store".
func parseHeader(line string) (header, error) {
	line = strings.TrimSpace(line)
	inner, store, ok := strings.Cut(strings.TrimPrefix(line, "["), "]")
	if !ok {
		return header{}, fmt.Errorf("header %q has no ]", line)
	}
	h := header{pkgs: strings.Fields(inner), store: strings.TrimSpace(store)}
	if len(h.pkgs) == 0 {
		return header{}, fmt.Errorf("header %q names no package path", line)
	}
	for _, p := range h.pkgs {
		if strings.ContainsAny(p, "[]{}()*\"`\\") {
			return header{}, fmt.Errorf("header %q: %q is no package path", line, p)
		}
		if unvendor(p) != p {
			return header{}, fmt.Errorf("header %q: write %q without what leads to vendor/", line, p)
		}
	}
	if i := strings.IndexFunc(h.store, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }); i >= 0 {
		return header{}, fmt.Errorf("header %q: the store %q has more than lower case letters and digits", line, h.store)
	}
	return h, nil
}

// parseLine parses "names role subject note" into rows without package,
// store and source.
func parseLine(line string) ([]*Row, error) {
	name, rest := cutField(line)
	role, rest := cutField(rest)
	subject, note := cutField(rest)
	if role == "" {
		return nil, fmt.Errorf("row %q has no role", strings.TrimSpace(line))
	}
	if subject == "" {
		return nil, fmt.Errorf("row %q has no subject; write - for none", strings.TrimSpace(line))
	}
	proto, err := parseRole(role)
	if err != nil {
		return nil, err
	}
	if err := parseSubject(&proto, subject); err != nil {
		return nil, err
	}
	proto.Note = strings.TrimSpace(note)
	names, err := expandNames(name)
	if err != nil {
		return nil, err
	}
	rows := make([]*Row, len(names))
	block := make([]Row, len(names)) // one allocation; the maps are shared and never written again
	for i, n := range names {
		block[i] = proto
		block[i].Recv, block[i].Name = n[0], n[1]
		rows[i] = &block[i]
	}
	return rows, nil
}

// cutField returns the first run of non-blanks and what follows it.
func cutField(s string) (field, rest string) {
	s = strings.TrimLeft(s, " \t\r")
	if i := strings.IndexAny(s, " \t\r"); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

func parseRole(s string) (Row, error) {
	var r Row
	for name := s; ; {
		switch {
		case strings.HasPrefix(name, candidatePrefix):
			r.Candidate, name = true, name[len(candidatePrefix):]
		case strings.HasPrefix(name, safePrefix):
			r.Safe, name = true, name[len(safePrefix):]
		case strings.HasPrefix(name, keyOnlyPrefix):
			r.KeyOnly, name = true, name[len(keyOnlyPrefix):]
		default:
			r.Role = Role(name)
			if !slices.Contains(Roles(), r.Role) {
				return r, fmt.Errorf("role %q is unknown; allowed, after candidate:, safe: or keyonly:, are %s", name, join(Roles()))
			}
			if r.Safe && r.KeyOnly {
				return r, fmt.Errorf("role %q is both safe and keyonly", s)
			}
			return r, nil
		}
	}
}

// parseSubject parses "word=place/place;word=value" or "-".
func parseSubject(r *Row, s string) error {
	if s == "-" {
		return nil
	}
	for part := range strings.SplitSeq(s, ";") {
		word, value, ok := strings.Cut(part, "=")
		if !ok || value == "" {
			return fmt.Errorf("subject %q: %q is no word=place", s, part)
		}
		if !slices.Contains(words, word) {
			return fmt.Errorf("subject %q: the word %q is unknown; allowed are %s", s, word, join(words))
		}
		if r.Subject[word] != nil || r.Attr[word] != "" {
			return fmt.Errorf("subject %q: the word %q comes twice", s, word)
		}
		if isAttr(value) {
			if r.Attr == nil {
				r.Attr = make(map[string]string)
			}
			r.Attr[word] = value
			continue
		}
		if r.Subject == nil {
			r.Subject = make(map[string][]Place)
		}
		for alt := range strings.SplitSeq(value, "/") {
			p, err := ParsePlace(alt)
			if err != nil {
				return fmt.Errorf("subject %q: %w", s, err)
			}
			r.Subject[word] = append(r.Subject[word], p)
		}
	}
	return nil
}

// isAttr reports whether a value is a plain lower case word such as nx and
// not a place, nor an attempt at one.
func isAttr(value string) bool {
	for _, root := range []string{Recv, Arg, Result, "res"} {
		if strings.HasPrefix(value, root) {
			return false
		}
	}
	for _, r := range value {
		if (r < 'a' || r > 'z') && r != '-' {
			return false
		}
	}
	return true
}

// expandNames turns "{A,B}.C" into the pairs (A,C) and (B,C).
func expandNames(s string) ([][2]string, error) {
	bad := fmt.Errorf("name %q is none of Func, Type.Method, Type.(), with {A,B} for several", s)
	first, rest, ok := cutList(s)
	if !ok {
		return nil, bad
	}
	if rest == "" {
		names := make([][2]string, len(first))
		for i, f := range first {
			names[i] = [2]string{"", f}
		}
		return names, nil
	}
	second := []string{""}
	if rest != callSuffix {
		after, dotted := strings.CutPrefix(rest, ".")
		if second, rest, ok = cutList(after); !ok || !dotted || rest != "" {
			return nil, bad
		}
	}
	if len(first)*len(second) > maxExpand {
		return nil, fmt.Errorf("name %q stands for more than %d rows", s, maxExpand)
	}
	var names [][2]string
	for _, recv := range first {
		for _, name := range second {
			names = append(names, [2]string{recv, name})
		}
	}
	return names, nil
}

// cutList cuts "A" or "{A,B}" off the front of s.
func cutList(s string) (list []string, rest string, ok bool) {
	if inner, found := strings.CutPrefix(s, "{"); found {
		inner, rest, ok = strings.Cut(inner, "}")
		list = strings.Split(inner, ",")
	} else {
		i := strings.IndexByte(s, '.')
		if i < 0 {
			i = len(s)
		}
		list, rest, ok = []string{s[:i]}, s[i:], true
	}
	for _, name := range list {
		ok = ok && isIdent(name)
	}
	return list, rest, ok
}

func isIdent(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

func join[S ~string](list []S) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(s))
	}
	return b.String()
}
