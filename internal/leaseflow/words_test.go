package leaseflow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"":                  nil,
		"lockKey":           {"lock", "key"},
		"LockKey":           {"lock", "key"},
		"HTTPLock":          {"http", "lock"},
		"userID":            {"user", "id"},
		"LOCK_KEY":          {"lock", "key"},
		"job:lock:%s":       {"job", "lock", "s"},
		"/locks/prod-eu/x1": {"locks", "prod", "eu", "x"},
		"isLeader2":         {"is", "leader"},
		"\uFFFDlock\uFFFD":  {"lock"},
		"schlüsselSperre":   {"schlüssel", "sperre"},
		"123":               nil,
	} {
		require.Equal(t, want, split(in), "%q", in)
	}
}

func TestHasWord(t *testing.T) {
	t.Parallel()
	for _, yes := range []string{"lock", "lock:orders", "tenantLock", "joblock", "redislock", "JOBLOCK", "unlock", "Unlock", "LOCKKEY", "mutex/", "lease#7", "leader", "leaderElection", "isPrimary", "claim", "distmutex", "tryLock", "locks"} {
		require.True(t, hasWord(lockWords, yes), yes)
	}
	for _, no := range []string{"", "block", "blockNumber", "unblock", "clock", "clockSkew", "wallclock", "leaderboard", "stock", "stock:42", "release", "releases", "please", "reclaim", "blockchain", "blocklist", "deadlock", "key", "flag", "cache", "claims:42x"[7:], "o'clock"[2:]} {
		require.False(t, hasWord(lockWords, no), no)
	}
	require.True(t, hasWord(lockWords, "cache", "nothing", "orderLock"), "any of the names will do")
	require.False(t, hasWord(releaseWords, "Acquire", "TryLock"))
	require.True(t, hasWord(releaseWords, "GiveBack", "ReleaseLock"))
}

func TestLooksLikeTest(t *testing.T) {
	t.Parallel()
	for _, yes := range []string{"fakeLocker", "MockStore", "stubClient", "TestHelper", "lock_test"} {
		require.True(t, looksLikeTest(yes), yes)
	}
	for _, no := range []string{"Latest", "contest", "attestation", "Locker", "protester"} {
		require.False(t, looksLikeTest(no), no)
	}
}
