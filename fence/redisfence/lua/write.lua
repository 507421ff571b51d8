-- A guarded write. This stands behind the user's script, which is the body of
-- the function write. KEYS and ARGV are the user's and then: guard and, for
-- OncePerRequest, request; token, owner, issuer, 'strict' or 'lazy', and the
-- request's retention in ms, '0' for ever, '' without request. They are taken
-- off, so that the user's script finds its own alone.
local retention = table.remove(ARGV)
local lazy = table.remove(ARGV) == 'lazy'
local issuer = table.remove(ARGV)
local owner = table.remove(ARGV)
local token = table.remove(ARGV)
local request = retention ~= '' and table.remove(KEYS)
local guard = table.remove(KEYS)

local seen = redis.call('HMGET', guard, 'token', 'owner', 'issuer')
local admitted = seen[1] == token and seen[2] == owner and seen[3] == issuer
if lazy then
	admitted = not seen[1] or seen[3] == issuer and (seen[1] < token or seen[1] == token and seen[2] == owner)
end
if not admitted then return {'refused', seen[1], seen[2], seen[3]} end
if request then
	local applied = redis.call('GET', request)
	if applied then return {'duplicate', applied} end
end

local result = write()
if type(result) == 'table' and result.err then return {'ok', result} end
if lazy then redis.call('HSET', guard, 'token', token, 'owner', owner, 'issuer', issuer) end
if request then
	redis.call('SET', request, token)
	if retention ~= '0' then redis.call('PEXPIRE', request, retention) end
end
return {'ok', result}
