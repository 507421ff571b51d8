package models

import (
	"fmt"
	"io"
	"strings"
)

// Format returns rows in the form that Load reads.
func Format(rows []*Row) string {
	var b strings.Builder
	_, _ = WriteTo(&b, rows) // a Builder returns no error
	return b.String()
}

// WriteTo writes rows in the form that Load reads, one section for each run
// of rows of the same package and store.
func WriteTo(w io.Writer, rows []*Row) (int64, error) {
	var total int64
	var pkg, store string
	for i, r := range rows {
		var text string
		if i == 0 || r.Pkg != pkg || r.Store != store {
			if i > 0 {
				text = "\n"
			}
			pkg, store = r.Pkg, r.Store
			text += strings.TrimSpace("["+pkg+"] "+store) + "\n"
		}
		n, err := io.WriteString(w, text+r.line()+"\n")
		total += int64(n)
		if err != nil {
			return total, fmt.Errorf("write models: %w", err)
		}
	}
	return total, nil
}

// line returns the row as a line of a section.
func (r *Row) line() string {
	role := string(r.Role)
	if r.KeyOnly {
		role = keyOnlyPrefix + role
	}
	if r.Safe {
		role = safePrefix + role
	}
	if r.Candidate {
		role = candidatePrefix + role
	}
	line := r.name() + "\t" + role + "\t" + r.subject()
	if r.Note != "" {
		line += "\t" + r.Note
	}
	return line
}

// subject returns the subject column, in the order of Words.
func (r *Row) subject() string {
	var parts []string
	for _, word := range words {
		if places := r.Subject[word]; len(places) > 0 {
			alts := make([]string, len(places))
			for i, p := range places {
				alts[i] = p.String()
			}
			parts = append(parts, word+"="+strings.Join(alts, "/"))
		}
		if v, ok := r.Attr[word]; ok {
			parts = append(parts, word+"="+v)
		}
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ";")
}
