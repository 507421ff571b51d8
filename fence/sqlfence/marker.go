package sqlfence

import (
	"slices"
	"strings"

	"github.com/fencelint/fencelint/fence/driver"
)

// Marker stands in a statement for the condition that the guard shows the
// grant, see [Guard.Statement].
const Marker = "{fence}"

// Statement gives the text and arguments of one guarded statement, for those
// who run it themselves; [Guard.Exec] also explains a refusal. query is one
// UPDATE, INSERT … SELECT or DELETE in the dialect's placeholders with exactly
// one [Marker], after the last placeholder and joined to the conditions by
// AND, as the last of them:
//
//	UPDATE account SET balance = $1 WHERE id = $2 AND {fence}
//	INSERT INTO entry (id, amount) SELECT $1, $2 WHERE {fence}
//
// With a guard of [NewGuard] the marker becomes an EXISTS over the guard's
// table that locks the record for the statement, on PostgreSQL with a WITH
// clause before it; MySQL wants FROM DUAL in a SELECT without a table. With a
// guard of [NewColumns] it becomes three conditions on the row.
//
// Errors: *driver.InvalidError for a bad grant or a query of another form, an
// OR beside the marker among them, for it would let writes past the guard.
func (g *Guard) Statement(grant driver.Grant, query string, args ...any) (string, []any, error) {
	if err := grant.WellFormed(); err != nil {
		return "", nil, err
	}
	head, tail, err := cutMarker(query, g.d == MySQL)
	if err != nil {
		return "", nil, err
	}
	n := len(args)
	args = append(args[:n:n], g.opts.key(grant.Resource), grant.Issuer, int64(grant.Token), grant.Owner)
	p := g.d.placeholder
	if !g.upsert {
		// The row is known by the user's own conditions as well; the key makes
		// sure that it is the one that the grant names.
		return head + g.key + " = " + p(n+1) + " AND " + g.issuer + " = " + p(n+2) + " AND " + g.token + " = " + p(n+3) + " AND " + g.owner + " = " + p(n+4) + tail, args, nil
	}
	record := "SELECT 1 FROM " + g.table + " WHERE " + g.key + " = " + p(n+1) + " AND " + g.issuer + " = " + p(n+2) + " AND " + g.token + " = " + p(n+3) + " AND " + g.owner + " = " + p(n+4) + shareClause[g.d]
	if g.d == PostgreSQL {
		// Evaluated once and with its lock, before the row is looked at.
		return "WITH fence_held AS MATERIALIZED (" + record + ") " + head + "EXISTS (SELECT 1 FROM fence_held)" + tail, args, nil
	}
	return head + "EXISTS (" + record + ")" + tail, args, nil
}

// clauses are the words that may follow a WHERE clause. Anything else would
// become part of the marker's condition, as IS NOT NULL would.
var clauses = []string{"GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH", "ON", "RETURNING"}

// cutMarker cuts the query at the marker and refuses forms in which the
// condition would not hold for every row that is changed.
func cutMarker(query string, hash bool) (head, tail string, err error) {
	bad := func(reason string) (string, string, error) {
		return "", "", &driver.InvalidError{What: "statement", Reason: reason}
	}
	head, tail, ok := strings.Cut(query, Marker)
	if !ok || strings.Contains(tail, Marker) {
		return bad("does not have exactly one " + Marker)
	}
	before, after := scan(head, hash), scan(tail, hash)
	if before.open || after.open {
		return bad("has " + Marker + " inside a quotation or comment")
	}
	if before.backslash || after.backslash {
		return bad("has a backslash in a quotation: make it an argument")
	}
	if after.placeholder {
		return bad("has a placeholder after " + Marker)
	}
	if len(before.words) == 0 {
		return bad("does not begin with UPDATE, INSERT or DELETE")
	}
	switch before.words[0].text {
	case "UPDATE", "INSERT", "DELETE":
	default:
		return bad("does not begin with UPDATE, INSERT or DELETE")
	}
	last := before.words[len(before.words)-1]
	if !last.ends || last.text != "AND" && last.text != "WHERE" {
		return bad("does not have AND or WHERE just before " + Marker)
	}
	where := false
	for _, w := range before.words {
		switch {
		case w.depth == 0 && w.text == "WHERE":
			where = true
		case w.depth == 0 && where && (w.text == "OR" || w.text == "XOR"):
			return bad("has OR beside " + Marker + ": put the other conditions in parentheses")
		}
	}
	if before.depth != 0 || !where {
		return bad("does not have " + Marker + " in its outer WHERE")
	}
	if after.sign || len(after.words) > 0 && !slices.Contains(clauses, after.words[0].text) {
		return bad("has something other than the next clause after " + Marker)
	}
	for _, w := range after.words {
		if w.depth == 0 && (w.text == "OR" || w.text == "XOR") {
			return bad("has conditions after " + Marker)
		}
		if w.text == "UNION" {
			return bad("has a UNION after " + Marker)
		}
	}
	if after.semicolon || before.semicolon {
		return bad("has more than one statement")
	}
	return head, tail, nil
}
