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

// Texts are such that each is in one script only.
const (
	check   = "local admitted = seen == grant"
	rule    = "if not older or string.match(seen, '[^/]*$') ~= string.match(ARGV[1], '[^/]*$') then"
	older   = "local older = string.sub(seen, 1, 19) < string.sub(ARGV[1], 1, 19)"
	put     = "redis.call('SET', KEYS[1], ARGV[1])\nreturn {'ok'}"
	lazy    = "not seen or string.sub(seen, 1, 19) < string.sub(grant, 1, 19)"
	adopt   = "if seen ~= ARGV[1] then return {'refused', seen} end"
	release = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'other'} end\nredis.call('DEL'"
	extend  = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'other'} end\nredis.call('PEXPIRE'"

	// What the parts of seen, token/owner/issuer, compare with.
	noOwner  = "local admitted = seen and string.sub(seen, 1, 19) == string.sub(grant, 1, 19) and string.match(seen, '[^/]*$') == string.match(grant, '[^/]*$')"
	noIssuer = "local admitted = seen and string.match(seen, '^.*/') == string.match(grant, '^.*/')"
	noToken  = "local admitted = seen and string.sub(seen, 20) == string.sub(grant, 20)"
)

var guardMutants = []mutant{
	{"write compares no owner", "register/same token of another owner", check, noOwner},
	{"write compares no issuer", "loss/restored issuer", check, noIssuer},
	{"write compares no token", "register/same owner with another token", check, noToken},
	{"ratchet: write takes any token that is not lower", "register/write never raises", check,
		"local admitted = seen and string.sub(seen, 1, 19) <= string.sub(grant, 1, 19)"},
	{"missing guard admits", "loss/missing guard refuses", check, check + " or not seen"},
	{"missing guard is made again", "loss/missing guard refuses", "if not admitted then return",
		"if not seen then redis.call('SET', guard, grant) admitted = true end\nif not admitted then return"},
	{"write is not checked", "register/older is refused", "if not admitted then return {'refused', seen} end", ""},
	{"write first, then check", "register/older is refused", "if not admitted then return {'refused', seen} end", "if not admitted then write() return {'refused', seen} end"},
	{"write raises", "register/write never raises", check, check + "\nif not admitted and seen and seen < grant then redis.call('SET', guard, grant) admitted = true end"},
	{"register takes a lower token", "register/older is refused", older, "local older = string.sub(seen, 1, 19) ~= string.sub(ARGV[1], 1, 19)"},
	{"register takes an equal token of another owner", "register/same token of another owner", older, strings.Replace(older, "<", "<=", 1)},
	{"register takes another issuer", "register/another issuer", rule, "if not older then"},
	{"register refuses its own repetition", "register/same again", "if seen == ARGV[1] then return {'ok'} end\nif seen then", "if seen then"},
	{"register compares numbers", "register/beyond doubles", older, "local older = tonumber(string.sub(seen, 1, 19)) < tonumber(string.sub(ARGV[1], 1, 19))"},
	{"register compares the whole record", "register/compares numbers alone", older, "local older = seen < ARGV[1]"},
	{"guard expires", "register/guard does not expire", put, "redis.call('SET', KEYS[1], ARGV[1], 'PX', 600000)\nreturn {'ok'}"},
	{"claim is not idempotent", "claim/same again", "if owner == ARGV[1] then return {'ok', seen} end", ""},
	{"claim keeps the token", "claim/successor refuses", "(digit + 1)", "digit"},
	{"claim counts in doubles", "claim/beyond doubles", "token = head .. (digit + 1) .. string.rep('0', #nines)", "token = string.format('%019.0f', tonumber(last) + 1)"},
	{"claim forgets the carry", "claim/carry", ".. string.rep('0', #nines)", ".. nines"},
	{"claim takes a registered guard", "claim/not beside register", "if issuer ~= 'store' then return", "if false then return"},
	{"adopt compares nothing", "adopt/compare and set", adopt, "if not seen then return {'refused', seen} end"},
	{"adopt makes a guard", "adopt/missing guard", adopt, "if seen and seen ~= ARGV[1] then return {'refused', seen} end"},
	{"adopt compares no owner", "adopt/compare and set", adopt, "if not seen or string.sub(seen, 1, 19) ~= string.sub(ARGV[1], 1, 19) or string.match(seen, '[^/]*$') ~= string.match(ARGV[1], '[^/]*$') then return {'refused', seen} end"},
	{"request id keyed with the token", "once/duplicate for the next holder", "local applied = redis.call('GET', request)", "request = request .. string.sub(grant, 1, 19)\nlocal applied = redis.call('GET', request)"},
	{"request is not recorded", "once/second is a duplicate", "redis.call('SET', request, string.sub(grant, 1, 19), 'PX', retention)", ""},
	{"request is looked for before the guard", "once/stale before duplicate", "if not admitted then return", "if request and redis.call('GET', request) then return {'duplicate', redis.call('GET', request)} end\nif not admitted then return"},
	{"lazy write takes a lower token", "lazy/write raises", lazy, strings.Replace(lazy, "<", "~=", 1)},
	{"lazy write takes a twin", "lazy/same token of another owner", lazy, strings.Replace(lazy, "<", "<=", 1)},
	{"lazy write takes another issuer", "lazy/another issuer", "and string.match(seen, '[^/]*$') == string.match(grant, '[^/]*$')", ""},
	{"lazy write raises nothing", "lazy/write raises", "if lazy then redis.call('SET'", "if false then redis.call('SET'"},
}

