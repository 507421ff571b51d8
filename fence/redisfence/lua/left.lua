-- How long a lock is still held. KEYS: lock. Reply: milliseconds, negative if
-- it is free.
return {'ok', tostring(redis.call('PTTL', KEYS[1]))}
