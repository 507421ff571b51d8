-- The guard's record. KEYS: guard.
return {'ok', redis.call('GET', KEYS[1])}
