package sqlfence

import "strings"

// A place is where records are: a table and its columns.
type place struct {
	table, key, issuer, token, owner string
	upsert                           bool // the row is the guard's own, so a registration may make it
}

// guardTexts are the statements of a Guard. Arguments: $1 key; for register
// and check $2 issuer, $3 token, $4 owner; for claim $2 owner; for adopt the
// next issuer, token and owner, and then the seen ones. The statements of
// register and claim are tried in turn until one changes or returns a row.
type guardTexts struct {
	place
	register []statement
	claim    []statement
	read     statement
	adopt    statement
	check    statement // locks the record
}

func newGuardTexts(d Dialect, p place) guardTexts {
	texts := func(templates []string) []statement {
		all := make([]statement, len(templates))
		for i, t := range templates {
			all[i] = d.bind(p.fill(t))
		}
		return all
	}
	t := guardTexts{place: p}
	switch {
	case d == MySQL && p.upsert:
		t.register, t.claim = texts(mysqlRegister), texts(mysqlClaim)
	case d == MySQL:
		t.register, t.claim = texts(mysqlColumnsRegister), texts(mysqlColumnsClaim)
	case p.upsert:
		t.register, t.claim = texts(register), texts(claim)
	default:
		t.register, t.claim = texts(columnsRegister), texts(columnsClaim)
	}
	t.read = d.bind(p.fill(read))
	t.adopt = d.bind(p.fill(adopt))
	t.check = d.bind(p.fill(check) + lockClause[d])
	return t
}

func (p place) fill(template string) string {
	return strings.NewReplacer("{table}", p.table, "{key}", p.key, "{issuer}", p.issuer, "{token}", p.token, "{owner}", p.owner).Replace(template)
}

// lockClause keeps the record as it is until the transaction ends. FOR NO KEY
// UPDATE, not FOR SHARE: overlapping shares of an old holder's transactions
// keep a new holder out for as long as they overlap. SQLite has one writer.
var lockClause = [...]string{
	PostgreSQL: " FOR NO KEY UPDATE",
	MySQL:      " FOR UPDATE",
	SQLite:     "",
}

// shareClause is for one statement, which is over before shares can pile up.
var shareClause = [...]string{
	PostgreSQL: " FOR SHARE",
	MySQL:      " LOCK IN SHARE MODE",
	SQLite:     "",
}

const (
	read  = `SELECT {issuer}, {token}, {owner} FROM {table} WHERE {key} = $1`
	check = `SELECT 1 FROM {table} WHERE {key} = $1 AND {issuer} = $2 AND {token} = $3 AND {owner} = $4`
	adopt = `UPDATE {table} SET {issuer} = $2, {token} = $3, {owner} = $4
WHERE {key} = $1 AND {issuer} = $5 AND {token} = $6 AND {owner} = $7`
)

// 4611686018427387904 is driver.MaxToken.

var (
	register = []string{`INSERT INTO {table} AS g ({key}, {issuer}, {token}, {owner}) VALUES ($1, $2, $3, $4)
ON CONFLICT ({key}) DO UPDATE SET {token} = excluded.{token}, {owner} = excluded.{owner}
WHERE g.{issuer} = excluded.{issuer} AND (g.{token} < excluded.{token} OR (g.{token} = excluded.{token} AND g.{owner} = excluded.{owner}))`}

	claim = []string{`INSERT INTO {table} AS g ({key}, {issuer}, {token}, {owner}) VALUES ($1, 'store', 1, $2)
ON CONFLICT ({key}) DO UPDATE SET
	{token} = CASE WHEN g.{owner} = excluded.{owner} THEN g.{token} ELSE g.{token} + 1 END,
	{owner} = excluded.{owner}
WHERE g.{issuer} = 'store' AND (g.{owner} = excluded.{owner} OR g.{token} < 4611686018427387904)
RETURNING {token}`}

	columnsRegister = []string{`UPDATE {table} SET {issuer} = $2, {token} = $3, {owner} = $4
WHERE {key} = $1 AND ({issuer} IS NULL OR ({issuer} = $2 AND ({token} < $3 OR ({token} = $3 AND {owner} = $4))))`}

	columnsClaim = []string{`UPDATE {table} SET
	{token} = CASE WHEN {issuer} IS NULL THEN 1 WHEN {owner} = $2 THEN {token} ELSE {token} + 1 END,
	{owner} = $2, {issuer} = 'store'
WHERE {key} = $1 AND ({issuer} IS NULL OR ({issuer} = 'store' AND ({owner} = $2 OR {token} < 4611686018427387904)))
RETURNING {token}`}
)

// MySQL has no conditional upsert. The row is missing once in the life of a
// resource; after it was made, perhaps by somebody else, the rule decides
// again. Columns are set from left to right, and each sees those before it.
var (
	mysqlColumnsRegister = columnsRegister

	mysqlRegister = []string{
		mysqlRegisterUpdate,
		`INSERT IGNORE INTO {table} ({key}, {issuer}, {token}, {owner}) VALUES ($1, $2, $3, $4)`,
		mysqlRegisterUpdate,
	}

	mysqlColumnsClaim = []string{`UPDATE {table} SET
	{token} = LAST_INSERT_ID(CASE WHEN {issuer} IS NULL THEN 1 WHEN {owner} = $2 THEN {token} ELSE {token} + 1 END),
	{owner} = $2, {issuer} = 'store'
WHERE {key} = $1 AND ({issuer} IS NULL OR ({issuer} = 'store' AND ({owner} = $2 OR {token} < 4611686018427387904)))`}

	mysqlClaim = []string{
		mysqlClaimUpdate,
		`INSERT IGNORE INTO {table} ({key}, {issuer}, {token}, {owner}) VALUES ($1, 'store', 0, '')`, // no record yet
		mysqlClaimUpdate,
	}
)

const (
	mysqlRegisterUpdate = `UPDATE {table} SET {token} = $3, {owner} = $4
WHERE {key} = $1 AND {issuer} = $2 AND ({token} < $3 OR ({token} = $3 AND {owner} = $4))`

	mysqlClaimUpdate = `UPDATE {table} SET
	{token} = LAST_INSERT_ID(IF({owner} = $2, {token}, {token} + 1)),
	{owner} = $2
WHERE {key} = $1 AND {issuer} = 'store' AND ({owner} = $2 OR {token} < 4611686018427387904)`
)
