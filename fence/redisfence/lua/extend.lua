-- Prolongs a lease. KEYS: lock. ARGV: owner/token/issuer, TTL in ms.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'other'} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return ''
