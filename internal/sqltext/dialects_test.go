package sqltext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMySQL(t *testing.T) {
	t.Parallel()
	check(t, []sqlCase{
		{"SELECT `id` FROM `db`.`jobs` WHERE `status` = \"new\" LOCK IN SHARE MODE", `select jobs where status = 'new' +lock`, "status status"},
		{`SELECT id FROM jobs WHERE id = ? FOR UPDATE NOWAIT`, `select jobs where id = ?1 +lock +nowait`, "none"},
		{`UPDATE LOW_PRIORITY IGNORE t SET a = ?, b = b + ? WHERE id = ? LIMIT 1`, `update t set a=?1 b={b + ?}~ where id = ?3`, "none"},
		{`UPDATE t SET a = ? WHERE id = ? AND version <=> ?`, `update t set a=?1 where id = ?2 & version = ?3`, "version version ?3"},
		{`UPDATE t JOIN u ON t.id = u.id SET t.a = u.a WHERE u.lock_version = ?`, `update t set a=u.a where lock_version = ?1`, "version lock_version ?1"},
		{`UPDATE fence_guard SET token=?,owner=?,n=n+1 WHERE resource=? AND issuer=? AND (token<? OR (token=? AND owner=?))`,
			`update fence_guard set token=?1 owner=?2 n={n+1}~ where resource = ?3 & issuer = ?4 & (token < ?5 | token = ?6 & owner = ?7)`, "version token ?5"},
		{`UPDATE shedlock SET lock_until = ?, locked_at = ?, locked_by = ? WHERE name = ? AND lock_until <= ?`,
			`update shedlock set lock_until=?1 locked_at=?2 locked_by=?3 where name = ?4 & lock_until <= ?5`, "expiry lock_until ?5"},
		{`UPDATE jobs SET owner = ? WHERE id = ? AND owner IS NULL`, `update jobs set owner=?1 where id = ?2 & owner isnull`, "status owner"},
		{`UPDATE jobs SET worker_id = ? WHERE id = ? AND worker_id = ?`, `update jobs set worker_id=?1 where id = ?2 & worker_id = ?3`, "owner worker_id ?3"},
		{`UPDATE users SET name = ? WHERE id = ? AND access_token = ?`, `update users set name=?1 where id = ?2 & access_token = ?3`, "none"},
		{`UPDATE apps SET n = ? WHERE id = ? AND version = 2`, `update apps set n=?1 where id = ?2 & version = '2'`, "none"},
		{`DELETE FROM locks WHERE name = ? AND expires_at < NOW() - INTERVAL 5 MINUTE`,
			`delete locks where name = ?1 & expires_at < now`, "expiry expires_at"},
		{`DELETE FROM logs WHERE created_at < DATE_SUB(UTC_TIMESTAMP(6), INTERVAL ? DAY) ORDER BY id LIMIT 1000`,
			`delete logs where created_at < now`, "by age created_at"},
		{`DELETE t FROM tasks t WHERE t.created_at BETWEEN ? AND ? AND t.kind = ?`,
			`delete tasks where created_at between ?1 & kind = ?3`, "by age created_at ?1"},
		{`DELETE FROM t WHERE a NOT IN (?, ?) AND b NOT LIKE 'x%' AND NOT c`, `delete t where a not ?1 & b not 'x%' & c not`, "none"},
		{`DELETE FROM t WHERE (a = ? AND (b = ? AND (c != ?)))`, `delete t where a = ?1 & b = ?2 & c != ?3`, "none"},
		{`INSERT IGNORE INTO locks (name) VALUES (?)`, `insert locks (name) values ?1 do-nothing`, "create only"},
		{`INSERT INTO t SET a = ?, b = NOW()`, `insert t (a,b) values ?1, now`, "none"},
		{`INSERT INTO t (a, b) VALUES (?, ?), (?, ?)`, `insert t (a,b) values ?1, ?2`, "none"},
		{`INSERT t (a) VALUE (DEFAULT)`, `insert t (a) values 'default'`, "none"},
		{`INSERT INTO kv (k, v) VALUES (?, ?) ON DUPLICATE KEY UPDATE v = VALUES(v)`,
			`insert kv (k,v) values ?1, ?2 set v=excluded.v do-update`, "none"},
		{`INSERT INTO kv (k,v,token) VALUES (?,?,?) ON DUPLICATE KEY UPDATE v=IF(VALUES(token)>token,VALUES(v),v), token=GREATEST(token,VALUES(token))`,
			`insert kv (k,v,token) values ?1, ?2, ?3 set v={if(values(token)>token,values(v),v)}~[token < excluded.token] ` +
				`token={greatest(token,values(token))}~[token < {greatest(token,values(token))}] ` +
				`do-update-where token < excluded.token & token < {greatest(token,values(token))}`, "version token"},
		{`INSERT INTO kv (k,v,token) VALUES (?,?,?) ON DUPLICATE KEY UPDATE v=VALUES(v), token=IF(VALUES(token)>token,VALUES(token),token)`,
			`insert kv (k,v,token) values ?1, ?2, ?3 set v=excluded.v token={if(values(token)>token,values(token),token)}~[token < excluded.token] do-update`, "none"},
		{`INSERT INTO h (a, b) SELECT a, b FROM t WHERE id = ?`, `insert h (a,b) select values a, b where id = ?1`, "none"},
		{`REPLACE INTO kv (k, v) VALUES (?, ?)`, `replace kv (k,v) values ?1, ?2 do-update`, "none"},
		{`TRUNCATE t`, `truncate t`, "none"},
		{`CALL cleanup(?)`, `call cleanup`, "none"},
		{`LOAD DATA LOCAL INFILE 'x' INTO TABLE t`, `copy t`, "none"},
		{`START TRANSACTION`, `begin`, "none"},
		{`SET SESSION wait_timeout = 10`, `set`, "none"},
		{`LOCK TABLES t WRITE`, `lock table t`, "none"},
		{`UNLOCK TABLES`, `other`, "none"},
		{`UPDATE t SET a = IF(token < ?, ?, a) WHERE id = ?`, `update t set a={if(token < ?, ?, a)}~[token < ?1] where id = ?3`, "none"},
		{`UPDATE t SET a = 'O\'Brien' WHERE id = ?`, `update t set a='O'Brien' where id = ?1`, "none"},
	})
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	check(t, []sqlCase{
		{`BEGIN IMMEDIATE`, `begin`, "none"},
		{`COMMIT`, `commit`, "none"},
		{`END TRANSACTION`, `commit`, "none"},
		{`ROLLBACK`, `rollback`, "none"},
		{`SAVEPOINT a`, `other`, "none"},
		{`PRAGMA journal_mode = WAL`, `other`, "none"},
		{`SELECT * FROM t WHERE id = ?2 AND a = ?1`, `select t where id = ?2 & a = ?1`, "none"},
		{`SELECT * FROM [my table] WHERE id = :id`, `select my table where id = :id`, "none"},
		{`INSERT OR IGNORE INTO locks(name, owner) VALUES (:name, :owner)`, `insert locks (name,owner) values :name, :owner do-nothing`, "create only"},
		{`INSERT OR REPLACE INTO locks(name, owner) VALUES (?, ?)`, `insert locks (name,owner) values ?1, ?2 do-update`, "none"},
		{`INSERT OR ABORT INTO t VALUES (1, -2, 'x', NULL)`, `insert t values '1', '-2', 'x', 'null'`, "none"},
		{`INSERT INTO t DEFAULT VALUES`, `insert t`, "none"},
		{`INSERT INTO t(k, n) VALUES(?, 1) ON CONFLICT(k) DO UPDATE SET n = n + 1`, `insert t (k,n) values ?1, '1' set n={n + 1}~ do-update`, "none"},
		{`INSERT INTO l(name, owner, expires) VALUES(?,?,?) ON CONFLICT(name) DO UPDATE SET owner=excluded.owner, expires=excluded.expires WHERE l.expires < datetime('now') OR l.owner = excluded.owner`,
			`insert l (name,owner,expires) values ?1, ?2, ?3 set owner=excluded.owner expires=excluded.expires do-update-where (expires < now | owner = excluded.owner)`, "expiry expires"},
		{`INSERT INTO t(a) SELECT ? WHERE changes() = 0`, `insert t (a) select values ?1 where other '0'`, "none"},
		{`UPDATE OR ROLLBACK t SET a = @a WHERE rowid = @id`, `update t set a=:a where rowid = :id`, "none"},
		{`UPDATE t SET a = $val WHERE id = $id`, `update t set a=:val where id = :id`, "none"},
		{`UPDATE t SET a = ? WHERE id IS ?`, `update t set a=?1 where id is ?2`, "none"},
		{`UPDATE t SET a = ? WHERE id = ? AND gen IS ?`, `update t set a=?1 where id = ?2 & gen is ?3`, "version gen ?3"},
		{`UPDATE l SET heartbeat_at = strftime('%s','now') WHERE name = ? AND holder == ?`, `update l set heartbeat_at=now where name = ?1 & holder = ?2`, "owner holder ?2"},
		{`UPDATE l SET owner = ? WHERE name = ? AND heartbeat_at + 30 < unixepoch()`, `update l set owner=?1 where name = ?2 & heartbeat_at < now`, "expiry heartbeat_at"},
		{`UPDATE t SET done = 1 WHERE id = ? AND done = 0`, `update t set done='1' where id = ?1 & done = '0'`, "status done"},
		{`UPDATE t SET locked = 1 WHERE id = ? AND NOT locked`, `update t set locked='1' where id = ?1 & locked not`, "status locked"},
		{`UPDATE t SET a = ? WHERE id = ? AND ready`, `update t set a=?1 where id = ?2 & ready is 'true'`, "none"},
		{`DELETE FROM t WHERE rowid IN (SELECT rowid FROM t WHERE ts < ? LIMIT 10)`, `delete t where rowid in {(select rowid from t where ts < ? limit 10)}`, "none"},
		{`DELETE FROM sessions WHERE expires_at <= strftime('%s', 'now')`, `delete sessions where expires_at <= now`, "expiry expires_at"},
		{`DELETE FROM t WHERE a ISNULL AND b NOTNULL AND c GLOB 'x*' AND d IS NOT ?`, `delete t where a isnull & b notnull & c like 'x*' & d not ?1`, "none"},
		{`DELETE FROM t`, `delete t`, "none"},
		{`VACUUM`, `other`, "none"},
		{`WITH x AS (SELECT 1) DELETE FROM t WHERE id IN (SELECT * FROM x)`, `delete t where id in {(select * from x)}`, "none"},
		{`WITH x(a) AS (VALUES (1)), y AS NOT MATERIALIZED (SELECT * FROM x) SELECT * FROM y`, `select y`, "none"},
		{`CREATE TRIGGER a AFTER INSERT ON t BEGIN UPDATE u SET n = CASE WHEN n > 1 THEN 1 ELSE 2 END; DELETE FROM v; END`, `ddl`, "none"},
	})
}

