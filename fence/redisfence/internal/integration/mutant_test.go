package integration

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/fencetest"
)

// A mutant replaces text in the shipped Lua. caught is a case of the suite that
// has to fail because of it.
type mutant struct {
	name     string
	caught   string
	old, new string
}

// Scripts are told apart by what only one of them has.
const (
	check   = "local admitted = seen[1] == token and seen[2] == owner and seen[3] == issuer"
	release = "if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then return {'other'} end\nredis.call('DEL'"
	extend  = "if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then return {'other'} end\nredis.call('PEXPIRE'"
	rule    = "if seen[1] and (seen[3] ~= ARGV[3] or ARGV[1] < seen[1] or ARGV[1] == seen[1] and ARGV[2] ~= seen[2]) then"
	lazy    = "admitted = not seen[1] or seen[3] == issuer and (seen[1] < token or seen[1] == token and seen[2] == owner)"
	adopt   = "if seen[1] ~= ARGV[1] or seen[2] ~= ARGV[2] or seen[3] ~= ARGV[3] then"
)

var guardMutants = []mutant{
	{"write compares no owner", "register/same token of another owner", check, strings.Replace(check, "seen[2] == owner", "true", 1)},
	{"write compares no issuer", "loss/restored issuer", check, strings.Replace(check, "seen[3] == issuer", "true", 1)},
	{"write compares no token", "register/same owner with another token", check, strings.Replace(check, "seen[1] == token", "seen[1]", 1)},
	{"ratchet: write takes any token that is not lower", "register/write never raises", check,
		"local admitted = seen[1] and seen[1] <= token and seen[3] == issuer"},
	{"missing guard admits", "loss/missing guard refuses", check, check + " or not seen[1]"},
	{"missing guard is made again", "loss/missing guard refuses", "if not admitted then return",
		"if not seen[1] then redis.call('HSET', guard, 'token', token, 'owner', owner, 'issuer', issuer) admitted = true end\nif not admitted then return"},
	{"check after the write", "register/older is refused", "if not admitted then return {'refused', seen[1], seen[2], seen[3]} end\n", ""},
	{"write raises", "register/write never raises", check, check + "\nif not admitted and seen[1] and seen[1] < token then redis.call('HSET', guard, 'token', token, 'owner', owner, 'issuer', issuer) admitted = true end"},
	{"register takes a lower token", "register/older is refused", rule, strings.Replace(rule, "ARGV[1] < seen[1] or ", "", 1)},
	{"register takes an equal token of another owner", "register/same token of another owner", rule, strings.Replace(rule, " or ARGV[1] == seen[1] and ARGV[2] ~= seen[2]", "", 1)},
	{"register takes another issuer", "register/another issuer", rule, strings.Replace(rule, "seen[3] ~= ARGV[3] or ", "", 1)},
	{"register refuses its own repetition", "register/same again", rule, strings.Replace(rule, "ARGV[1] < seen[1] or ARGV[1] == seen[1] and ARGV[2] ~= seen[2]", "ARGV[1] <= seen[1]", 1)},
	{"register compares numbers", "register/beyond doubles", rule, strings.ReplaceAll(rule, "ARGV[1] < seen[1] or ARGV[1] == seen[1]", "tonumber(ARGV[1]) < tonumber(seen[1]) or tonumber(ARGV[1]) == tonumber(seen[1])")},
	{"guard expires", "register/guard does not expire", "redis.call('HSET', KEYS[1], 'token', ARGV[1], 'owner', ARGV[2], 'issuer', ARGV[3])",
		"redis.call('HSET', KEYS[1], 'token', ARGV[1], 'owner', ARGV[2], 'issuer', ARGV[3]) redis.call('PEXPIRE', KEYS[1], 600000)"},
	{"claim is not idempotent", "claim/same again", "if seen[2] == ARGV[1] then return {'ok', seen[1]} end", ""},
	{"claim keeps the token", "claim/successor refuses", "(digit + 1)", "digit"},
	{"claim counts in doubles", "claim/beyond doubles", "token = head .. (digit + 1) .. string.rep('0', #nines)", "token = string.format('%019.0f', tonumber(seen[1]) + 1)"},
	{"claim forgets the carry", "claim/carry", ".. string.rep('0', #nines)", ".. nines"},
	{"claim takes a registered guard", "claim/not beside register", "if seen[3] ~= 'store' then return", "if false then return"},
	{"adopt compares no owner", "adopt/compare and set", adopt, strings.Replace(adopt, "seen[2] ~= ARGV[2] or ", "", 1)},
	{"adopt compares no token", "adopt/compare and set", adopt, strings.Replace(adopt, "seen[1] ~= ARGV[1] or ", "", 1)},
	{"request id keyed with the token", "once/duplicate for the next holder", "local applied = redis.call('GET', request)", "request = request .. token\nlocal applied = redis.call('GET', request)"},
	{"request is not recorded", "once/second is a duplicate", "redis.call('SET', request, token)", ""},
	{"request is looked for before the guard", "once/stale before duplicate", "if not admitted then return", "if request and redis.call('GET', request) then return {'duplicate', redis.call('GET', request)} end\nif not admitted then return"},
	{"lazy write takes a lower token", "lazy/write raises", lazy, strings.Replace(lazy, "seen[1] < token", "seen[1] ~= token", 1)},
	{"lazy write takes a twin", "lazy/same token of another owner", lazy, strings.Replace(lazy, " and seen[2] == owner", "", 1)},
	{"lazy write raises nothing", "lazy/write raises", "if lazy then redis.call('HSET'", "if false then redis.call('HSET'"},
}

