-- Takes a lock. KEYS: lock, counter. ARGV: owner, TTL in ms, issuer or ''.
-- A lock is owner/token/issuer. It is the reply, as it stands: a list around it
-- takes the server a tenth of the script's time.
local held = redis.call('GET', KEYS[1])
if held then
	if string.sub(held, 1, #ARGV[1] + 1) ~= ARGV[1] .. '/' then return {'held'} end
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
	return held
end
-- Read from the server that counts, in the step that counts: an identity that
-- is stored beside the counter would be replicated and restored with it, and one
-- that the client keeps would outlive a promotion, as connections do.
local issuer = ARGV[3]
if issuer == '' then
	local info = redis.call('INFO', 'replication')
	-- A plain search first: a pattern that is tried at every place costs as much as INFO.
	local _, before = string.find(info, 'master_replid:', 1, true)
	local id = before and string.match(info, '^%x+', before + 1)
	if not id then return {'nameless'} end
	issuer = 'redis-' .. id
end
local number = redis.call('INCR', KEYS[2])
if number < 1 then return {'damaged'} end
local token
if number < 9007199254740992 then
	token = string.format('%019d', number)
else -- numbers are doubles here, exact to 2^53 only
	token = redis.call('GET', KEYS[2])
	token = string.rep('0', 19 - #token) .. token
	if token > '4611686018427387904' then return {'exhausted'} end
end
local hold = ARGV[1] .. '/' .. token .. '/' .. issuer
redis.call('SET', KEYS[1], hold, 'PX', ARGV[2])
return hold
