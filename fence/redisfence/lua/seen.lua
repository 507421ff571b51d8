-- The guard's record. KEYS: guard.
local seen = redis.call('HMGET', KEYS[1], 'token', 'owner', 'issuer')
return {'ok', seen[1], seen[2], seen[3]}