func TestOtherDialects(t *testing.T) {
	t.Parallel()
	check(t, []sqlCase{
		{`SELECT TOP 1 id FROM [dbo].[locks] WITH (UPDLOCK, READPAST) WHERE name = @p1`, `select locks where name = ?1 +lock +skip`, "none"},
		{`UPDATE l SET owner = @p1 OUTPUT inserted.id FROM dbo.locks l WHERE l.row_version = @p2`,
			`update locks set owner=?1 where row_version = ?2 +returning`, "version row_version ?2"},
		{`INSERT INTO locks (name, owner) VALUES (?, ?) IF NOT EXISTS USING TTL 30`, `insert locks (name,owner) values ?1, ?2 do-nothing`, "create only"},
		{`UPDATE locks SET owner = ? WHERE name = ? IF owner = ? AND epoch < ?`, `update locks set owner=?1 where name = ?2 & owner = ?3 & epoch < ?4`, "version epoch ?4"},
		{`DELETE FROM locks WHERE name = ? IF owner = ?`, `delete locks where name = ?1 & owner = ?2`, "owner owner ?2"},
		{`UPDATE kv USING TIMESTAMP ? SET v = ? WHERE k = ?`, `update kv set v=?2 where k = ?3`, "version timestamp ?1"},
		{`UPSERT INTO kv (k, v) VALUES ($1, $2)`, `replace kv (k,v) values ?1, ?2 do-update`, "none"},
		{`UPDATE t SET a = :1 WHERE id = :2`, `update t set a=?1 where id = ?2`, "none"},
		{`UPDATE t SET a = ?0 WHERE id = ?id`, `update t set a=?0 where id = :id`, "none"},
	})
}