var lockMutants = []mutant{
	{"release by name only", "lease/old release frees nothing", release, "redis.call('DEL'"},
	{"release compares no owner", "hold/release by another", release, "if not redis.call('GET', KEYS[1]) then return {'other'} end\nif string.match(redis.call('GET', KEYS[1]), '/.*') ~= string.match(ARGV[1], '/.*') then return {'other'} end\nredis.call('DEL'"},
	{"release compares no token", "hold/release with another token", release, "if not redis.call('GET', KEYS[1]) then return {'other'} end\nif string.match(redis.call('GET', KEYS[1]), '^[^/]*') ~= string.match(ARGV[1], '^[^/]*') then return {'other'} end\nredis.call('DEL'"},
	{"release expires instead of freeing", "hold/release frees, tokens grow", "redis.call('DEL', KEYS[1])", "redis.call('PEXPIRE', KEYS[1], 60000)"},
	{"release tells nobody", "waiter/told of a release", "redis.pcall(ARGV[2], KEYS[1], '')", ""},
	{"extension compares nothing", "lease/extension by another", extend, "redis.call('PEXPIRE'"},
	{"extension revives an ended lease", "lease/ended is not revived", extend, "redis.call('SET', KEYS[1], ARGV[1])\nredis.call('PEXPIRE'"},
	{"acquire takes a held lock", "hold/excludes others", "then return {'held'} end", "then held = false end\nend\nif held then"},
	{"acquire compares the beginning of owners", "hold/owner that begins alike", "if string.sub(held, 1, #ARGV[1] + 1) ~= ARGV[1] .. '/' then", "if string.sub(held, 1, #ARGV[1]) ~= ARGV[1] then"},
	{"acquire sets no end", "lease/ends by itself", "redis.call('SET', KEYS[1], hold, 'PX', ARGV[2])", "redis.call('SET', KEYS[1], hold)"},
	{"acquire issues the same token", "hold/release frees, tokens grow", "local number = redis.call('INCR', KEYS[2])", "local number = 7"},
	{"acquire is not idempotent", "hold/same owner again", "if held then\n", "if held and string.sub(held, 1, #ARGV[1] + 1) ~= ARGV[1] .. '/' then\n"},
	{"acquire counts in doubles", "issuer/beyond doubles", "token = redis.call('GET', KEYS[2])", "token = string.format('%.0f', number)"},
	{"acquire trusts doubles too long", "issuer/beyond doubles", "if number < 9007199254740992 then", "if number < 9007199254740999 then"},
	{"repeated acquire renews nothing", "lease/repeated request renews", "redis.call('PEXPIRE', KEYS[1], ARGV[2])\n\treturn held", "return held"},
	{"failed acquire renews", "lease/failed request renews nothing", "then return {'held'} end", "then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return {'held'} end"},
	{"raise lowers", "issuer/raise", ".. now < ARGV[1] then", ".. now ~= ARGV[1] then"},
	{"counter expires", "issuer/counter does not expire", "local number = redis.call('INCR', KEYS[2])", "local number = redis.call('INCR', KEYS[2]) redis.call('PEXPIRE', KEYS[2], 600000)"},
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
