package luatext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type scriptCase struct {
	name, src string
	calls     []string // in full
	owner     []string // OwnerChecked
	fenced    []string
	acquires  []string
	keyOnly   []string
	unknown   bool
}

func (c scriptCase) check(t *testing.T) {
	s, err := Parse(c.src)
	require.NoError(t, err)
	require.Equal(t, c.calls, describe(s.Calls), "calls")
	require.Equal(t, c.owner, chosen(s, s.OwnerChecked), "owner checked")
	require.Equal(t, c.fenced, chosen(s, s.Fenced), "fenced")
	require.Equal(t, c.acquires, names(s.Acquires()), "acquires")
	require.Equal(t, c.keyOnly, names(s.KeyOnly()), "key only")
	require.Equal(t, c.unknown, s.Unknown, "unknown")
}

var (
	get   = "GET KEYS[1]"
	del   = "DEL KEYS[1]"
	isOwn = " if GET KEYS[1] == ARGV[1]"
)

var releases = []scriptCase{
	{
		name:   "compare and delete",
		src:    `if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end`,
		calls:  []string{get, del + isOwn},
		owner:  []string{del},
		fenced: []string{del},
	},
	{
		name:   "operands turned",
		src:    `if ARGV[1] == redis.call("get",KEYS[1]) then redis.call("unlink",KEYS[1]) end`,
		calls:  []string{get, "UNLINK KEYS[1]" + isOwn},
		owner:  []string{"UNLINK KEYS[1]"},
		fenced: []string{"UNLINK KEYS[1]"},
	},
	{
		name: "pcall, a local, an elseif",
		src: `local val = redis.pcall("GET", KEYS[1])
			if val == ARGV[1] then return redis.pcall("DEL", KEYS[1])
			elseif val == false then return -1
			else return 0 end`,
		calls:  []string{get, del + isOwn},
		owner:  []string{del},
		fenced: []string{del},
	},
	{
		name: "early returns",
		src: `local v = redis.call("get", KEYS[1]); if v == false then return -1 end
			if v ~= ARGV[1] then return -2 else return redis.call("del", KEYS[1]) end`,
		calls:  []string{get, del + " if GET KEYS[1] exists & GET KEYS[1] == ARGV[1]"},
		owner:  []string{del},
		fenced: []string{del},
	},
	{
		name:   "one expression",
		src:    `return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0`,
		calls:  []string{get, del + isOwn},
		owner:  []string{del},
		fenced: []string{del},
	},
	{
		name:    "key only",
		src:     `return redis.call("del", KEYS[1])`,
		calls:   []string{del},
		keyOnly: []string{del},
	},
	{
		name:    "existence is no ownership",
		src:     `if redis.call("exists", KEYS[1]) == 1 then return redis.call("del", KEYS[1]) end return 0`,
		calls:   []string{"EXISTS KEYS[1]", del + " if EXISTS KEYS[1] exists"},
		keyOnly: []string{del},
	},
	{
		name:    "the compared key is another one",
		src:     `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[2]) end`,
		calls:   []string{get, "DEL KEYS[2]" + isOwn},
		fenced:  []string{"DEL KEYS[2]"},
		keyOnly: []string{"DEL KEYS[2]"},
	},
	{
		name:    "deleted in the wrong branch",
		src:     `if redis.call("get", KEYS[1]) == ARGV[1] then return 1 else return redis.call("del", KEYS[1]) end`,
		calls:   []string{get, del + " if GET KEYS[1] ~= ARGV[1]"},
		keyOnly: []string{del},
	},
	{
		name:    "a constant owner",
		src:     `if redis.call("get", KEYS[1]) == "1" then return redis.call("del", KEYS[1]) end`,
		calls:   []string{get, del + " if GET KEYS[1] == 1"},
		keyOnly: []string{del},
	},
	{
		name:   "owner formatted into the text",
		src:    "if redis.call('get', 'lock:\uFFFD') == '\uFFFD' then return redis.call('del', 'lock:\uFFFD') end",
		calls:  []string{"GET lock:\uFFFD", "DEL lock:\uFFFD if GET lock:\uFFFD == \uFFFD"},
		owner:  []string{"DEL lock:\uFFFD"},
		fenced: []string{"DEL lock:\uFFFD"},
	},
	{
		name:   "key built in the script",
		src:    `local k = "lock:" .. KEYS[1]; if redis.call("get", k) == ARGV[1] then redis.call("del", "lock:" .. KEYS[1]) end`,
		calls:  []string{`GET "lock:"..KEYS[1]`, `DEL "lock:"..KEYS[1] if GET "lock:"..KEYS[1] == ARGV[1]`},
		owner:  []string{`DEL "lock:"..KEYS[1]`},
		fenced: []string{`DEL "lock:"..KEYS[1]`},
	},
	{
		name: "owner in a hash, through HMGET and unpack",
		src: `local owner, n = unpack(redis.call('HMGET', KEYS[1], 'owner', 'n'))
			if owner ~= ARGV[1] then return 0 end
			return redis.call('DEL', KEYS[1])`,
		calls:  []string{"HMGET KEYS[1]", del + " if HMGET KEYS[1].owner == ARGV[1]"},
		owner:  []string{del},
		fenced: []string{del},
	},
	{
		name:   "owner in a JSON document",
		src:    `local l = cjson.decode(redis.call('GET', KEYS[1])) if l.owner == ARGV[1] then redis.call('DEL', KEYS[1]) end`,
		calls:  []string{get, del + " if GET KEYS[1].owner == ARGV[1]"},
		owner:  []string{del},
		fenced: []string{del},
	},
	{
		name: "counted holder in a hash field",
		src: `if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then return nil; end;
			local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1);
			if (counter > 0) then redis.call('pexpire', KEYS[1], ARGV[2]); return 0;
			else redis.call('del', KEYS[1]); redis.call('publish', KEYS[2], ARGV[1]); return 1; end;`,
		calls: []string{
			"HEXISTS KEYS[1]",
			"HINCRBY KEYS[1] if HEXISTS KEYS[1].ARGV[3] exists",
			"PEXPIRE KEYS[1] if HEXISTS KEYS[1].ARGV[3] exists & HINCRBY KEYS[1].ARGV[3] > 0",
			"DEL KEYS[1] if HEXISTS KEYS[1].ARGV[3] exists & HINCRBY KEYS[1].ARGV[3] <= 0",
			"PUBLISH KEYS[2] if HEXISTS KEYS[1].ARGV[3] exists & HINCRBY KEYS[1].ARGV[3] <= 0",
		},
		owner:  []string{"HINCRBY KEYS[1]", "PEXPIRE KEYS[1]", del},
		fenced: []string{"HINCRBY KEYS[1]", "PEXPIRE KEYS[1]", del, "PUBLISH KEYS[2]"},
	},
	{
		name: "several keys",
		src: `local values = redis.call("mget", unpack(KEYS))
			for i, _ in ipairs(KEYS) do if values[i] ~= ARGV[1] then return redis.error_reply("not held") end end
			return redis.call("del", unpack(KEYS))`,
		calls:  []string{"MGET KEYS", "DEL KEYS if MGET MGET(KEYS)[each KEYS] == ARGV[1]"},
		owner:  []string{"DEL KEYS"},
		fenced: []string{"DEL KEYS"},
	},
	{
		name:   "a flag",
		src:    `local mine = 0; if redis.call('get', KEYS[1]) == ARGV[1] then mine = 1 end; if mine == 1 then redis.call('del', KEYS[1]) end`,
		calls:  []string{get, del + isOwn},
		owner:  []string{del},
		fenced: []string{del},
	},
	{
		name: "a function that answers, and one that deletes",
		src: `-- owns tells whether the caller holds k
			local function owns(k, who) local v = redis.call('get', k) if not v then return false end return v == who end
			local drop = function(k) return redis.call('del', k) end
			if not owns(KEYS[1], ARGV[1]) then return 0 end
			return drop(KEYS[1])`,
		calls:  []string{get, del + " if GET KEYS[1] exists & GET KEYS[1] == ARGV[1]"},
		owner:  []string{del},
		fenced: []string{del},
	},
	{
		name: "an alternative that is no check",
		src: `local v = redis.call("get", KEYS[1])
			if v == ARGV[1] or ARGV[2] == "force" then return redis.call("del", KEYS[1]) end`,
		calls: []string{get, del + " if (GET KEYS[1] == ARGV[1] | other)"},
	},
	{
		name:    "negation of both",
		src:     `if not (redis.call("get", KEYS[1]) == ARGV[1]) then redis.call("del", KEYS[1]) end`,
		calls:   []string{get, del + " if GET KEYS[1] ~= ARGV[1]"},
		keyOnly: []string{del},
	},
	{
		name:    "in comments and strings nothing happens",
		src:     "--[[ redis.call('del', KEYS[1]) ]] local s = [==[ redis.call('del', KEYS[2]) ]==]\nredis.call('del', KEYS[3]) -- redis.call('del', KEYS[4])",
		calls:   []string{"DEL KEYS[3]"},
		keyOnly: []string{"DEL KEYS[3]"},
	},
	{
		name:   "compared and deleted by the store",
		src:    `return redis.call('DELEX', KEYS[1], 'IFEQ', ARGV[1])`,
		calls:  []string{"DELEX KEYS[1]"},
		owner:  []string{"DELEX KEYS[1]"},
		fenced: []string{"DELEX KEYS[1]"},
	},
	{
		name:    "expiry of no time",
		src:     `return redis.call('EXPIRE', KEYS[1], 0)`,
		calls:   []string{"EXPIRE KEYS[1]"},
		keyOnly: []string{"EXPIRE KEYS[1]"},
	},
	{
		name:    "a command that is not known",
		src:     `local cmd = ARGV[1]; redis.call(cmd, KEYS[1]); redis.call('del', KEYS[1])`,
		calls:   []string{"?", del},
		keyOnly: []string{del},
		unknown: true,
	},
	{
		name:    "a check in a branch that does not end",
		src:     `if redis.call('get', KEYS[1]) ~= ARGV[1] then redis.log(redis.LOG_WARNING, 'not mine') end redis.call('del', KEYS[1])`,
		calls:   []string{get, del},
		keyOnly: []string{del},
	},
	{
		name:   "error and assert end the script",
		src:    `if redis.call('get', KEYS[1]) ~= ARGV[1] then error('not mine') end redis.call('del', KEYS[1])`,
		calls:  []string{get, del + isOwn},
		owner:  []string{del},
		fenced: []string{del},
	},
	{
		name: "an error inside a function",
		src: `local function need(k, who) if redis.call('get', k) ~= who then error('not mine') end end
			need(KEYS[1], ARGV[1]); redis.call('del', KEYS[1])`,
		calls:  []string{get, del + isOwn},
		owner:  []string{del},
		fenced: []string{del},
	},
}

