-- Takes a lock. KEYS: lock, counter. ARGV: owner, TTL in ms, issuer or ''.
local held = redis.call('HMGET', KEYS[1], 'owner', 'token', 'issuer')
if held[1] then
	if held[1] ~= ARGV[1] then return {'held'} end
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
	return {'ok', held[2], held[3]}
end
-- Read from the server that counts, in the step that counts: an identity that
-- is stored beside the counter would be replicated and restored with it.
local issuer = ARGV[3]
if issuer == '' then
	local id = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
	if not id then return {'nameless'} end
	issuer = 'redis-' .. id
end
redis.call('INCR', KEYS[2])
local token = redis.call('GET', KEYS[2]) -- as text: the reply of INCR is a double here
if not string.find(token, '^[1-9]%d*$') then return {'damaged'} end
token = string.rep('0', 19 - #token) .. token
if token > '4611686018427387904' then return {'exhausted'} end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'token', token, 'issuer', issuer)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {'ok', token, issuer}
