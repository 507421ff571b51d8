-- Hands the guard from one issuer to another. KEYS: guard. ARGV: the record
-- expected, the next one; each token/owner/issuer.
local seen = redis.call('GET', KEYS[1])
if seen == ARGV[2] then return {'ok'} end
if seen ~= ARGV[1] then return {'refused', seen} end
redis.call('SET', KEYS[1], ARGV[2])
return {'ok'}
