package sqlfence

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

func TestBind(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.UnixMicro(77) }
	tests := []struct {
		d     Dialect
		text  string
		want  string
		given []any
		args  []any
	}{
		{PostgreSQL, "a = $1 AND b = $2 OR a = $1", "a = $1 AND b = $2 OR a = $1", []any{1, 2}, []any{1, 2}},
		{SQLite, "a = $1 AND b = $2 OR a = $1", "a = ?1 AND b = ?2 OR a = ?1", []any{1, 2}, []any{1, 2}},
		{MySQL, "a = $2 AND b = $1 OR a = $2", "a = ? AND b = ? OR a = ?", []any{1, 2}, []any{2, 1, 2}},
		{SQLite, "a = $now AND b = $1 AND c > $now", "a = ?2 AND b = ?1 AND c > ?2", []any{1}, []any{1, int64(77)}},
		{SQLite, "SELECT $now", "SELECT ?1", nil, []any{int64(77)}},
	}
	for _, tt := range tests {
		s := tt.d.bind(tt.text)
		if s.text != tt.want {
			t.Errorf("%v: %q, want %q", tt.d, s.text, tt.want)
		}
		if args := s.args(now, tt.given...); !reflect.DeepEqual(args, tt.args) {
			t.Errorf("%v %q: arguments %v, want %v", tt.d, tt.text, args, tt.args)
		}
	}
}

func TestStatement(t *testing.T) {
	t.Parallel()
	grant := driver.Grant{Resource: "r", Issuer: "i", Owner: "o", Token: 7}
	tests := []struct {
		name  string
		d     Dialect
		query string
		table string // with the record apart
		row   string // with the record in the row
	}{
		{"postgres", PostgreSQL, "UPDATE t SET v = $1 WHERE id = $2 AND {fence} RETURNING v",
			"WITH fence_held AS MATERIALIZED (SELECT 1 FROM fence_guard WHERE resource = $3 AND issuer = $4 AND token = $5 AND owner = $6 FOR SHARE) " +
				"UPDATE t SET v = $1 WHERE id = $2 AND EXISTS (SELECT 1 FROM fence_held) RETURNING v",
			"UPDATE t SET v = $1 WHERE id = $2 AND id = $3 AND fence_issuer = $4 AND fence_token = $5 AND fence_owner = $6 RETURNING v"},
		{"mysql", MySQL, "UPDATE t SET v = ? WHERE id = ? AND {fence}",
			"UPDATE t SET v = ? WHERE id = ? AND EXISTS (SELECT 1 FROM fence_guard WHERE resource = ? AND issuer = ? AND token = ? AND owner = ? LOCK IN SHARE MODE)",
			"UPDATE t SET v = ? WHERE id = ? AND id = ? AND fence_issuer = ? AND fence_token = ? AND fence_owner = ?"},
		{"sqlite", SQLite, "UPDATE t SET v = ? WHERE id = ? AND {fence}",
			"UPDATE t SET v = ? WHERE id = ? AND EXISTS (SELECT 1 FROM fence_guard WHERE resource = ? AND issuer = ? AND token = ? AND owner = ?)",
			"UPDATE t SET v = ? WHERE id = ? AND id = ? AND fence_issuer = ? AND fence_token = ? AND fence_owner = ?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			table, err := NewGuard(silent(t), tt.d)
			if err != nil {
				t.Fatal(err)
			}
			row, err := NewColumns(silent(t), tt.d, "t", "id", WithKey(func(resource string) any { return len(resource) }))
			if err != nil {
				t.Fatal(err)
			}
			for _, form := range []struct {
				guard *Guard
				text  string
				args  []any
			}{
				{table, tt.table, []any{"v", 3, "r", "i", int64(7), "o"}},
				{row, tt.row, []any{"v", 3, 1, "i", int64(7), "o"}},
			} {
				text, args, err := form.guard.Statement(grant, tt.query, "v", 3)
				if err != nil {
					t.Fatal(err)
				}
				if text != form.text {
					t.Errorf("got  %s\nwant %s", text, form.text)
				}
				if !reflect.DeepEqual(args, form.args) {
					t.Errorf("arguments %v, want %v", args, form.args)
				}
			}
		})
	}
}

