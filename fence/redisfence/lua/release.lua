-- Frees a lock and tells those who wait. KEYS: lock. ARGV: owner, token,
-- command that publishes. A server that does not publish still releases.
local held = redis.call('HMGET', KEYS[1], 'owner', 'token')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then return {'other'} end
redis.call('DEL', KEYS[1])
redis.pcall(ARGV[3], KEYS[1], '')
return {'ok'}
