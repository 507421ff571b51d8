-- The greatest token issued. KEYS: counter.
return {'ok', redis.call('GET', KEYS[1]) or '0'}
