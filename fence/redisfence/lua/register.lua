-- Puts a grant on the guard. KEYS: guard. ARGV: token, owner, issuer.
local seen = redis.call('HMGET', KEYS[1], 'token', 'owner', 'issuer')
if seen[1] and (seen[3] ~= ARGV[3] or ARGV[1] < seen[1] or ARGV[1] == seen[1] and ARGV[2] ~= seen[2]) then
	return {'refused', seen[1], seen[2], seen[3]}
end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'owner', ARGV[2], 'issuer', ARGV[3])
return {'ok'}
