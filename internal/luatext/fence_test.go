package luatext

import "testing"

const (
	pexpire = "PEXPIRE KEYS[1]"
	set     = "SET KEYS[1]"
	hset    = "HSET KEYS[1]"
)

var fences = []scriptCase{
	{
		name:   "compare and prolong",
		src:    `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`,
		calls:  []string{get, pexpire + isOwn},
		owner:  []string{pexpire},
		fenced: []string{pexpire},
	},
	{
		name:    "prolong by key",
		src:     `return redis.call("PEXPIRE", KEYS[1], ARGV[2])`,
		calls:   []string{pexpire},
		keyOnly: []string{pexpire},
	},
	{
		name:     "SETNX, then its time to live",
		src:      `if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then redis.call('pexpire', KEYS[1], ARGV[2]) return 1 end return 0`,
		calls:    []string{"SETNX KEYS[1]", pexpire + " if SETNX KEYS[1] notexists"},
		acquires: []string{"SETNX KEYS[1]"},
	},
	{
		name:     "SETNX, then a time to live in any case",
		src:      `redis.call('setnx', KEYS[1], ARGV[1]) redis.call('pexpire', KEYS[1], ARGV[2])`,
		calls:    []string{"SETNX KEYS[1]", pexpire},
		acquires: []string{"SETNX KEYS[1]"},
		keyOnly:  []string{pexpire},
	},
	{
		name: "SET NX with a counter for the token",
		src: `local ok = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
			if not ok then return false end
			return redis.call('INCR', KEYS[2])`,
		calls:    []string{set, "INCR KEYS[2] if SET KEYS[1] notexists"},
		acquires: []string{set},
	},
	{
		name:     "absent or mine",
		src:      `local v = redis.call('get', KEYS[1]) if v == false or v == ARGV[1] then return redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) end`,
		calls:    []string{get, set + " if (GET KEYS[1] notexists | GET KEYS[1] == ARGV[1])"},
		owner:    []string{set},
		fenced:   []string{set},
		acquires: []string{set},
	},
	{
		name:     "the same with a default",
		src:      `local v = redis.call('get', KEYS[1]) or ''; if v ~= '' and v ~= ARGV[1] then return 0 end; redis.call('set', KEYS[1], ARGV[1])`,
		calls:    []string{get, set + " if (GET KEYS[1] notexists | GET KEYS[1] == ARGV[1])"},
		owner:    []string{set},
		fenced:   []string{set},
		acquires: []string{set},
	},
	{
		name: "acquire that keeps its token",
		src: `local h=redis.call('HMGET',KEYS[1],'o','t')
			if h[1] then if h[1]~=ARGV[1] then return {'',h[2]} end
			 redis.call('PEXPIRE',KEYS[1],ARGV[2]) return {h[2],h[2]} end
			redis.call('INCR',KEYS[2]) local t=redis.call('GET',KEYS[2]) t=string.rep('0',19-#t)..t
			redis.call('HSET',KEYS[1],'o',ARGV[1],'t',t) redis.call('PEXPIRE',KEYS[1],ARGV[2]) return {t,t}`,
		calls: []string{
			"HMGET KEYS[1]",
			pexpire + " if HMGET KEYS[1].o exists & HMGET KEYS[1].o == ARGV[1]",
			"INCR KEYS[2] if HMGET KEYS[1].o notexists",
			"GET KEYS[2] if HMGET KEYS[1].o notexists",
			hset + " if HMGET KEYS[1].o notexists",
			pexpire + " if HMGET KEYS[1].o notexists",
		},
		owner:    []string{pexpire},
		fenced:   []string{pexpire},
		acquires: []string{hset},
	},
	{
		name: "registering a token at the guard",
		src: `local g=redis.call('HMGET',KEYS[1],'t','o','i')
			if g[1] then if g[3]~=ARGV[3] then return {0,'issuer'} end
			 if ARGV[1]<g[1] or (ARGV[1]==g[1] and ARGV[2]~=g[2]) then return {0,'stale',g[1]} end end
			redis.call('HSET',KEYS[1],'t',ARGV[1],'o',ARGV[2],'i',ARGV[3])`,
		calls: []string{
			"HMGET KEYS[1]",
			hset + " if ((HMGET KEYS[1].t exists & HMGET KEYS[1].i == ARGV[3] & HMGET KEYS[1].t <= ARGV[1]" +
				" & (HMGET KEYS[1].t ~= ARGV[1] | HMGET KEYS[1].o == ARGV[2])) | HMGET KEYS[1].t notexists)",
		},
		owner:    []string{hset},
		fenced:   []string{hset},
		acquires: []string{hset},
	},
	{
		name: "the guarded write after it",
		src: `local g=redis.call('HMGET',KEYS[1],'t','o','i')
			if g[1]~=ARGV[1] or g[2]~=ARGV[2] or g[3]~=ARGV[3] then return {0,'stale',g[1]} end
			return redis.call('SET', KEYS[2], ARGV[4])`,
		calls: []string{
			"HMGET KEYS[1]",
			"SET KEYS[2] if HMGET KEYS[1].t == ARGV[1] & HMGET KEYS[1].o == ARGV[2] & HMGET KEYS[1].i == ARGV[3]",
		},
		fenced: []string{"SET KEYS[2]"},
	},
	{
		name: "ordered token with a default",
		src: `local cur = tonumber(redis.call('GET', KEYS[2]) or '0')
			if tonumber(ARGV[1]) < cur then return redis.error_reply('stale') end
			redis.call('SET', KEYS[2], ARGV[1])
			redis.call('SET', KEYS[1], ARGV[2])`,
		calls:  []string{"GET KEYS[2]", "SET KEYS[2] if GET KEYS[2] <= ARGV[1]", "SET KEYS[1] if GET KEYS[2] <= ARGV[1]"},
		fenced: []string{"SET KEYS[2]", "SET KEYS[1]"},
	},
	{
		name:  "the order is the wrong way round",
		src:   `local cur = tonumber(redis.call('GET', KEYS[2]) or 0) if cur > tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[2]) end`,
		calls: []string{"GET KEYS[2]", "SET KEYS[1] if GET KEYS[2] > ARGV[1]"},
	},
	{
		name: "no token yet",
		src: `local cur = redis.call('HGET', KEYS[1], 'fence')
			if not cur or tonumber(ARGV[1]) >= tonumber(cur) then
				return redis.call('HSET', KEYS[1], 'fence', ARGV[1], 'value', ARGV[2])
			end
			return 0`,
		calls:    []string{"HGET KEYS[1]", hset + " if (HGET KEYS[1].fence notexists | HGET KEYS[1].fence <= ARGV[1])"},
		fenced:   []string{hset},
		acquires: []string{hset},
	},
	{
		name: "a default in an if",
		src: `local cur = redis.call('get', KEYS[1])
			if cur == nil or cur == false then cur = '-1' end
			if tonumber(cur) >= tonumber(ARGV[1]) then return 0 end
			redis.call('set', KEYS[1], ARGV[1])`,
		calls:  []string{get, set + " if GET KEYS[1] < ARGV[1]"},
		fenced: []string{set},
	},
	{
		name:   "token stored, never compared",
		src:    `redis.call('HSET', KEYS[1], 'value', ARGV[1], 'token', ARGV[2]) redis.call('EXPIRE', KEYS[1], 60)`,
		calls:  []string{hset, "EXPIRE KEYS[1]"},
		owner:  nil,
		fenced: nil,
	},
	{
		name:    "time to live is no ownership",
		src:     `if redis.call('ttl', KEYS[1]) > 0 then redis.call('expire', KEYS[1], ARGV[1]) end`,
		calls:   []string{"TTL KEYS[1]", "EXPIRE KEYS[1] if TTL KEYS[1] > 0"},
		keyOnly: []string{"EXPIRE KEYS[1]"},
	},
	{
		name: "a fence at another key",
		src: `local fence = redis.call('GET', KEYS[1])
			if fence and fence ~= ARGV[1] then return redis.error_reply('fenced') end
			redis.call('RPUSH', KEYS[2], ARGV[2])`,
		calls:  []string{get, "RPUSH KEYS[2] if (GET KEYS[1] notexists | GET KEYS[1] == ARGV[1])"},
		fenced: []string{"RPUSH KEYS[2]"},
	},
	{
		name: "call as a local, fields of a table",
		src: `local call = redis.call
			local lock = { owner = call('HGET', KEYS[1], 'owner'), key = KEYS[1] }
			if lock.owner == ARGV[1] then call('HSET', lock.key, 'value', ARGV[2]) end`,
		calls:  []string{"HGET KEYS[1]", hset + " if HGET KEYS[1].owner == ARGV[1]"},
		owner:  []string{hset},
		fenced: []string{hset},
	},
	{
		name: "HGETALL gathered into a table",
		src: `local raw = redis.call('HGETALL', KEYS[1])
			local t = {}
			for i = 1, #raw, 2 do t[raw[i]] = raw[i + 1] end
			if t.owner ~= ARGV[1] then return 0 end
			redis.call('DEL', KEYS[1])`,
		calls:  []string{"HGETALL KEYS[1]", del + " if HGETALL KEYS[1].owner == ARGV[1]"},
		owner:  []string{del},
		fenced: []string{del},
	},
	{
		name:     "the type of what is stored",
		src:      `local v = redis.call('get', KEYS[1]) if type(v) == 'boolean' then redis.call('set', KEYS[1], ARGV[1]) end`,
		calls:    []string{get, set + " if GET KEYS[1] notexists"},
		acquires: []string{set},
	},
	{
		name: "a wrapper with varargs",
		src: `local function call(...) return redis.call(...) end
			if call('get', KEYS[1]) == ARGV[1] then call('del', KEYS[1]) end`,
		calls:  []string{get, del + isOwn},
		owner:  []string{del},
		fenced: []string{del},
	},
	{
		name: "a function of a library",
		src: `#!lua name=locks
			local function unlock(keys, args)
				if redis.call('GET', keys[1]) == args[1] then return redis.call('DEL', keys[1]) end
				return 0
			end
			redis.register_function('unlock', unlock)
			redis.register_function{function_name='force', callback=function(keys) return redis.call('DEL', keys[1]) end}`,
		calls:   []string{get, del + isOwn, del},
		owner:   []string{del},
		fenced:  []string{del},
		keyOnly: []string{del},
	},
	{
		name:     "each key in a loop, absent or expired",
		src:      `for _, k in ipairs(KEYS) do local lu = redis.call('HGET', k, 'until') if lu == false or tonumber(lu) < tonumber(ARGV[1]) then redis.call('HSET', k, 'until', ARGV[2]) end end`,
		calls:    []string{"HGET KEYS[each KEYS]", "HSET KEYS[each KEYS] if (HGET KEYS[each KEYS].until notexists | HGET KEYS[each KEYS].until < ARGV[1])"},
		fenced:   []string{"HSET KEYS[each KEYS]"},
		acquires: []string{"HSET KEYS[each KEYS]"},
	},
	{
		name:   "compared and set by the store",
		src:    `return redis.call('SET', KEYS[1], ARGV[2], 'IFEQ', ARGV[1])`,
		calls:  []string{set},
		owner:  []string{set},
		fenced: []string{set},
	},
	{
		name:  "a global that is not known",
		src:   `if cleanup then redis.call('del', KEYS[1]) else redis.call('incr', KEYS[2]) end`,
		calls: []string{del, "INCR KEYS[2]"}, keyOnly: []string{del},
	},
	{
		name:    "a recursive function",
		src:     `local function f(n) if n == 0 then return 0 end redis.call('incr', KEYS[1]) return f(n - 1) end return f(3)`,
		calls:   []string{"INCR KEYS[1]"},
		unknown: true,
	},
	{
		name:    "a function that nothing calls",
		src:     `local function f(k) redis.call('del', k) end`,
		calls:   []string{"DEL ?"},
		keyOnly: []string{"DEL ?"},
		unknown: true,
	},
}

func TestFences(t *testing.T) {
	t.Parallel()
	for _, c := range fences {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}