func TestHoles(t *testing.T) {
	t.Parallel()
	check(t, []sqlCase{
		{"DELETE FROM \uFFFD WHERE name = $1", `delete where name = ?1`, "none"},
		{"DELETE FROM \uFFFDlocks WHERE name = $1", "delete \uFFFDlocks where name = ?1", "none"},
		{"DELETE FROM \uFFFD.locks WHERE name = $1", `delete locks where name = ?1`, "none"},
		{"DELETE FROM \"\uFFFD\".\"locks\" WHERE name = $1", `delete locks where name = ?1`, "none"},
		{"DELETE FROM locks\uFFFD", "delete locks\uFFFD +partial", "none"},
		{"DELETE FROM locks \uFFFD", `delete locks +partial`, "none"},
		{"DELETE FROM locks WHERE \uFFFD", `delete locks where other hole +partial`, "none"},
		{"DELETE FROM locks WHERE name = ?\uFFFD", `delete locks where name = ?1 +partial`, "none"},
		{"DELETE FROM locks WHERE (name = ? \uFFFD)", `delete locks where name = ?1 +partial`, "none"},
		{"DELETE FROM locks WHERE name = ? AND \uFFFD = ?", `delete locks where name = ?1 & = ?2`, "none"},
		{"DELETE FROM locks WHERE name IN (\uFFFD)", `delete locks where name in hole`, "none"},
		{"DELETE FROM locks WHERE name = $\uFFFD AND owner = $\uFFFD", `delete locks where name = ?0 & owner = ?0`, "owner owner ?0"},
		{"DELETE FROM locks WHERE name = '\uFFFD'", "delete locks where name = '\uFFFD'", "none"},
		{"DELETE FROM locks WHERE ", `delete locks +partial`, "none"},
		{"UPDATE \uFFFD SET \uFFFD WHERE id = ?", `update where id = ?1`, "none"},
		{"UPDATE t SET a = ? WHERE id = ? ORDER BY a \uFFFD", `update t set a=?1 where id = ?2`, "none"},
		{"INSERT INTO t (\uFFFD) VALUES (\uFFFD)", `insert t () values hole`, "none"},
		{"SELECT * FROM t WHERE id = ? FOR UPDATE\uFFFD", `select t where id = ?1 +lock`, "none"},
		{"\uFFFD", `unknown +partial`, "none"},
		{"\uFFFD FROM t", `unknown +partial`, "none"},
		{"DELETE FROM %s WHERE name = ?", `delete where name = ?1`, "none"},
		{"DELETE FROM %[1]s.locks WHERE name = ?", `delete locks where name = ?1`, "none"},
		{"DELETE FROM {{.Table}} WHERE name = ?", `delete where name = ?1`, "none"},
	})
}

