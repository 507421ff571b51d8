package sqltext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLocks(t *testing.T) {
	t.Parallel()
	first := Value{Kind: Placeholder, Index: 1}
	for _, c := range []struct {
		text string
		want []LockCall
	}{
		{"SELECT pg_advisory_lock($1)", []LockCall{{Func: "pg_advisory_lock", Kind: Acquire, Args: []Value{first}}}},
		{"SELECT pg_try_advisory_lock_shared($1, 7)", []LockCall{{Func: "pg_try_advisory_lock_shared", Kind: TryAcquire, Shared: true,
			Args: []Value{first, {Kind: Literal, Text: "7"}}}}},
		{"select pg_catalog.pg_try_advisory_xact_lock($1::bigint)", []LockCall{{Func: "pg_try_advisory_xact_lock", Kind: TryAcquire, Scope: Transaction, Args: []Value{first}}}},
		{"SELECT pg_advisory_xact_lock(hashtext($1))", []LockCall{{Func: "pg_advisory_xact_lock", Kind: Acquire, Scope: Transaction,
			Args: []Value{{Kind: Expr, Index: 1, Text: "hashtext(?)"}}}}},
		{"SELECT pg_advisory_unlock($1)", []LockCall{{Func: "pg_advisory_unlock", Kind: Release, Args: []Value{first}}}},
		{"SELECT pg_advisory_unlock_all()", []LockCall{{Func: "pg_advisory_unlock_all", Kind: Release}}},
		{"UPDATE t SET a = 1 WHERE id IN (SELECT id FROM t WHERE pg_try_advisory_xact_lock(id))", []LockCall{{Func: "pg_try_advisory_xact_lock",
			Kind: TryAcquire, Scope: Transaction, Args: []Value{{Kind: Column, Text: "id", Columns: []string{"id"}}}}}},
		{"SELECT GET_LOCK(?, 10)", []LockCall{{Func: "get_lock", Kind: TryAcquire, Args: []Value{first, {Kind: Literal, Text: "10"}}}}},
		{"DO RELEASE_LOCK('job')", []LockCall{{Func: "release_lock", Kind: Release, Args: []Value{{Kind: Literal, Text: "job"}}}}},
		{"SELECT RELEASE_ALL_LOCKS()", []LockCall{{Func: "release_all_locks", Kind: Release}}},
		{"SELECT IS_FREE_LOCK(?), IS_USED_LOCK(?)", []LockCall{{Func: "is_free_lock", Kind: Check, Args: []Value{first}},
			{Func: "is_used_lock", Kind: Check, Args: []Value{{Kind: Placeholder, Index: 2}}}}},
		{"EXEC @r = sp_getapplock @Resource = @p1, @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0",
			[]LockCall{{Func: "sp_getapplock", Kind: Acquire, Args: []Value{first}}}},
		{"EXEC sp_getapplock @LockMode = 'Shared', @Resource = 'job'",
			[]LockCall{{Func: "sp_getapplock", Kind: Acquire, Scope: Transaction, Shared: true, Args: []Value{{Kind: Literal, Text: "job"}}}}},
		{"EXEC sp_releaseapplock 'job', 'Session'", []LockCall{{Func: "sp_releaseapplock", Kind: Release, Args: []Value{{Kind: Literal, Text: "job"}}}}},
		{"SELECT pg_advisory_lock FROM t", nil},
		{"SELECT 'pg_advisory_lock(1)' -- pg_advisory_lock(2)", nil},
	} {
		require.Equal(t, c.want, Parse(c.text)[0].Locks, c.text)
	}
}
