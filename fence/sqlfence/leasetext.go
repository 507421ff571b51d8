package sqlfence

// leaseTexts are the statements of a Locker. Arguments: $1 name; then for
// acquire and first $2 owner and $3 TTL in microseconds, for extend and
// release $2 token and $3 owner, for extend $4 TTL, for raise $2 token.
type leaseTexts struct {
	acquire statement // returns the token, or on MySQL its number; nothing if the lock is held
	first   statement // MySQL: makes the row
	extend  statement
	release statement
	issued  statement
	raise   statement
}

func newLeaseTexts(d Dialect) leaseTexts {
	var t [6]string
	switch d {
	case PostgreSQL:
		t = postgresLease
	case MySQL:
		t = mysqlLease
	case SQLite:
		t = sqliteLease
	}
	return leaseTexts{d.bind(t[0]), d.bind(t[1]), d.bind(t[2]), d.bind(t[3]), d.bind(t[4]), d.bind(t[5])}
}

// A repeated acquire of one owner keeps its token. Whether its lease is alive
// decides on two columns, so it is judged by one reading of the clock, that in
// EXCLUDED; whether another may take over is judged when the row is locked.
var postgresLease = [6]string{
	`INSERT INTO fence_lease AS l (name, token, issued, owner, expires_at)
VALUES ($1, 1, 1, $2, clock_timestamp() + $3::bigint * interval '1 microsecond')
ON CONFLICT (name) DO UPDATE SET
	token = CASE WHEN l.owner = EXCLUDED.owner AND l.expires_at > EXCLUDED.expires_at - $3::bigint * interval '1 microsecond' THEN l.token ELSE l.issued + 1 END,
	issued = CASE WHEN l.owner = EXCLUDED.owner AND l.expires_at > EXCLUDED.expires_at - $3::bigint * interval '1 microsecond' THEN l.issued ELSE l.issued + 1 END,
	owner = EXCLUDED.owner,
	expires_at = clock_timestamp() + $3::bigint * interval '1 microsecond'
WHERE l.owner IS NULL OR l.owner = EXCLUDED.owner OR l.expires_at <= clock_timestamp()
RETURNING token, (SELECT id FROM fence_issuer)`,
	``,
	`UPDATE fence_lease SET expires_at = clock_timestamp() + $4::bigint * interval '1 microsecond'
WHERE name = $1 AND token = $2 AND owner = $3 AND expires_at > clock_timestamp()`,
	`UPDATE fence_lease SET owner = NULL, expires_at = '-infinity'
WHERE name = $1 AND token = $2 AND owner = $3 AND expires_at > clock_timestamp()`,
	`SELECT issued FROM fence_lease WHERE name = $1`,
	`INSERT INTO fence_lease AS l (name, token, issued, expires_at) VALUES ($1, 0, $2, '-infinity')
ON CONFLICT (name) DO UPDATE SET issued = GREATEST(l.issued, EXCLUDED.issued)`,
}

// MySQL sets columns from left to right and each sees those before it, so the
// owner and the expiry, by which the others are judged, come last. n makes
// every change count as one, also if the clock has not moved.
var mysqlLease = [6]string{
	`UPDATE fence_lease SET
	token = LAST_INSERT_ID(IF(owner = $2 AND expires_at > UTC_TIMESTAMP(6), token, issued + 1)),
	issued = IF(owner = $2 AND expires_at > UTC_TIMESTAMP(6), issued, issued + 1),
	owner = $2,
	expires_at = UTC_TIMESTAMP(6) + INTERVAL $3 MICROSECOND,
	n = n + 1
WHERE name = $1 AND (owner IS NULL OR owner = $2 OR expires_at <= UTC_TIMESTAMP(6))`,
	`INSERT IGNORE INTO fence_lease (name, token, issued, owner, expires_at, n)
VALUES ($1, 1, 1, $2, UTC_TIMESTAMP(6) + INTERVAL $3 MICROSECOND, 0)`,
	`UPDATE fence_lease SET expires_at = UTC_TIMESTAMP(6) + INTERVAL $4 MICROSECOND, n = n + 1
WHERE name = $1 AND token = $2 AND owner = $3 AND expires_at > UTC_TIMESTAMP(6)`,
	`UPDATE fence_lease SET owner = NULL, expires_at = '1970-01-01 00:00:01'
WHERE name = $1 AND token = $2 AND owner = $3 AND expires_at > UTC_TIMESTAMP(6)`,
	`SELECT issued FROM fence_lease WHERE name = $1`,
	`INSERT INTO fence_lease (name, token, issued, expires_at, n) VALUES ($1, 0, $2, '1970-01-01 00:00:01', 0)
ON DUPLICATE KEY UPDATE issued = GREATEST(issued, VALUES(issued))`,
}

var sqliteLease = [6]string{
	`INSERT INTO fence_lease AS l (name, token, issued, owner, expires_at) VALUES ($1, 1, 1, $2, $now + $3)
ON CONFLICT (name) DO UPDATE SET
	token = CASE WHEN l.owner = excluded.owner AND l.expires_at > $now THEN l.token ELSE l.issued + 1 END,
	issued = CASE WHEN l.owner = excluded.owner AND l.expires_at > $now THEN l.issued ELSE l.issued + 1 END,
	owner = excluded.owner,
	expires_at = excluded.expires_at
WHERE l.owner IS NULL OR l.owner = excluded.owner OR l.expires_at <= $now
RETURNING token, (SELECT id FROM fence_issuer)`,
	``,
	`UPDATE fence_lease SET expires_at = $now + $4
WHERE name = $1 AND token = $2 AND owner = $3 AND expires_at > $now`,
	`UPDATE fence_lease SET owner = NULL, expires_at = 0
WHERE name = $1 AND token = $2 AND owner = $3 AND expires_at > $now`,
	`SELECT issued FROM fence_lease WHERE name = $1`,
	`INSERT INTO fence_lease AS l (name, token, issued, expires_at) VALUES ($1, 0, $2, 0)
ON CONFLICT (name) DO UPDATE SET issued = max(l.issued, excluded.issued)`,
}
