package driver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/scanner"
	"go/token"
	"strings"

	"github.com/fencelint/fencelint/internal/report"
)

// fingerprint names a finding by what stays when code moves or is formatted:
// the rule, the package, the function and the tokens of what is marked. Findings
// that are equal in all of that are told apart by number.
func fingerprint(f report.Finding, function, marked string) string {
	h := sha256.New()
	for _, part := range []string{f.Rule, f.Category, f.Package, function, tokens(marked)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// number gives equal fingerprints an ordinal, in order of position.
func number(findings []report.Finding) {
	seen := map[string]int{}
	for i := range findings {
		print := &findings[i].Fingerprint
		seen[*print]++
		if n := seen[*print]; n > 1 {
			*print += fmt.Sprintf(":%d", n)
		}
	}
}

// tokens returns a text without its spacing and comments, or the comment if it
// holds nothing else.
func tokens(text string) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	src := []byte(text)
	s.Init(fset.AddFile("", fset.Base(), len(src)), src, func(token.Position, string) {}, 0)
	var out []string
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		if lit == "" {
			lit = tok.String()
		}
		out = append(out, lit)
	}
	if len(out) == 0 {
		return strings.TrimSpace(text)
	}
	return strings.Join(out, " ")
}