var lockMutants = []mutant{
	{"release by name only", "lease/old release frees nothing", release, "redis.call('DEL'"},
	{"release compares no owner", "hold/release by another", release, "if held[2] ~= ARGV[2] then return {'other'} end\nredis.call('DEL'"},
	{"release compares no token", "hold/release with another token", release, "if held[1] ~= ARGV[1] then return {'other'} end\nredis.call('DEL'"},
	{"release expires instead of freeing", "hold/release frees, tokens grow", "redis.call('DEL', KEYS[1])", "redis.call('PEXPIRE', KEYS[1], 60000)"},
	{"release tells nobody", "waiter/told of a release", "redis.pcall(ARGV[3], KEYS[1], '')", ""},
	{"extension compares no owner", "lease/extension by another", extend, "if held[2] ~= ARGV[2] then return {'other'} end\nredis.call('PEXPIRE'"},
	{"extension revives an ended lease", "lease/ended is not revived", extend, "redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'token', ARGV[2])\nredis.call('PEXPIRE'"},
	{"acquire takes a held lock", "hold/excludes others", "if held[1] ~= ARGV[1] then return {'held'} end", "if held[1] ~= ARGV[1] then held[1] = false end\nend\nif held[1] then"},
	{"acquire sets no end", "lease/ends by itself", "'issuer', issuer)\nredis.call('PEXPIRE', KEYS[1], ARGV[2])", "'issuer', issuer)"},
	{"acquire issues the same token", "hold/release frees, tokens grow", "redis.call('INCR', KEYS[2])", "redis.call('SET', KEYS[2], '7')"},
	{"acquire is not idempotent", "hold/same owner again", "if held[1] then\n", "if held[1] and held[1] ~= ARGV[1] then\n"},
	{"acquire counts in doubles", "issuer/beyond doubles", "local token = redis.call('GET', KEYS[2])", "local token = string.format('%.0f', tonumber(redis.call('GET', KEYS[2])))"},
	{"repeated acquire renews nothing", "lease/repeated request renews", "redis.call('PEXPIRE', KEYS[1], ARGV[2])\n\treturn", "return"},
	{"failed acquire renews", "lease/failed request renews nothing", "then return {'held'} end", "then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return {'held'} end"},
	{"raise lowers", "issuer/raise", ".. now < ARGV[1] then", ".. now ~= ARGV[1] then"},
	{"counter expires", "issuer/counter does not expire", "redis.call('INCR', KEYS[2])", "redis.call('INCR', KEYS[2]) redis.call('PEXPIRE', KEYS[2], 600000)"},
}

// An editor is a hook that changes Lua on its way to the server. Scripts go by
// their text then, never by the digest.
type editor struct {
	old, new string
	hits     atomic.Int64
}

func (e *editor) DialHook(next redis.DialHook) redis.DialHook { return next }

func (e *editor) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (e *editor) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		switch args := cmd.Args(); cmd.Name() {
		case "evalsha":
			return redis.ErrNoScript
		case "eval":
			if text := args[1].(string); strings.Contains(text, e.old) {
				e.hits.Add(1)
				args[1] = strings.Replace(text, e.old, e.new, 1)
			}
		}
		return next(ctx, cmd)
	}
}

// TestMutants breaks the shipped Lua in one place at a time: the suite, or a
// case of this package, must notice, by the case that is there for it, and must
// not be broken for every case, or else the edit has broken more than it says.
// By default with the decisive cases only; FENCE_MUTANTS=all takes every case.
func TestMutants(t *testing.T) {
	t.Parallel()
	all := os.Getenv("FENCE_MUTANTS") == "all"
	for suite, mutants := range map[string][]mutant{"guard": guardMutants, "lock": lockMutants} {
		for _, m := range mutants {
			t.Run(suite+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				m.test(t, suite, all)
			})
		}
	}
}

func (m mutant) test(t *testing.T, suite string, all bool) {
	edit := &editor{old: m.old, new: m.new}
	client := newClient(t, sharedServer(t).Addr())
	client.AddHook(edit)
	ran := 0
	choose := func(tb testing.TB) {
		name := strings.TrimPrefix(tb.Name(), t.Name()+"/")
		if !all && name != m.caught && !slices.Contains(controls, name) {
			tb.Skip("not decisive for this mutant")
		}
		ran++
	}
	var failures []fencetest.Failure
	if suite == "guard" {
		failures = fencetest.GuardFailures(t, func(tb testing.TB) *fencetest.GuardHarness {
			choose(tb)
			return newStore(tb, client).guardHarness()
		})
	} else {
		failures = fencetest.LockFailures(t, func(tb testing.TB) *fencetest.LockHarness {
			choose(tb)
			return newStore(tb, client).lockHarness()
		})
	}
	var names []string
	for _, f := range failures {
		names = append(names, f.Case)
	}
	for name, own := range ownCases {
		if name == m.caught || all && strings.HasPrefix(name, suite) {
			ran++
			if err := own(newStore(t, client)); err != nil {
				names = append(names, name)
			}
		}
	}
	require.NotZero(t, edit.hits.Load(), "the edit fits no script")
	require.Contains(t, names, m.caught)
	require.Less(t, len(names), ran, "broken for every case: %v", names)
	t.Logf("caught by %d of %d cases: %v", len(names), ran, names)
}

// controls are cases that most mutants pass. They run beside the decisive one.
var controls = []string{"register/then write", "claim/then write", "hold/bad input", "hold/longest names", "hold/same owner again"}
