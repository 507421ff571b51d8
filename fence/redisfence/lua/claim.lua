-- Issues a grant from the guard itself. KEYS: guard. ARGV: owner.
local seen = redis.call('HMGET', KEYS[1], 'token', 'owner', 'issuer')
local token = '0000000000000000001'
if seen[1] then
	if seen[3] ~= 'store' then return {'refused', seen[1], seen[2], seen[3]} end
	if seen[2] == ARGV[1] then return {'ok', seen[1]} end
	if seen[1] >= '4611686018427387904' then return {'exhausted'} end
	-- One more, digit by digit: numbers are doubles here, exact to 2^53 only.
	local head, digit, nines = string.match(seen[1], '^(%d-)([0-8])(9*)$')
	token = head .. (digit + 1) .. string.rep('0', #nines)
end
redis.call('HSET', KEYS[1], 'token', token, 'owner', ARGV[1], 'issuer', 'store')
return {'ok', token}