func TestMarkerForms(t *testing.T) {
	t.Parallel()
	good := []string{
		"UPDATE t SET v = $1 WHERE {fence}",
		"update t set v = $1 where (a = 1 or b = 2) and\n\t{fence}",
		"DELETE FROM t WHERE note = 'this or that' AND {fence}",
		"DELETE FROM t WHERE a = 1 /* or so */ AND {fence} -- or not\n",
		"INSERT INTO t (a) SELECT $1 WHERE {fence} ON CONFLICT DO NOTHING",
		"INSERT INTO t SELECT a, 1 FROM u WHERE {fence} GROUP BY a HAVING count(*) > 1",
		"DELETE FROM t WHERE {fence} /* the oldest */ ORDER BY a LIMIT 1",
		"UPDATE t SET ord = 1 WHERE floor = 2 AND {fence} RETURNING ord",
		"UPDATE OR IGNORE t SET v = 1 WHERE {fence}",
	}
	bad := map[string]string{
		"no marker":             "UPDATE t SET v = 1 WHERE id = 1",
		"two markers":           "UPDATE t SET v = 1 WHERE {fence} AND {fence}",
		"or before":             "UPDATE t SET v = 1 WHERE a = 1 OR b = 2 AND {fence}",
		"or just before":        "UPDATE t SET v = 1 WHERE a = 1 OR {fence}",
		"or after":              "UPDATE t SET v = 1 WHERE {fence} OR a = 1",
		"double bar":            "UPDATE t SET v = 1 WHERE a = 1 || b = 2 AND {fence}",
		"double bar after":      "UPDATE t SET v = 1 WHERE {fence} || 1",
		"xor":                   "UPDATE t SET v = 1 WHERE a = 1 XOR b = 2 AND {fence}",
		"and after":             "UPDATE t SET v = 1 WHERE {fence} AND a = 1",
		"between after":         "UPDATE t SET v = 1 WHERE {fence} BETWEEN 0 AND 1",
		"is after":              "UPDATE t SET v = 1 WHERE {fence} IS NOT NULL",
		"comparison after":      "UPDATE t SET v = 1 WHERE {fence} = FALSE",
		"inside a case":         "UPDATE t SET v = 1 WHERE a = CASE WHEN b AND {fence} THEN 1 END",
		"in a nested comment":   "UPDATE t SET v = 1 /* /* */ WHERE {fence} */",
		"not":                   "UPDATE t SET v = 1 WHERE NOT {fence}",
		"in a string":           "UPDATE t SET v = 'AND {fence}'",
		"in a comment":          "UPDATE t SET v = 1 WHERE a = 1 -- AND {fence}",
		"in a block comment":    "UPDATE t SET v = 1 WHERE a = 1 /* AND {fence} */",
		"in parentheses":        "UPDATE t SET v = 1 WHERE (a = 1 AND {fence}) OR b = 2",
		"in a subquery":         "UPDATE t SET v = 1 WHERE a IN (SELECT a FROM u WHERE {fence})",
		"in the SET clause":     "UPDATE t SET v = 1 AND {fence}",
		"a select":              "SELECT * FROM t WHERE {fence}",
		"a with clause":         "WITH u AS (DELETE FROM v) UPDATE t SET v = 1 WHERE {fence}",
		"placeholder after":     "UPDATE t SET v = 1 WHERE {fence} LIMIT ?",
		"two statements":        "DELETE FROM t; UPDATE t SET v = 1 WHERE {fence}",
		"statement after":       "UPDATE t SET v = 1 WHERE {fence}; DELETE FROM t",
		"union after":           "INSERT INTO t SELECT 1 WHERE {fence} UNION SELECT 2",
		"backslash in a string": `UPDATE t SET v = 'a\' WHERE b = ' AND {fence}`,
		"empty":                 "",
		"the marker alone":      "{fence}",
	}
	for _, q := range good {
		if _, _, err := cutMarker(q, false); err != nil {
			t.Errorf("%q: %v", q, err)
		}
	}
	for what, q := range bad {
		if _, _, err := cutMarker(q, false); err == nil {
			t.Errorf("%s: %q is accepted", what, q)
		}
	}
	hash := "UPDATE t SET v = 1 WHERE a = 1 # AND {fence}"
	if _, _, err := cutMarker(hash, true); err == nil {
		t.Error("the marker is in a comment of MySQL")
	}
	if _, _, err := cutMarker("UPDATE t SET v = 1 WHERE data #> '{a}' = $1 AND {fence}", false); err != nil {
		t.Errorf("# is an operator in PostgreSQL: %v", err)
	}
}

// FuzzStatement: whatever is accepted keeps the user's text and puts the
// condition where the marker was, and the arguments fit the placeholders.
func FuzzStatement(f *testing.F) {
	f.Add("UPDATE t SET v = 1 WHERE id = 2 AND {fence}")
	f.Add("DELETE FROM t WHERE (a OR 'b') AND {fence} RETURNING a")
	f.Add("INSERT INTO t SELECT 1 WHERE {fence}/*")
	grant := driver.Grant{Resource: "r", Issuer: "i", Owner: "o", Token: 7}
	g, err := NewGuard(silentForFuzz(), MySQL)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		text, args, err := g.Statement(grant, query)
		if err != nil {
			return
		}
		head, tail, _ := strings.Cut(query, Marker)
		if !strings.HasPrefix(text, head+"EXISTS (") || !strings.HasSuffix(text, ")"+tail) {
			t.Errorf("%q became %q", query, text)
		}
		added := strings.Count(text, "?") - strings.Count(query, "?")
		if added != len(args) || len(args) != 4 {
			t.Errorf("%d placeholders were added for %d arguments", added, len(args))
		}
	})
}
