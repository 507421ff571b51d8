package sqltext

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"SELECT * FROM t WHERE a = ? AND (b < $2 OR c IS NULL) FOR UPDATE SKIP LOCKED; COMMIT",
		"WITH g AS (SELECT 1 FROM x WHERE token = $1 FOR SHARE) UPDATE t SET a = CASE WHEN b THEN 1 ELSE a END WHERE EXISTS (SELECT 1 FROM g)",
		"INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT (a) DO UPDATE SET b = EXCLUDED.b WHERE t.v < EXCLUDED.v RETURNING *",
		"INSERT IGNORE INTO t SET a = 'x\\'y', b = \"z\" ON DUPLICATE KEY UPDATE c = IF(VALUES(v) > v, VALUES(c), c)",
		"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND t.v = 1 THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1)",
		"UPDATE t SET (a, b) = ROW(1, ?x) FROM [u] AS t WHERE (c, d) = (:n, @@v) AND e::text ~* $$x$$ AND f BETWEEN 1 AND 2",
		"DELETE FROM \uFFFDt\uFFFD WHERE \uFFFD AND a = $\uFFFD \uFFFD; %[1]s {{.X}} CASE WHEN ((( END",
		"CREATE TRIGGER x BEGIN UPDATE t SET a = 1; END; EXEC @r = sp_getapplock @Resource = 'x', @LockOwner = 'Session'",
		"-- name: X :exec\nSELECT sqlc.arg(x), pg_advisory_lock(hashtext($1)), E'\\'' 'a''b' /* open",
		"UPDATE t USING TIMESTAMP ? SET a = 1 WHERE k = ? IF v = ? AND w IN (1,2)",
		"(((SELECT 1)))) UNION ((SELECT 2", "'\\' '\\' '\\'", "COPY t FROM", "WITH", "UPDATE", "a.b.c..d", "?|?&?||?",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			t.Skip()
		}
		a := Parse(text)
		require.Equal(t, a, Parse(text))
		for _, s := range a {
			checkStatement(t, text, s)
		}
	})
}

var ops = map[string]bool{"=": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true, "in": true, "is": true, "isnull": true,
	"notnull": true, "like": true, "between": true, "not": true, "exists": true, "notexists": true, "or": true, "other": true}

func checkStatement(t *testing.T, text string, s Statement) {
	require.NotEqual(t, "invalid", s.Verb.String())
	require.NotEqual(t, "invalid", s.Guard().Kind.String())
	require.Equal(t, strings.ToLower(s.Table), s.Table)
	if utf8.ValidString(text) && s.Guard().Kind == Owner {
		require.NotEmpty(t, s.Guard().Cond.Column)
	}
	for _, list := range [][]Cond{s.Where, s.ConflictWhere} {
		for _, c := range list {
			require.True(t, ops[c.Op], "op %q", c.Op)
			require.Equal(t, c.Op == "or", len(c.Or) > 0)
		}
	}
	if len(s.ConflictWhere) > 0 {
		require.Equal(t, UpdateWhere, s.Conflict)
	}
	for _, sub := range append(s.With, s.Exists...) {
		checkStatement(t, text, sub)
		if sub.ForUpdate {
			require.True(t, s.ForUpdate)
		}
	}
}

// TestDeep repeats what opens and does not close, where recursion would go deep
// and scans start over.
func TestDeep(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"(", "case ", "{{", "(select ", "a or ", "'\\' ", "a=(", "with a as (", "not ", "insert into t select ", "$a$"} {
		require.NotPanics(t, func() { Parse("select * from t where " + strings.Repeat(unit, 10000)) }, unit)
		require.NotPanics(t, func() { Parse(strings.Repeat(unit, 10000)) }, unit)
	}
}

// TestTwice nests what two clauses could both read, which would double the work
// at every level.
func TestTwice(t *testing.T) {
	t.Parallel()
	for _, level := range [][2]string{
		{"update t set a = case when x in (", ") then 1 else a end"},
		{"insert into t values ((", "))"},
		{"insert into t (", ")"},
		{"merge into t using (", ") s on a when matched and exists (select 1) then update set a = 1"},
		{"select 1 from (", ") where a in (select 1)"},
		{"with a as (", ") select 1"},
		{"update t set a = 1 from (", ") s where s.a = 1"},
	} {
		text := strings.Repeat(level[0], 50) + "select 1" + strings.Repeat(level[1], 50)
		require.Len(t, Parse(text), 1, level[0])
	}
}

func BenchmarkParse(b *testing.B) {
	text := `WITH g AS MATERIALIZED (SELECT 1 FROM fence_guard WHERE resource=$1 AND issuer=$2 AND token=$3 AND owner=$4 FOR SHARE)
UPDATE jobs SET state='done', n=n+1, finished_at=now() WHERE id=$5 AND EXISTS(SELECT 1 FROM g)`
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Parse(text)
	}
}
