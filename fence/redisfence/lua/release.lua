-- Frees a lock and tells those who wait. KEYS: lock. ARGV: owner/token/issuer,
-- command that publishes. A server that does not publish still releases.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'other'} end
redis.call('DEL', KEYS[1])
redis.pcall(ARGV[2], KEYS[1], '')
return ''