func TestReleases(t *testing.T) {
	t.Parallel()
	for _, c := range releases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	s, err := Parse("if redis.call(")
	require.ErrorContains(t, err, "parse script")
	require.Equal(t, Script{Unknown: true}, s)

	s, err = Parse(string(make([]byte, maxSource+1)))
	require.ErrorContains(t, err, "too long")
	require.True(t, s.Unknown)
}

func TestHoles(t *testing.T) {
	t.Parallel()
	// Definitions in front of a script, and verbs that were never formatted.
	for _, src := range []string{"\uFFFD\nredis.call('del', KEYS[1])", "%s\nfor i=1,#KEYS,%d do redis.call('del', KEYS[1]) end"} {
		s, err := Parse(src)
		require.NoError(t, err)
		require.True(t, s.Unknown)
		require.Equal(t, []string{del}, names(s.KeyOnly()))
	}
	s, err := Parse("redis.call('\uFFFD', KEYS[1]); redis.call('expire', KEYS[1], \uFFFD)")
	require.NoError(t, err)
	require.Equal(t, []string{"?", "EXPIRE KEYS[1]"}, describe(s.Calls))
	require.Equal(t, Arg{Kind: Expr, Text: "\uFFFD"}, s.Calls[1].Args[1])
}

func TestLines(t *testing.T) {
	t.Parallel()
	s, err := Parse("#!lua name=lib\n\nredis.call('get', KEYS[1])\n\nif true then\n  redis.call('del', KEYS[1])\nend")
	require.NoError(t, err)
	require.Len(t, s.Calls, 2)
	require.Equal(t, 3, s.Calls[0].Line)
	require.Equal(t, 6, s.Calls[1].Line)
}

func TestNesting(t *testing.T) {
	t.Parallel()
	deep := "return "
	for range 5000 {
		deep += "("
	}
	deep += "1"
	for range 5000 {
		deep += ")"
	}
	_, err := Parse(deep)
	require.NoError(t, err)

	src := "local x = 1\n"
	for range 2000 {
		src += "if x then "
	}
	src += "redis.call('del', KEYS[1]) "
	for range 2000 {
		src += "end "
	}
	s, err := Parse(src)
	require.NoError(t, err)
	require.True(t, s.Unknown, "too deep to be followed")
}
