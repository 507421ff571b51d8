package leaseflow

import (
	"strings"
	"unicode"
)

// lockWords tell a lock from a marker, a cache entry or a rate limit: of the
// real locks that were judged, 22 of 24 carry one of them in the key, its
// helper, the function or the type; of 17 look-alikes none does.
var lockWords = map[string]bool{
	"lock": true, "locks": true, "locker": true, "lockers": true, "locked": true, "locking": true,
	"unlock": true, "unlocker": true, "relock": true, "trylock": true, "lk": true, "lck": true,
	"mutex": true, "mutexes": true, "mtx": true, "lease": true, "leases": true, "leased": true, "leaser": true,
	"leader": true, "leaders": true, "leadership": true, "elector": true, "election": true,
	"claim": true, "claimed": true, "primary": true, "exclusive": true, "semaphore": true,
	"lockfile": true, "flock": true, "singleton": true, "joblock": true, "dlock": true,
}

// onceWords name marks that are set so that something does not happen again for
// a while: they are there to run out, whatever else is said around them.
var onceWords = map[string]bool{
	"replay": true, "throttle": true, "throttled": true, "cooldown": true, "debounce": true, "dedup": true, "dedupe": true, "deduplicate": true,
}

// releaseWords name what ends or prolongs a holding.
var releaseWords = map[string]bool{
	"unlock": true, "release": true, "free": true, "drop": true, "leave": true, "resign": true, "giveup": true,
	"relinquish": true, "abandon": true, "close": true, "end": true, "clear": true, "done": true, "finish": true,
	"stop": true, "renew": true, "refresh": true, "extend": true, "keepalive": true, "heartbeat": true, "touch": true,
	"prolong": true, "unclaim": true, "forget": true, "cleanup": true, "steal": true,
}

// split cuts an identifier, a key or a path into lower-case words.
func split(s string) []string {
	var words []string
	var cur []rune
	flush := func() {
		if len(cur) > 0 {
			words = append(words, strings.ToLower(string(cur)))
			cur = cur[:0]
		}
	}
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			flush()
			continue
		case unicode.IsUpper(r):
			prevLower := i > 0 && unicode.IsLower(runes[i-1])
			nextLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if prevLower || nextLower && i > 0 && unicode.IsUpper(runes[i-1]) {
				flush()
			}
		}
		cur = append(cur, r)
	}
	flush()
	return words
}

// hasWord reports whether one of names holds one of the words. Words that are
// written together ("redislock", "LOCKKEY") count when they begin or end so.
func hasWord(words map[string]bool, names ...string) bool {
	for _, n := range names {
		for _, w := range split(n) {
			if words[w] {
				return true
			}
			if len(w) > 5 && isLockCompound(words, w) {
				return true
			}
		}
	}
	return false
}

// notCompounds end or begin in a lock word by chance.
var notCompounds = []string{"block", "clock", "leaderboard", "unblock", "blocked", "blocks", "clocks", "stock", "release", "released", "releases", "please", "exclaim", "reclaim", "proclaim", "disclaim", "disclaimer", "deadlock", "deadlocks", "interlock", "lockdown", "blocking", "blocker", "blockchain", "blocklist"}

func isLockCompound(words map[string]bool, w string) bool {
	for _, no := range notCompounds {
		if strings.HasSuffix(w, no) || strings.HasPrefix(w, no) {
			return false
		}
	}
	for _, stem := range []string{"lock", "mutex", "lease", "leader", "unlock"} {
		if words[stem] && (strings.HasSuffix(w, stem) || strings.HasPrefix(w, stem)) {
			return true
		}
	}
	return false
}

// looksLikeTest reports whether a name says that it stands in for something in
// tests.
func looksLikeTest(name string) bool {
	for _, w := range split(name) {
		switch w {
		case "test", "tests", "testing", "mock", "mocks", "fake", "fakes", "stub", "stubs", "mocked":
			return true
		}
	}
	return false
}
