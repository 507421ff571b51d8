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
// of rows of the same package and store, its columns aligned.
func WriteTo(w io.Writer, rows []*Row) (int64, error) {
	var total int64
	for i := 0; i < len(rows); {
		n := 1
		for i+n < len(rows) && rows[i+n].Pkg == rows[i].Pkg && rows[i+n].Store == rows[i].Store {
			n++
		}
		text := formatSection(rows[i : i+n])
		if i > 0 {
			text = "\n" + text
		}
		written, err := io.WriteString(w, text)
		total += int64(written)
		if err != nil {
			return total, fmt.Errorf("write models: %w", err)
		}
		i += n
	}
	return total, nil
}

// formatSection returns the header and lines of rows of one package and store.
func formatSection(rows []*Row) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace("["+rows[0].Pkg+"] "+rows[0].Store) + "\n")
	var width [3]int
	cells := make([][3]string, len(rows))
	for i, r := range rows {
		cells[i] = [3]string{r.name(), r.role(), r.subject()}
		for j, cell := range cells[i] {
			width[j] = max(width[j], len(cell))
		}
	}
	for i, r := range rows {
		c := cells[i]
		line := fmt.Sprintf("%-*s  %-*s  %-*s  %s", width[0], c[0], width[1], c[1], width[2], c[2], r.Note)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// role returns the role column: the flags and the role.
func (r *Row) role() string {
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
	return role
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
