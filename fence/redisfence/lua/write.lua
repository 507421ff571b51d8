-- A guarded write. This stands behind the user's script, which is the body of
-- the function write. KEYS and ARGV are the user's and then: guard and, for
-- OncePerRequest, request; the grant as token/owner/issuer, 'strict' or 'lazy',
-- and the request's retention in ms, '0' for ever, '' without request. They are
-- taken off, so that the user's script finds its own alone.
local retention = table.remove(ARGV)
local lazy = table.remove(ARGV) == 'lazy'
local grant = table.remove(ARGV)
local request = retention ~= '' and table.remove(KEYS)
local guard = table.remove(KEYS)

local seen = redis.call('GET', guard)
local admitted = seen == grant
if lazy and not admitted then
	admitted = not seen or string.sub(seen, 1, 19) < string.sub(grant, 1, 19)
		and string.match(seen, '[^/]*$') == string.match(grant, '[^/]*$')
end
if not admitted then return {'refused', seen} end
if request then
	local applied = redis.call('GET', request)
	if applied then return {'duplicate', applied} end
end

local result = write()
if type(result) == 'table' and result.err then return {'ok', result} end
if lazy then redis.call('SET', guard, grant) end
if request and retention == '0' then
	redis.call('SET', request, string.sub(grant, 1, 19))
elseif request then
	redis.call('SET', request, string.sub(grant, 1, 19), 'PX', retention)
end
return {'ok', result}
