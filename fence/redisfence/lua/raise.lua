-- Lifts the counter, never lowers it. KEYS: counter. ARGV: token of 19 digits.
local now = redis.call('GET', KEYS[1]) or '0'
if not string.find(now, '^%d+$') then return {'damaged'} end
if string.rep('0', 19 - #now) .. now < ARGV[1] then
	redis.call('SET', KEYS[1], (string.gsub(ARGV[1], '^0+', '')))
end
return {'ok'}
