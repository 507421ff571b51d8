package sqltext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// sqlCase is one statement, what it says, and its guard as "kind column
// placeholder".
type sqlCase struct {
	text, want, guard string
}

func check(t *testing.T, cases []sqlCase) {
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			all := Parse(c.text)
			require.Len(t, all, 1)
			require.Equal(t, c.want, describe(all[0]))
			require.Equal(t, c.guard, guardText(all[0].Guard()))
		})
	}
}

func guardText(g Guard) string {
	s := g.Kind.String()
	if g.Cond.Column != "" {
		s += " " + g.Cond.Column
	}
	if v := g.Cond.Value; v.Kind == Placeholder {
		s += " " + value(v)
	}
	return s
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	check(t, []sqlCase{
		{`SELECT * FROM jobs WHERE id = $1`, `select jobs where id = ?1`, "none"},
		{`select id from public."Jobs" j where j.state = 'new' order by id limit 1 for update skip locked`,
			`select jobs where state = 'new' +lock +skip`, "status state"},
		{`SELECT 1 FROM guard WHERE resource=$1 AND token=$2 FOR NO KEY UPDATE NOWAIT`,
			`select guard where resource = ?1 & token = ?2 +lock +nowait`, "version token ?2"},
		{`SELECT a FROM t WHERE b = $1 UNION ALL SELECT a FROM u FOR SHARE`, `select t where b = ?1 +lock`, "none"},
		{`(SELECT a FROM t WHERE b = $1) UNION SELECT 1`, `select t where b = ?1`, "none"},
		{`SELECT x FROM (SELECT y FROM t FOR UPDATE) s WHERE x IS NOT NULL`, `select where x notnull +lock`, "none"},
		{`UPDATE jobs SET state = 'done' WHERE id = $1`, `update jobs set state='done' where id = ?1`, "none"},
		{`UPDATE jobs SET state = 'running' WHERE id = $1 AND state = 'pending'`,
			`update jobs set state='running' where id = ?1 & state = 'pending'`, "status state"},
		{`UPDATE ONLY app.jobs AS j SET n = j.n + 1, seen = now() WHERE j.id = $1 RETURNING n`,
			`update jobs set n={j.n + 1}~ seen=now where id = ?1 +returning`, "none"},
		{`UPDATE docs SET body=$1, version=version+1 WHERE id=$2 AND version=$3`,
			`update docs set body=?1 version={version+1}~ where id = ?2 & version = ?3`, "version version ?3"},
		{`UPDATE docs SET body=$1 WHERE id=$2 AND (fence_token IS NULL OR fence_token <= $3)`,
			`update docs set body=?1 where id = ?2 & (fence_token isnull | fence_token <= ?3)`, "version fence_token ?3"},
		{`UPDATE docs SET body=$1 WHERE id=$2 AND version > $3`, `update docs set body=?1 where id = ?2 & version > ?3`, "none"},
		{`UPDATE docs SET body=$1 WHERE id=$2 AND $3 >= epoch`, `update docs set body=?1 where id = ?2 & epoch <= ?3`, "version epoch ?3"},
		{`UPDATE docs SET body=$1 WHERE (id, revision) = ($2, $3)`, `update docs set body=?1 where id = ?2 & revision = ?3`, "version revision ?3"},
		{`UPDATE docs SET (body, n) = ($1, n + $2) WHERE id = $3`, `update docs set body=?1 n={n + ?}~ where id = ?3`, "none"},
		{`UPDATE t SET a = $1 WHERE id = $2 AND xmin = $3::text::xid`, `update t set a=?1 where id = ?2 & xmin = ?3`, "version xmin ?3"},
		{`UPDATE t SET a = $1 WHERE id = $2 AND etag IS NOT DISTINCT FROM $3`, `update t set a=?1 where id = ?2 & etag = ?3`, "version etag ?3"},
		{`UPDATE t SET hash = $1 WHERE id = $2 AND hash = $3`, `update t set hash=?1 where id = ?2 & hash = ?3`, "version hash ?3"},
		{`UPDATE runs SET n = $3, output = $2 WHERE id = $1`, `update runs set n=?3 output=?2 where id = ?1`, "none"},
		{`UPDATE acc SET low = LEAST(low, $1), rest = LEAST(rest, $1) + 1, tags = array_remove(tags, $3) WHERE id = $2`,
			`update acc set low={least(low, ?)}~! rest={least(rest, ?) + 1}~ tags={array_remove(tags, ?)}~! where id = ?2`, "none"},
		{`UPDATE acc SET bal = bal - $1 WHERE id = $2 AND bal >= $1`, `update acc set bal={bal - ?}~ where id = ?2 & bal >= ?1`, "none"},
		{`UPDATE t SET seq = $1 WHERE id = $2 AND seq < $1`, `update t set seq=?1 where id = ?2 & seq < ?1`, "version seq ?1"},
		{`UPDATE t SET claimed_at = now() WHERE id = $1 AND claimed_at IS NULL`,
			`update t set claimed_at=now where id = ?1 & claimed_at isnull`, "status claimed_at"},
		{`UPDATE leases SET owner = $1, expires_at = now() + $2 * interval '1 second' WHERE name = $3 AND (owner = $1 OR expires_at < now())`,
			`update leases set owner=?1 expires_at=now where name = ?3 & (owner = ?1 | expires_at < now)`, "expiry expires_at"},
		{`UPDATE leases SET expires_at = $1 WHERE name = $2 AND locked_by = $3`,
			`update leases set expires_at=?1 where name = ?2 & locked_by = ?3`, "owner locked_by ?3"},
		{`UPDATE leases SET expires_at = $1 WHERE name = $2`, `update leases set expires_at=?1 where name = ?2`, "none"},
		{`UPDATE jobs j SET state = 'x' FROM (SELECT id FROM jobs WHERE state = 'new' LIMIT 1 FOR UPDATE SKIP LOCKED) s WHERE j.id = s.id`,
			`update jobs set state='x' where id = s.id +lock +skip`, "guard row state"},
		{`WITH g AS MATERIALIZED (SELECT 1 FROM guard WHERE resource=$1 AND token=$2 FOR SHARE) UPDATE t SET a=$3 WHERE id=$4 AND EXISTS(SELECT 1 FROM g)`,
			`update t set a=?3 where id = ?4 & exists +lock`, "guard row token ?2"},
		{`UPDATE t SET a=$1 WHERE id=$2 AND EXISTS(SELECT 1 FROM guard WHERE token=$3)`,
			`update t set a=?1 where id = ?2 & exists`, "unlocked guard token ?3"},
		{`UPDATE t SET a=$1 WHERE id=$2 AND NOT EXISTS (SELECT 1 FROM gone WHERE id=$2)`,
			`update t set a=?1 where id = ?2 & notexists`, "create only"},
		{`DELETE FROM locks WHERE name = $1`, `delete locks where name = ?1`, "none"},
		{`DELETE FROM locks WHERE name = $1 AND owner = $2`, `delete locks where name = ?1 & owner = ?2`, "owner owner ?2"},
		{`DELETE FROM locks WHERE name = $1 OR owner = $2`, `delete locks where (name = ?1 | owner = ?2)`, "none"},
		{`DELETE FROM events e USING streams s WHERE e.sid = s.id AND e.created_at < now() - interval '7 days'`,
			`delete events where sid = s.id & created_at < now`, "by age created_at"},
		{`DELETE FROM workers WHERE worker_id = $1`, `delete workers where worker_id = ?1`, "none"},
		{`DELETE FROM t WHERE id = ANY($1)`, `delete t where id in {any(?)}`, "none"},
		{`INSERT INTO locks (name, owner) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
			`insert locks (name,owner) values ?1, ?2 do-nothing`, "create only"},
		{`INSERT INTO kv AS k (id, v, version) VALUES ($1,$2,$3) ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v, version = EXCLUDED.version WHERE k.version < EXCLUDED.version RETURNING id`,
			`insert kv (id,v,version) values ?1, ?2, ?3 set v=excluded.v version=excluded.version do-update-where version < excluded.version +returning`, "version version"},
		{`INSERT INTO kv (id, v) VALUES ($1,$2) ON CONFLICT (id) WHERE live DO UPDATE SET v = $2`,
			`insert kv (id,v) values ?1, ?2 set v=?2 do-update`, "none"},
		{`INSERT INTO kv (id, v) VALUES ($1,$2) ON CONFLICT (id) DO UPDATE SET v = $2 WHERE kv.id = $1`,
			`insert kv (id,v) values ?1, ?2 set v=?2 do-update-where id = ?1`, "none"},
		{`INSERT INTO kv (id, v) VALUES ($1,$2) ON CONFLICT (id) DO UPDATE SET v = $2 WHERE kv.sealed = false`,
			`insert kv (id,v) values ?1, ?2 set v=?2 do-update-where sealed = 'false'`, "conditional sealed"},
		{`INSERT INTO t (a, b) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM t WHERE a = $1)`,
			`insert t (a,b) select values ?1, ?2 where notexists`, "create only"},
		{`MERGE INTO t USING (VALUES ($1,$2)) s(id,v) ON t.id = s.id WHEN MATCHED AND t.version = $3 THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)`,
			`merge t (id,v) values s.id, s.v set v=s.v do-update-where version = ?3`, "version version ?3"},
		{`TRUNCATE TABLE ONLY t`, `truncate t`, "none"},
		{`COPY t (a) FROM STDIN`, `copy t`, "none"},
		{`COPY t TO STDOUT`, `select t`, "none"},
		{`LOCK TABLE app.t IN EXCLUSIVE MODE`, `lock table t`, "none"},
		{`BEGIN ISOLATION LEVEL SERIALIZABLE`, `begin`, "none"},
		{`ROLLBACK TO SAVEPOINT a`, `other`, "none"},
		{`CREATE TABLE IF NOT EXISTS app.locks (name text PRIMARY KEY)`, `ddl locks`, "none"},
		{`DO $$ BEGIN DELETE FROM t; END $$`, `other`, "none"},
		{"-- name: ReleaseLock :execrows\nDELETE FROM locks /* by name; only */ WHERE name = @name AND holder = sqlc.arg(holder)",
			`delete locks where name = :name & holder = :holder`, "owner holder :holder"},
		{`UPDATE t SET a = 'it''s; fine', b = E'x\'y' WHERE c LIKE 'a\_%' ESCAPE '\' AND token = $1`,
			`update t set a='it's; fine' b='x'y' where c like 'a_%' & token = ?1`, "version token ?1"},
	})
}

// What a SELECT is about stands behind the names of its CTEs.
func TestSource(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SELECT a FROM jobs": "jobs",
		"WITH locked_job AS (SELECT id FROM jobs WHERE id = $1 FOR UPDATE) SELECT * FROM locked_job":      "jobs",
		"WITH a AS (SELECT 1 FROM jobs), b AS (SELECT 2 FROM a) SELECT * FROM b":                          "jobs",
		"WITH a AS (SELECT 1 FROM other) SELECT * FROM jobs":                                              "jobs",
		"WITH done AS (UPDATE jobs SET done = true WHERE id = $1 RETURNING id) SELECT count(*) FROM done": "jobs",
	} {
		st := Parse(text)
		require.Len(t, st, 1, text)
		require.Equal(t, want, st[0].Source(), text)
	}
}
