-- Issues a grant from the guard itself. KEYS: guard. ARGV: owner.
local seen = redis.call('GET', KEYS[1])
local token = '0000000000000000001'
if seen then
	local last, owner, issuer = string.match(seen, '^(%d+)/(.*)/(.*)$')
	if issuer ~= 'store' then return {'refused', seen} end
	if owner == ARGV[1] then return {'ok', seen} end
	if last >= '4611686018427387904' then return {'exhausted'} end
	-- One more, digit by digit: numbers are doubles here, exact to 2^53 only.
	local head, digit, nines = string.match(last, '^(%d-)([0-8])(9*)$')
	token = head .. (digit + 1) .. string.rep('0', #nines)
end
local record = token .. '/' .. ARGV[1] .. '/store'
redis.call('SET', KEYS[1], record)
return {'ok', record}
