-- Puts a grant on the guard. KEYS: guard. ARGV: token/owner/issuer.
-- The token has 19 digits, so that the order of texts is that of numbers.
local seen = redis.call('GET', KEYS[1])
if seen == ARGV[1] then return {'ok'} end
if seen then
	local older = string.sub(seen, 1, 19) < string.sub(ARGV[1], 1, 19)
	if not older or string.match(seen, '[^/]*$') ~= string.match(ARGV[1], '[^/]*$') then return {'refused', seen} end
end
redis.call('SET', KEYS[1], ARGV[1])
return {'ok'}
