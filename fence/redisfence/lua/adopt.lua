-- Hands the guard from one issuer to another. KEYS: guard. ARGV: token, owner,
-- issuer of the record expected, then of the next.
local seen = redis.call('HMGET', KEYS[1], 'token', 'owner', 'issuer')
if seen[1] == ARGV[4] and seen[2] == ARGV[5] and seen[3] == ARGV[6] then return {'ok'} end
if seen[1] ~= ARGV[1] or seen[2] ~= ARGV[2] or seen[3] ~= ARGV[3] then
	return {'refused', seen[1], seen[2], seen[3]}
end
redis.call('HSET', KEYS[1], 'token', ARGV[4], 'owner', ARGV[5], 'issuer', ARGV[6])
return {'ok'}
