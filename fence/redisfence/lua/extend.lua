-- Prolongs a lease. KEYS: lock. ARGV: owner, token, TTL in ms.
local held = redis.call('HMGET', KEYS[1], 'owner', 'token')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then return {'other'} end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'ok'}