func TestProse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"update failed", "delete the user", "insert record failed: boom", "call failed with 3", "lock not held",
		"commit failed", "begin work on it, then rest", "hello", "?!", "with prefix", "truncate head is not done"} {
		all := Parse(text)
		require.Len(t, all, 1, text)
		if text == "begin work on it, then rest" {
			continue // reads like BEGIN WORK
		}
		require.Equal(t, Unknown, all[0].Verb, text)
		require.False(t, all[0].Writes(), text)
	}
	require.Empty(t, Parse(""))
	require.Empty(t, Parse(" ; -- nothing\n;/* open"))
}

func TestScript(t *testing.T) {
	t.Parallel()
	all := Parse(`BEGIN; UPDATE a SET n = ? WHERE id = ?; DELETE FROM b WHERE id = ?; COMMIT;`)
	require.Len(t, all, 4)
	require.Equal(t, `begin`, describe(all[0]))
	require.Equal(t, `update a set n=?1 where id = ?2`, describe(all[1]))
	require.Equal(t, `delete b where id = ?3`, describe(all[2]), "placeholders are counted over the whole text")
	require.Equal(t, `commit`, describe(all[3]))
}

func TestNested(t *testing.T) {
	t.Parallel()
	s := Parse(`WITH gone AS (DELETE FROM a WHERE id = $1 RETURNING id), kept AS (SELECT id FROM b WHERE x IN (SELECT x FROM c WHERE y = $2))
		SELECT * FROM gone JOIN kept USING (id)`)[0]
	require.Equal(t, Select, s.Verb)
	require.True(t, s.Writes())
	require.Len(t, s.With, 2)
	require.Equal(t, "gone", s.With[0].Name)
	require.Equal(t, "delete a where id = ?1 +returning", describe(s.With[0]))
	require.Len(t, s.With[1].Exists, 1)
	require.Equal(t, "select c where y = ?2", describe(s.With[1].Exists[0]))
	require.Equal(t, []string{"x"}, s.With[1].Where[0].Columns)
}

func TestWrites(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"SELECT 1":                   false,
		"INSERT INTO t(a) VALUES(1)": true,
		"CALL p()":                   true,
		"EXEC sp_getapplock @Resource = 'a', @LockMode = 'Exclusive'": false,
		"COPY t TO STDOUT":      false,
		"COPY t FROM STDIN":     true,
		"CREATE TABLE t(a int)": false,
		"WITH a AS (WITH b AS (UPDATE t SET a = 1) SELECT 1) SELECT 1": true,
	} {
		require.Equal(t, want, Parse(text)[0].Writes(), text)
	}
}
